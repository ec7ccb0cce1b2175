package cassettes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrAstray is what Options.Trouble is told when somebody has removed or replaced the journal of
// a recording: by cleaning up, or together with the folder. What was in it has been written anew.
var ErrAstray = errors.New("the journal was removed or replaced while it was recorded")

// lookPause is the time from one look at the journal's name to the next. It bounds what such a
// meddler and a kill -9 cost together.
const lookPause = time.Second

// look finds out whether the journal's name still leads to the file that is written to. If not,
// the file takes no more entries, and mend writes another. The reach's lock is held.
func (c *Recorder) look() {
	now := time.Now()
	if now.Sub(c.reach.looked) < lookPause {
		return
	}
	c.reach.looked = now
	if !c.leads() {
		c.journal.give(ErrAstray)
	}
}

// leads reports whether the journal's name leads to it, as far as can be told.
func (c *Recorder) leads() bool {
	named, err := c.library.folder.Lstat(c.name + journalSuffix)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	own, err := c.journal.stat()
	return err != nil || os.SameFile(named, own)
}

// elsewhere returns an error if the folder is not where it was opened any more: what was recorded
// went into the folder, and its path leads to another or to none.
func (l *Library) elsewhere() error {
	own, err := l.folder.Lstat(".")
	if err != nil {
		return nil // nothing is known
	}
	if at, err := os.Stat(l.abs); err == nil && os.SameFile(at, own) {
		return nil
	}
	return fmt.Errorf("the folder %q was moved or replaced meanwhile: the tape is in what it was",
		l.dir)
}
