package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const spyLong = `spy answers from the cassette NAME as replay does, and asks the sandbox for what is
not on it: an order with another amount, say. What it asks for it records, so
that the cassette grows. It decides for each entity, such as an order: one that the
sandbox has made lives there; one that was replayed stays on tape, and a call about
it that the tape lacks is a miss (501), because the sandbox never issued its ids. New
exchanges are replayed from the next start on.

A cassette that does not exist is begun. SIGINT and SIGTERM stop it.`

// spy is the command "spy" with its flags.
type spy struct {
	deckCommand
	playing
	keeping
	dir       string
	upstreams []string
}

func spyCommand(a *app) *cobra.Command {
	s := &spy{deckCommand: deckCommand{app: a}}
	cmd := &cobra.Command{
		Use:   "spy --upstream URL NAME",
		Short: "play a cassette back and record what it lacks",
		Long:  spyLong,
		Example: `  paytape spy --upstream https://sandbox.example checkout
  paytape spy --upstream sandbox --strict checkout`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.run(cmd.Context(), args[0])
		},
	}
	fs := cmd.Flags()
	upstreamFlag(cmd, &s.upstreams)
	s.playing.flags(fs)
	s.keeping.flags(fs)
	dirFlag(fs, &s.dir)
	s.bodyFlag(fs)
	s.secure.flags(fs)
	s.passage.forwardFlag(fs)
	s.deckFlags(fs, "127.0.0.1:8080")
	return cmd
}

func (s *spy) run(ctx context.Context, name string) error {
	if err := cassettes.CheckName(name); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	return s.during(ctx, s.voice, func() error { return s.spy(ctx, name) })
}

// spy spies until ctx ends.
func (s *spy) spy(ctx context.Context, name string) error {
	ln, err := s.front.open(s.voice, s.observer(s.log))
	if err != nil {
		return err
	}
	d, err := s.start(ctx, ln, name)
	if err != nil {
		return err
	}
	s.voice.say("spying with %s of cassette %q in %q at %s",
		count.Of(d.exchanges, "exchange"), name, s.dir, d.url)
	s.announce(s.voice, d.sandboxes.route.Upstreams)
	at := ready{Proxy: d.url, Sandbox: d.sandboxes.address(), Admin: s.desk.url()}
	err = at.while(s.ready, d.done)
	recording, ended := d.eject()
	s.print("%s\n", told(recording))
	if recording.New > 0 {
		s.tellRules(s.app, d.cleaner.Rules())
	}
	sum := summarise(d.replay, d.exchanges)
	sum.log(s.log)
	return errors.Join(err, ended, s.verdict(s.app, sum))
}

func (s *spy) check() error {
	return s.deckCheck("spy", s.playing.check, s.keeping.check,
		func() error { return checkUpstreams(&s.knowledge, s.upstreams) })
}

// spyDeck is a deck in spy mode.
type spyDeck struct {
	recordDeck
	cleaner   *redact.Redactor // of what is recorded
	replay    *proxy.Replay
	player    *match.Sessions
	exchanges int // on tape, that can be replayed
}

// start starts to spy on ln, which it closes in any case.
func (s *spy) start(ctx context.Context, ln net.Listener, name string) (*spyDeck, error) {
	d := &spyDeck{cleaner: s.redactor(s.withheld(s.log))}
	o := recordOptions{
		deckOptions: deckOptions{
			&s.knowledge, s.upstreams, s.observer(s.log), s.passage, &s.desk,
		},
		dir: s.dir, name: name, cleaner: d.cleaner, sync: s.sync,
	}
	err := firstError(
		func() error { return d.prepare(ctx, ln, o) },
		func() error { return s.open(d, o) },
	)
	if err != nil {
		_, closed := d.eject()
		return nil, errors.Join(err, closed, ln.Close())
	}
	d.service = serve(ctx, ln, d.door, o.observe)
	s.tend(d.service, admin.Deck{
		Reset: d.player.Reset, Live: d.player.Live, Learned: d.cleaner.Learned,
	})
	return d, nil
}

// open loads what is on tape, now that nobody else records on it, and opens the deck.
func (s *spy) open(d *spyDeck, o recordOptions) error {
	if found := d.recorder.Recovered(); found != "" {
		s.voice.warn(found)
	}
	var rs reels // none if this recording is the first
	err := rs.add(d.library, o.name, s.redactor(nil))
	if err != nil && !errors.Is(err, cassettes.ErrNotFound) {
		return err
	}
	compiled, options, err := s.compile(&s.knowledge, rs, s.voice)
	if err != nil {
		return err
	}
	for _, h := range compiled.Hosts() {
		if !d.sandboxes.route.Upstreams.Has(h.Name) {
			s.voice.warn(fmt.Sprintf("the host %s is on tape and nothing leads there: "+
				"add --host %s=URL", h.Name, h.Name))
		}
	}
	d.exchanges = compiled.Exchanges()
	d.player = match.NewSessions(compiled)
	d.replay, err = proxy.NewReplay(proxy.ReplayOptions{
		Player: d.player, Profiles: s.profiles, Cleaner: s.redactor(nil), Tape: compiled.Recorded(),
		Uses: compiled.Uses(),
		Now:  options.Now, Observe: o.observe, Quiet: s.quiet,
		AtOnce: s.atOnce, Latency: s.latency == asRecorded, Limit: int64(s.maxBody),
		Hosts: d.sandboxes.route.Upstreams,
	})
	if err != nil {
		return err
	}
	mode, err := proxy.NewSpy(proxy.SpyOptions{Player: d.player, Replay: d.replay, Record: d.mode})
	if err != nil {
		return err
	}
	return d.recordDeck.open(o, mode)
}
