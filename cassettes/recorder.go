package cassettes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/parallel"
	"github.com/paytape/paytape/redact"
)

// Recorder records on one cassette. It is safe for concurrent use and must be closed.
type Recorder struct {
	library  *Library
	name     string
	cleaner  Cleaner
	options  Options
	lock     *lock
	journal  *journal
	syncer   *syncer  // nil if nothing is synced in the background
	found    []string // sentences for Recovered
	base     int      // highest number on the tape when recording began
	editions []string // of profiles that the tape had when recording began

	mu       sync.Mutex // guards the two below
	last     int        // highest number given
	unsynced error      // the first sync in the background that failed

	maintenance maintenance

	rooms sync.Pool // of *entryRoom

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
	// Journal is the path of the journal, if it was not folded, because it could not be or in the
	// time that there was: then New exchanges are there and not on the tape, until the next
	// recording folds them. Empty means that it was folded.
	Journal string
	// Kept says what of a tape that was to be stable stays as it was recorded, and why. Empty: nothing
	// had to.
	Kept string
}

// Record begins recording on a cassette, which need not exist, and refuses one that another
// recorder has. Entries that a killed recording left in a journal are folded in first. r
// learns what is on the tape.
func (l *Library) Record(name string, r Cleaner) (*Recorder, error) {
	return l.RecordWith(Options{}, name, r)
}

// RecordWith is Record with options.
func (l *Library) RecordWith(o Options, name string, r Cleaner) (*Recorder, error) {
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	held, err := l.acquire(name)
	if err != nil {
		return nil, err
	}
	c := &Recorder{library: l, name: name, cleaner: r, options: o, lock: held}
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
	if err := c.restore(); err != nil {
		return err
	}
	if err := c.resume(); err != nil {
		return err
	}
	if err := c.open(); err != nil {
		return err
	}
	if c.options.Sync == SyncInterval {
		c.syncer = startSyncer(c.syncNow)
	}
	return nil
}

// restore folds a left-over journal into the tape and removes it.
func (c *Recorder) restore() (err error) {
	left, err := c.library.leftover(c.name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, left.close()) }()
	if n := len(left.spans); n > 0 {
		fold := folding{journal: left.spans, by: c.cleaner}
		if left.stable {
			fold.stable = c.options.stabiliser()
		}
		f, err := c.library.fold(c.name, fold)
		if err != nil {
			return err
		}
		c.found = append(f.warnings,
			fmt.Sprintf("kept %s of a recording that did not end", count.Of(n, "exchange")))
		if f.kept != "" {
			c.found = append(c.found, f.kept)
		}
	}
	if left.torn > 0 {
		c.found = append(c.found, fmt.Sprintf("cut off a torn entry of %s",
			count.Of(left.torn, "byte")))
	}
	if err := c.library.remove(c.name + journalSuffix); err != nil {
		return fmt.Errorf("removing the old journal of cassette %q: %w", c.name, err)
	}
	return nil
}

// resume tells the cleaner what is on the tape.
func (c *Recorder) resume() (err error) {
	tape, err := c.library.base(c.name, c.cleaner)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tape.close()) }()
	c.found = append(tape.warnings, c.found...)
	reading := exchanges{spans: tape.spans}
	c.editions = slices.Clone(tape.head)
	c.cleaner.Resume(c.noting(reading.all))
	if reading.err != nil {
		return fmt.Errorf("reading cassette %q: %w", c.name, reading.err)
	}
	c.base = highest(tape.spans)
	c.last = c.base
	return nil
}

// open creates the journal.
func (c *Recorder) open() error {
	name := c.name + journalSuffix
	f, err := c.library.create(name)
	if err != nil {
		return fmt.Errorf("creating the journal of cassette %q: %w", c.name, err)
	}
	c.journal, err = newJournal(f, c.options.Stable)
	if err == nil {
		err = c.syncJournalName()
	}
	if err != nil {
		return errors.Join(err, f.Close(), c.library.remove(name))
	}
	c.maintenance.past = c.cleaner.Past()
	c.maintenance.checked = time.Now()
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

// Profiles returns what the tape told of profiles when the recording began: see leaf.Meta.Profiles.
func (c *Recorder) Profiles() []string { return c.editions }

// Next returns the number for an exchange whose request begins now.
func (c *Recorder) Next() int { return c.nextBehind(0) }

// nextBehind is Next behind calls that another tape lacks: as many numbers stay free.
func (c *Recorder) nextBehind(missing int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last += missing + 1
	return c.last
}

// entryRoom is memory for an entry on its way to the journal: its text, and the frame around it.
type entryRoom struct{ text, frame []byte }

// Append writes a finished exchange, whose number Next has given, to the journal. When it
// returns nil the exchange survives the end of the process. When it fails, nothing of the
// exchange is left in the journal, unless it was the syncing that failed; later ones may be
// appended.
func (c *Recorder) Append(x redact.Clean) error {
	room, _ := c.rooms.Get().(*entryRoom)
	if room == nil {
		room = &entryRoom{}
	}
	defer c.rooms.Put(room) // nothing keeps what lies in it
	e, err := newEntryIn(room.text, x)
	if err != nil {
		return err
	}
	if cap(e.text) <= longEntry {
		room.text = e.text
	}
	if !c.hasGiven(e.number) {
		return fmt.Errorf("exchange %d has a number that was not given to it", e.number)
	}
	end, err := c.append(x, e, room)
	if err != nil || c.options.Sync != SyncAlways {
		return err
	}
	return c.journal.sync(end)
}

// journalAll is Append of exchanges in which nothing stands that is known to be secret. Entries are laid
// out on all processors, some at a time. It returns how many were appended.
func (c *Recorder) journalAll(list []redact.Clean) (n int, err error) {
	var frames [16 * atATime][]byte
	var failed [len(frames)]error
	for n < len(list) {
		next := list[n:min(n+len(frames), len(list))]
		parallel.Stretches(len(next), atATime, func(from, to int) {
			for i := from; i < to; i++ {
				var e entry
				if e, failed[i] = newEntry(next[i]); failed[i] == nil {
					frames[i] = frame(e)
				}
			}
		})
		for i := range next {
			if err = failed[i]; err == nil {
				_, err = c.journal.append(frames[i])
			}
			if err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// append returns where the entry ends in the journal. What was learned since the exchange was cleaned
// is looked for in the entry, and what was learned since anybody asked in the journal, until there
// is nothing new; only the questions are asked under the lock.
func (c *Recorder) append(x redact.Clean, e entry, room *entryRoom) (end int64, err error) {
	r := &c.maintenance
	r.past.Add(x)
	framed := appendFrame(room.frame[:0], e) // not under the lock, for which all others wait
	if cap(framed) <= longEntry {
		room.frame = framed
	}
	teaches, looked, left := x.Teaches(), 0, false
	for {
		r.mu.Lock()
		if err := c.repair(); err != nil {
			r.mu.Unlock()
			return 0, err
		}
		known, overtaken := r.past.Overtaken(e.clean, looked)
		dirty := r.dirtyLocked() && !left
		if !overtaken && !dirty {
			defer r.mu.Unlock()
			return c.journal.append(framed)
		}
		r.mu.Unlock()
		if overtaken {
			looked = known
			var changed bool
			if e, changed, err = e.recleanStale(c.cleaner); err != nil {
				return 0, err
			}
			if changed {
				framed = appendFrame(framed[:0], e)
				r.past.Add(e.clean)
			}
			teaches = teaches || e.clean.Teaches()
		}
		if dirty {
			if left, err = c.cleanJournal(teaches); err != nil {
				return 0, fmt.Errorf("taking out of the journal what has turned out to be secret: %w",
					err)
			}
		}
	}
}

// hasGiven reports whether Next of this recorder returned a number.
func (c *Recorder) hasGiven(number int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return number > c.base && number <= c.last
}

// Close folds the journal into the tape and unlocks the cassette. If folding fails the journal
// stays, and the next recording folds it. Later calls return what the first did.
func (c *Recorder) Close() (Summary, error) { return c.CloseBy(time.Time{}) }

// CloseBy is Close for a process that ends at a time: a journal that takes longer to fold stays, as
// if folding had failed, which is no error. The zero time is no limit.
func (c *Recorder) CloseBy(until time.Time) (Summary, error) {
	c.once.Do(func() {
		summary, err := c.end(until)
		c.summary, c.err = summary, errors.Join(err, c.lock.release())
	})
	return c.summary, c.err
}

func (c *Recorder) end(until time.Time) (s Summary, err error) {
	c.syncer.stop()
	defer func() {
		if err = errors.Join(err, c.journal.close()); err == nil {
			err = c.failed()
		}
	}()
	unfolded := Summary{New: c.journal.written(), Journal: c.library.file(c.name + journalSuffix)}
	if err := c.repairNow(); errors.Is(err, ErrJournalReplaced) {
		return Summary{}, fmt.Errorf("cassette %q: %s lost: %w", c.name,
			count.Of(unfolded.New, "exchange"), err)
	} else if err != nil {
		return unfolded, fmt.Errorf("cassette %q: %w", c.name, err)
	}
	entries, err := c.journal.finish(until)
	if errors.Is(err, errNoTime) {
		return unfolded, nil
	}
	if err != nil {
		return unfolded, fmt.Errorf("cassette %q: %w", c.name, err)
	}
	fold := folding{journal: entries, by: c.cleaner, until: until}
	if c.journalIsClean() {
		fold.clean = c.journal.file // nobody appends any more
	}
	if c.options.Stable {
		fold.stable = c.options.stabiliser()
	}
	tape, err := c.library.fold(c.name, fold)
	if errors.Is(err, errNoTime) {
		return unfolded, nil
	}
	if err != nil {
		return unfolded, err
	}
	s = Summary{Exchanges: tape.exchanges, New: len(entries), Kept: tape.kept}
	if s.Exchanges > 0 {
		s.File = c.library.file(c.name + tapeSuffix)
	}
	if err := c.library.remove(c.name + journalSuffix); err != nil {
		return s, fmt.Errorf("removing the journal of cassette %q: %w", c.name, err)
	}
	if err := c.library.checkMoved(); err != nil {
		return s, fmt.Errorf("cassette %q: %w", c.name, err)
	}
	return s, nil
}
