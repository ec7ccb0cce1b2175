package main

import (
	"errors"
	"fmt"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/deck"
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

// check looks at the flags, and returns what they say to a deck.
func (p *playing) check() (deck.Play, error) {
	play := deck.Play{
		RecordedIDs: p.ids == asRecorded, RecordedClock: p.clock == asRecorded, Seed: p.seed,
		KeepDates: p.dates == keepDates, RefuseMarked: p.marked == missMarked,
		Failures: p.failures, AtOnce: p.atOnce, Latency: p.latency == asRecorded, Quiet: p.quiet,
	}
	err := firstError(
		func() error { return oneOf("--ids", p.ids, freshIDs, asRecorded) },
		func() error { return oneOf("--marked", p.marked, serveMarked, missMarked) },
		func() error { return oneOf("--unknown-dates", p.dates, moveDates, keepDates) },
		func() error { return oneOf("--latency", p.latency, noLatency, asRecorded) },
	)
	if err != nil {
		return play, err
	}
	if p.secrets != "" {
		if play.Credentials, err = readCredentials(p.secrets); err != nil {
			return play, err
		}
	}
	if p.clock == clockNow || p.clock == asRecorded {
		return play, nil
	}
	started, err := parseClock(p.clock)
	if err != nil {
		return play, misused(fmt.Errorf("--clock: expected now, recorded, 2031-05-17 or "+
			"2031-05-17T09:30:00Z, found %q", p.clock))
	}
	play.Now = deck.ClockFrom(started)
	return play, nil
}

// verdict prints the summary of a replay, and returns what fails by the flags.
func (p *playing) verdict(a *app, s summary) error {
	s.print(a)
	var err error
	if p.strict && s.Misses > 0 {
		err = withHint(fmt.Errorf("%s found nothing on tape", count.Of(s.Misses, "request")),
			"see the lines with msg=missed above, then paytape record what is missing")
	}
	if p.failUnused && len(s.Unused) > 0 {
		err = errors.Join(err, withHint(
			fmt.Errorf("never asked for: %d of %s on tape", len(s.Unused),
				count.Of(s.Exchanges, "exchange")),
			"see them above; paytape flows tells what each was about"))
	}
	return err
}
