package cassettes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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

// ErrNoFolder is returned for a folder of cassettes that is not there.
var ErrNoFolder = errors.New("there is no cassette folder")

// OpenExisting opens a folder of cassettes that must be there: only who records wants a new one.
func OpenExisting(dir string) (*Library, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w %q", ErrNoFolder, dir)
	}
	return Open(dir)
}

// Exposed says for the operator that others on this machine may change what is in the folder; empty
// if they may not, or if the system does not tell. Whoever can write a tape decides what replay
// answers. In a folder with the sticky bit others may still add files. A group is not taken for
// others: on many systems each user has a group of their own, which may write all that they make.
func (l *Library) Exposed() string {
	info, err := l.folder.Lstat(".")
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o002 == 0 {
		return ""
	}
	return fmt.Sprintf("others may write in the cassette folder %q, whose mode is %04o: chmod o-w %s",
		l.dir, info.Mode().Perm(), l.dir)
}

// Close lets go of the folder. Recorders must be closed before.
func (l *Library) Close() error { return l.folder.Close() }

// ErrNotFound is returned for a cassette that is not there, as a *MissingError.
var ErrNotFound = errors.New("no such cassette")

// MissingError tells of a cassette that is not there. It is ErrNotFound.
type MissingError struct {
	Dir, Name string
	There     []string // some cassettes that are there, sorted
	More      int      // how many others are
}

func (e *MissingError) Error() string {
	more, there := "", "none"
	if len(e.There) > 0 {
		there = strings.Join(e.There, ", ")
	}
	if e.More > 0 {
		more = fmt.Sprintf(" and %d more", e.More)
	}
	return fmt.Sprintf("%v: %q; the folder %q holds %s%s", ErrNotFound, e.Name, e.Dir, there, more)
}

func (e *MissingError) Unwrap() error { return ErrNotFound }

// List returns the names of all cassettes in the folder and the folders in it, sorted. A
// recording that did not end and left only its journal is one of them, unless it had come to
// nothing: that can be recorded and not replayed.
func (l *Library) List() ([]string, error) {
	var names []string
	err := fs.WalkDir(l.folder.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		name, ok := listed(file)
		if ok && d.Type().IsRegular() && (name+tapeSuffix == file || l.holds(name)) {
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

// holds reports whether the journal of a cassette has anything to tell, be it that it is damaged.
func (l *Library) holds(name string) bool {
	left, err := l.leftover(name)
	if err != nil {
		return true
	}
	return left.close() != nil || len(left.spans) > 0
}

// missing says what there is instead.
func (l *Library) missing(name string) error {
	const most = 10
	names, _ := l.List() // none, if they cannot be listed
	there := names[:min(len(names), most)]
	return &MissingError{Dir: l.dir, Name: name, There: there, More: len(names) - len(there)}
}
