package cassettes

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// appendFile is what a journal needs of its file, which is opened for appending.
type appendFile interface {
	io.Writer
	io.ReaderAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// journal appends entries to a file, one write each. What write(2) has taken survives kill -9
// of the process. Power loss is a matter of when the disk is told to keep it, which is at the
// end, in finish.
type journal struct {
	mu    sync.Mutex // guards all below and the order of writes
	file  appendFile
	good  int64 // length of the head and all whole entries
	count int   // entries written
	err   error // why nothing can be appended any more; nil while it can
}

var errClosed = errors.New("the recording has ended")

// newJournal begins a journal in an empty file.
func newJournal(f appendFile) (*journal, error) {
	if _, err := io.WriteString(f, journalHead); err != nil {
		return nil, fmt.Errorf("beginning the journal: %w", err)
	}
	return &journal{file: f, good: int64(len(journalHead))}, nil
}

// append writes an entry whole or, if that fails, not at all: the bytes that made it to the
// file are taken back, so that the next entry does not glue to half a line. Later calls may
// succeed, since a full disk may have room again.
func (j *journal) append(e entry) error {
	b := frame(e)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	n, err := j.file.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return j.takeBackLocked(err)
	}
	j.good += int64(n)
	j.count++
	return nil
}

// takeBackLocked cuts off what a failed write left. If even that fails the journal ends in a
// torn entry; nothing may follow it, so the journal has failed for good.
func (j *journal) takeBackLocked(cause error) error {
	err := fmt.Errorf("appending to the journal: %w", cause)
	if cut := j.file.Truncate(j.good); cut != nil {
		j.err = fmt.Errorf("%w, and taking back what was written: %w", err, cut)
		return j.err
	}
	return err
}

// finish ends appending, syncs the file and reads back what it holds. A sync that failed is
// not tried again: the kernel may have dropped the very pages it could not write, and would
// report success. The file stays open.
func (j *journal) finish() ([]entry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.err = errClosed
	if err := j.file.Sync(); err != nil {
		j.err = fmt.Errorf("syncing the journal: %w", err)
		return nil, j.err
	}
	entries, err := j.readLocked(int64(len(journalHead)))
	if err == nil && len(entries) != j.count {
		err = fmt.Errorf("it holds %d entries where %d were written", len(entries), j.count)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	return entries, nil
}

// since returns the entries behind an offset, and the offset behind them.
func (j *journal) since(offset int64) ([]entry, int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return nil, offset, j.err
	}
	entries, err := j.readLocked(offset)
	return entries, j.good, err
}

// readLocked reads the entries that begin at an offset or later.
func (j *journal) readLocked(offset int64) ([]entry, error) {
	data := make([]byte, j.good-offset)
	if _, err := j.file.ReadAt(data, offset); err != nil && len(data) > 0 {
		return nil, err
	}
	return whole(data)
}

// replace goes on in another file, which holds entries already.
func (j *journal) replace(f appendFile, size int64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return errors.Join(j.err, f.Close())
	}
	old := j.file
	j.file, j.good = f, size
	return old.Close()
}

func (j *journal) close() error { return j.file.Close() }
