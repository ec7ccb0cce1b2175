package cassettes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/paytape/paytape/redact"
)

// Library is a folder of cassettes. Nothing it does leaves the folder, whatever a name or a
// symbolic link says. It is safe for concurrent use.
type Library struct {
	dir    string // as it was given, for messages
	abs    string
	folder folder
}

// Open opens a folder of cassettes and creates it, for its owner only, if it is not there.
func Open(dir string) (*Library, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the cassette folder: %w", err)
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return nil, fmt.Errorf("creating the cassette folder: %w", err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("opening the cassette folder: %w", err)
	}
	return &Library{dir: dir, abs: abs, folder: rooted{root}}, nil
}

// Close lets go of the folder. Recorders must be closed before.
func (l *Library) Close() error { return l.folder.Close() }

// ErrNotFound is returned for a cassette that is not there.
var ErrNotFound = errors.New("no such cassette")

// List returns the names of all cassettes in the folder and the folders in it, sorted. A
// recording that did not end and left only its journal is one of them.
func (l *Library) List() ([]string, error) {
	var names []string
	err := fs.WalkDir(l.folder.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if name, ok := listed(file); ok && d.Type().IsRegular() {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing cassettes in %q: %w", l.dir, err)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// listed returns the cassette that a file belongs to.
func listed(file string) (string, bool) {
	name, tape := strings.CutSuffix(file, tapeSuffix)
	if !tape {
		var journal bool
		if name, journal = strings.CutSuffix(file, journalSuffix); !journal {
			return "", false
		}
	}
	checked, err := checkName(name)
	return name, err == nil && checked == name
}

// Tape is a loaded cassette.
type Tape struct {
	Name string
	// Exchanges are in the order in which their requests began.
	Exchanges []redact.Clean
	// Warnings are sentences for the operator. Nil means that the file is as it was written.
	Warnings []string
}

// Load reads a cassette. A sealed file is reopened; any other is cleaned again by r, with a
// warning. What a recording that is running or was killed has left in its journal belongs to
// the tape, with a warning too.
func (l *Library) Load(name string, r Cleaner) (t *Tape, err error) {
	name, err = checkName(name)
	if err != nil {
		return nil, err
	}
	// The journal first: a fold that happens between the two readings then leaves entries in
	// both, which merge knows, instead of in neither.
	left, err := l.leftover(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, left.close()) }()
	c, err := l.contents(name, r)
	if errors.Is(err, fs.ErrNotExist) && len(left.spans) > 0 {
		c, err = contents{}, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, l.missing(name)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	return l.tape(name, c, left)
}

// tape puts together what file and journal hold.
func (l *Library) tape(name string, c contents, left leftover) (*Tape, error) {
	all, err := merge(c.spans, left.spans)
	if err != nil {
		return nil, fmt.Errorf("reading the journal of cassette %q: %w", name, err)
	}
	t := &Tape{Name: name, Exchanges: make([]redact.Clean, 0, len(all))}
	for _, w := range c.warnings {
		t.Warnings = append(t.Warnings, fmt.Sprintf("cassette %q: %s", name, w))
	}
	if n := len(all) - len(c.spans); n > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("cassette %q: %d exchanges are in the journal "+
			"of a recording that is running or was killed; the next recording folds them in",
			name, n))
	}
	reading := exchanges{spans: all}
	t.Exchanges = slices.AppendSeq(t.Exchanges, reading.all)
	if reading.err != nil {
		return nil, fmt.Errorf("reading cassette %q: %w", name, reading.err)
	}
	return t, nil
}

// missing says what there is instead.
func (l *Library) missing(name string) error {
	names, err := l.List()
	if err != nil || len(names) == 0 {
		return fmt.Errorf("%w: %q; the folder %q holds none", ErrNotFound, name, l.dir)
	}
	const most = 10
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return fmt.Errorf("%w: %q; the folder %q holds %s%s",
		ErrNotFound, name, l.dir, strings.Join(names, ", "), more)
}
