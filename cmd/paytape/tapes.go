package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/redact"
)

// open opens the folder, which must be there: the library would create it, which is for those
// who record.
func (s shelf) open() (*cassettes.Library, error) {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, withHint(fmt.Errorf("there is no cassette folder %q", s.dir),
			"name the folder with --dir, or record with paytape record")
	}
	return cassettes.Open(s.dir)
}

// loadTapes loads cassettes of a folder, each with a redactor of its own: two tapes have
// nothing in common. warn is told what the operator should know of them.
func loadTapes(s shelf, names []string, warn func(string)) ([]*cassettes.Tape, error) {
	library, err := s.open()
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

// reels are cassettes on their way into a tape: they are read while it is compiled, and never
// held as a whole.
type reels []*cassettes.Reader

// add opens a cassette of a library.
func (rs *reels) add(l *cassettes.Library, name string, c cassettes.Cleaner) error {
	r, err := l.Read(name, c)
	if err == nil {
		r.Formless = true // replay reads bodies
		*rs = append(*rs, r)
	}
	return err
}

// warnings tells warn what the operator should know of the files.
func (rs reels) warnings(warn func(string)) {
	for _, r := range rs {
		for _, w := range r.Warnings {
			warn(w)
		}
	}
}

// cassettes returns the reels as replay takes them. step is called for every exchange that is
// read.
func (rs reels) cassettes(step func()) []match.Cassette {
	all := make([]match.Cassette, 0, len(rs))
	for _, r := range rs {
		all = append(all, match.Cassette{Name: r.Name, Read: func(yield func(*leaf.Exchange) bool) {
			r.All(func(x redact.Clean) bool {
				step()
				return yield(x.Exchange())
			})
		}})
	}
	return all
}

// size returns how many bytes are read for all exchanges.
func (rs reels) size() int64 {
	var n int64
	for _, r := range rs {
		n += r.Size()
	}
	return n
}

// close closes the files and returns what went wrong while they were read.
func (rs reels) close() error {
	var errs []error
	for _, r := range rs {
		errs = append(errs, r.Err(), r.Close())
	}
	return errors.Join(errs...)
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
	mode   *proxy.Replay
	player *match.Sessions
	hosts  *proxy.Upstreams // that clients of the proxy may name
	// exchanges is how many there are to be asked for.
	exchanges int
	// spare is never touched, and so is no more than addresses. The collector counts it as live
	// and lets as much garbage come together: a small tape would else have it run every 4 MB,
	// which are some hundred requests.
	spare []byte
}

// spareSize is how much more garbage a deck may have than its tape and its live entities would let
// it, in bytes.
const spareSize = 32 << 20

// replayOptions are what a replayDeck is made of.
type replayOptions struct {
	*knowledge
	tape    *match.Tape
	now     func() time.Time  // of the Date header; nil means the clock of this machine
	observe func(proxy.Event) // nil means that nobody is told
	quiet   bool              // without Paytape-Served
	atOnce  bool              // recorded time-outs take no time
	latency bool              // answers take the time that they took
	passage passage
	desk    *desk // nil means that nobody looks after the deck
}

// startReplay starts to replay on ln, which it closes in any case.
func startReplay(ctx context.Context, ln net.Listener, o replayOptions) (*replayDeck, error) {
	d := &replayDeck{
		player: match.NewSessions(o.tape), hosts: proxy.Addresses(o.tape.Addresses()),
		exchanges: o.tape.Exchanges(), spare: make([]byte, spareSize),
	}
	door, err := d.prepare(o)
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	d.service = serve(ctx, ln, door, o.observe)
	o.desk.tend(d.service, admin.Deck{Reset: d.player.Reset, Live: d.player.Live})
	return d, nil
}

func (d *replayDeck) prepare(o replayOptions) (http.Handler, error) {
	named, _ := upstreamSpecs(o.passage.hosts, nowhere)
	if err := d.hosts.AddHosts(named); err != nil {
		return nil, err
	}
	d.hosts.AddRecorded(o.tape.Hosts())
	cleaner := o.redactor(nil)
	var err error
	d.mode, err = proxy.NewReplay(proxy.ReplayOptions{
		Player: d.player, Profiles: o.profiles, Cleaner: cleaner,
		Observe: o.observe, Quiet: o.quiet, AtOnce: o.atOnce, Latency: o.latency, Now: o.now,
		Tape: o.tape.Recorded(), Uses: o.tape.Uses(),
		Limit: int64(o.passage.maxBody), Hosts: d.hosts,
	})
	if err != nil {
		return nil, err
	}
	door := o.desk.counts(proxy.NewDoor(d.mode, o.observe))
	return o.passage.open(entry{door, d.hosts, cleaner, o.observe})
}
