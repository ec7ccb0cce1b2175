package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/lockfile"
	"github.com/paytape/paytape/cassettes/store/pieces"
	"github.com/paytape/paytape/internal/check"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// Finding is a place of a tape that looks like a secret. It never says what the secret is.
type Finding = check.Finding

// SecretsError is returned for a tape that holds what looks like a secret. Nothing of it was pushed.
type SecretsError struct {
	Name     string
	Findings []Finding
}

func (e *SecretsError) Error() string {
	return fmt.Sprintf("tape %q is not pushed: what looks like a secret is in %s", e.Name,
		count.Of(len(e.Findings), "place"))
}

// ErrChanged is returned for a tape that was put into the store and is not noted in the lock, because
// somebody has pushed another edition of it meanwhile.
var ErrChanged = errors.New("another edition of it was pushed meanwhile, and is the one in " + lockfile.Name)

// Push puts tapes into the store, and notes them in the lock. A tape that cannot be pushed keeps no other
// from it; the error tells of all that could not. Options.Tell is told of a tape when the lock has it.
func Push(ctx context.Context, names []string, o Options) (err error) {
	w, err := begin(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.library.Close()) }()
	lock, err := lockfile.Read(w.library)
	if err == nil {
		err = w.connect()
	}
	if err != nil {
		return err
	}
	for i, name := range names {
		if err = cassettes.CheckNewName(name); err != nil { // it is new in the lock, perhaps
			return err
		}
		names[i], _ = cassettes.PlainName(name)
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	codec, err := pieces.NewCodec()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, codec.Close()) }()
	if o.Secrets.Profiles == nil {
		if o.Secrets.Profiles, err = profile.Builtin(); err != nil {
			return err
		}
	}
	p := &pusher{
		work: w, before: lock, codec: codec, checker: check.New(o.Secrets, runtime.GOMAXPROCS(0)),
	}
	noted := p.startNoting(len(names))
	err = w.each(ctx, len(names), func(ctx context.Context, i int) error {
		if err := p.push(ctx, names[i]); err != nil {
			return fmt.Errorf("pushing tape %q: %w", names[i], err)
		}
		return nil
	})
	return errors.Join(err, noted())
}

// pusher pushes tapes.
type pusher struct {
	*work
	before  *lockfile.File // read only
	codec   *pieces.Codec
	checker *check.Checker
	pushed  chan Done // to be noted
}

// push pushes a tape. All that reads the tape reads one copy, which nobody else can change: what is put is
// what was searched for secrets, and has the hash that the lock gets.
func (p *pusher) push(ctx context.Context, name string) (err error) {
	f, err := p.library.OpenCopy(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	row, err := p.vet(ctx, f)
	if err != nil {
		return err
	}
	t := p.careful()
	there := false
	if !p.Again {
		there, err = p.asking().has(ctx, p.codec, row)
	}
	if err == nil && !there {
		err = p.put(ctx, t, f, row)
	}
	if err != nil {
		return err
	}
	what := Pushed
	if there {
		what = There
	}
	p.succeeded()
	p.pushed <- Done{What: what, Tape: row, Moved: t.moved}
	return nil
}

// vet refuses a file that may not be pushed, and returns the row of one that may.
func (p *pusher) vet(ctx context.Context, f *cassettes.File) (lockfile.Tape, error) {
	none := lockfile.Tape{}
	unfinished, err := p.library.Unfinished(f.Name)
	if err == nil && unfinished {
		err = cassettes.ErrUnfinished
	}
	if err != nil {
		return none, err
	}
	seal, err := f.Seal()
	if err == nil && seal == "" {
		err = cassettes.ErrUnsealed
	}
	if err != nil {
		return none, err
	}
	found, err := p.checker.Reader(ctx, f.Path, io.NewSectionReader(f, 0, f.Size), f.Size)
	if err != nil {
		return none, err
	}
	if len(found) > 0 {
		return none, &SecretsError{f.Name, found}
	}
	if p.searched != nil {
		p.searched()
	}
	sum, err := f.SHA256()
	if err != nil {
		return none, err
	}
	row := lockfile.Tape{Name: f.Name, SHA256: sum, Size: f.Size}
	return row, p.describe(&row, f)
}

// describe fills in what a row tells to people.
func (p *pusher) describe(row *lockfile.Tape, f *cassettes.File) (err error) {
	if old, ok := p.before.Tape(row.Name); ok && old.SHA256 == row.SHA256 {
		*row = old
		return nil
	}
	tape, err := f.Read(redact.New(p.Secrets))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tape.Close()) }()
	tape.Formless = true // nothing is shown of it
	noteProfiles(row, tape.HeadProfiles()...)
	for clean := range tape.All {
		m := &clean.Exchange().Meta
		row.Exchanges++
		if m.At.After(row.Recorded) {
			row.Recorded = m.At.UTC().Truncate(time.Second)
		}
		noteProfiles(row, m.Profile)
		noteProfiles(row, m.Profiles...)
	}
	slices.Sort(row.Profiles)
	return tape.Err()
}

// noteProfiles notes profiles by their names or editions: "mine@98fe76dc54ba on gateway@1a2b3c4d5e6f".
func noteProfiles(row *lockfile.Tape, editions ...string) {
	for _, edition := range editions {
		name, _, _ := strings.Cut(edition, "@")
		if name != "" && !slices.Contains(row.Profiles, name) {
			row.Profiles = append(row.Profiles, name)
		}
	}
}

// has reports whether the store has all of a tape.
func (t *tally) has(ctx context.Context, codec *pieces.Codec, row lockfile.Tape) (bool, error) {
	x, err := t.index(ctx, codec, row)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return false, nil
	case errors.Is(err, blob.ErrWrong):
		return false, nil // it is put again
	case err != nil:
		return false, err
	}
	var all transfer
	for _, b := range x.Blobs() {
		all.start(ctx, t, func(ctx context.Context) error {
			there, err := t.careful.Has(ctx, b)
			if err == nil && !there {
				err = blob.ErrNotFound
			}
			return err
		})
	}
	err = all.wait()
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// put puts a tape into the store: its pieces, and then its index.
func (p *pusher) put(ctx context.Context, t *tally, f *cassettes.File, row lockfile.Tape) error {
	var all transfer
	var entries []*pieces.Entry // each has its blob when its transfer is done
	for piece, err := range pieces.Cut(io.NewSectionReader(f, 0, f.Size)) {
		if err != nil {
			return errors.Join(err, all.wait())
		}
		e := &pieces.Entry{}
		entries = append(entries, e)
		going := all.start(ctx, t, func(ctx context.Context) error {
			packed := p.codec.Pack(piece.Text)
			*e = pieces.Entry{
				Blob: blob.Blob{Digest: blob.DigestOf(packed), Size: int64(len(packed))},
				Text: blob.DigestOf(piece.Text), TextSize: len(piece.Text), Base: piece.Base,
			}
			there := false
			var err error
			if !p.Again {
				there, err = t.careful.Has(ctx, e.Blob)
			}
			if err == nil && !there {
				err = t.careful.Put(ctx, e.Blob, packed)
			}
			return err
		})
		if !going {
			break
		}
	}
	if err := all.wait(); err != nil {
		return err
	}
	x := &pieces.Index{Tape: row.SHA256, Size: f.Size}
	for _, e := range entries {
		x.Entries = append(x.Entries, *e)
	}
	packed := p.codec.Pack(x.Encode())
	return t.careful.Put(ctx, blob.Blob{
		Kind: blob.Index, Digest: row.SHA256, Size: int64(len(packed)), Pieces: x.Blobs(),
	}, packed)
}

// index returns the index of a tape. The error is blob.ErrNotFound if the store has none, and
// blob.ErrWrong if it is none of this tape.
func (t *tally) index(ctx context.Context, codec *pieces.Codec, row lockfile.Tape) (*pieces.Index, error) {
	if err := t.take(ctx); err != nil {
		return nil, err
	}
	defer t.give()
	b := blob.Blob{Kind: blob.Index, Digest: row.SHA256}
	var x *pieces.Index
	_, err := t.careful.GetIndex(ctx, b, pieces.MostIndex, func(packed []byte) error {
		text, err := codec.Unpack(packed, 0)
		if err == nil {
			x, err = pieces.ParseIndex(bytes.Clone(text))
		}
		if err == nil && (x.Tape != row.SHA256 || x.Size != row.Size) {
			err = errOtherTape
		}
		if err != nil {
			err = fmt.Errorf("%w: %w", blob.ErrWrong, err)
		}
		return err
	})
	return x, err
}

// errOtherTape is why an index is wrong that is one.
var errOtherTape = errors.New("it does not tell of this tape")
