package cassettes

import (
	"errors"
	"fmt"
	"slices"
	"sync"

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
	entries, end, err := c.journal.since(max(r.offset, int64(len(journalHead))))
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	for _, e := range entries {
		r.past.Add(string(e.text))
	}
	r.offset = end
	return nil
}

// purge replaces the journal by one without what has become known as secret; until it is
// whole, the old one stays.
func (c *Recorder) purge() error {
	entries, _, err := c.journal.since(int64(len(journalHead)))
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	changed, err := freshen(entries, c.cleaner)
	if err != nil || !changed {
		return err
	}
	file := c.name + journalSuffix
	temp := tempName(c.name)
	f, err := c.library.create(temp)
	if err != nil {
		return err
	}
	data := []byte(journalHead)
	for _, e := range entries {
		data = append(data, frame(e)...)
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = c.library.root.Rename(temp, file)
	}
	if err != nil {
		return errors.Join(err, f.Close(), c.library.remove(temp))
	}
	c.reach.past.Forget()
	c.reach.offset = 0
	return c.journal.replace(f, int64(len(data)))
}

// freshen cleans entries again that hold what only a later exchange taught to be a secret, and
// reports whether there were any.
func freshen(entries []entry, r Cleaner) (bool, error) {
	changed := false
	for i, e := range entries {
		if !r.Stale(string(e.text)) {
			continue
		}
		x, err := e.parse()
		if err != nil {
			return changed, err
		}
		fresh, err := newEntry(r.Reclean(x))
		if err != nil {
			return changed, err
		}
		changed = changed || !slices.Equal(fresh.text, e.text)
		entries[i] = fresh
	}
	return changed, nil
}
