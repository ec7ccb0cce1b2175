package cassettes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/gofrs/flock"
)

// lock is the right to record on a cassette. The kernel holds it for the open file and lets go
// when the process ends in any way; the file that is left then means nothing. On a network
// file system it holds between hosts as far as that system has flock(2) do so; one that has
// no locks at all gives an error, and nothing is recorded.
type lock struct {
	library *Library
	file    string
	held    *flock.Flock
	made    []string // folders that were made for the cassette, outermost first
}

// lockTries bounds how often a lock is tried for while others, who had it, tidy up.
const lockTries = 100

// acquire makes the folder of a cassette and locks it, or says that it is taken. A cassette that is not
// there yet must have a name that a new one may have.
func (l *Library) acquire(name string) (*lock, error) {
	if _, err := l.folder.Lstat(name + tapeSuffix); errors.Is(err, fs.ErrNotExist) {
		if err := CheckNewName(name); err != nil {
			return nil, err
		}
	}
	k := &lock{library: l, file: name + lockSuffix}
	err := errChanged
	for range lockTries {
		if err = k.try(); !errors.Is(err, errChanged) && !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.Is(err, ErrTaken) {
		return nil, fmt.Errorf("cassette %q in %q is %w", name, l.dir, err)
	}
	if err != nil {
		k.tidy()
		return nil, fmt.Errorf("locking cassette %q: %w", name, err)
	}
	return k, nil
}

// ErrTaken is returned for a cassette that another process records on, or replaces.
var ErrTaken = errors.New("being recorded by another process")

// Locked reports whether somebody records on a cassette now, or replaces it.
func (l *Library) Locked(name string) (bool, error) {
	name, err := checkName(name)
	if err != nil {
		return false, err
	}
	held, err := l.acquire(name)
	if errors.Is(err, ErrTaken) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, held.release()
}

// try tries for the lock once.
func (k *lock) try() error {
	l := k.library
	if err := k.makeFolders(); err != nil {
		return err
	}
	// Created through the root first, so that the path below cannot lead out of it.
	f, err := l.folder.OpenFile(k.file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if info.Size() > 0 {
		return fmt.Errorf("%s is in the way: it is another file than a lock of ours, which would be empty",
			l.file(k.file))
	}
	k.held = flock.New(filepath.Join(l.abs, filepath.FromSlash(k.file)))
	ok, err := k.held.TryLock()
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrTaken
	case l.same(k.held, k.file):
		return nil
	}
	// The one who held it removed the file after it was opened here: what was locked has no
	// name any more.
	return errors.Join(errChanged, k.held.Unlock())
}

// makeFolders makes the folders that the name of a cassette has before its last slash.
func (k *lock) makeFolders() error {
	for i, c := range k.file {
		if c != '/' {
			continue
		}
		switch err := k.library.folder.Mkdir(k.file[:i], 0o700); {
		case err == nil:
			k.made = append(k.made, k.file[:i])
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
	return nil
}

// tidy removes the folders that were made, as far as nothing is in them.
func (k *lock) tidy() {
	for dir := path.Dir(k.file); dir != "."; dir = path.Dir(dir) {
		if !slices.Contains(k.made, dir) {
			return
		}
		_ = k.library.folder.Remove(dir)
	}
}

// same reports whether the locked file still has its name.
func (l *Library) same(held *flock.Flock, file string) bool {
	locked, err := held.Stat()
	if err != nil {
		return false
	}
	named, err := l.folder.Lstat(file)
	return err == nil && os.SameFile(locked, named)
}

// release removes the file and then unlocks it; the other way round, the file of the next
// holder could be removed. Windows removes no file that somebody has open like this: neither before
// it is unlocked here, nor after it if there is a next holder. A file that cannot be removed means
// nothing once it is unlocked.
func (k *lock) release() error {
	if k.library.same(k.held, k.file) {
		_ = k.library.folder.Remove(k.file)
	}
	if err := k.held.Unlock(); err != nil {
		return fmt.Errorf("unlocking the cassette: %w", err)
	}
	if runtime.GOOS == "windows" {
		_ = k.library.folder.Remove(k.file)
	}
	k.tidy()
	return nil
}
