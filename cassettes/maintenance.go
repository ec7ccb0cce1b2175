package cassettes

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/paytape/paytape/redact"
)

// maintenance is what a recorder needs to keep its journal clean and writable. A value may stand in
// a harmless place of the journal before a later exchange teaches that the value is a secret; it is
// taken out before that later exchange is appended. A journal that can take no more entries is
// written anew.
//
// Whether a value may stand in the journal is asked of redact.Past, which has all that is in the
// journal or about to be: entries are added before they are appended. It nearly always says no, and
// then learning costs a few looks. Each value is asked about once for the journal, and once for each
// entry that was cleaned before the value was known and is appended after it.
//
// After a yes the journal is looked through and written anew while others append to it. Shop A has
// noted "hunter2-Secret" in an order, and B logs in with that password:
//
//	B is cleaned           the value is learned
//	B wants to append      the past says that the value may stand in the journal: the journal is
//	                       dirty, and B takes cleaning; the journal ends at entry 40
//	entry 41 is appended   of shop C, that has waited for nothing; whoever appends from now on
//	                       looks for what is known, so entry 41 is clean of it
//	B looks through 1..40  and finds the value in entry 7: entries 1 to 6 are copied to another
//	                       file as they are, 7 to 40 cleaned again, 41 copied behind as it is, and B
//	                       takes mu for what has come since and the change of files
//	B is appended
//
// All who wait for cleaning meanwhile are served by the next who has it, together: what they taught
// is looked for in one pass. So with n clients the journal is written anew at most once for n
// exchanges that teach something that stood in the journal. A single client that makes each exchange
// teach about the one before waits for its own lessons; the others do not.
type maintenance struct {
	past *redact.Past // of all that is in the journal, or about to be

	mu          sync.Mutex // guards the order of Appends and all below but cleaning; taken after it
	repairAfter time.Time  // when a broken journal may next be written anew
	checked     time.Time  // when the name of the journal was last looked at
	reached     int        // how often something was learned that the journal may hold
	cleaned     int        // how much of reached the journal has been cleaned of

	cleaning sync.Mutex // held by the one who cleans the journal
}

// longEntry is the length from which on what is left to be copied to another file is much: all who
// append wait for it.
const longEntry = 64 << 10

// dirtyLocked asks whether something was learned that the journal may hold, and reports whether the
// journal is still to be cleaned of it or of something before it.
func (r *maintenance) dirtyLocked() bool {
	if r.past.Reached() {
		r.reached++
	}
	return r.reached > r.cleaned
}

// journalIsClean reports whether the journal holds nothing of what is known to be secret, as far as can
// be told without looking through it.
func (c *Recorder) journalIsClean() bool {
	c.maintenance.mu.Lock()
	defer c.maintenance.mu.Unlock()
	return !c.maintenance.dirtyLocked()
}

// cleanJournal cleans a dirty journal. An exchange that taught nothing does not wait for another that
// cleans: it is left to that one.
func (c *Recorder) cleanJournal(teaches bool) (left bool, err error) {
	r := &c.maintenance
	if teaches {
		r.cleaning.Lock()
	} else if !r.cleaning.TryLock() {
		return true, nil
	}
	defer r.cleaning.Unlock()
	for {
		err := c.purge()
		if !errors.Is(err, errRewritten) {
			return false, err
		}
	}
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

// purge replaces the journal by one without what has become known as secret, if the journal has any of
// it. What is appended meanwhile has been looked through and is copied as it is.
func (c *Recorder) purge() error {
	r := &c.maintenance
	// Whoever appended before the lock is taken is in the extent; whoever appends after it has
	// looked for all that is known.
	r.mu.Lock()
	reached, done := r.reached, r.reached == r.cleaned
	journal, err := c.journal.extent()
	r.mu.Unlock()
	if err != nil || done {
		return err
	}
	if err := c.purgeExtent(journal); err != nil {
		return c.unlessReplaced(journal, err)
	}
	r.mu.Lock()
	r.cleaned = reached
	r.mu.Unlock()
	return nil
}

func (c *Recorder) purgeExtent(journal extent) error {
	first := int64(0)
	err := journal.each(0, func(at int64, e entry) error {
		_, changed, err := e.recleanStale(c.cleaner)
		if changed {
			first, err = at, errStale
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
	if err = fresh.clean(c, first); err == nil {
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
	return c.use(fresh, fresh.clean(c, 0))
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
