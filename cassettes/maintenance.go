package cassettes

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/paytape/paytape/redact"
)

// maintenance is what a recorder needs to keep its journal clean and writable. A value may stand in
// a harmless place of the journal before a later exchange teaches that the value is a secret; it is
// taken out before that later exchange is appended. A journal that can take no more entries is
// written anew.
type maintenance struct {
	mu          sync.Mutex   // guards the fields and the order of Appends
	past        *redact.Past // what the journal holds up to offset
	offset      int64        // 0 until there was something to look for
	learned     int          // how much the cleaner had learned when it was last asked
	pending     bool         // the journal may hold a secret and could not be replaced
	repairAfter time.Time    // when a broken journal may next be written anew
	checked     time.Time    // when the name of the journal was last looked at
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
// as nothing is learned it costs nothing. The lock of maintenance is held.
func (c *Recorder) cleanJournal() error {
	r := &c.maintenance
	if n := c.cleaner.Learned(); n != r.learned {
		if err := c.remember(); err != nil {
			return err
		}
		r.learned = n
		r.pending = r.past.Reached() || r.pending
	}
	if !r.pending {
		return nil
	}
	if err := c.purge(); err != nil {
		return err
	}
	r.pending = false
	return nil
}

// remember adds to the past what was appended since it was last done.
func (c *Recorder) remember() error {
	r := &c.maintenance
	end, err := c.journal.each(r.offset, func(e entry) error {
		r.past.Add(string(e.text))
		return nil
	})
	if err == nil {
		r.offset = end
	}
	return err
}

// errStale ends the search for an entry that must be cleaned again.
var errStale = errors.New("an entry holds a secret")

// purge replaces the journal by one without what has become known as secret.
func (c *Recorder) purge() error {
	_, err := c.journal.each(0, func(e entry) error {
		_, changed, err := e.recleanStale(c.cleaner)
		if changed {
			return errStale
		}
		return err
	})
	if !errors.Is(err, errStale) {
		return err
	}
	return c.rewrite()
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
// they must be now; until it is whole and synced, the old one stays.
func (c *Recorder) rewrite() error {
	temp := tempName(c.name)
	f, err := c.library.create(temp)
	if err != nil {
		return err
	}
	size, err := c.copyTo(f)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = c.library.folder.Rename(temp, c.name+journalSuffix)
	}
	if err != nil {
		return errors.Join(err, f.Close(), c.library.remove(temp))
	}
	c.maintenance.past.Forget()
	c.maintenance.offset = 0
	return errors.Join(c.journal.replace(f, size), c.syncJournalName())
}

// copyTo writes the entries of the journal into another file and returns its size.
func (c *Recorder) copyTo(f file) (size int64, err error) {
	write := func(b []byte) error {
		n, err := f.Write(b)
		if size += int64(n); err == nil && n < len(b) {
			err = io.ErrShortWrite
		}
		return err
	}
	if err := write([]byte(journalHead)); err != nil {
		return 0, err
	}
	_, err = c.journal.each(0, func(e entry) error {
		fresh, _, err := e.recleanStale(c.cleaner)
		if err != nil {
			return err
		}
		return write(frame(fresh))
	})
	return size, err
}
