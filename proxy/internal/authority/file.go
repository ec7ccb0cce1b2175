package authority

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadFile reads a file with a key, such as that of the authority. A file that others can read is
// refused: they may have the key. The error is an fs.ErrNotExist if there is no such file.
func ReadFile(file string) ([]byte, error) {
	info, err := os.Lstat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", file)
	case ownerOnly && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("others may read its key: %s has mode %04o", file, info.Mode().Perm())
	}
	return os.ReadFile(file)
}

// MakeFile writes a file with a key, which only its owner can read, and makes the folder that it
// lies in. A file that is there already stays: the error is an fs.ErrExist then.
func MakeFile(file string, data []byte) error { return writeFile(file, data, (*os.Root).Link) }

// writeFile writes a file beside and puts it in its place by a link, which never replaces, or
// by a rename, which does. Nobody ever sees half of it.
func writeFile(
	file string, data []byte, put func(r *os.Root, from, to string) error,
) (err error) {
	dir, name := filepath.Split(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	temp := "." + name + "-" + rand.Text()
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = put(root, temp, name)
	}
	if gone := root.Remove(temp); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
