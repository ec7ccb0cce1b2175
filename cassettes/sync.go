package cassettes

import (
	"fmt"
	"math"
	"path"
	"time"
)

// Sync says when the disk is told to keep what was recorded. It matters for the loss of
// power: what was handed to the kernel survives the end of the process in any case.
type Sync string

// The ways to sync a journal. Close syncs it in any case.
const (
	SyncNone     Sync = ""         // when recording ends, and no sooner
	SyncInterval Sync = "interval" // once a second, if something was recorded
	SyncAlways   Sync = "always"   // before Append returns
)

// ParseSync reads the word for a way to sync: none, interval or always.
func ParseSync(word string) (Sync, error) {
	switch s := Sync(word); s {
	case SyncInterval, SyncAlways:
		return s, nil
	case "none":
		return SyncNone, nil
	}
	return SyncNone, fmt.Errorf("expected none, interval or always, found %q", word)
}

// syncEvery is the time that a power loss may cost with SyncInterval.
const syncEvery = time.Second

// Options say how a recording is kept. The zero value is SyncNone.
type Options struct {
	Sync Sync
	// Trouble is told what no Append returns: why syncing in the background has failed, and
	// nil when the journal has been written anew since. Close returns the first such failure.
	// It is told ErrJournalReplaced too, which is no failure. Nil means that nobody is told.
	Trouble func(error)
	// Stable has folding make the tape stable, by Stabilise. The journal notes it, so that it is done
	// even if the process that folds is another.
	Stable bool
	// Stabilise makes stable tapes. Nil: a journal that notes Stable is folded as it is, with a
	// warning.
	Stabilise Stabiliser
}

// syncer calls a function at intervals until it is stopped.
type syncer struct{ quit, done chan struct{} }

func startSyncer(sync func()) *syncer {
	s := &syncer{make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(s.done)
		tick := time.NewTicker(syncEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				sync()
			case <-s.quit:
				return
			}
		}
	}()
	return s
}

// stop returns when the function runs no more. A nil syncer has nothing to stop.
func (s *syncer) stop() {
	if s != nil {
		close(s.quit)
		<-s.done
	}
}

// syncNow is what happens at intervals.
func (c *Recorder) syncNow() {
	if c.journal.state() != nil {
		return // told already
	}
	if err := c.journal.sync(math.MaxInt64); err != nil {
		c.tell(err)
	}
}

// tell tells of trouble, or with nil that it is over.
func (c *Recorder) tell(err error) {
	c.mu.Lock()
	before := c.unsynced
	if before == nil {
		c.unsynced = err
	}
	c.mu.Unlock()
	if c.options.Trouble != nil && (err != nil || before != nil) {
		c.options.Trouble(err)
	}
}

// warn tells of what was put right and has cost nothing.
func (c *Recorder) warn(err error) {
	if c.options.Trouble != nil {
		c.options.Trouble(err)
	}
}

// failed returns the first failure that no Append has returned.
func (c *Recorder) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unsynced == nil {
		return nil
	}
	return fmt.Errorf("cassette %q: %w", c.name, c.unsynced)
}

// syncJournalName has the disk keep the name of the journal, without which its content is nothing.
func (c *Recorder) syncJournalName() error {
	if c.options.Sync == SyncNone {
		return nil
	}
	if err := c.library.syncFolder(path.Dir(c.name)); err != nil {
		return fmt.Errorf("syncing the folder of cassette %q: %w", c.name, err)
	}
	return nil
}

// repairNow mends the journal at the end of a recording, when it is the last chance.
func (c *Recorder) repairNow() error {
	c.maintenance.mu.Lock()
	defer c.maintenance.mu.Unlock()
	c.maintenance.repairAfter, c.maintenance.checked = time.Time{}, time.Time{}
	return c.repair()
}
