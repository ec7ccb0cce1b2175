package cassettes

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/paytape/paytape/redact"
)

// reach is what a recorder needs to take a secret out of what it has written: one that stood
// in a harmless place before an exchange taught that it is one. It is out before that exchange
// is appended.
type reach struct {
	mu      sync.Mutex   // guards the fields and the order of Appends
	past    *redact.Past // what the journal holds up to offset
	offset  int64        // 0 until there was something to look for
	learned int          // how much the cleaner had learned when it was last asked
	pending bool         // the journal may hold a secret and could not be replaced
	rested  time.Time    // when a broken journal may next be written anew
	looked  time.Time    // when the name of the journal was last looked at
}

// current returns an entry as it must be now: another exchange may have taught a secret after
// this one was cleaned. The reach's lock is held.
func (c *Recorder) current(x redact.Clean, e entry) (entry, error) {
	if !c.cleaner.Outdated(x) || !c.cleaner.Stale(string(e.text)) {
		return e, nil
	}
	return newEntry(c.cleaner.Reclean(x.Exchange()))
}

// reachBack cleans the journal again if something was learned that may stand in it. As long
// as nothing is learned it costs nothing. The reach's lock is held.
func (c *Recorder) reachBack() error {
	r := &c.reach
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
	r := &c.reach
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
		_, changed, err := e.freshen(c.cleaner)
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

// mendPause is the time from one attempt to mend a journal to the next: each writes the whole
// of it.
const mendPause = time.Second

// mend has a journal that can take no more entries written anew, so that it can again. What
// was in it is read back and its checksums are compared: a disk that lost some of it is found
// out. The reach's lock is held.
func (c *Recorder) mend() error {
	c.look()
	cause := c.journal.state()
	if cause == nil || errors.Is(cause, errClosed) {
		return cause
	}
	if time.Now().Before(c.reach.rested) {
		return cause
	}
	if err := c.rewrite(); err != nil {
		c.reach.rested = time.Now().Add(mendPause)
		return fmt.Errorf("%w; and writing it anew: %w", cause, err)
	}
	if errors.Is(cause, ErrAstray) {
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
	c.reach.past.Forget()
	c.reach.offset = 0
	return errors.Join(c.journal.replace(f, size), c.settle())
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
		fresh, _, err := e.freshen(c.cleaner)
		if err != nil {
			return err
		}
		return write(frame(fresh))
	})
	return size, err
}
