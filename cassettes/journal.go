package cassettes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"sync"
	"time"
)

// journal appends entries to a file, one write each. What write(2) has taken survives kill -9
// of the process. Power loss is a matter of when the disk is told to keep it, which is sync.
type journal struct {
	syncing sync.Mutex // held while the disk is told to keep what it has; taken before mu

	mu     sync.Mutex // guards all below and the order of writes
	file   file
	good   int64 // length of the head and all whole entries
	synced int64 // up to where the disk has said that it keeps it
	count  int   // entries written
	ended  bool
	// broken is why this file can take no more entries; nil while it can. It is cured by
	// writing the journal anew, into another file.
	broken error
}

var errClosed = errors.New("the recording has ended")

// newJournal begins a journal in an empty file. stable says that the tape is to be stable.
func newJournal(f file, stable bool) (*journal, error) {
	if _, err := io.WriteString(f, headOf(stable)); err != nil {
		return nil, fmt.Errorf("beginning the journal: %w", err)
	}
	return &journal{file: f, good: int64(len(journalHead))}, nil
}

// append writes the frame of an entry whole or, if that fails, not at all: the bytes that made it to the
// file are taken back, so that the next entry does not glue to half a line. Later calls may
// succeed, since a full disk may have room again. It returns where the entry ends.
func (j *journal) append(framed []byte) (end int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.stateLocked(); err != nil {
		return 0, err
	}
	n, err := j.file.Write(framed)
	if err == nil && n < len(framed) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return 0, j.takeBackLocked(err)
	}
	j.good += int64(n)
	j.count++
	return j.good, nil
}

// written returns how many entries there are.
func (j *journal) written() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.count
}

// state returns why nothing can be appended; nil if it can.
func (j *journal) state() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stateLocked()
}

// giveUp gives the file up for a reason, unless there is one already.
func (j *journal) giveUp(reason error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken == nil {
		j.broken = reason
	}
}

// stat tells which file it is.
func (j *journal) stat() (fs.FileInfo, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.file.Stat()
}

func (j *journal) stateLocked() error {
	if j.ended {
		return errClosed
	}
	return j.broken
}

// takeBackLocked cuts off what a failed write left. If even that fails the file ends in a
// torn entry, and nothing may follow it.
func (j *journal) takeBackLocked(cause error) error {
	err := fmt.Errorf("appending to the journal: %w", cause)
	if cut := j.file.Truncate(j.good); cut != nil {
		j.broken = fmt.Errorf("%w, and taking back what was written: %w", err, cut)
		return j.broken
	}
	return err
}

// sync has the disk keep what was written up to end, together with all else that was. One
// call serves all who wait for it. A sync that failed is not tried again on this file: the
// kernel may have dropped the very pages it could not write, and would report success.
func (j *journal) sync(end int64) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	f, good, done, broken := j.file, j.good, j.synced >= min(end, j.good), j.broken
	j.mu.Unlock()
	if done || broken != nil {
		return broken
	}
	err := f.Sync() // without mu: others may append meanwhile
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.broken = fmt.Errorf("syncing the journal: %w", err)
		return j.broken
	}
	j.synced = good
	return nil
}

// finish ends appending, syncs the file and finds what it holds, if there is time for it until a
// moment. The file stays open.
func (j *journal) finish(until time.Time) ([]span, error) {
	j.mu.Lock()
	j.ended = true
	j.mu.Unlock()
	if err := j.sync(math.MaxInt64); err != nil {
		return nil, err
	}
	s, err := scan(j.file, j.good, until)
	if err == nil && len(s.spans) != j.count {
		err = fmt.Errorf("it holds %d entries where %d were written", len(s.spans), j.count)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	return s.spans, nil
}

// extent is the whole entries that a journal has at a moment.
type extent struct {
	file file
	end  int64
}

// extent returns what the journal has now.
func (j *journal) extent() (extent, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended {
		return extent{}, errClosed
	}
	return extent{j.file, j.good}, nil
}

// each calls f with the entries that begin at an offset or behind it, and where they begin. Others may
// append meanwhile.
func (x extent) each(offset int64, f func(at int64, e entry) error) error {
	frames := newFrames(x.file, max(offset, int64(len(journalHead))), x.end)
	for at := frames.at; frames.next(); at = frames.at {
		if err := f(at, frames.entry); err != nil {
			return err
		}
	}
	if frames.err == nil && frames.at < x.end {
		frames.err = errors.New("an entry is not as it was written")
	}
	if frames.err != nil {
		return fmt.Errorf("reading the journal: %w", frames.err)
	}
	return nil
}

// replace goes on in another file, which holds the same entries and has been synced.
func (j *journal) replace(f file, size int64) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended {
		return errors.Join(errClosed, f.Close()) // whoever ends it has the file
	}
	old := j.file
	j.file, j.good, j.synced, j.broken = f, size, size, nil
	return old.Close()
}

func (j *journal) close() error { return j.file.Close() }
