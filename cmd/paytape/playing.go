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
	marked     string // serve, or miss instead of answers that stand on more than the tape
	dates      string // of unknown APIs: move or keep
	latency    string // none, or recorded for the time that answers took
	secrets    string // file of credentials; empty for none
	quiet      bool   // without Paytape-Served
	strict     bool
	failUnused bool
	failures   bool // of the sandbox are replayed too
	atOnce     bool // and time-outs among them take no time

	// started is when the clock starts, by --clock; zero for now and recorded. It is made by check,
	// as credentials are.
	started     time.Time
	credentials match.Credentials
}

func (p *playing) flags(fs *pflag.FlagSet) {
	fs.StringVar(&p.ids, "ids", "fresh", "answer with `WORD` ids: fresh, or recorded for those "+
		"of the tape")
	fs.StringVar(&p.clock, "clock", "now", "`TIME` at which the clock starts: now, recorded or "+
		"2031-05-17")
	fs.Uint64Var(&p.seed, "seed", 0, "make fresh values repeatable; 0 takes a random `NUMBER`")
	fs.StringVar(&p.marked, "marked", serveMarked, "`WORD` for answers that have a mark: serve, or "+
		"miss")
	fs.StringVar(&p.dates, "unknown-dates", moveDates, "`WORD` for dates of an API that no profile "+
		"knows: move, or\nkeep")
	fs.StringVar(&p.secrets, "credentials", "", "`FILE` that only you can read, of lines NAME=VALUE "+
		"for good\ncredentials and NAME!=VALUE for bad ones")
	keepUnlessFile(fs.Lookup("credentials"))
	fs.StringVar(&p.latency, "latency", noLatency, "let answers take `WORD` time: none, or recorded")
	fs.BoolVar(&p.failures, "failures", false, "replay failures of the sandbox too: no answer, a "+
		"time-out, an answer cut off")
	fs.BoolVar(&p.atOnce, "at-once", false, "let recorded time-outs take no time")
	fs.BoolVar(&p.quiet, "quiet-headers", false, "leave Paytape-Served out of the answers")
	fs.BoolVar(&p.strict, "strict", false, "exit with 1 if any request was a miss")
	fs.BoolVar(&p.failUnused, "fail-unused", false, "exit with 1 if an exchange on tape was "+
		"never asked for")
}

// Words of --ids, --clock, --marked, --unknown-dates and --latency.
const (
	freshIDs    = "fresh"
	asRecorded  = "recorded"
	clockNow    = "now"
	serveMarked = "serve"
	missMarked  = "miss"
	moveDates   = "move"
	keepDates   = "keep"
	noLatency   = "none"
)

// oneOf refuses the value of a flag that is none of two words.
func oneOf(flag, value, a, b string) error {
	if value == a || value == b {
		return nil
	}
	return misused(fmt.Errorf("%s: expected %s or %s, found %q", flag, a, b, value))
}

func (p *playing) check() error {
	err := firstError(
		func() error { return oneOf("--ids", p.ids, freshIDs, asRecorded) },
		func() error { return oneOf("--marked", p.marked, serveMarked, missMarked) },
		func() error { return oneOf("--unknown-dates", p.dates, moveDates, keepDates) },
		func() error { return oneOf("--latency", p.latency, noLatency, asRecorded) },
	)
	if err != nil {
		return err
	}
	if p.secrets != "" {
		if p.credentials, err = readCredentials(p.secrets); err != nil {
			return err
		}
	}
	if p.clock == clockNow || p.clock == asRecorded {
		return nil
	}
	if p.started, err = parseClock(p.clock); err != nil {
		return misused(fmt.Errorf("--clock: expected now, recorded, 2031-05-17 or "+
			"2031-05-17T09:30:00Z, found %q", p.clock))
	}
	return nil
}

// options are those of a replay of cassettes. The voice tells if their own time is not known.
func (p *playing) options(k *knowledge, cs []match.Cassette, v voice) match.Options {
	o := match.Options{
		Profiles: k.profiles, Seed: p.seed,
		Failures:    p.failures,
		RecordedIDs: p.ids == asRecorded, Now: time.Now,
		KeepDates: p.dates == keepDates, RefuseMarked: p.marked == missMarked,
		Credentials: p.credentials,
	}
	at := p.started
	if p.clock == asRecorded {
		if at = match.Began(cs...); at.IsZero() {
			v.warn("the tape does not say when it was recorded: the clock is that of this machine")
		}
	}
	if !at.IsZero() {
		o.Now = clockFrom(at)
	}
	return o
}

// compile makes one tape of cassettes, which it closes, and says how it is played. The voice tells
// what the operator should know.
func (p *playing) compile(k *knowledge, rs reels, v voice) (*match.Tape, match.Options, error) {
	t := thrifty(rs.size())
	defer t.end()
	cs := rs.cassettes(t.step)
	o := p.options(k, cs, v)
	tape := match.Compile(o, cs...)
	if n := tape.Failures(); n > 0 && !p.failures {
		v.warn(fmt.Sprintf("without --failures replay leaves out %s of the sandbox",
			count.Of(n, "failure")))
	}
	for _, h := range match.Hints(tape) {
		if h.Warning {
			v.warn(h.Text)
		} else {
			v.say("%s", h.Text)
		}
	}
	return tape, o, rs.close()
}

// distinct refuses a cassette that is named twice: each would have entities of its own.
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
			"see them above; paytape flows tells what each was about"))
	}
	return err
}
