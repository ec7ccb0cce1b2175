package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/paytape/paytape/proxy/inspect/line"
	"github.com/spf13/cobra"
)

const whyLong = `why explains an answer of a running deck, or why there was none: which checks were
made and which one decided, which recordings came nearest and in which field they
differ, and what would mend it. ID is the number of an exchange, or of a callback (c1), as
tail and the inspector show it; without it, the last miss is explained.

The deck needs an inspector (--inspect), or an address to be looked after (--admin); its
ready file tells the address.`

// explainer is the command "why" with its flags.
type explainer struct {
	*app
	deckClient
	asJSON bool
}

func whyCommand(a *app) *cobra.Command {
	e := &explainer{app: a, deckClient: deckClient{command: "paytape why"}}
	cmd := &cobra.Command{
		Use:   "why [ID]",
		Short: "explain a miss, or any answer, of a running deck",
		Long:  whyLong,
		Example: `  paytape why --ready-file ready.json
  paytape why 52 --ready-file ready.json
  paytape why c1 --ready-file ready.json`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), args) },
	}
	e.deckClient.flags(cmd.Flags(), true)
	cmd.Flags().BoolVar(&e.asJSON, "json", false, "print JSON")
	return cmd
}

func (e *explainer) run(ctx context.Context, args []string) error {
	which := "last-miss"
	if len(args) > 0 {
		which = strings.TrimPrefix(args[0], "#")
		if _, err := strconv.ParseUint(strings.TrimPrefix(which, "c"), 10, 64); err != nil {
			return withHint(misused(errors.New("ID: expected the number of an exchange or of a callback")),
				"paytape why 52, or paytape why c1")
		}
	}
	base, err := e.inspectAddress()
	if err != nil {
		return err
	}
	q, shown := url.Values{}, printable
	if !e.asJSON {
		e.terminal(q)
		shown = line.Shown
	}
	body, err := e.ask(ctx, http.MethodGet, base+"api/why/"+which+"?"+q.Encode())
	if err != nil {
		return err
	}
	e.print("%s", shown(string(body)))
	return nil
}
