package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
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
	return bring(ctx, o, func(w *work) ([]lockfile.Tape, error) {
		lock, err := lockfile.Read(w.library)
		if err != nil {
			return nil, err
		}
		return rows(lock, names)
	}, (*puller).pull)
}

// Require brings what a replay of cassettes needs: those that the lock names and that are not here.
// Cassettes that the lock does not name are nobody's concern. A file that is here is never replaced; if
// it is another than that of the lock, Options.Tell is told Kept.
//
// A lock that cannot be read, as after a merge with a conflict, is an error only if a cassette is missing
// that a store may have. Where all are here, or no store may be asked, nothing can be brought, and
// Options.Warn is told instead.
func Require(ctx context.Context, names []string, o Options) error {
	err := bring(ctx, o, func(w *work) ([]lockfile.Tape, error) { return w.required(names) }, (*puller).require)
	if errors.Is(err, cassettes.ErrNoFolder) {
		return nil // and so there is no lock in it
	}
	return err
}

// required returns the rows of those names that the lock has.
func (w *work) required(names []string) ([]lockfile.Tape, error) {
	plain := make([]string, len(names))
	for i, name := range names {
		var err error
		if plain[i], err = cassettes.PlainName(name); err != nil {
			return nil, err
		}
	}
	lock, err := lockfile.Read(w.library)
	if err != nil {
		return nil, w.withoutLock(plain, err)
	}
	var rows []lockfile.Tape
	for _, name := range plain {
		if row, ok := lock.Tape(name); ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// withoutLock returns why the lock cannot be read if that matters for some cassettes.
func (w *work) withoutLock(names []string, why error) error {
	for _, name := range names {
		here, err := w.look(lockfile.Tape{Name: name})
		if err != nil {
			return errors.Join(why, err)
		}
		if !here.there && !w.Offline {
			return fmt.Errorf("cassette %q is not here, and %s does not tell which it is: %w", name,
				lockfile.Name, why)
		}
	}
	if w.Warn != nil {
		w.Warn(why)
	}
	return nil
}

// bring does something for rows of the lock.
func bring(ctx context.Context, o Options, choose func(*work) ([]lockfile.Tape, error),
	do func(*puller, context.Context, lockfile.Tape) error) (err error) {
	w, err := begin(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.library.Close()) }()
	named, err := choose(w)
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
func (w *work) look(row lockfile.Tape) (here local, err error) {
	if here.more, err = w.library.Unfinished(row.Name); err != nil || here.more {
		here.there = true
		return here, err
	}
	if there, err := w.library.HasFile(row.Name); err != nil || !there {
		return local{}, err
	}
	f, err := w.library.OpenFile(row.Name)
	if errors.Is(err, cassettes.ErrNotFound) {
		return local{}, nil // since then
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
	case here.there:
		p.tell(Done{What: Kept, Tape: row})
		return nil
	case p.Offline:
		return ErrAbsent
	case p.store == nil:
		return fmt.Errorf("%w, and %w", ErrAbsent, ErrNoStore)
	}
	return p.bring(ctx, row, absent)
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
	case p.Force:
		return p.bring(ctx, row, whatever)
	case here.more:
		return ErrUnpushed
	}
	return p.bring(ctx, row, stored)
}

// replaceable says which file that is here may be replaced.
type replaceable int

const (
	absent   replaceable = iota // none
	stored                      // one that the store has
	whatever                    // each
)

// lookAgain is the time from one try for a cassette that another process has to the next. Whoever has the
// cassette and pulls nothing for as many looks records on it.
const (
	lookAgain = 50 * time.Millisecond
	looks     = 20
)

// bring brings a tape. If another process does so already, it is waited for.
func (p *puller) bring(ctx context.Context, row lockfile.Tape, may replaceable) error {
	told := false
	for idle := 0; ; idle++ {
		err := p.fetch(ctx, row, may)
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
	}
}

// fetch brings a tape. Nobody else pulls the tape or records on it meanwhile: what is here is looked at
// when that is so, and whoever has waited for another who pulled it asks the store for nothing.
func (p *puller) fetch(ctx context.Context, row lockfile.Tape, may replaceable) error {
	staged, err := p.library.Stage(row.Name)
	if errors.Is(err, cassettes.ErrUnfinished) && may == stored {
		return ErrUnpushed
	}
	if err != nil {
		return err
	}
	here, err := p.look(row)
	if err != nil || here.same || here.there && may == absent {
		if err = errors.Join(err, staged.Close()); err == nil {
			p.tell(Done{What: here.what(), Tape: row})
		}
		return err
	}
	t := p.careful()
	err = p.fill(ctx, t, filling{row: row, here: here, to: staged, secure: may == stored})
	if errors.Is(err, errAstray) && !errors.Is(err, ErrUnpushed) {
		return errors.Join(err, staged.Discard())
	}
	if err != nil {
		return errors.Join(err, staged.Close())
	}
	p.succeeded()
	err = staged.Commit(func() error {
		now, err := p.look(row)
		if err == nil && may != whatever && !now.equals(here) {
			err = ErrUnpushed // somebody without the lock has put it there: git, an editor
		}
		return err
	})
	if errors.Is(err, ErrUnpushed) && may == absent {
		p.tell(Done{What: Kept, Tape: row})
		return nil
	}
	if err != nil {
		return err
	}
	what := Pulled
	if here.there {
		what = Replaced
	}
	p.tell(Done{What: what, Tape: row, Moved: t.moved})
	return nil
}

// what tells what a file is that stays.
func (l local) what() What {
	if l.same {
		return Here
	}
	return Kept
}

func (l local) equals(other local) bool {
	return l.there == other.there && l.more == other.more && l.known.SHA256 == other.known.SHA256
}

// filling is a staged file that is to become a tape.
type filling struct {
	row    lockfile.Tape
	here   local // what it takes the place of
	to     *cassettes.Staged
	secure bool // the store must have what is here
}

// fill writes a tape into a staged file.
func (p *puller) fill(ctx context.Context, t *tally, f filling) (err error) {
	x, err := t.index(ctx, p.codec, f.row)
	if err != nil {
		return err
	}
	d := &download{tally: t, codec: p.codec, index: x, to: f.to, sum: sha256.New()}
	if f.here.there && !f.here.more {
		if d.old, err = p.library.OpenFile(f.row.Name); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.old.Close()) }()
	}
	if f.here.there && f.secure {
		if err := p.secure(ctx, d, f.here); err != nil {
			return err
		}
	}
	written, err := d.resume(f.to)
	if err != nil {
		return err
	}
	return d.run(ctx, written, d.index.Entries)
}

// secure returns ErrUnpushed unless the store has the file that is here, and has it right. It is a download
// of that file that is written nowhere. Pieces that the tape that comes has, too, are not asked for: what
// is in them stays here.
func (p *puller) secure(ctx context.Context, next *download, here local) error {
	x, err := next.tally.index(ctx, p.codec, here.known)
	if errors.Is(err, blob.ErrNotFound) {
		return ErrUnpushed
	}
	if err == nil {
		d := &download{
			tally: next.tally, codec: p.codec, index: x, to: io.Discard, sum: sha256.New(), old: next.old,
		}
		err = d.run(ctx, 0, next.index.Entries)
	}
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrWrong) {
		err = fmt.Errorf("%w: %w", ErrUnpushed, err)
	}
	return err
}
