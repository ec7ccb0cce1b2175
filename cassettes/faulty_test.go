package cassettes

import (
	"errors"
	"io/fs"
	"sync"
)

// faulty is a folder on a disk that fails.
type faulty struct {
	folder

	mu    sync.Mutex // guards the rest
	count int        // operations so far
	fails func(n int) bool
	hit   bool // one has failed
}

var errFault = errors.New("input/output error")

// op counts an operation and decides whether it fails.
func (d *faulty) op() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count++
	if d.fails(d.count) {
		d.hit = true
		return errFault
	}
	return nil
}

func (d *faulty) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if err := d.op(); err != nil {
		return nil, err
	}
	f, err := d.folder.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultyFile{f, d}, nil
}

func (d *faulty) Lstat(name string) (fs.FileInfo, error) {
	if err := d.op(); err != nil {
		return nil, err
	}
	return d.folder.Lstat(name)
}

func (d *faulty) Mkdir(name string, perm fs.FileMode) error {
	if err := d.op(); err != nil {
		return err
	}
	return d.folder.Mkdir(name, perm)
}

func (d *faulty) Rename(old, fresh string) error {
	if err := d.op(); err != nil {
		return err
	}
	return d.folder.Rename(old, fresh)
}

func (d *faulty) Remove(name string) error {
	if err := d.op(); err != nil {
		return err
	}
	return d.folder.Remove(name)
}

// FS counts as one operation, which fails when a folder is listed.
func (d *faulty) FS() fs.FS {
	if err := d.op(); err != nil {
		return noFS{err}
	}
	return d.folder.FS()
}

type noFS struct{ err error }

func (n noFS) Open(string) (fs.File, error) { return nil, n.err }

// faultyFile is a file of the folder.
type faultyFile struct {
	file
	disk *faulty
}

// Write leaves half of what it was given when it fails.
func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.disk.op(); err != nil {
		n, _ := f.file.Write(p[:len(p)/2])
		return n, err
	}
	return f.file.Write(p)
}

func (f *faultyFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.disk.op(); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, at)
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	if err := f.disk.op(); err != nil {
		return nil, err
	}
	return f.file.Stat()
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.disk.op(); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

func (f *faultyFile) Sync() error {
	if err := f.disk.op(); err != nil {
		return err
	}
	return f.file.Sync()
}

// Close closes the file even when it says that it failed, as close(2) does.
func (f *faultyFile) Close() error {
	return errors.Join(f.disk.op(), f.file.Close())
}
