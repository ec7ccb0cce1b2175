package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// loadTapes loads cassettes of a folder, each with a redactor of its own: two tapes have
// nothing in common. warn is told what the operator should know of them.
func loadTapes(s shelf, names []string, warn func(string)) ([]*cassettes.Tape, error) {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		// The library would create it, which is for those who record.
		return nil, withHint(fmt.Errorf("there is no cassette folder %q", s.dir),
			"name the folder with --dir, or record with paytape record")
	}
	library, err := cassettes.Open(s.dir)
	if err != nil {
		return nil, err
	}
	defer library.Close()
	var tapes []*cassettes.Tape
	for _, name := range names {
		t, err := library.Load(name, s.redactor(nil))
		if err != nil {
			return nil, err
		}
		for _, w := range t.Warnings {
			warn(w)
		}
		tapes = append(tapes, t)
	}
	return tapes, nil
}

// shelf is a folder of cassettes, and what is known of the traffic in them.
type shelf struct {
	*knowledge
	dir string
}

// cassettesOf returns tapes as replay takes them.
func cassettesOf(tapes []*cassettes.Tape) []match.Cassette {
	all := make([]match.Cassette, 0, len(tapes))
	for _, t := range tapes {
		c := match.Cassette{Name: t.Name}
		for _, x := range t.Exchanges {
			c.Exchanges = append(c.Exchanges, x.Exchange())
		}
		all = append(all, c)
	}
	return all
}

// compile makes tapes ready for replay.
func compile(tapes []*cassettes.Tape, o match.Options) *match.Tape {
	return match.Compile(o, cassettesOf(tapes)...)
}

// replayDeck is a deck in replay mode.
type replayDeck struct {
	*service
	mode *proxy.Replay
}

// replayOptions are what a replayDeck is made of.
type replayOptions struct {
	*knowledge
	tape    *match.Tape
	now     func() time.Time  // of the Date header; nil means the clock of this machine
	observe func(proxy.Event) // nil means that nobody is told
	quiet   bool              // without Paytape-Served
}

// startReplay starts to replay on ln, which it closes in any case.
func startReplay(ctx context.Context, ln net.Listener, o replayOptions) (*replayDeck, error) {
	mode, err := proxy.NewReplay(proxy.ReplayOptions{
		Player: match.NewSessions(o.tape), Profiles: o.profiles, Cleaner: o.redactor(nil),
		Observe: o.observe, Quiet: o.quiet, Tape: o.tape.Recorded(), Now: o.now,
	})
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return &replayDeck{serve(ctx, ln, proxy.NewDoor(mode, o.observe)), mode}, nil
}
