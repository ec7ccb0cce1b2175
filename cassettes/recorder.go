package cassettes

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/paytape/paytape/redact"
)

// Recorder records on one cassette. It is safe for concurrent use and must be closed.
type Recorder struct {
	library *Library
	name    string
	cleaner Cleaner
	lock    *lock
	journal *journal
	found   []string // sentences for Recovered
	base    int      // highest number on the tape when recording began

	mu   sync.Mutex // guards last
	last int        // highest number given

	reach reach // its lock is held for the whole of an Append

	once    sync.Once // guards the two below, which Close returns
	summary Summary
	err     error
}

// Summary says what a recording came to.
type Summary struct {
	// File is the path of the tape. Empty means that no exchange was ever recorded on it.
	File string
	// Exchanges is how many the tape holds, and New how many of them this recorder added.
	Exchanges, New int
}

// Record begins recording on a cassette, which need not exist, and refuses one that another
// recorder has. Entries that a killed recording left in a journal are folded in first. r
// learns what is on the tape.
func (l *Library) Record(name string, r Cleaner) (*Recorder, error) {
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	if err := l.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder of cassette %q: %w", name, err)
	}
	held, err := l.acquire(name)
	if err != nil {
		return nil, err
	}
	c := &Recorder{library: l, name: name, cleaner: r, lock: held}
	if err := c.begin(); err != nil {
		return nil, errors.Join(err, held.release())
	}
	return c, nil
}

// begin brings the cassette into order and starts a journal.
func (c *Recorder) begin() error {
	if err := c.library.sweep(c.name); err != nil {
		return err
	}
	tape, err := c.restore()
	if err != nil {
		return err
	}
	exchanges, err := openAll(tape.entries)
	if err != nil {
		return fmt.Errorf("reading cassette %q: %w", c.name, err)
	}
	c.cleaner.Resume(exchanges)
	c.base = highest(tape.entries)
	c.last = c.base
	return c.open()
}

// restore folds a left-over journal into the tape and removes it.
func (c *Recorder) restore() (contents, error) {
	left, _, err := c.library.leftover(c.name)
	if err != nil {
		return contents{}, err
	}
	tape, err := c.library.fold(c.name, left.entries, c.cleaner)
	if err != nil {
		return contents{}, err
	}
	if err := c.library.remove(c.name + journalSuffix); err != nil {
		return contents{}, fmt.Errorf("removing the old journal of cassette %q: %w", c.name, err)
	}
	c.found = append(c.found, tape.warnings...)
	if n := len(left.entries); n > 0 {
		c.found = append(c.found, fmt.Sprintf("kept %d exchanges of a recording that did not end", n))
	}
	if left.torn > 0 {
		c.found = append(c.found, fmt.Sprintf("cut off a torn entry of %d bytes", left.torn))
	}
	return tape, nil
}

// open creates the journal.
func (c *Recorder) open() error {
	file := c.name + journalSuffix
	f, err := c.library.create(file)
	if err != nil {
		return fmt.Errorf("creating the journal of cassette %q: %w", c.name, err)
	}
	if c.journal, err = newJournal(f); err != nil {
		return errors.Join(err, f.Close(), c.library.remove(file))
	}
	c.reach.past, c.reach.learned = c.cleaner.Past(), c.cleaner.Learned()
	return nil
}

// Recovered says what was found at start, for the operator: exchanges of a recording that was
// killed, a torn entry, a tape that had been edited. Empty means nothing worth a word.
func (c *Recorder) Recovered() string {
	if len(c.found) == 0 {
		return ""
	}
	return fmt.Sprintf("cassette %q: %s", c.name, strings.Join(c.found, "; "))
}

// Next returns the number for an exchange whose request begins now.
func (c *Recorder) Next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	return c.last
}

// Append writes a finished exchange, whose number Next has given, to the journal. When it
// returns nil the exchange survives the end of the process. When it fails, nothing of the
// exchange is left in the journal, and later ones may be appended.
func (c *Recorder) Append(x redact.Clean) error {
	e, err := newEntry(x)
	if err != nil {
		return err
	}
	if !c.gave(e.number) {
		return fmt.Errorf("exchange %d has a number that was not given to it", e.number)
	}
	c.reach.mu.Lock()
	defer c.reach.mu.Unlock()
	if e, err = c.current(x, e); err != nil {
		return err
	}
	if err := c.reachBack(); err != nil {
		return fmt.Errorf("taking out of the journal what has turned out to be secret: %w", err)
	}
	return c.journal.append(e)
}

// gave reports whether Next of this recorder returned a number.
func (c *Recorder) gave(number int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return number > c.base && number <= c.last
}

// Close folds the journal into the tape and unlocks the cassette. If folding fails the journal
// stays, and the next recording folds it. Later calls return what the first did.
func (c *Recorder) Close() (Summary, error) {
	c.once.Do(func() {
		summary, err := c.end()
		c.summary, c.err = summary, errors.Join(err, c.lock.release())
	})
	return c.summary, c.err
}

func (c *Recorder) end() (Summary, error) {
	entries, err := c.journal.finish()
	if err = errors.Join(err, c.journal.close()); err != nil {
		return Summary{}, fmt.Errorf("cassette %q: %w", c.name, err)
	}
	tape, err := c.library.fold(c.name, entries, c.cleaner)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Exchanges: len(tape.entries), New: len(entries)}
	if s.Exchanges > 0 {
		s.File = c.library.file(c.name + tapeSuffix)
	}
	if err := c.library.remove(c.name + journalSuffix); err != nil {
		return s, fmt.Errorf("removing the journal of cassette %q: %w", c.name, err)
	}
	return s, nil
}
