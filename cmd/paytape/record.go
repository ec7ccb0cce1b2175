package main

import (
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

With --cluster several decks record one cassette, which one of them has at a time:
see paytape help scale.

At the end it says which rules took something out, how often, and which of your
own (--profile, --card-prefix) never did. paytape profile rules lists them all.`

func recordCommand(a *app) *cobra.Command {
	c := &deckCommand{app: a}
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
			return c.serve(cmd.Context(), deck.Record, args...)
		},
	}
	c.flags(cmd, deck.Record)
	return cmd
}
