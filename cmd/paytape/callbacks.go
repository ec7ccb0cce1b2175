package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const callbacksLong = `callbacks shows what a running deck has sent to the shop, or is about to: for each
callback what it tells of which order, where it stands, and what the shop said. The
deck needs an address to be looked after (--admin); its ready file tells the address.

next sends the oldest callback that waits under --callbacks hold, and resend sends the
latest callback of an order once more.`

// callbackViewer is the command "callbacks" with its flags.
type callbackViewer struct {
	*app
	deckClient
	asJSON bool
}

// toldCallback is a callback as the admin address of a deck tells of it.
type toldCallback struct {
	Number    int    `json:"number"`
	Cassette  string `json:"cassette"`
	OnTape    int    `json:"onTape"`
	Operation string `json:"operation"`
	Names     []struct {
		Value string `json:"value"`
	} `json:"names"`
	State    string `json:"state"`
	Problem  string `json:"problem"`
	Attempts []struct {
		Code  int    `json:"code"`
		Cause string `json:"cause"`
	} `json:"attempts"`
}

// said tells what the shop has said last, or why it has said nothing.
func (c *toldCallback) said() string {
	if n := len(c.Attempts); n > 0 {
		last := c.Attempts[n-1]
		if last.Code != 0 {
			return strconv.Itoa(last.Code)
		}
		return strings.TrimSuffix("no answer: "+last.Cause, ": ")
	}
	return cmp.Or(c.Problem, "nothing")
}

func callbacksCommand(a *app) *cobra.Command {
	v := &callbackViewer{app: a, deckClient: deckClient{command: "paytape callbacks"}}
	cmd := &cobra.Command{
		Use:   "callbacks",
		Short: "show what a running deck tells the shop",
		Long:  callbacksLong,
		Example: `  paytape callbacks --ready-file ready.json
  paytape callbacks next --ready-file ready.json
  paytape callbacks resend A-1 --ready-file ready.json`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return v.list(cmd.Context()) },
	}
	next := &cobra.Command{
		Use:     "next",
		Short:   "send the oldest callback that waits",
		Long:    "next sends the oldest callback that waits under --callbacks hold, and shows it.",
		Example: "  paytape callbacks next --ready-file ready.json",
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return v.next(cmd.Context()) },
	}
	again := &cobra.Command{
		Use:   "resend ORDER",
		Short: "send the latest callback of an order once more",
		Long: "resend sends the latest callback of an order once more: ORDER is its id or its number in\n" +
			"this run.",
		Example: "  paytape callbacks resend A-1 --ready-file ready.json",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.resend(cmd.Context(), args[0])
		},
	}
	for _, c := range []*cobra.Command{cmd, next, again} {
		v.flags(c.Flags())
	}
	cmd.AddCommand(next, again)
	return cmd
}

func (v *callbackViewer) flags(fs *pflag.FlagSet) {
	v.deckClient.flags(fs, false)
	fs.BoolVar(&v.asJSON, "json", false, "print JSON")
}

// list shows the callbacks of the deck.
func (v *callbackViewer) list(ctx context.Context) error {
	body, err := v.ask(ctx, http.MethodGet, "callbacks")
	if err != nil {
		return err
	}
	var l struct {
		Callbacks []toldCallback `json:"callbacks"`
		Silent    []string       `json:"silent"`
	}
	if err := v.show(body, &l); err != nil || v.asJSON {
		return err
	}
	v.table(l.Callbacks...)
	for _, at := range l.Silent {
		v.voice.warn("the callbacks of the deck at " + printable(at) + " are missing: it does not answer")
	}
	return nil
}

// next has the deck send the oldest callback that waits, and shows it.
func (v *callbackViewer) next(ctx context.Context) error {
	body, err := v.ask(ctx, http.MethodPost, "callbacks/next")
	if err != nil {
		return err
	}
	var sent toldCallback
	if err := v.show(body, &sent); err != nil || v.asJSON {
		return err
	}
	v.table(sent)
	return nil
}

// resend has the deck send the latest callbacks of an order again, and shows them.
func (v *callbackViewer) resend(ctx context.Context, order string) error {
	body, err := v.ask(ctx, http.MethodPost, "callbacks/resend?order="+url.QueryEscape(order))
	if err != nil {
		return err
	}
	var again []toldCallback
	if err := v.show(body, &again); err != nil || v.asJSON {
		return err
	}
	v.table(again...)
	return nil
}

// show prints what the deck says as it is, if JSON is wanted, and otherwise reads it.
func (v *callbackViewer) show(body []byte, into any) error {
	if v.asJSON {
		v.print("%s", body)
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("reading what the deck says: %w", err)
	}
	return nil
}

// table prints callbacks, a line each.
func (v *callbackViewer) table(all ...toldCallback) {
	t := tabwriter.NewWriter(v.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "NUMBER\tTELLS\tABOUT\tSTATE\tATTEMPTS\tSHOP SAID\tON TAPE\n")
	for _, e := range all {
		var about []string
		for _, n := range e.Names {
			about = append(about, n.Value)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%d\t%s\t%s#%d\n", e.Number,
			printable(cmp.Or(e.Operation, "-")), printable(strings.Join(about, " ")), e.State,
			len(e.Attempts), printable(e.said()), e.Cassette, e.OnTape)
	}
	_ = t.Flush() // nobody is left to be told if stdout is closed
}

// ask asks the admin address of the deck.
func (v *callbackViewer) ask(ctx context.Context, method, path string) ([]byte, error) {
	base, err := v.adminAddress()
	if err != nil {
		return nil, err
	}
	return v.deckClient.ask(ctx, method, base+path)
}
