package cassettes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// A sidecar is a file of the folder that belongs to its cassettes and is none, such as paytape.lock.

// maxSidecar bounds a sidecar, in bytes: some hundred thousand lines.
const maxSidecar = 64 << 20

// ReadSidecar returns what a sidecar holds. The error is fs.ErrNotExist if there is none.
func (l *Library) ReadSidecar(name string) ([]byte, error) {
	f, size, err := l.openFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", l.file(name), err)
	}
	data := make([]byte, min(size, maxSidecar+1))
	if size > maxSidecar {
		err = fmt.Errorf("it is larger than %d MB", maxSidecar>>20)
	} else if _, err = io.ReadFull(io.NewSectionReader(f, 0, size), data); err == io.EOF {
		err = nil // it is empty
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", l.file(name), err)
	}
	return data, nil
}

// sidecarWait is how long whoever wants to change a sidecar waits for others who do, and sidecarPause is
// the time from one look to the next.
const (
	sidecarWait  = 30 * time.Second
	sidecarPause = 10 * time.Millisecond
)

// UpdateSidecar replaces a sidecar by what change makes of it, by one rename; nil is a sidecar that is
// not there. Of several processes that do so, each gets what the one before has made.
func (l *Library) UpdateSidecar(name string, change func(old []byte) ([]byte, error)) (err error) {
	held, err := l.awaitLock(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.release()) }()
	old, err := l.ReadSidecar(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fresh, err := change(old)
	if err != nil || old != nil && bytes.Equal(old, fresh) {
		return err
	}
	if err = l.sweep(name); err == nil {
		err = l.replace(name, func(to file) error { return writeAll(to, fresh) })
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", l.file(name), err)
	}
	return nil
}

// awaitLock locks a sidecar, for which it waits.
func (l *Library) awaitLock(name string) (*lock, error) {
	for until := time.Now().Add(sidecarWait); ; {
		k := &lock{library: l, file: name + lockSuffix}
		err := k.try()
		switch {
		case err == nil:
			return k, nil
		case !errors.Is(err, ErrTaken) && !errors.Is(err, errChanged) && !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("locking %s: %w", l.file(name), err)
		case time.Now().After(until):
			return nil, fmt.Errorf("locking %s: another process has it", l.file(name))
		}
		time.Sleep(sidecarPause)
	}
}
