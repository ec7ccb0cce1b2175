package main

import (
	"context"
	"errors"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
)

const replayLong = `replay answers from cassettes, without the sandbox: ids that the sandbox made
are fresh in every run, values that the client chooses are its own, and dates
move to today. A request that is not on tape is a miss: status 501, with a JSON
body that says which field differs, from which recorded exchange, and what would
make it match. Nothing is ever forwarded. With --forward it is a proxy for the
addresses on tape, and clients must trust what paytape ca export prints.

An answer that stands on more than the tape has a mark, in Paytape-Served and in the
summary. assumed=WHAT says that the tape does not show it: assumed=card is a payment
with a card that the tape does not have, and whatever follows from that payment. A
list that was put together of recorded items is composed. An answer is ambiguous if
recordings differ and their order had to decide. With --marked miss such answers are
misses. What the tape cannot tell, and what would mend that, is said at the start.

A tape holds no passwords, so all are taken for good; --credentials FILE says which
are good and which are bad, and a recorded refusal then answers only the bad ones.

Failures of the sandbox are on tape, and replayed if --failures asks for them: as
they were, a time-out after its time and an answer that was cut off at its byte.
With --latency recorded every answer takes the time that it took.

With --clock recorded the clock starts when the tape began; with --ids recorded ids
are those of the tape. Clients that share a clientId share its orders and bindings,
as at the sandbox; those that must not put a session of their own before every path:
http://127.0.0.1:8080/~NAME/ is a deck of its own.`

// replayer is the command "replay" with its flags.
type replayer struct {
	deckCommand
	playing
	dir string
}

func replayCommand(a *app) *cobra.Command {
	r := &replayer{deckCommand: deckCommand{app: a}}
	cmd := &cobra.Command{
		Use:   "replay NAME...",
		Short: "play cassettes back",
		Long:  replayLong,
		Example: `  paytape replay checkout
  paytape replay --strict --listen 127.0.0.1:0 --ready-file ready.json checkout cards
  paytape replay --ids recorded --clock recorded checkout
  paytape replay --marked miss --credentials good.txt checkout
  paytape replay --forward checkout`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	r.playing.flags(fs)
	r.bodyFlag(fs)
	dirFlag(fs, &r.dir)
	r.passage.forwardFlag(fs)
	r.deckFlags(fs, "127.0.0.1:8080")
	return cmd
}

func (r *replayer) run(ctx context.Context, names []string) error {
	o, err := r.options(names)
	if err != nil {
		return err
	}
	return r.replay(ctx, o)
}

// options are those of a deck that replays cassettes.
func (r *replayer) options(names []string) (deck.Options, error) {
	return r.deckOptions(deck.Options{
		Mode: deck.Replay, Cassettes: names, Dir: r.dir,
	}, func(o *deck.Options) (err error) {
		o.Play, err = r.playing.check()
		return err
	})
}

// replay replays until ctx ends.
func (r *replayer) replay(ctx context.Context, o deck.Options) error {
	d, err := r.start(ctx, o)
	if err != nil {
		return err
	}
	err = readyAt(d).while(r.ready, d.Done())
	return errors.Join(err, d.Close(), r.summarise(r.app, d))
}

// start loads cassettes and begins to replay them.
func (r *replayer) start(ctx context.Context, o deck.Options) (*deck.Deck, error) {
	d, err := startDeck(ctx, o)
	if err != nil {
		return nil, err
	}
	r.voice.say("replaying %s at %s", count.Of(d.Exchanges(), "exchange"), d.URL)
	r.announce(o, d)
	return d, nil
}

// summarise tells a what was served by a deck that has been closed, and returns what fails by
// the flags.
func (r *replayer) summarise(a *app, d *deck.Deck) error {
	s := summarise(d.Summary())
	s.log(r.log)
	return r.verdict(a, s)
}
