package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/paytape/paytape/proxy/inspect/line"
	"github.com/spf13/cobra"
)

const tailLong = `tail shows the traffic of a running deck, a line an exchange: when it came, what was
called, about which order or card, what the answer says in words, and where it came
from. It begins with the last exchanges and goes on until Ctrl-C, or until the deck
ends. FILTER leaves out what it does not ask for, in the words of the inspector:
"declined", "reason:field", "order:B-1045 -op:status".

The deck needs an inspector (--inspect), or an address to be looked after (--admin); its
ready file tells the address. paytape why explains an exchange by its number.`

// tail is the command "tail" with its flags.
type tail struct {
	*app
	deckClient
	asJSON bool
	last   int // rows before those to come

	kind string // of the event of which a line was read
}

func tailCommand(a *app) *cobra.Command {
	t := &tail{app: a, deckClient: deckClient{command: "paytape tail"}}
	cmd := &cobra.Command{
		Use:   "tail [FILTER...]",
		Short: "watch the traffic of a running deck",
		Long:  tailLong,
		Example: `  paytape tail --ready-file ready.json
  paytape tail --ready-file ready.json declined order:B-1045
  paytape tail --ready-file ready.json --json -n 1000 miss`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.run(cmd.Context(), strings.Join(args, " "))
		},
	}
	fs := cmd.Flags()
	t.deckClient.flags(fs, true)
	fs.BoolVar(&t.asJSON, "json", false, "print an exchange as JSON in a line")
	fs.IntVarP(&t.last, "last", "n", 10, "begin with the last `NUMBER` of exchanges")
	return cmd
}

// run prints rows until ctx ends, or the deck.
func (t *tail) run(ctx context.Context, filter string) error {
	if t.last < 0 {
		return misused(errors.New("--last: expected 0 or more"))
	}
	base, err := t.inspectAddress()
	if err != nil {
		return err
	}
	q := url.Values{}
	if filter != "" {
		q.Set("q", filter)
	}
	after, err := t.before(ctx, base, q)
	if err != nil || ctx.Err() != nil {
		return t.unlessStopped(ctx, err)
	}
	if after != "" {
		q.Set("after", after)
	}
	show := t.event
	if !t.asJSON {
		t.terminal(q)
		show = func(text string) error {
			t.print("%s\n", line.Shown(text))
			return nil
		}
	}
	err = t.follow(ctx, base+"api/events?"+q.Encode(), show)
	if err == nil && ctx.Err() == nil {
		t.voice.say("the deck has ended")
	}
	return t.unlessStopped(ctx, err)
}

// unlessStopped is an error, but none of a command that was told to stop.
func (t *tail) unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// before returns the number of the event after which rows are wanted: that before the last ones.
// Empty is for rows from now on.
func (t *tail) before(ctx context.Context, base string, filter url.Values) (string, error) {
	if t.last == 0 {
		return "", nil
	}
	q := url.Values{"q": filter["q"], "n": {strconv.Itoa(t.last)}}
	body, err := t.ask(ctx, http.MethodGet, base+"api/rows?"+q.Encode())
	if err != nil {
		return "", err
	}
	var told struct {
		Rows []struct {
			ID uint64 `json:"id"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return "", errNotDeck
	}
	if len(told.Rows) == 0 || told.Rows[0].ID == 0 {
		return "", nil
	}
	return strconv.FormatUint(told.Rows[0].ID-1, 10), nil
}

// errNotDeck is an answer that no deck gives.
var errNotDeck = errors.New("what answers at the address is no deck with an inspector")

// terminal has the deck write for the terminal that stdout is.
func (a *app) terminal(q url.Values) {
	t := a.ttyOf(a.out)
	q.Set("format", "text")
	q.Set("columns", strconv.Itoa(t.columns()))
	if t.color() {
		q.Set("color", "1")
	}
}

// event reads a line of a stream of events, and prints those that are rows. A gap is told where
// people look.
func (t *tail) event(text string) error {
	name, value, _ := strings.Cut(text, ": ")
	if name == "event" {
		t.kind = value
	}
	if name != "data" {
		return nil
	}
	switch t.kind {
	case "row":
		t.print("%s\n", printable(value))
	case "gap":
		var told struct {
			Lost uint64 `json:"lost"`
		}
		if err := json.Unmarshal([]byte(value), &told); err != nil {
			return errNotDeck
		}
		t.voice.warn(fmt.Sprintf("%d exchanges went by unseen: traffic was faster than its reader",
			told.Lost))
	}
	return nil
}
