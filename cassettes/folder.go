package cassettes

import (
	"io"
	"io/fs"
	"os"
)

// folder is all that a Library does to its folder, but for the lock, which needs a path. It
// is an os.Root; in tests, one on a disk that fails.
type folder interface {
	OpenFile(name string, flag int, perm fs.FileMode) (file, error)
	Lstat(name string) (fs.FileInfo, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(old, fresh string) error
	Remove(name string) error
	FS() fs.FS
	Close() error
}

// file is what is done to a file of the folder.
type file interface {
	io.Writer
	io.ReaderAt
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// rooted is the folder that Open opens: no name and no link leads out of it.
type rooted struct{ *os.Root }

func (r rooted) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	f, err := r.Root.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // a nil *os.File would be a file that is not nil
	}
	return f, nil
}
