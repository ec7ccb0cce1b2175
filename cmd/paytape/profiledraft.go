package main

import (
	"errors"
	"fmt"

	"github.com/paytape/paytape/match/draft"
	"github.com/spf13/cobra"
)

const draftProfileLong = `draft prints what inference understood of the cassette NAME, as a profile to be read,
corrected and extended: the operations, where each value comes from, what the API keeps,
and what cleaning has taken out. Comments tell the evidence by the numbers of exchanges,
which "paytape show NAME NUMBER" prints.

A draft replays its tape as well as no profile does: what has no row is inferred as
before. Calls that a profile knows, built in or of --profile, are left out. Equal
cassettes give equal drafts.`

// profileDrafter is the command "profile draft" with its flags.
type profileDrafter struct {
	*app
	knowledge
	dir string
}

func draftProfileCommand(a *app) *cobra.Command {
	d := &profileDrafter{app: a}
	cmd := &cobra.Command{
		Use: "draft NAME", Short: "print what inference understood of a cassette, as a profile",
		Long: draftProfileLong,
		Example: `  paytape profile draft checkout >mine.yaml
  paytape profile check mine.yaml --tape checkout
  paytape replay --profile mine.yaml checkout`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return interruptibly(cmd.Context(), func() error { return d.run(args[0]) })
		},
	}
	fs := cmd.Flags()
	dirFlag(fs, &d.dir)
	d.knowledge.flags(fs)
	d.piiFlag(fs)
	return cmd
}

func (d *profileDrafter) run(name string) error {
	if err := d.check(); err != nil {
		return err
	}
	tape, err := d.loadTape(d.dir, name, d.voice.warn)
	if err != nil {
		return err
	}
	text, err := draft.Write(d.profiles(), cassetteOf(tape))
	if errors.Is(err, draft.ErrKnown) {
		return withHint(fmt.Errorf("drafting a profile of %q: %w", name, err), "paytape flows %s", name)
	}
	if err != nil {
		return err
	}
	d.print("%s", text)
	return nil
}
