package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store/lockfile"
)

// notePause is the time from one writing of the lock to the next. The lock is a file that is written as a
// whole; of ten thousand tapes those of a second share one writing.
const notePause = time.Second

// startNoting has what comes through p.pushed be noted in the lock, at most so many tapes. What it returns
// is called when all are pushed, and returns when all are noted.
func (p *pusher) startNoting(tapes int) (end func() error) {
	p.pushed = make(chan Done, tapes) // whoever pushes does not wait for the lock
	last, result := make(chan struct{}), make(chan error)
	go func() {
		var errs error
		for first := range p.pushed {
			batch := []Done{first}
			for n := len(p.pushed); n > 0; n-- {
				batch = append(batch, <-p.pushed)
			}
			errs = errors.Join(errs, p.note(batch))
			select {
			case <-time.After(notePause):
			case <-last:
			}
		}
		result <- errs
	}()
	return func() error {
		close(p.pushed)
		close(last)
		return <-result
	}
}

// note writes tapes that were pushed into the lock, and then tells of them.
func (p *pusher) note(batch []Done) error {
	var noted []Done
	var refused error
	err := p.library.UpdateSidecar(lockfile.Name, func(old []byte) ([]byte, error) {
		lock := &lockfile.File{}
		if old != nil {
			var err error
			if lock, err = lockfile.Parse(old); err != nil {
				return nil, err
			}
		}
		for _, d := range batch {
			if err := p.mayNote(lock, d.Tape); err != nil {
				refused = errors.Join(refused, fmt.Errorf("pushing tape %q: %w", d.Tape.Name, err))
				continue
			}
			lock.Set(d.Tape)
			noted = append(noted, d)
		}
		return lock.Encode()
	})
	if err != nil {
		return err
	}
	for _, d := range noted {
		p.tell(d)
	}
	return refused
}

// mayNote returns an error if a row would take the place of a newer one. A row that is as it was when the
// push began is older, and so is any row if the file still is what was pushed. For example two push
// checkout: a slow one before it was recorded anew, and a quick one after that, which ends first.
func (p *pusher) mayNote(lock *lockfile.File, row lockfile.Tape) error {
	before, _ := p.before.Tape(row.Name)
	now, there := lock.Tape(row.Name)
	if !there || now.SHA256 == before.SHA256 || now.SHA256 == row.SHA256 {
		return nil
	}
	f, err := p.library.OpenFile(row.Name)
	if errors.Is(err, cassettes.ErrNotFound) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	sum, err := f.SHA256()
	if err == nil && sum != row.SHA256 {
		err = ErrChanged
	}
	return errors.Join(err, f.Close())
}
