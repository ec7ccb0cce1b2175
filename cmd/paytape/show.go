package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const showLong = `show prints what is on the cassette NAME: a line for every exchange, or the
whole exchange NUMBER. Tapes hold no secrets, so neither does this.`

// tapePrinter is the command "show" with its flags.
type tapePrinter struct {
	*app
	knowledge
	dir    string
	asJSON bool
}

func showCommand(a *app) *cobra.Command {
	s := &tapePrinter{app: a}
	cmd := &cobra.Command{
		Use:   "show NAME [NUMBER]",
		Short: "show what is on a cassette",
		Long:  showLong,
		Example: `  paytape show checkout
  paytape show checkout 3
  paytape show --json checkout | jq '.[].operation'`,
		Args: arguments(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return interruptibly(cmd.Context(), func() error { return s.run(args) })
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&s.asJSON, "json", false, "print JSON")
	dirFlag(fs, &s.dir)
	s.knowledge.flags(fs)
	s.piiFlag(fs)
	return cmd
}

func (s *tapePrinter) run(args []string) error {
	number := 0
	if len(args) == 2 {
		var err error
		if number, err = strconv.Atoi(args[1]); err != nil || number < 1 {
			return misused(fmt.Errorf("expected the NUMBER of an exchange, found %q", args[1]))
		}
	}
	if err := s.check(); err != nil {
		return err
	}
	tape, err := s.loadTape(s.dir, args[0], s.voice.warn)
	if err != nil {
		return err
	}
	all := tape.Exchanges
	if number == 0 {
		return s.list(all)
	}
	for i, c := range all {
		if numberOf(c, i) == number {
			return s.one(c, number)
		}
	}
	return withHint(fmt.Errorf("cassette %q has no exchange %d", args[0], number),
		"paytape show %s", args[0])
}

// numberOf returns the number of the exchange at an index. Those of other programs have none
// and are counted.
func numberOf(c redact.Clean, index int) int {
	if n := c.Exchange().Meta.Number; n > 0 {
		return n
	}
	return index + 1
}

// line is an exchange in a list.
type line struct {
	Number     int           `json:"number"`
	At         time.Time     `json:"at,omitzero"`
	Profile    string        `json:"profile,omitempty"`
	Operation  string        `json:"operation,omitempty"`
	Method     string        `json:"method"`
	URL        string        `json:"url"`
	Status     int           `json:"status"`
	Took       time.Duration `json:"durationNanoseconds"`
	Redactions []string      `json:"redactions"`
	Failure    string        `json:"failure,omitempty"`
	Fault      string        `json:"fault,omitempty"`
	Withheld   string        `json:"withheld,omitempty"`
	Rules      []string      `json:"rules,omitempty"`   // of the run that fired
	Relayed    string        `json:"relayed,omitempty"` // the field with an address of the deck
	Callback   *callbackJSON `json:"callback,omitempty"`
}

// callbackJSON is what is known of a callback.
type callbackJSON struct {
	Of        int           `json:"of,omitempty"`
	Operation string        `json:"operation,omitempty"`
	Gap       time.Duration `json:"gapNanoseconds,omitempty"`
	Attempt   int           `json:"attempt"`
	Via       string        `json:"via"`
	Checksum  string        `json:"checksum,omitempty"`
}

func lineOf(c redact.Clean, number int) line {
	x := c.Exchange()
	return line{
		Number: number, At: x.Meta.At, Profile: x.Meta.Profile, Operation: x.Meta.Operation,
		Method: x.Request.Method, URL: x.URL, Status: x.Response.Code,
		Took: x.Response.Duration, Redactions: append([]string{}, x.Meta.Redactions...),
		Failure: x.Meta.Failure, Fault: x.Meta.Fault, Withheld: x.Meta.Withheld,
		Rules: x.Meta.Rules, Relayed: x.Meta.Relayed, Callback: (*callbackJSON)(x.Meta.Callback),
	}
}

// words say what a callback tells: "callback deposited, attempt 2".
func (c *callbackJSON) words() string {
	text := strings.TrimSpace("callback " + c.Operation)
	if c.Attempt > 1 {
		text += fmt.Sprintf(", attempt %d", c.Attempt)
	}
	return text
}

// circumstances say what else is known of a callback.
func (c *callbackJSON) circumstances() string {
	text := "a callback"
	switch {
	case c.Of > 0 && c.Gap < 0:
		text += fmt.Sprintf(" of exchange %d, %s before its answer", c.Of, -c.Gap)
	case c.Of > 0:
		text += fmt.Sprintf(" after exchange %d, %s later", c.Of, c.Gap)
	}
	if c.Checksum != "" {
		text += "; checksum " + c.Checksum
	}
	return text + "; " + c.Via
}

func (s *tapePrinter) list(all []redact.Clean) error {
	lines := make([]line, 0, len(all))
	for i, c := range all {
		lines = append(lines, lineOf(c, numberOf(c, i)))
	}
	if s.asJSON {
		return s.json(lines)
	}
	t := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NUMBER\tTIME\tOPERATION\tSTATUS\tREDACTIONS")
	for _, l := range lines {
		fmt.Fprintln(t, printable(l.row()))
	}
	return t.Flush()
}

// shopSaid tells the answer to a callback. Where the shop gave none, the status is the deck's own.
func (l line) shopSaid() string {
	if l.Status == 0 || l.Fault == leaf.FaultNoAnswer || l.Fault == leaf.FaultTimeout {
		return "no answer"
	}
	return "shop said " + strconv.Itoa(l.Status)
}

// row is the line as a row of the table.
func (l line) row() string {
	at, operation := "-", l.Operation
	if !l.At.IsZero() {
		at = l.At.Format("2006-01-02 15:04:05")
	}
	if operation == "" {
		path, _, _ := strings.Cut(l.URL, "?")
		operation = l.Method + " " + path
	}
	result := strconv.Itoa(l.Status)
	if l.Callback != nil {
		operation, result = l.Callback.words(), l.shopSaid()
	}
	rules := ""
	if len(l.Rules) > 0 {
		rules = "under rules: " + strings.Join(l.Rules, ", ")
	}
	for _, why := range []string{l.Failure, l.Withheld, rules} {
		if why != "" {
			result += " (" + why + ")"
		}
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s", l.Number, at, operation, result, l.taken())
}

// taken counts what was taken out, by kind: "token 2, pan 1". A redaction is noted as its
// place and its kind: "request.form.password: token 1".
func (l line) taken() string {
	var kinds []string
	counts := map[string]int{}
	for _, r := range l.Redactions {
		_, kind, _ := strings.Cut(r, ": ")
		kind, _, _ = strings.Cut(kind, " ")
		if counts[kind] == 0 {
			kinds = append(kinds, kind)
		}
		counts[kind]++
	}
	for i, kind := range kinds {
		kinds[i] = kind + " " + strconv.Itoa(counts[kind])
	}
	return strings.Join(kinds, ", ")
}

// exchangeJSON is an exchange in full.
type exchangeJSON struct {
	line
	Request  messageJSON `json:"request"`
	Response messageJSON `json:"response"`
}

// messageJSON is its request or its answer.
type messageJSON struct {
	Header map[string][]string `json:"header"`
	Body   string              `json:"body"`
	// Coding is the content coding that the body had on the wire.
	Coding string `json:"coding,omitempty"`
	// Charset is the one that the body had on the wire; empty for UTF-8.
	Charset string              `json:"charset,omitempty"`
	Trailer map[string][]string `json:"trailer,omitempty"`
}

func (s *tapePrinter) one(c redact.Clean, number int) error {
	x := c.Exchange()
	if !s.asJSON {
		s.text(x, lineOf(c, number))
		return nil
	}
	return s.json(exchangeJSON{lineOf(c, number),
		messageJSON{Header: x.Request.Headers, Body: x.Request.Body, Coding: x.Meta.RequestCoding,
			Charset: x.Meta.RequestCharset},
		messageJSON{Header: x.Response.Headers, Body: x.Response.Body, Coding: x.Meta.Coding,
			Charset: x.Meta.Charset, Trailer: x.Meta.Trailers}})
}

func (s *tapePrinter) json(v any) error {
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// text prints an exchange much as it looked on the wire.
func (s *tapePrinter) text(x *leaf.Exchange, l line) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n%s %s\n", strings.ReplaceAll(l.row(), "\t", "  "), l.Method, l.URL)
	message(&b, x.Request.Headers, x.Request.Body)
	fmt.Fprintf(&b, "\n%s\n", x.Response.Status)
	message(&b, x.Response.Headers, x.Response.Body)
	if l.Callback != nil {
		fmt.Fprintf(&b, "# %s\n", l.Callback.circumstances())
	}
	if l.Relayed != "" {
		fmt.Fprintf(&b, "# the sandbox got an address of the deck in %s\n", l.Relayed)
	}
	for _, r := range l.Redactions {
		fmt.Fprintf(&b, "# taken out: %s\n", r)
	}
	s.print("%s", printable(b.String()))
}

// message prints headers, by name, and body.
func message(b *strings.Builder, h map[string][]string, body string) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			fmt.Fprintf(b, "%s: %s\n", name, value)
		}
	}
	if body != "" {
		fmt.Fprintf(b, "\n%s\n", body)
	}
}
