package main

import (
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
)

const passLong = `pass forwards requests to the sandbox, logs which operations were called and how
they were answered, and records nothing.`

func passCommand(a *app) *cobra.Command {
	c := &deckCommand{app: a}
	cmd := &cobra.Command{
		Use:   "pass --upstream URL",
		Short: "look at traffic without recording it",
		Long:  passLong,
		Example: `  paytape pass --upstream https://sandbox.example
  paytape pass --upstream sandbox --log-format json`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.serve(cmd.Context(), deck.Pass)
		},
	}
	c.flags(cmd, deck.Pass)
	return cmd
}
