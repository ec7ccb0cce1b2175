package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
)

const recordLong = `record forwards requests to the sandbox and writes what happens to the cassette
NAME, with card numbers, CVCs, PINs, tokens and personal data taken out of the
copy; client and sandbox see each other's bytes. A cassette that exists is
continued. SIGINT and SIGTERM stop it.

Use its address as the base URL of the API; with --forward it is a proxy for the
addresses of the sandbox too, and clients must trust what paytape ca export
prints. What a client has received in full is with the system, and survives even
kill -9; what the loss of power may cost is for --sync to say: a second of it
(interval), all (none) or nothing (always). A disk that is full or fails stops
no client: that exchanges are missing is logged, and makes the exit code 1.

At the end it says which rules took something out, how often, and which of your
own (--profile, --card-prefix) never did. paytape profile rules lists them all.`

// recorder is the command "record" with its flags.
type recorder struct {
	deckCommand
	dir       string
	upstreams []string
	sync      string // none, interval or always; empty means interval
}

func recordCommand(a *app) *cobra.Command {
	r := &recorder{deckCommand: deckCommand{app: a}}
	cmd := &cobra.Command{
		Use:   "record --upstream URL NAME",
		Short: "record a sandbox on a cassette",
		Long:  recordLong,
		Example: `  paytape record --upstream sandbox checkout     # the built-in sandbox answers
  paytape record --upstream https://sandbox.example checkout
  paytape record --upstream gateway=https://pay.example --upstream cardv1=sandbox all
  paytape record --upstream https://pay.example --host acs=https://acs.example --forward flow`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), args[0])
		},
	}
	fs := cmd.Flags()
	upstreamFlag(cmd, &r.upstreams)
	dirFlag(fs, &r.dir)
	syncFlag(fs, &r.sync)
	r.bodyFlag(fs)
	r.secure.flags(fs)
	r.passage.forwardFlag(fs)
	r.deckFlags(fs, "127.0.0.1:8080")
	return cmd
}

func (r *recorder) run(ctx context.Context, name string) error {
	o, err := r.options(name)
	if err != nil {
		return err
	}
	return r.record(ctx, o)
}

// options are those of a deck that records on a cassette.
func (r *recorder) options(name string) (deck.Options, error) {
	return r.deckOptions(deck.Options{
		Mode: deck.Record, Cassettes: []string{name}, Dir: r.dir, Upstreams: r.upstreams,
		Sync: r.sync,
	}, func(*deck.Options) error { return nil })
}

// record records until ctx ends.
func (r *recorder) record(ctx context.Context, o deck.Options) error {
	d, err := r.start(ctx, o)
	if err != nil {
		return err
	}
	err = readyAt(d).while(r.ready, d.Done())
	ended := d.Close()
	s := d.Summary()
	r.print("%s\n", told(s.Recorded))
	if s.Recorded.New > 0 {
		r.tellRules(r.app, s.Rules)
	}
	return errors.Join(err, ended)
}

// start begins to record on a cassette.
func (r *recorder) start(ctx context.Context, o deck.Options) (*deck.Deck, error) {
	d, err := startDeck(ctx, o)
	if err != nil {
		return nil, err
	}
	r.voice.say("recording cassette %q in %q at %s", o.Cassettes[0], o.Dir, d.URL)
	r.announce(o, d)
	return d, nil
}

// told says what a recording came to.
func told(s cassettes.Summary) string {
	switch {
	case s.Journal != "" && s.New > 0:
		return fmt.Sprintf("recorded %s, still in %s until the next recording of the cassette",
			count.Of(s.New, "exchange"), s.Journal)
	case s.File == "":
		return "recorded nothing"
	case s.New == s.Exchanges:
		return fmt.Sprintf("recorded %s to %s", count.Of(s.New, "exchange"), s.File)
	}
	return fmt.Sprintf("recorded %s to %s, which holds %d", count.Of(s.New, "exchange"), s.File,
		s.Exchanges)
}

// print writes data. Nobody is left to be told if stdout is closed.
func (a *app) print(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

// firstError runs steps until one fails.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
