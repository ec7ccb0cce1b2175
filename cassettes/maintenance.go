package cassettes

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/redact"
)

// maintenance is what a recorder needs to keep its journal clean and writable. A value may stand in
// a harmless place of the journal before a later exchange teaches that the value is a secret; it is
// taken out before that later exchange is appended. A journal that can take no more entries is
// written anew.
//
// The journal is looked through and written anew while others append to it. Shop A has noted
// "hunter2-Secret" in an order, and B logs in with that password:
//
//	B is cleaned           the value is learned: 1 is known
//	B wants to append      cleaning is taken; the journal ends at entry 40
//	entry 41 is appended   of shop C, that has waited for nothing; whoever appends from now on
//	                       looks for what is known, so entry 41 is clean of it
//	B has entries 1 to 40  cleaned again in another file, entry 41 copied behind as it is, and
//	                       takes mu for what has come since and the change of files
//	B is appended
type maintenance struct {
	mu          sync.Mutex // guards the order of Appends and the two below; taken after cleaning
	repairAfter time.Time  // when a broken journal may next be written anew
	checked     time.Time  // when the name of the journal was last looked at

	known atomic.Int64 // how much was known when the journal was last clean of all of it

	cleaning sync.Mutex   // held by the one who cleans the journal; guards the four below
	past     *redact.Past // what the journal holds up to offset
	offset   int64        // 0 until there was something to look for
	of       file         // the file that past is of
	pending  bool         // the journal may hold a secret and could not be replaced
}

// longEntry is the length of an entry from which on it is looked through before the lock is taken:
// all others who append would wait for it.
const longEntry = 64 << 10

// current returns an entry as it must be now: another exchange may have taught a secret after
// this one was cleaned. The lock of maintenance is held, but for a long entry.
func (c *Recorder) current(x redact.Clean, e entry) (entry, error) {
	if !c.cleaner.Outdated(x) || !c.cleaner.Stale(string(e.text)) {
		return e, nil
	}
	return newEntry(c.cleaner.Reclean(x.Exchange()))
}

// cleanJournal cleans the journal again if something was learned that may stand in it. As long
// as nothing is learned it costs nothing. An exchange that taught nothing does not wait for another
// that cleans.
func (c *Recorder) cleanJournal(x redact.Clean) error {
	r := &c.maintenance
	if int64(c.cleaner.Learned()) == r.known.Load() {
		return nil
	}
	if x.Teaches() {
		r.cleaning.Lock()
	} else if !r.cleaning.TryLock() {
		return nil
	}
	defer r.cleaning.Unlock()
	n := c.cleaner.Learned()
	if int64(n) == r.known.Load() {
		return nil
	}
	for {
		err := c.cleanUpTo(n)
		if errors.Is(err, errRewritten) {
			continue
		}
		if err == nil {
			r.known.Store(int64(n))
		}
		return err
	}
}

// cleanUpTo cleans the journal of what was learned up to when n values were known.
func (c *Recorder) cleanUpTo(n int) error {
	r := &c.maintenance
	// Whoever appended before the lock is taken is in the extent; whoever appends after it has
	// looked for all that is known.
	r.mu.Lock()
	journal, err := c.journal.extent()
	r.mu.Unlock()
	if err != nil {
		return err
	}
	if r.of != journal.file {
		r.past.Forget()
		r.offset, r.of = 0, journal.file
	}
	err = journal.each(r.offset, func(e entry) error {
		r.past.Add(string(e.text))
		return nil
	})
	if err != nil {
		return c.unlessReplaced(journal, err)
	}
	r.offset = journal.end
	if r.pending = r.past.Reached(n) || r.pending; !r.pending {
		return nil
	}
	if err := c.purge(journal); err != nil {
		return c.unlessReplaced(journal, err)
	}
	r.pending = false
	return nil
}

// errRewritten says that the journal was written anew while it was read.
var errRewritten = errors.New("the journal was written anew")

// unlessReplaced returns an error of whoever read the journal, or errRewritten where another file
// has taken its place meanwhile.
func (c *Recorder) unlessReplaced(journal extent, err error) error {
	now, ended := c.journal.extent()
	if ended == nil && now.file != journal.file {
		return errRewritten
	}
	return err
}

// errStale ends the search for an entry that must be cleaned again.
var errStale = errors.New("an entry holds a secret")

// purge replaces the journal by one without what has become known as secret. What is appended
// meanwhile has been looked through and is copied as it is.
func (c *Recorder) purge(journal extent) error {
	err := journal.each(0, func(e entry) error {
		_, changed, err := e.recleanStale(c.cleaner)
		if changed {
			return errStale
		}
		return err
	})
	if !errors.Is(err, errStale) {
		return err
	}
	fresh, err := c.newCopy(journal)
	if err != nil {
		return err
	}
	if err = fresh.clean(c.cleaner); err == nil {
		err = fresh.follow(c.journal)
	}
	c.maintenance.mu.Lock()
	defer c.maintenance.mu.Unlock()
	if err == nil {
		err = fresh.rest(c.journal)
	}
	return c.use(fresh, err)
}

// repairPause is the time from one attempt to repair a journal to the next: each writes the whole
// of it.
const repairPause = time.Second

// repair has a journal that can take no more entries written anew, so that it can again. What
// was in it is read back and its checksums are compared: a disk that lost some of it is found
// out. The lock of maintenance is held.
func (c *Recorder) repair() error {
	c.checkJournalFile()
	cause := c.journal.state()
	if cause == nil || errors.Is(cause, errClosed) {
		return cause
	}
	if time.Now().Before(c.maintenance.repairAfter) {
		return cause
	}
	if err := c.rewrite(); err != nil {
		c.maintenance.repairAfter = time.Now().Add(repairPause)
		return fmt.Errorf("%w; and writing it anew: %w", cause, err)
	}
	if errors.Is(cause, ErrJournalReplaced) {
		c.warn(cause)
	}
	c.tell(nil)
	return nil
}

// rewrite puts another file in the place of the journal, in which its entries are as clean as
// they must be now. The lock of maintenance is held.
func (c *Recorder) rewrite() error {
	journal, err := c.journal.extent()
	if err != nil {
		return err
	}
	fresh, err := c.newCopy(journal)
	if err != nil {
		return err
	}
	return c.use(fresh, fresh.clean(c.cleaner))
}

// use puts a copy in the place of the journal, unless writing the copy has failed. Until it is whole
// and synced, the old one stays. The lock of maintenance is held.
func (c *Recorder) use(fresh *journalCopy, err error) error {
	if err == nil {
		err = fresh.file.Sync()
	}
	if err == nil {
		err = c.library.folder.Rename(fresh.name, c.name+journalSuffix)
	}
	if err != nil {
		return errors.Join(err, fresh.file.Close(), c.library.remove(fresh.name))
	}
	return errors.Join(c.journal.replace(fresh.file, fresh.size), c.syncJournalName())
}
