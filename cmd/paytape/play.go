package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/pflag"
)

// playFlags is how a command that answers from tape does it, and what it takes for a failure.
type playFlags struct {
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
	index      indexFlag
}

func (p *playFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&p.ids, "ids", "fresh", "answer with `WORD` ids: fresh, or recorded for those "+
		"of the\ntape")
	fs.StringVar(&p.clock, "clock", "now", "`TIME` at which the clock starts: now, recorded or\n"+
		"2031-05-17")
	fs.StringVar(&p.marked, "marked", serveMarked, "`WORD` for answers that have a mark: serve, or "+
		"miss")
	fs.StringVar(&p.dates, "unknown-dates", moveDates, "`WORD` for dates of an API that no profile "+
		"knows: move, or\nkeep")
	fs.StringVar(&p.secrets, "credentials", "", "`FILE` that only you can read, of lines NAME=VALUE "+
		"for good\ncredentials and NAME!=VALUE for bad ones")
	markSecretFile(fs.Lookup("credentials"))
	fs.StringVar(&p.latency, "latency", noLatency, "let answers take `WORD` time: none, or recorded")
	fs.BoolVar(&p.failures, "failures", false, "replay failures of the sandbox too: no answer, a "+
		"time-out,\nan answer cut off")
	fs.BoolVar(&p.atOnce, "at-once", false, "let recorded time-outs take no time")
	p.index.flag(fs, "read cassettes from their text, and keep nothing of large\nones in the cache folder of "+
		"the user")
	fs.BoolVar(&p.quiet, "quiet-headers", false, "leave Paytape-Served out of the answers")
	fs.BoolVar(&p.strict, "strict", false, "exit with 1 if any request was a miss, or was refused")
	fs.BoolVar(&p.failUnused, "fail-unused", false, "exit with 1 if an exchange on tape was "+
		"never asked for, or a rule\nnever fired")
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
func (p *playFlags) check() (deck.Play, error) {
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

// maxCredentials bounds a file of credentials, in bytes: whoever names another file by mistake is
// recordingLine so.
const maxCredentials = 1 << 20

// readCredentials reads the file of --credentials: a line NAME=VALUE for a credential that is good,
// NAME!=VALUE for one that is bad, # before a comment. What is read stays in memory; errors tell
// the file and the line, and never a value. A file that others can read is refused, as that of the
// certificate authority is.
func readCredentials(file string) (match.Credentials, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, misused(fmt.Errorf("--credentials: reading the file it names: %w", withoutFileName(err)))
	case !info.Mode().IsRegular():
		return nil, misused(errors.New("--credentials: expected the name of a regular file"))
	case info.Size() > maxCredentials:
		return nil, misused(fmt.Errorf("--credentials: %s is too large for a file of credentials",
			shellWord(file)))
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, withHint(misused(fmt.Errorf("--credentials: others may read %s: it has mode %04o",
			shellWord(file), info.Mode().Perm())), "chmod 600 %s", shellWord(file))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, misused(fmt.Errorf("--credentials: reading the file it names: %w", withoutFileName(err)))
	}
	cs, err := parseCredentials(file, string(data))
	if err != nil {
		return nil, withHint(misused(fmt.Errorf("--credentials: %w", err)),
			"a line is NAME=VALUE for a good one, NAME!=VALUE for a bad one, or begins with #")
	}
	return cs, nil
}

// parseCredentials reads the text of a file of credentials.
func parseCredentials(file, text string) (match.Credentials, error) {
	var cs match.Credentials
	line := 0
	wrong := func(what string) error { return fmt.Errorf("%s:%d: %s", file, line, what) }
	for raw := range strings.Lines(text) {
		line++
		raw = strings.TrimSpace(raw)
		if raw == "" || strings.HasPrefix(raw, "#") {
			continue
		}
		name, value, found := strings.Cut(raw, "=")
		name, bad := strings.CutSuffix(name, "!")
		c := match.Credential{
			Name: strings.TrimSpace(name), Value: strings.TrimSpace(value), Bad: bad,
		}
		switch {
		case !found:
			return nil, wrong("expected NAME=VALUE or NAME!=VALUE")
		case c.Name == "":
			return nil, wrong("expected the name of a field before the =")
		case c.Value == "":
			return nil, wrong("expected a value behind the =")
		}
		for _, o := range cs {
			if strings.EqualFold(o.Name, c.Name) && o.Value == c.Value && o.Bad != c.Bad {
				return nil, wrong("the same value is good in one line and bad in another")
			}
		}
		cs = append(cs, c)
	}
	if len(cs) == 0 {
		return nil, fmt.Errorf("%s: expected credentials, found none", file)
	}
	return cs, nil
}

// indexFlag is how a command does without what is made of large cassettes.
type indexFlag struct{ off bool }

// flag adds the flag. usage says what the command does when it is given.
func (f *indexFlag) flag(fs *pflag.FlagSet, usage string) {
	fs.BoolVar(&f.off, "no-index", false, usage)
}

// folder returns where decks keep what they have made of large cassettes; empty if they do not, or if
// this user has no folder for such files.
func (f *indexFlag) folder() string {
	cache, err := os.UserCacheDir()
	if err != nil || f.off {
		return ""
	}
	return filepath.Join(cache, "paytape", "tapes")
}
