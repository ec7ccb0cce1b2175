package cassettes

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// openFile opens a file of the folder to be read, and returns its size. A symbolic link is
// refused even where it stays inside the folder: replacing the file would replace the link.
// A file that another has replaced meanwhile, which is done in one step, is opened again.
func (l *Library) openFile(name string) (f file, size int64, err error) {
	const attempts = 10
	for range attempts {
		if f, size, err = l.openNamed(name); !errors.Is(err, errChanged) {
			break
		}
	}
	return f, size, err
}

// openNamed opens the file that has a name just now.
func (l *Library) openNamed(name string) (file, int64, error) {
	named, err := l.folder.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !named.Mode().IsRegular() {
		return nil, 0, errors.New("it is not a regular file")
	}
	f, err := l.folder.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(named, info) {
		err = errChanged
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// contents is what a cassette file holds, clean. It is closed after use.
type contents struct {
	spans    []span
	warnings []string
	lost     bool   // the file has a part that could not be read
	file     file   // in which the spans lie; nil if they are held
	seal     string // the last line of a sealed file; see Library.Seal
	foreign  bool   // another program wrote the file
	taken    []Taken
	flaws    []Flaw
	comments []int    // lines of comments, which no tape keeps
	head     []string // what the head of the file tells of profiles
}

func (c contents) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// contents reads the tape of a cassette. The error is fs.ErrNotExist if it has none.
func (l *Library) contents(name string, r Cleaner) (contents, error) {
	f, size, err := l.openFile(name + tapeSuffix)
	if err != nil {
		return contents{}, fmt.Errorf("reading cassette %q: %w", name, err)
	}
	c, err := read(f, size, r)
	if err != nil {
		err = errors.Join(fmt.Errorf("reading cassette %q: %w", name, err), f.Close())
	}
	return c, err
}

// base reads the tape that a recording goes on with, which need not be there.
func (l *Library) base(name string, r Cleaner) (contents, error) {
	c, err := l.contents(name, r)
	if errors.Is(err, fs.ErrNotExist) {
		return contents{}, nil
	}
	if err == nil && c.lost {
		err = errors.Join(fmt.Errorf("cassette %q was cut off in the middle of an exchange: move"+
			" the file away, or delete the broken end, before recording on it", name), c.close())
	}
	if err == nil && loses(c.flaws) {
		err = errors.Join(refusal(name, c.flaws), c.close())
	}
	return c, err
}

// leftover is a journal that is there before anybody records.
type leftover struct {
	scanned
	file file // nil if there is none
}

func (j leftover) close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}

// leftover reads the journal of a cassette, if it has one.
func (l *Library) leftover(name string) (leftover, error) {
	f, size, err := l.openFile(name + journalSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return leftover{}, nil
	}
	var s scanned
	if err == nil {
		if s, err = scan(f, size, time.Time{}); err != nil {
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		return leftover{}, fmt.Errorf("reading %s: %w", l.file(name+journalSuffix), err)
	}
	return leftover{s, f}, nil
}

// folded is what a fold has come to.
type folded struct {
	exchanges int // on the tape, afterwards
	warnings  []string
	kept      string // what of a stable tape is as it was recorded, and why
}

// errNoTime is returned for a journal that was not folded in time. The tape is as it was.
var errNoTime = errors.New("there was no time to fold the journal")

// passed reports whether a time is over. The zero time never is.
func passed(until time.Time) bool { return !until.IsZero() && time.Now().After(until) }

// syncedPart is how many bytes of a tape are written before the disk is to keep them. What a disk
// has not kept yet is waited for at the end, when nobody looks at the time.
const syncedPart = 64 << 20

// folding says what is to be folded, and how.
type folding struct {
	journal []span // its entries
	// clean is where the entries lie that hold nothing of what is known to be secret. Nil: nobody
	// knows of any.
	clean io.ReaderAt
	by    Cleaner   // of all other entries
	until time.Time // when to give up; the zero time is never
	// stable makes the tape stable. Nil: the tape has the entries as they are.
	stable Stabiliser
	// head are editions of profiles that the head of the file is to tell.
	head []string
	// anyway writes the tape even if nothing is to be folded.
	anyway bool
}

// fold puts journal entries on the tape of a cassette. Without entries it writes nothing, so
// a good tape is never replaced by an empty one.
func (l *Library) fold(name string, o folding) (f folded, err error) {
	c, err := l.base(name, o.by)
	if err != nil {
		return folded{}, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	f = folded{exchanges: len(c.spans), warnings: c.warnings}
	if len(o.journal) == 0 && !o.anyway {
		return f, nil
	}
	all, err := merge(c.spans, o.journal)
	if err != nil {
		return folded{}, fmt.Errorf("folding the journal of cassette %q: %w", name, err)
	}
	if o.stable != nil {
		if all, f.kept, err = stabilised(all, &o); err != nil {
			return folded{}, fmt.Errorf("making cassette %q stable: %w", name, err)
		}
	}
	o.head = append(slices.Clone(c.head), o.head...)
	err = l.replace(name+tapeSuffix, func(to file) error { return writeTape(to, all, o) })
	if err != nil {
		return folded{}, fmt.Errorf("writing cassette %q: %w", name, err)
	}
	f.exchanges = len(all)
	return f, nil
}

// writeTape writes entries as a tape, cleaned of what has become known as secret since they
// were written, be it by older recordings. It holds one of them at a time.
func writeTape(to file, all []span, o folding) error {
	t := newTapeWriter(to, o.head)
	unsynced := 0
	for _, s := range all {
		if passed(o.until) {
			return errNoTime
		}
		if unsynced > syncedPart {
			if err := errors.Join(t.to.Flush(), to.Sync()); err != nil {
				return err
			}
			unsynced = 0
		}
		e, err := s.entry()
		if err != nil {
			return err
		}
		if o.clean == nil || s.file != o.clean {
			if e, _, err = e.recleanStale(o.by); err != nil {
				return err
			}
		}
		t.add(e)
		unsynced += len(e.text)
	}
	return t.end()
}

// replace writes a file beside the one it replaces, syncs it and renames it, so that there is
// the old one or the new one at every moment, and syncs the folder, which holds the name.
func (l *Library) replace(name string, write func(file) error) error {
	temp := tempName(strings.TrimSuffix(name, tapeSuffix))
	f, err := l.create(temp)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = l.folder.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, l.remove(temp))
	}
	return l.syncFolder(path.Dir(name))
}

// create makes a file that must not be there yet, to be appended to and read back.
func (l *Library) create(name string) (file, error) {
	return l.folder.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
}

// tempName names a file that sweep removes if it is left behind.
func tempName(name string) string { return name + tempMark + strings.ToLower(rand.Text()[:8]) }

func (l *Library) syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such operation
	}
	f, err := l.folder.OpenFile(dir, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// sweep removes what a fold that was killed has left half-written. The caller holds the lock
// of the cassette, so nobody is writing.
func (l *Library) sweep(name string) error {
	dir, base := path.Split(name)
	files, err := fs.ReadDir(l.folder.FS(), path.Clean(dir))
	if err != nil {
		return fmt.Errorf("reading the folder of cassette %q: %w", name, err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), base+tempMark) {
			continue
		}
		if err := l.remove(dir + f.Name()); err != nil {
			return fmt.Errorf("removing a half-written tape of cassette %q: %w", name, err)
		}
	}
	return nil
}

// remove removes a file that need not be there.
func (l *Library) remove(name string) error {
	if err := l.folder.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// file returns the path of a file as the operator knows it.
func (l *Library) file(name string) string {
	return filepath.Join(l.dir, filepath.FromSlash(name))
}
