package main

import (
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

func spyCommand(a *app) *cobra.Command {
	c := &deckCommand{app: a}
	cmd := &cobra.Command{
		Use:   "spy --upstream URL NAME",
		Short: "play a cassette back and record what it lacks",
		Long:  spyLong,
		Example: `  paytape spy --upstream https://sandbox.example checkout
  paytape spy --upstream sandbox --strict checkout`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.serve(cmd.Context(), deck.Spy, args...)
		},
	}
	c.flags(cmd, deck.Spy)
	return cmd
}
