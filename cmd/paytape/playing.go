package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match"
	"github.com/spf13/pflag"
)

// playing is how a command that answers from tape does it, and what it takes for a failure.
type playing struct {
	ids        string // fresh or recorded
	clock      string // now, recorded, or when it starts
	seed       uint64
	skipWrites bool
	quiet      bool // without Paytape-Served
	strict     bool
	failUnused bool
	failures   bool // of the sandbox are replayed too
	atOnce     bool // and time-outs among them take no time

	started time.Time // by --clock; made by check, zero for now and recorded
}

func (p *playing) flags(fs *pflag.FlagSet) {
	fs.StringVar(&p.ids, "ids", "fresh", "answer with `WORD` ids: fresh, or recorded for those "+
		"of the tape")
	fs.StringVar(&p.clock, "clock", "now", "`TIME` at which the clock starts: now, recorded or "+
		"2031-05-17")
	fs.Uint64Var(&p.seed, "seed", 0, "make fresh values repeatable; 0 takes a random `NUMBER`")
	fs.BoolVar(&p.skipWrites, "skip-writes", false, "let a write be served before those recorded "+
		"ahead of it")
	fs.BoolVar(&p.failures, "failures", false, "replay failures of the sandbox too: no answer, a "+
		"time-out, an answer cut off")
	fs.BoolVar(&p.atOnce, "at-once", false, "let recorded time-outs take no time")
	fs.BoolVar(&p.quiet, "quiet-headers", false, "leave Paytape-Served out of the answers")
	fs.BoolVar(&p.strict, "strict", false, "exit with 1 if any request was a miss")
	fs.BoolVar(&p.failUnused, "fail-unused", false, "exit with 1 if an exchange on tape was "+
		"never asked for")
}

// Words of --ids and --clock.
const (
	freshIDs   = "fresh"
	asRecorded = "recorded"
	clockNow   = "now"
)

func (p *playing) check() error {
	if p.ids != freshIDs && p.ids != asRecorded {
		return misused(fmt.Errorf("--ids: expected fresh or recorded, found %q", p.ids))
	}
	if p.clock == clockNow || p.clock == asRecorded {
		return nil
	}
	var err error
	if p.started, err = parseClock(p.clock); err != nil {
		return misused(fmt.Errorf("--clock: expected now, recorded, 2031-05-17 or "+
			"2031-05-17T09:30:00Z, found %q", p.clock))
	}
	return nil
}

// options are those of a replay of cassettes. warn is told if their own time is not known.
func (p *playing) options(k *knowledge, cs []match.Cassette, warn func(string)) match.Options {
	o := match.Options{
		Profiles: k.profiles, Seed: p.seed, SkipWrites: p.skipWrites,
		Failures:    p.failures,
		RecordedIDs: p.ids == asRecorded, Now: time.Now,
	}
	at := p.started
	if p.clock == asRecorded {
		if at = match.Began(cs...); at.IsZero() {
			warn("the tape does not say when it was recorded: the clock is that of this machine")
		}
	}
	if !at.IsZero() {
		o.Now = clockFrom(at)
	}
	return o
}

// compile makes one tape of cassettes, which it closes, and says how it is played. warn is told
// what the operator should know.
func (p *playing) compile(
	k *knowledge, rs reels, warn func(string),
) (*match.Tape, match.Options, error) {
	t := thrifty(rs.size())
	defer t.end()
	cs := rs.cassettes(t.step)
	o := p.options(k, cs, warn)
	tape := match.Compile(o, cs...)
	if n := tape.Failures(); n > 0 && !p.failures {
		warn(fmt.Sprintf("without --failures replay leaves out %s of the sandbox",
			count.Of(n, "failure")))
	}
	return tape, o, rs.close()
}

// distinct refuses a cassette that is named twice: each would have threads of its own.
func distinct(names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return misused(fmt.Errorf("cassette %q is named twice", name))
		}
	}
	return nil
}

// verdict prints the summary of a replay and logs it, and returns what fails by the flags.
func (p *playing) verdict(a *app, s summary) error {
	s.print(a)
	var err error
	if p.strict && s.misses > 0 {
		err = withHint(fmt.Errorf("%s found nothing on tape", count.Of(s.misses, "request")),
			"see the lines with msg=missed above, then paytape record what is missing")
	}
	if p.failUnused && s.unused > 0 {
		err = errors.Join(err, withHint(
			fmt.Errorf("never asked for: %d of %s on tape", s.unused,
				count.Of(s.exchanges, "exchange")),
			"see them above; paytape flows tells which thread each belongs to"))
	}
	return err
}
