package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/pieces"
)

// errAstray is wrapped by the error of an index that leads to another tape than its own.
var errAstray = errors.New("the pieces of its index are not this tape")

// download is a tape while it comes.
type download struct {
	*tally
	index *pieces.Index
	codec *pieces.Codec
	to    io.Writer
	sum   hash.Hash // of what has been written
	size  int64     // of that, in bytes

	old   *cassettes.File // the file that is here; nil for none
	spans map[blob.Digest]span
}

// span is where the file that is here has a piece.
type span struct {
	at   int64
	size int
	base int
}

// ahead is how many pieces of a tape are on their way or wait to be written.
const ahead = 4

// run writes what is not written yet: all but so many pieces. The file that is here is looked through for
// some pieces.
func (d *download) run(ctx context.Context, written int, some []pieces.Entry) error {
	err := d.lookThroughOld(some)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	queue := make(chan chan coming, ahead)
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.order(ctx, d.index.Entries[written:], queue)
	}()
	for piece := range queue {
		if err == nil {
			err = d.write(<-piece)
		}
		if err != nil {
			cancel()
		}
	}
	<-done
	if err == nil {
		err = ctx.Err()
	}
	cancel()
	if err == nil && [sha256.Size]byte(d.sum.Sum(nil)) != d.index.Tape {
		err = fmt.Errorf("%w: %w", blob.ErrWrong, errAstray)
	}
	return err
}

// coming is a piece that has come.
type coming struct {
	raw []byte
	err error
}

// order orders pieces, several at once, and waits for all. Each has a place in the queue.
func (d *download) order(ctx context.Context, entries []pieces.Entry, queue chan<- chan coming) {
	var all sync.WaitGroup
	defer all.Wait()
	defer close(queue)
	for _, e := range entries {
		place := make(chan coming, 1)
		select {
		case queue <- place:
		case <-ctx.Done():
			return
		}
		all.Go(func() {
			raw, err := d.piece(ctx, e)
			place <- coming{raw, err}
		})
	}
}

// piece returns a stretch of the tape.
func (d *download) piece(ctx context.Context, e pieces.Entry) ([]byte, error) {
	if text, ok := d.fromOld(e); ok {
		return pieces.Restore(text, e.Base)
	}
	if err := d.take(ctx); err != nil {
		return nil, err
	}
	defer d.give()
	packed, err := d.careful.Get(ctx, e.Blob)
	if err != nil {
		return nil, err
	}
	text, err := d.codec.Unpack(packed, e.TextSize)
	if err == nil && blob.DigestOf(text) != e.Text {
		err = blob.ErrWrong
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", e.Blob, err)
	}
	return pieces.Restore(text, e.Base)
}

func (d *download) write(c coming) error {
	if c.err != nil {
		return c.err
	}
	if d.size += int64(len(c.raw)); d.size > d.index.Size {
		return fmt.Errorf("%w: %w", blob.ErrWrong, errAstray) // before the disk is full
	}
	if _, err := d.to.Write(c.raw); err != nil {
		return err
	}
	_, _ = d.sum.Write(c.raw) // a hash takes everything
	return nil
}

// resume keeps as much of what an earlier pull has left as is right, be it of an earlier tape, and returns
// how many pieces that is.
func (d *download) resume(to *cassettes.Staged) (written int, err error) {
	size, err := to.Size()
	if err != nil {
		return 0, err
	}
	for p, err := range pieces.Cut(io.NewSectionReader(to, 0, size)) {
		if err != nil {
			return 0, err
		}
		if written == len(d.index.Entries) {
			break
		}
		e := d.index.Entries[written]
		if e.Base != p.Base || blob.DigestOf(p.Text) != e.Text {
			break
		}
		_, _ = d.sum.Write(p.Raw)
		d.size += int64(len(p.Raw))
		written++
	}
	return written, to.Truncate(d.size)
}

// lookThroughOld notes where the file that is here has some pieces. For a tape of one piece that is not
// worth the while.
func (d *download) lookThroughOld(some []pieces.Entry) error {
	if d.old == nil || len(some) < 2 {
		return nil
	}
	wanted := map[blob.Digest]bool{}
	for _, e := range some {
		wanted[e.Text] = true
	}
	d.spans = map[blob.Digest]span{}
	at := int64(0)
	for p, err := range pieces.Cut(io.NewSectionReader(d.old, 0, d.old.Size)) {
		if err != nil {
			return err
		}
		if text := blob.DigestOf(p.Text); wanted[text] {
			d.spans[text] = span{at, len(p.Raw), p.Base}
		}
		at += int64(len(p.Raw))
	}
	return nil
}

// fromOld returns the text of a piece that the file here has. A file that has changed meanwhile has it
// not.
func (d *download) fromOld(e pieces.Entry) ([]byte, bool) {
	s, ok := d.spans[e.Text]
	if !ok {
		return nil, false
	}
	raw := make([]byte, s.size)
	if n, _ := d.old.ReadAt(raw, s.at); n < s.size {
		return nil, false
	}
	text := pieces.Text(raw, s.base)
	return text, blob.DigestOf(text) == e.Text
}
