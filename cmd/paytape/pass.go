package main

import (
	"context"
	"errors"

	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
)

const passLong = `pass forwards requests to the sandbox, logs which operations were called and how
they were answered, and records nothing.`

// passer is the command "pass" with its flags.
type passer struct {
	deckCommand
	upstreams []string
}

func passCommand(a *app) *cobra.Command {
	p := &passer{deckCommand: deckCommand{app: a}}
	cmd := &cobra.Command{
		Use:   "pass --upstream URL",
		Short: "look at traffic without recording it",
		Long:  passLong,
		Example: `  paytape pass --upstream https://sandbox.example
  paytape pass --upstream sandbox --log-format json`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd.Context()) },
	}
	fs := cmd.Flags()
	upstreamFlag(cmd, &p.upstreams)
	p.secure.flags(fs)
	p.passage.forwardFlag(fs)
	p.deckFlags(fs, "127.0.0.1:8080")
	return cmd
}

func (p *passer) run(ctx context.Context) error {
	o, err := p.deckOptions(deck.Options{Mode: deck.Pass, Upstreams: p.upstreams},
		func(*deck.Options) error { return nil })
	if err != nil {
		return err
	}
	return p.pass(ctx, o)
}

// pass passes requests on until ctx ends.
func (p *passer) pass(ctx context.Context, o deck.Options) error {
	d, err := startDeck(ctx, o)
	if err != nil {
		return err
	}
	p.voice.say("passing requests on at %s", d.URL)
	p.announce(o, d)
	return errors.Join(readyAt(d).while(p.ready, d.Done()), d.Close())
}
