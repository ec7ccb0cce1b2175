package cassettes

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/redact"
)

// Tape is a loaded cassette.
type Tape struct {
	Name string
	// Exchanges are in the order in which their requests began.
	Exchanges []redact.Clean
	// Warnings are sentences for the operator. Nil means that the file is as it was written.
	Warnings []string
	// Sealed says that the file is as paytape wrote it. Left counts the exchanges of a journal that
	// are in no file yet: of a recording that is running or was killed.
	Sealed bool
	Left   int
	// Foreign says that another program wrote the file.
	Foreign bool
	// Taken is what cleaning took out of a file that is not sealed. Nil: nothing, or it is sealed.
	Taken []Taken
	// Comments are the lines, or nearly, of comments that somebody has put into the file. No tape keeps
	// comments. Nil: there are none.
	Comments []int

	flaws []Flaw
	lost  bool     // the file has a part that could not be read
	head  []string // what the head of the file tells of profiles
}

// Refusal returns what is wrong with the file, an error for each line: what would be lost, or is not what
// its author meant, if the file were written anew. It is nil for a file of which all was read.
func (t *Tape) Refusal() error { return refusal(t.Name, refused(t.flaws)) }

// StrayForms returns the lines of forms that are not what the bodies say: they are made anew from these.
func (t *Tape) StrayForms() []int {
	var lines []int
	for _, f := range t.flaws {
		if f.Form {
			lines = append(lines, f.Line)
		}
	}
	return lines
}

// Load reads a cassette and holds all of it. What is said of Read counts here too.
func (l *Library) Load(name string, r Cleaner) (*Tape, error) {
	reader, err := l.Read(name, r)
	if err != nil {
		return nil, err
	}
	return reader.load()
}

// load reads all exchanges and closes the reader.
func (r *Reader) load() (*Tape, error) {
	t := &Tape{
		Name: r.Name, Warnings: r.Warnings, Sealed: r.Sealed(),
		Left: r.Left(), Foreign: r.Foreign(), Taken: r.contents.taken, Comments: r.contents.comments,
		flaws: r.contents.flaws, lost: r.contents.lost, head: r.contents.head,
	}
	t.Exchanges = slices.AppendSeq(make([]redact.Clean, 0, r.Len()), r.All)
	return t, errors.Join(r.Err(), r.Close())
}

// Reader is a cassette whose exchanges are read when they are asked for, as often as they are:
// a tape may be larger than what should be held in memory. It is not safe for concurrent use.
type Reader struct {
	Name string
	// Warnings are sentences for the operator. Nil means that the file is as it was written.
	Warnings []string
	// Formless leaves out the forms of requests, where the file is one that is read fast. They
	// repeat the bodies, in another order, and take a fifth of the time.
	Formless bool
	// Keep is how much text of exchanges All keeps apart, in bytes, for the next call of All, which lets
	// go of it: who goes through a tape twice has the first exchanges read once. 0 keeps nothing.
	Keep int

	kept     []redact.Clean // the first exchanges, from a call of All to the next
	contents contents
	left     leftover
	spans    []span // of both
	err      error
}

// Sealed reports whether the file is as paytape wrote it.
func (r *Reader) Sealed() bool { return r.contents.file != nil }

// Foreign reports whether another program wrote the file.
func (r *Reader) Foreign() bool { return r.contents.foreign }

// Left counts the exchanges of a journal that are in no file yet.
func (r *Reader) Left() int { return len(r.spans) - len(r.contents.spans) }

// Read opens a cassette. A sealed file is reopened; any other is cleaned again by r, with a
// warning, and then held. What a recording that is running or was killed has left in its journal
// belongs to the tape, with a warning too.
func (l *Library) Read(name string, r Cleaner) (*Reader, error) {
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	// The journal first: a fold that happens between the two readings then leaves entries in
	// both, which merge knows, instead of in neither.
	left, err := l.leftover(name)
	if err != nil {
		return nil, err
	}
	c, err := l.contents(name, r)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(left.spans) > 0:
		c, err = contents{}, nil
	case errors.Is(err, fs.ErrNotExist):
		err = l.missing(name)
	}
	reader := &Reader{Name: name, contents: c, left: left}
	if err == nil {
		err = reader.merge()
	}
	if err != nil {
		return nil, errors.Join(err, reader.Close())
	}
	return reader, nil
}

// merge puts together what file and journal hold.
func (r *Reader) merge() (err error) {
	r.spans, err = merge(r.contents.spans, r.left.spans)
	if err != nil {
		return fmt.Errorf("reading the journal of cassette %q: %w", r.Name, err)
	}
	for _, w := range r.contents.warnings {
		r.Warnings = append(r.Warnings, fmt.Sprintf("cassette %q: %s", r.Name, w))
	}
	if n := len(r.spans) - len(r.contents.spans); n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("cassette %q: the journal of a recording that is "+
			"running or was killed holds %s more; the next recording folds it in",
			r.Name, count.Of(n, "exchange")))
	}
	if n := r.left.torn; n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("cassette %q: the journal of a recording that is "+
			"running or was killed ends in %s of no whole exchange", r.Name, count.Of(n, "byte")))
	}
	return nil
}

// Len returns how many exchanges there are.
func (r *Reader) Len() int { return len(r.spans) }

// All yields the exchanges in the order in which their requests began. It ends early if the
// file cannot be read, which Err then tells.
func (r *Reader) All(yield func(redact.Clean) bool) {
	kept, room := r.kept, r.Keep
	r.kept = nil
	for i, c := range kept {
		if kept[i] = (redact.Clean{}); !yield(c) { // whoever takes it holds it alone
			return
		}
		room = 0
	}
	if room > 0 {
		r.kept = make([]redact.Clean, 0, len(r.spans))
	}
	reading := exchanges{spans: r.spans[len(kept):], formless: r.Formless}
	reading.all(func(c redact.Clean) bool {
		if n := len(r.kept); room > 0 {
			room -= r.spans[n].length()
			r.kept = append(r.kept, c)
		}
		return yield(c)
	})
	if reading.err != nil && r.err == nil {
		r.err = fmt.Errorf("reading cassette %q: %w", r.Name, reading.err)
	}
}

// Err returns why not all exchanges came; nil if they did.
func (r *Reader) Err() error { return r.err }

// Close closes the files. There are no exchanges afterwards.
func (r *Reader) Close() error {
	r.kept = nil
	return errors.Join(r.contents.close(), r.left.close())
}
