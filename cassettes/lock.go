package cassettes

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// lock is the right to record on a cassette. The kernel holds it for the open file and lets go
// when the process ends in any way; the file that is left then means nothing.
type lock struct {
	library *Library
	file    string
	held    *flock.Flock
}

// acquire locks a cassette or says that it is taken.
func (l *Library) acquire(name string) (*lock, error) {
	file := name + lockSuffix
	for {
		// Created through the root first, so that the path below cannot lead out of it.
		f, err := l.root.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("locking cassette %q: %w", name, err)
		}
		f.Close()
		held := flock.New(filepath.Join(l.abs, filepath.FromSlash(file)))
		ok, err := held.TryLock()
		if err != nil {
			return nil, fmt.Errorf("locking cassette %q: %w", name, err)
		}
		if !ok {
			return nil, fmt.Errorf("cassette %q in %q is being recorded by another process",
				name, l.dir)
		}
		if l.same(held, file) {
			return &lock{library: l, file: file, held: held}, nil
		}
		// The one who held it removed the file after it was opened here: what was locked has
		// no name any more.
		if err := held.Unlock(); err != nil {
			return nil, fmt.Errorf("locking cassette %q: %w", name, err)
		}
	}
}

// same reports whether the locked file still has its name.
func (l *Library) same(held *flock.Flock, file string) bool {
	locked, err := held.Stat()
	if err != nil {
		return false
	}
	named, err := l.root.Lstat(file)
	return err == nil && os.SameFile(locked, named)
}

// release removes the file and then unlocks it; the other way round, the file of the next
// holder could be removed. A file that cannot be removed means nothing once it is unlocked.
func (k *lock) release() error {
	_ = k.library.root.Remove(k.file)
	if err := k.held.Unlock(); err != nil {
		return fmt.Errorf("unlocking the cassette: %w", err)
	}
	return nil
}
