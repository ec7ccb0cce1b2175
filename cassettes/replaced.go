package cassettes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrJournalReplaced is what Options.Trouble is told when somebody has removed or replaced the journal of
// a recording: by cleaning up, or together with the folder. What was in it has been written anew.
var ErrJournalReplaced = errors.New("the journal was removed or replaced while it was recorded")

// checkPause is the time from one look at the journal's name to the next. It bounds what such a
// meddler and a kill -9 cost together.
const checkPause = time.Second

// checkJournalFile finds out whether the journal's name still leads to the file that is written to. If not,
// the file takes no more entries, and repair writes another. The lock of maintenance is held.
func (c *Recorder) checkJournalFile() {
	now := time.Now()
	if now.Sub(c.maintenance.checked) < checkPause {
		return
	}
	c.maintenance.checked = now
	if !c.journalInPlace() {
		c.journal.giveUp(ErrJournalReplaced)
	}
}

// journalInPlace reports whether the journal's name leads to it, as far as can be told.
func (c *Recorder) journalInPlace() bool {
	named, err := c.library.folder.Lstat(c.name + journalSuffix)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	own, err := c.journal.stat()
	return err != nil || os.SameFile(named, own)
}

// checkMoved returns an error if the folder is not where it was opened any more: what was recorded
// went into the folder, and its path leads to another or to none.
func (l *Library) checkMoved() error {
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
