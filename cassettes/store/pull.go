package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/lockfile"
	"github.com/paytape/paytape/cassettes/store/pieces"
)

// ErrUnpushed is returned by Pull for a tape of which another file is here that the store has not.
var ErrUnpushed = errors.New("the file here is another than that of " + lockfile.Name +
	", and the store does not have it: pulling would lose it")

// ErrAbsent is returned by Require for a tape that is not here and cannot be had.
var ErrAbsent = errors.New("it is in " + lockfile.Name + " and not in the folder")

// Pull brings tapes that the lock names, or all of them if there are no names, into the folder. A tape
// that cannot be pulled keeps no other from it.
func Pull(ctx context.Context, names []string, o Options) error {
	return bring(ctx, o, func(lock *lockfile.File) ([]lockfile.Tape, error) { return rows(lock, names) },
		(*puller).pull)
}

// Require brings what a replay of cassettes needs: those that the lock names and that are not here, or
// that are here as an earlier lock had them. Cassettes that the lock does not name are nobody's concern.
// A file that was not pushed is kept, which Options.Tell is told.
func Require(ctx context.Context, names []string, o Options) error {
	err := bring(ctx, o, func(lock *lockfile.File) ([]lockfile.Tape, error) {
		var named []lockfile.Tape
		for _, name := range names {
			plain, err := cassettes.PlainName(name)
			if err != nil {
				return nil, err
			}
			if row, ok := lock.Tape(plain); ok {
				named = append(named, row)
			}
		}
		return named, nil
	}, (*puller).require)
	if errors.Is(err, cassettes.ErrNoFolder) {
		return nil // and so there is no lock in it
	}
	return err
}

// bring does something for rows of the lock.
func bring(ctx context.Context, o Options, choose func(*lockfile.File) ([]lockfile.Tape, error),
	do func(*puller, context.Context, lockfile.Tape) error) (err error) {
	w, err := begin(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.library.Close()) }()
	lock, err := w.lock()
	if err != nil {
		return err
	}
	named, err := choose(lock)
	if err != nil || len(named) == 0 {
		return err
	}
	codec, err := pieces.NewCodec()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, codec.Close()) }()
	p := &puller{work: w, codec: codec}
	if !o.Offline && o.URL != "" {
		if err := w.connect(); err != nil {
			return err
		}
	}
	return w.each(ctx, len(named), func(ctx context.Context, i int) error {
		if err := do(p, ctx, named[i]); err != nil {
			return fmt.Errorf("pulling tape %q: %w", named[i].Name, err)
		}
		return nil
	})
}

// puller pulls tapes.
type puller struct {
	*work
	codec *pieces.Codec
}

// local is what is here of a tape.
type local struct {
	there bool // there is a file, or a recording that has none yet
	same  bool // it is that of the lock
	// known is what is known of the file by a store: its hash and its size.
	known lockfile.Tape
	more  bool // a recording has left more than is in the file
}

// look looks at what is here.
func (p *puller) look(row lockfile.Tape) (here local, err error) {
	if here.more, err = p.library.Unfinished(row.Name); err != nil || here.more {
		here.there = true
		return here, err
	}
	f, err := p.library.OpenFile(row.Name)
	if errors.Is(err, cassettes.ErrNotFound) {
		return local{}, nil
	}
	if err != nil {
		return local{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum, err := f.SHA256()
	return local{
		there: true, same: sum == row.SHA256,
		known: lockfile.Tape{Name: row.Name, SHA256: sum, Size: f.Size},
	}, err
}

// require is what Require does for a tape.
func (p *puller) require(ctx context.Context, row lockfile.Tape) error {
	here, err := p.look(row)
	switch {
	case err != nil:
		return err
	case here.same:
		return nil
	case p.store == nil && here.there:
		p.tell(Done{What: Kept, Tape: row})
		return nil
	case p.Offline:
		return ErrAbsent
	case p.store == nil:
		return fmt.Errorf("%w, and %w", ErrAbsent, ErrNoStore)
	}
	err = p.bring(ctx, row, here)
	if errors.Is(err, ErrUnpushed) {
		p.tell(Done{What: Kept, Tape: row})
		return nil
	}
	return err
}

// pull is what Pull does for a tape.
func (p *puller) pull(ctx context.Context, row lockfile.Tape) error {
	here, err := p.look(row)
	switch {
	case err != nil:
		return err
	case here.same:
		p.tell(Done{What: Here, Tape: row})
		return nil
	case p.store == nil:
		return ErrNoStore
	}
	return p.bring(ctx, row, here)
}

// lookAgain is the time from one look at a tape that another process pulls to the next. Whoever has the
// cassette and pulls nothing for as many looks records on it.
const (
	lookAgain = 50 * time.Millisecond
	looks     = 20
)

// bring brings a tape. If another process does so already, it is waited for.
func (p *puller) bring(ctx context.Context, row lockfile.Tape, here local) error {
	told := false
	for idle := 0; ; idle++ {
		err := p.fetch(ctx, row, here)
		if !errors.Is(err, cassettes.ErrTaken) || idle == looks {
			return err
		}
		if p.library.Staging(row.Name) {
			idle = 0
		}
		if !told {
			p.tell(Done{What: Waiting, Tape: row})
			told = true
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
		if here, err = p.look(row); err != nil || here.same {
			return err
		}
	}
}

// fetch brings a tape if nothing is lost by that.
func (p *puller) fetch(ctx context.Context, row lockfile.Tape, here local) error {
	t := p.careful()
	if here.there && !p.Force {
		if here.more {
			return ErrUnpushed
		}
		kept, err := t.has(ctx, p.codec, here.known)
		if err != nil {
			return err
		}
		if !kept {
			return ErrUnpushed
		}
	}
	x, err := t.index(ctx, p.codec, row)
	if err != nil {
		return err
	}
	staged, err := p.library.Stage(row.Name)
	if err != nil {
		return err
	}
	d := &download{index: x, to: staged, sum: sha256.New(), codec: p.codec, tally: t}
	if err := d.run(ctx, p.library, row.Name); err != nil {
		return errors.Join(err, staged.Close())
	}
	if [sha256.Size]byte(d.sum.Sum(nil)) != row.SHA256 {
		return errors.Join(fmt.Errorf("%w: the pieces of its index are not this tape", blob.ErrWrong),
			staged.Discard())
	}
	if err := staged.Commit(); err != nil {
		return err
	}
	what := Pulled
	if here.there {
		what = Replaced
	}
	p.tell(Done{What: what, Tape: row, Moved: t.moved})
	return nil
}

// download is a tape while it comes.
type download struct {
	*tally
	index *pieces.Index
	codec *pieces.Codec
	to    *cassettes.Staged
	sum   hash.Hash // of what has been written

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

// run writes what is not written yet.
func (d *download) run(ctx context.Context, library *cassettes.Library, name string) (err error) {
	written, err := d.resume()
	if err != nil {
		return err
	}
	old, err := library.OpenFile(name)
	if err == nil {
		d.old = old
		defer func() { err = errors.Join(err, old.Close()) }()
		err = d.lookThroughOld()
	} else if errors.Is(err, cassettes.ErrNotFound) {
		err = nil
	}
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
	packed, err := d.careful.Get(ctx, e.Blob, e.Blob.Size)
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
	if _, err := d.to.Write(c.raw); err != nil {
		return err
	}
	_, _ = d.sum.Write(c.raw) // a hash takes everything
	return nil
}

// resume keeps as much of what an earlier pull has left as is right, be it of an earlier tape, and returns
// how many pieces that is.
func (d *download) resume() (written int, err error) {
	size, err := d.to.Size()
	if err != nil {
		return 0, err
	}
	kept := int64(0)
	for p, err := range pieces.Cut(io.NewSectionReader(d.to, 0, size)) {
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
		kept += int64(len(p.Raw))
		written++
	}
	return written, d.to.Truncate(kept)
}

// lookThroughOld notes which pieces the file that is here has. For a tape of one piece that is not worth
// the while.
func (d *download) lookThroughOld() error {
	if len(d.index.Entries) < 2 {
		return nil
	}
	wanted := map[blob.Digest]bool{}
	for _, e := range d.index.Entries {
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
