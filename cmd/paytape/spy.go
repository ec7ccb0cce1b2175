package main

import (
	"context"
	"errors"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/deck"
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
	dir       string
	upstreams []string
	sync      string // none, interval or always
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
	syncFlag(fs, &s.sync)
	dirFlag(fs, &s.dir)
	s.bodyFlag(fs)
	s.secure.flags(fs)
	s.passage.forwardFlag(fs)
	s.deckFlags(fs, "127.0.0.1:8080")
	return cmd
}

func (s *spy) run(ctx context.Context, name string) error {
	o, err := s.options(name)
	if err != nil {
		return err
	}
	return s.spy(ctx, o)
}

// options are those of a deck that spies with a cassette.
func (s *spy) options(name string) (deck.Options, error) {
	return s.deckOptions(deck.Options{
		Mode: deck.Spy, Cassettes: []string{name}, Dir: s.dir, Upstreams: s.upstreams,
		Sync: s.sync,
	}, func(o *deck.Options) (err error) {
		o.Play, err = s.playing.check()
		return err
	})
}

// spy spies until ctx ends.
func (s *spy) spy(ctx context.Context, o deck.Options) error {
	d, err := startDeck(ctx, o)
	if err != nil {
		return err
	}
	s.voice.say("spying with %s of cassette %q in %q at %s",
		count.Of(d.Exchanges(), "exchange"), o.Cassettes[0], o.Dir, d.URL)
	s.announce(o, d)
	err = readyAt(d).while(s.ready, d.Done())
	ended := d.Close()
	came := d.Summary()
	s.print("%s\n", told(came.Recorded))
	if came.Recorded.New > 0 {
		s.tellRules(s.app, came.Rules)
	}
	sum := summarise(came)
	sum.log(s.log)
	return errors.Join(err, ended, s.verdict(s.app, sum))
}
