package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/check"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/redact"
)

// tapeEditor is what the commands have in common that change cassettes: merge, seal, rm, rerecord.
type tapeEditor struct {
	*app
	knowledge
	dir string
	// ctx ends when a signal comes. What takes long ends then and leaves nothing behind, neither a lock nor
	// half a file; what is being written is written.
	ctx context.Context
}

// tapeFile is a cassette on a command line: a FILE, or the NAME of a cassette of the folder.
type tapeFile struct {
	dir, name string
	given     string // as the user calls it
}

// tapeSuffix is how the file of a cassette ends.
const tapeSuffix = ".yaml"

// find returns what an argument names: a file if it ends as a file of a cassette does and is there, or
// has a folder before its name; and a cassette of the folder otherwise.
func (e *tapeEditor) find(arg string) tapeFile {
	name, isFile := strings.CutSuffix(arg, tapeSuffix)
	info, err := os.Stat(arg)
	there := err == nil && info.Mode().IsRegular()
	if isFile && (there || strings.ContainsRune(arg, filepath.Separator)) {
		return tapeFile{filepath.Dir(arg), filepath.Base(name), arg}
	}
	return tapeFile{e.dir, name, arg}
}

// same reports whether two are one file.
func (f tapeFile) same(g tapeFile) bool {
	a, errA := filepath.Abs(filepath.Join(f.dir, f.name))
	b, errB := filepath.Abs(filepath.Join(g.dir, g.name))
	return errA == nil && errB == nil && a == b
}

// load reads a cassette, and tells what there is to know of it.
func (e *tapeEditor) load(f tapeFile) (*cassettes.Tape, error) {
	return interruptible(e.ctx, func() (*cassettes.Tape, error) {
		return e.loadTape(f.dir, f.name, e.voice.warn)
	})
}

// edit replaces what is on a cassette. What comes of it is searched for secrets before it is written.
func (e *tapeEditor) edit(f tapeFile, change func(*cassettes.Tape) ([]redact.Clean, error),
) (file string, err error) {
	library, err := cassettes.OpenExisting(f.dir)
	if err != nil {
		return "", hintFolder(err)
	}
	defer func() { err = errors.Join(err, library.Close()) }()
	return library.Edit(f.name, e.redactor(), func(t *cassettes.Tape) ([]redact.Clean, error) {
		return interruptible(e.ctx, func() ([]redact.Clean, error) {
			all, err := change(t)
			if err == nil {
				err = e.audit(all)
			}
			return all, err
		})
	})
}

// create puts exchanges on a cassette that must not be there yet, after a search for secrets. The head
// tells editions of profiles that no exchange tells.
func (e *tapeEditor) create(f tapeFile, all []redact.Clean, editions []string) (file string, err error) {
	if err := e.audit(all); err != nil {
		return "", err
	}
	library, err := cassettes.Open(f.dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, library.Close()) }()
	return library.Create(f.name, all, editions...)
}

// audit searches what is to be written as "paytape check" does.
func (e *tapeEditor) audit(all []redact.Clean) error {
	text, err := cassettes.Encode(all)
	if err != nil {
		return err
	}
	return e.auditText(text)
}

func (e *tapeEditor) auditText(text []byte) error {
	o := redact.Options{Profiles: e.profiles(), Prefixes: e.prefixes, KeepPII: e.pii == keepPII}
	found, err := check.New(o, runtime.GOMAXPROCS(0)).Data("cassette"+tapeSuffix, text)
	if err != nil || len(found) == 0 {
		return err
	}
	for _, f := range found[:min(len(found), mostFindings)] {
		e.voice.warn(strings.TrimPrefix(f.String(), fmt.Sprintf("%s:%d: ", f.File, f.Line)))
	}
	return withHint(fmt.Errorf("what looks like a secret would be left in %s; nothing was written",
		count.Of(len(found), "place")), "take them out with an editor, or record the cassette again")
}

// mostFindings bounds the findings that are told of what is not written.
const mostFindings = 10
