package deck

import (
	"errors"
	"fmt"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/redact"
)

// Tape is one or more cassettes made ready for replay, which takes most of the time that it takes
// a deck to start. It does not change, and decks that share it have nothing else in common.
type Tape struct {
	compiled  *match.Tape
	sealed    map[string]bool // by name, the cassettes that are as the recorder has left them
	knowledge *Knowledge
	play      Play
	now       func() time.Time
	derive    *derivation // how it is kept for the next load; nil: it is not
}

// Load makes a tape of Options.Cassettes, for decks that replay it. What concerns no tape is not
// looked at. A cassette that is not there is a cassettes.ErrNotFound, and a folder that is not
// there a cassettes.ErrNoFolder.
func Load(o Options) (*Tape, error) {
	o.Mode, o.Tape = Replay, nil
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	return o.load()
}

// Exchanges returns how many exchanges can be asked for.
func (t *Tape) Exchanges() int { return t.compiled.Exchanges() }

// load makes a tape of cassettes, of which each has a redactor of its own: two have nothing in
// common.
func (o *Options) load() (*Tape, error) {
	library, err := cassettes.OpenExisting(o.Dir)
	if err != nil {
		return nil, err
	}
	defer library.Close()
	o.warnOf(library)
	tape := o.loadDerived(library)
	if tape == nil {
		if tape, err = o.loadText(library); err != nil {
			return nil, err
		}
	}
	if tape.Exchanges() == 0 {
		o.warn("no exchange on tape can be replayed: every request will be a miss")
	}
	return tape, nil
}

// loadText makes a tape of the text of cassettes.
func (o *Options) loadText(library *cassettes.Library) (*Tape, error) {
	rs, err := o.open(library)
	if err != nil {
		return nil, err
	}
	for _, r := range rs {
		for _, w := range r.Warnings {
			o.warn(w)
		}
	}
	return o.compile(rs)
}

// open opens the cassettes of a library.
func (o *Options) open(library *cassettes.Library) (rs readers, err error) {
	for _, name := range o.Cassettes {
		if err := rs.add(library, name, o.Knowledge.Redactor(nil)); err != nil {
			return nil, errors.Join(err, rs.close())
		}
	}
	return rs, nil
}

// warnOf warns of a folder in which others may put tapes.
func (o *Options) warnOf(l *cassettes.Library) {
	if found := l.Exposed(); found != "" {
		o.warn(found)
	}
}

// compile makes one tape of cassettes, which it closes.
func (o *Options) compile(rs readers) (played *Tape, err error) {
	n := rs.exchanges()
	loaded := o.tuneGC(loadingPercent(n, 0), int64(n)*exchangeRoom)
	defer func() { loaded(played) }()
	cs := rs.cassettes(o.followLoad(n))
	now := o.clock(cs)
	sealed := map[string]bool{}
	for _, r := range rs {
		sealed[r.Name] = r.Sealed()
	}
	compiled := match.Compile(o.compiling(now), cs...)
	derive := o.derivation(rs)
	if err := rs.close(); err != nil {
		return nil, err
	}
	tape := o.ready(&Tape{compiled: compiled, sealed: sealed, now: now})
	tape.derive = derive
	return tape, nil
}

// compiling says how cassettes are compiled, and played by a clock.
func (o *Options) compiling(now func() time.Time) match.Options {
	return match.Options{
		Profiles: o.Knowledge.profiles, Now: now, Seed: o.Play.Seed,
		RecordedIDs: o.Play.RecordedIDs, Failures: o.Play.Failures, KeepDates: o.Play.KeepDates,
		RefuseMarked: o.Play.RefuseMarked, Credentials: o.Play.Credentials,
		Says: func(x *leaf.Exchange) string { return outcome.Of(o.Knowledge.profiles, x).Words },
	}
}

// ready completes a tape, and tells what there is to know of it.
func (o *Options) ready(t *Tape) *Tape {
	t.knowledge, t.play = o.Knowledge, o.Play
	if n := t.compiled.Failures(); n > 0 && !o.Play.Failures {
		o.warn(fmt.Sprintf("without --failures replay leaves out %s of the sandbox",
			count.Of(n, "failure")))
	}
	for _, h := range match.Hints(t.compiled) {
		o.notify(Notice{h.Warning, h.Text})
	}
	return t
}

// clock returns the clock by which cassettes are replayed.
func (o *Options) clock(cs []match.Cassette) func() time.Time {
	if o.Play.RecordedClock {
		if at := match.Began(cs...); !at.IsZero() {
			if o.clockBegan != nil {
				return func() time.Time { return at.Add(time.Since(o.clockBegan())) }
			}
			return ClockFrom(at)
		}
		o.warn("the tape does not say when it was recorded: the clock is that of this machine")
	}
	if o.Play.Now != nil {
		return o.Play.Now
	}
	return time.Now
}

// ClockFrom returns a clock that shows a time now and runs on from there.
func ClockFrom(at time.Time) func() time.Time {
	begun := time.Now()
	return func() time.Time { return at.Add(time.Since(begun)) }
}

// readers are cassettes on their way into a tape: they are read while it is compiled, and never
// held as a whole.
type readers []*cassettes.Reader

// keptText is how much text of a cassette is kept from the first reading to the second, in bytes. The tape
// takes the place of the text as it is compiled.
const keptText = 128 << 20

// add opens a cassette of a library.
func (rs *readers) add(l *cassettes.Library, name string, c cassettes.Cleaner) error {
	r, err := l.Read(name, c)
	if err == nil {
		r.Formless, r.Keep = true, keptText // replay reads bodies, and goes through all of them twice
		*rs = append(*rs, r)
	}
	return err
}

// exchanges returns how many there are on all tapes.
func (rs readers) exchanges() int {
	n := 0
	for _, r := range rs {
		n += r.Len()
	}
	return n
}

// cassettes returns the readers as replay takes them. another is called for each exchange that is read.
func (rs readers) cassettes(another func()) []match.Cassette {
	all := make([]match.Cassette, 0, len(rs))
	for _, r := range rs {
		all = append(all, match.Cassette{Name: r.Name, Profiles: r.HeadProfiles(), Read: func(yield func(*leaf.Exchange) bool) {
			r.All(func(x redact.Clean) bool {
				another()
				return yield(x.Exchange())
			})
		}})
	}
	return all
}

// close closes the files and returns what went wrong while they were read.
func (rs readers) close() error {
	var errs []error
	for _, r := range rs {
		errs = append(errs, r.Err(), r.Close())
	}
	return errors.Join(errs...)
}
