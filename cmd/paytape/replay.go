package main

import (
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

func replayCommand(a *app) *cobra.Command {
	c := &deckCommand{app: a}
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
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.serve(cmd.Context(), deck.Replay, args...)
		},
	}
	c.flags(cmd, deck.Replay)
	return cmd
}
