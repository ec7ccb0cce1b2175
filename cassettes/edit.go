package cassettes

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/paytape/paytape/redact"
)

// Taken is what cleaning took out of an exchange of a file that was not sealed, and had not been taken
// out before: a line for each place, as leaf.Meta.Redactions has them.
type Taken struct {
	Exchange int // its number
	Lines    []string
}

// ErrExists is returned for a cassette that would be made and is there.
var ErrExists = errors.New("there is such a cassette already")

// errEmpty is returned for a tape without exchanges: whoever wants none removes the file.
var errEmpty = errors.New("nothing would be left on the cassette")

// Edit replaces what is on a cassette by what change makes of it: sealed, and by one rename. What a
// killed recording has left in a journal belongs to the tape. Nobody records meanwhile. The numbers
// of the exchanges must go up. If change fails, the cassette is as it was. Edit returns the path of
// the file.
func (l *Library) Edit(name string, r Cleaner, change func(*Tape) ([]redact.Clean, error),
) (file string, err error) {
	if name, err = checkName(name); err != nil {
		return "", err
	}
	held, err := l.acquire(name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, held.release()) }()
	tape, err := l.Load(name, r)
	if err != nil {
		return "", err
	}
	if tape.lost {
		return "", fmt.Errorf("cassette %q was cut off in the middle of an exchange: delete the broken "+
			"end first", name)
	}
	if loses(tape.flaws) {
		return "", tape.Refusal()
	}
	all, err := change(tape)
	if err != nil {
		return "", err
	}
	return l.save(name, all, tape.head)
}

// Create puts exchanges on a cassette that must not be there yet, as Edit does. Its head tells editions of
// profiles that no exchange tells.
func (l *Library) Create(name string, all []redact.Clean, editions ...string) (file string, err error) {
	if name, err = checkName(name); err != nil {
		return "", err
	}
	held, err := l.acquire(name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, held.release()) }()
	for _, suffix := range []string{tapeSuffix, journalSuffix} {
		if _, err := l.folder.Lstat(name + suffix); !errors.Is(err, fs.ErrNotExist) {
			return "", errors.Join(fmt.Errorf("%w: %q in %q", ErrExists, name, l.dir), err)
		}
	}
	return l.save(name, all, editions)
}

// save writes a cassette. The caller holds its lock.
func (l *Library) save(name string, all []redact.Clean, head []string) (string, error) {
	text, err := Encode(all, head...)
	if err == nil {
		err = l.sweep(name)
	}
	if err == nil {
		err = l.replace(name+tapeSuffix, func(to file) error { return writeAll(to, text) })
	}
	if err == nil {
		err = l.remove(name + journalSuffix)
	}
	if err != nil {
		return "", fmt.Errorf("writing cassette %q: %w", name, err)
	}
	return l.file(name + tapeSuffix), nil
}

func writeAll(to io.Writer, text []byte) error {
	_, err := to.Write(text)
	return err
}

// Encode returns the text of a cassette file, sealed. Its head tells editions of profiles that no exchange
// tells.
func Encode(all []redact.Clean, editions ...string) ([]byte, error) {
	if len(all) == 0 {
		return nil, errEmpty
	}
	var text bytes.Buffer
	t := newTapeWriter(&text, editions)
	last := 0
	for _, x := range all {
		e, err := newEntry(x)
		if err != nil {
			return nil, err
		}
		if e.number <= last {
			return nil, fmt.Errorf("exchange %d stands behind exchange %d", e.number, last)
		}
		last = e.number
		t.add(e)
	}
	err := t.end() // which flushes
	return text.Bytes(), err
}

// ReadFile reads a cassette file that may have any name, such as git gives to a merge driver. What is
// said of Library.Load counts here too, but a file is refused of which something would be lost if it were
// written anew. A file that is empty is a tape without exchanges.
func ReadFile(path string, r Cleaner) (t *Tape, err error) {
	dir, base := filepath.Split(path)
	l, err := OpenExisting(filepath.Clean(dir + "."))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	f, size, err := l.openFile(base)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if size == 0 {
		return &Tape{Name: base, Sealed: true}, f.Close()
	}
	c, err := read(f, size, r)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading %s: %w", path, err), f.Close())
	}
	if loses(c.flaws) {
		return nil, errors.Join(refusal(base, c.flaws), c.close())
	}
	reader := &Reader{Name: base, contents: c, spans: c.spans}
	for _, w := range c.warnings {
		reader.Warnings = append(reader.Warnings, path+": "+w)
	}
	return reader.load()
}

// WriteFile writes the text of a cassette file, beside the file that is there, and renames it.
func WriteFile(path string, text []byte) (err error) {
	dir, base := filepath.Split(path)
	dir = filepath.Clean(dir + ".")
	l, err := OpenExisting(dir)
	switch {
	case errors.Is(err, ErrNoFolder): // it would be one of any files
		return fmt.Errorf("writing %s: there is no folder %q", path, dir)
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.replace(base, func(to file) error { return writeAll(to, text) }); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// Piece is a part of a tape that a merge has come to: an exchange, or a conflict of what the two sides
// have in one place.
type Piece struct {
	Exchange     redact.Clean
	Ours, Theirs []redact.Clean // of a conflict; either may be empty
}

// IsConflict reports whether the piece is a conflict.
func (p Piece) IsConflict() bool { return p.Exchange.Exchange() == nil }

// The lines that git puts around what two sides have.
const (
	conflictOurs   = "<<<<<<< "
	conflictMiddle = "=======\n"
	conflictTheirs = ">>>>>>> "
)

// EncodeConflicts returns the text of a cassette file with conflicts, as git marks them. It has no
// seal, and is no cassette until somebody has chosen.
func EncodeConflicts(pieces []Piece) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString(head)
	var failed error
	add := func(all ...redact.Clean) {
		for _, x := range all {
			e, err := newEntry(x)
			failed = errors.Join(failed, err)
			text.Write(e.text)
		}
	}
	for _, p := range pieces {
		if !p.IsConflict() {
			add(p.Exchange)
			continue
		}
		text.WriteString(conflictOurs + "ours\n")
		add(p.Ours...)
		text.WriteString(conflictMiddle)
		add(p.Theirs...)
		text.WriteString(conflictTheirs + "theirs\n")
	}
	return text.Bytes(), failed
}

// conflictLine returns the number of the first line that git puts before a conflict, if it is not behind
// the line in which a YAML library has found something wrong; 0 if there is none.
func conflictLine(in io.ReaderAt, size int64, wrong error) int {
	m := lineNumber.FindStringSubmatch(wrong.Error())
	if m == nil {
		return 0
	}
	last, _ := strconv.Atoi(m[1])
	lines := bufio.NewReader(io.NewSectionReader(in, 0, size))
	begins := true
	for n := 1; n <= last+1; { // some count from 0
		part, goesOn, err := lines.ReadLine()
		switch {
		case err != nil:
			return 0
		case begins && strings.HasPrefix(string(part), conflictOurs):
			return n
		}
		if begins = !goesOn; begins {
			n++
		}
	}
	return 0
}
