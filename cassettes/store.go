package cassettes

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
)

// readFile reads a file of the folder. A symbolic link is refused even where it stays inside
// the folder: replacing the file would replace the link.
func (l *Library) readFile(file string) ([]byte, error) {
	info, err := l.root.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	return l.root.ReadFile(file)
}

// contents reads the tape of a cassette. The error is fs.ErrNotExist if it has none.
func (l *Library) contents(name string, r Cleaner) (contents, error) {
	data, err := l.readFile(name + tapeSuffix)
	if err == nil {
		var c contents
		if c, err = read(data, r); err == nil {
			return c, nil
		}
	}
	return contents{}, fmt.Errorf("reading cassette %q: %w", name, err)
}

// leftover reads the journal of a cassette, if it has one.
func (l *Library) leftover(name string) (s scanned, found bool, err error) {
	data, err := l.readFile(name + journalSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return scanned{}, false, nil
	}
	if err == nil {
		s, err = scan(data)
	}
	if err != nil {
		return scanned{}, false, fmt.Errorf("reading %s: %w", l.file(name+journalSuffix), err)
	}
	return s, len(s.entries) > 0, nil
}

// fold puts journal entries on the tape of a cassette and returns what the tape holds then.
// Without entries it writes nothing, so a good tape is never replaced by an empty one.
func (l *Library) fold(name string, entries []entry, r Cleaner) (contents, error) {
	c, err := l.contents(name, r)
	if errors.Is(err, fs.ErrNotExist) {
		c, err = contents{}, nil
	}
	if err == nil && c.lost {
		err = fmt.Errorf("cassette %q was cut off in the middle of an exchange: move the file away,"+
			" or delete the broken end, before recording on it", name)
	}
	if err != nil || len(entries) == 0 {
		return c, err
	}
	if c.entries, err = merge(c.entries, entries); err == nil {
		_, err = freshen(c.entries, r) // also what older recordings left
	}
	if err != nil {
		return contents{}, fmt.Errorf("folding the journal of cassette %q: %w", name, err)
	}
	if err := l.replace(name+tapeSuffix, render(c.entries)); err != nil {
		return contents{}, fmt.Errorf("writing cassette %q: %w", name, err)
	}
	return c, nil
}

// replace writes a file beside the one it replaces, syncs it and renames it, so that there is
// the old one or the new one at every moment, and syncs the folder, which holds the name.
func (l *Library) replace(file string, data []byte) error {
	temp := tempName(strings.TrimSuffix(file, tapeSuffix))
	f, err := l.create(temp)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = l.root.Rename(temp, file)
	}
	if err != nil {
		return errors.Join(err, l.root.Remove(temp))
	}
	return l.syncFolder(path.Dir(file))
}

// create makes a file that must not be there yet, to be appended to and read back.
func (l *Library) create(file string) (*os.File, error) {
	return l.root.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
}

// tempName names a file that sweep removes if it is left behind.
func tempName(name string) string { return name + tempMark + strings.ToLower(rand.Text()[:8]) }

func (l *Library) syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such operation
	}
	f, err := l.root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// sweep removes what a fold that was killed has left half-written. The caller holds the lock
// of the cassette, so nobody is writing.
func (l *Library) sweep(name string) error {
	dir, base := path.Split(name)
	files, err := fs.ReadDir(l.root.FS(), path.Clean(dir))
	if err != nil {
		return fmt.Errorf("reading the folder of cassette %q: %w", name, err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), base+tempMark) {
			continue
		}
		if err := l.root.Remove(dir + f.Name()); err != nil {
			return fmt.Errorf("removing a half-written tape of cassette %q: %w", name, err)
		}
	}
	return nil
}

// remove removes a file that need not be there.
func (l *Library) remove(file string) error {
	if err := l.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// file returns the path of a file as the operator knows it.
func (l *Library) file(name string) string { return path.Join(l.dir, name) }
