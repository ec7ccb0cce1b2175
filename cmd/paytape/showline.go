package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/redact"
)

// entry is an exchange in a list.
type entry struct {
	Number     int           `json:"number"`
	Flow       int           `json:"flow,omitempty"` // counted from 1, as "paytape flows" does; 0: none
	At         time.Time     `json:"at,omitzero"`
	Profile    string        `json:"profile,omitempty"`
	Operation  string        `json:"operation,omitempty"`
	Short      string        `json:"short,omitempty"` // the operation in a word
	Method     string        `json:"method"`
	URL        string        `json:"url"`
	Status     int           `json:"status"`
	Outcome    *outcomeJSON  `json:"outcome,omitempty"`
	Amount     *amountJSON   `json:"amount,omitempty"`
	Who        *whoJSON      `json:"who,omitempty"`
	Took       time.Duration `json:"durationNanoseconds"`
	Redactions []string      `json:"redactions"`
	Failure    string        `json:"failure,omitempty"`
	Fault      string        `json:"fault,omitempty"`
	Withheld   string        `json:"withheld,omitempty"`
	Rules      []string      `json:"rules,omitempty"`   // of the run that fired
	Relayed    string        `json:"relayed,omitempty"` // the field with an address of the deck
	Callback   *callbackJSON `json:"callback,omitempty"`

	clean redact.Clean
	found outcome.Found
}

// outcomeJSON is what an exchange came to, as the inspector tells it.
type outcomeJSON struct {
	Words  string `json:"words,omitempty"`
	Tone   string `json:"tone,omitempty"`   // good, bad or waits
	Codes  string `json:"codes,omitempty"`  // "6/116"
	Fields string `json:"fields,omitempty"` // "orderStatus=6 actionCode=116"
}

// amountJSON is a sum of money.
type amountJSON struct {
	Text     string `json:"text"`
	Minor    int64  `json:"minor"` // in the smallest unit of the currency
	Currency string `json:"currency,omitempty"`
}

// whoJSON is what an exchange is about.
type whoJSON struct {
	Kind  string `json:"kind,omitempty"`
	Label string `json:"label,omitempty"`
	ID    string `json:"id,omitempty"`
	Card  string `json:"card,omitempty"` // a mask
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

// numberOf returns the number of the exchange at an index. Those of other programs have none
// and are counted.
func numberOf(c redact.Clean, index int) int {
	if n := c.Exchange().Meta.Number; n > 0 {
		return n
	}
	return index + 1
}

func entryOf(c redact.Clean, number int) *entry {
	x := c.Exchange()
	return &entry{
		Number: number, At: x.Meta.At, Profile: x.Meta.Profile, Operation: x.Meta.Operation,
		Method: x.Request.Method, URL: x.URL, Status: x.Response.Code,
		Took: x.Response.Duration, Redactions: append([]string{}, x.Meta.Redactions...),
		Failure: x.Meta.Failure, Fault: x.Meta.Fault, Withheld: x.Meta.Withheld,
		Rules: x.Meta.Rules, Relayed: x.Meta.Relayed, Callback: (*callbackJSON)(x.Meta.Callback),
		clean: c,
	}
}

// flowLines returns the lines of a tape, with their flows and outcomes. An exchange about several
// flows is one of the first.
func flowLines(set *profile.Set, c match.Cassette, all []redact.Clean) []*entry {
	flows := map[int]int{} // by number
	for i, f := range match.Describe(match.Options{Profiles: set}, c).Flows {
		for _, e := range f.Entities {
			for _, step := range e.Steps {
				if flows[step.Exchange] == 0 {
					flows[step.Exchange] = i + 1
				}
			}
		}
	}
	lines := make([]*entry, 0, len(all))
	currency := map[int]outcome.Known{} // of a flow, from the first exchange that tells
	for i, x := range all {
		l := entryOf(x, numberOf(x, i))
		l.Flow = flows[l.Number]
		known := outcome.Known{}
		if l.Flow > 0 {
			known = currency[l.Flow]
		}
		l.say(outcome.Of(set, x.Exchange(), known))
		if a := l.found.Amount; a != nil && a.Currency != "" && known.Currency == "" {
			currency[l.Flow] = outcome.Known{Currency: a.Currency}
		}
		lines = append(lines, l)
	}
	return lines
}

// say sets what the exchange came to.
func (l *entry) say(f outcome.Found) {
	l.found, l.Short = f, f.Short
	if o := (outcomeJSON{f.Words, f.Tone, f.Codes, f.Fields}); o != (outcomeJSON{}) {
		l.Outcome = &o
	}
	if f.Amount != nil {
		l.Amount = &amountJSON{f.Amount.Text, f.Amount.Minor, f.Amount.Currency}
	}
	if w := (whoJSON{f.Kind, f.Label, f.ID, f.Card}); w != (whoJSON{}) {
		l.Who = &w
	}
}

// bad reports whether the exchange failed, or its outcome is bad news.
func (l *entry) bad() bool {
	return l.Failure != "" || l.Fault != "" || l.found.Tone == string(profile.Bad)
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

// shopSaid tells the answer to a callback. Where the shop gave none, the status is the deck's own.
func (l *entry) shopSaid() string {
	if l.Status == 0 || l.Fault == leaf.FaultNoAnswer || l.Fault == leaf.FaultTimeout {
		return "no answer"
	}
	return "shop said " + strconv.Itoa(l.Status)
}

// row is the line as a row of the table.
func (l *entry) row() string {
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
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s", l.Number, at, operation, result, l.cameTo(), l.taken())
}

// signs stand before an outcome of a tone.
var signs = map[string]string{string(profile.Bad): "x ", string(profile.Waits): ". "}

// cameTo says the outcome, with its codes behind it. Of a callback the operation and the status say
// it.
func (l *entry) cameTo() string {
	sign := signs[l.found.Tone]
	if sign == "" {
		sign = "  " // so that all words begin in one column
	}
	words := l.found.Words
	if l.Callback != nil {
		words = l.found.Event
	}
	if words == "" {
		return "  -"
	}
	if l.found.Codes != "" && l.Callback == nil {
		words += " (" + l.found.Codes + ")"
	}
	return sign + words
}

// taken counts what was taken out, by kind: "token 2, pan 1". A redaction is noted as its
// place and its kind: "request.form.password: token 1".
func (l *entry) taken() string {
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

// listText writes lines as a table, flow by flow. A flow stands where its first exchange does, and
// what is of no flow stands behind them all.
func listText(lines []*entry) string {
	var order []int
	flows := map[int][]*entry{}
	for _, l := range lines {
		if flows[l.Flow] == nil && l.Flow > 0 {
			order = append(order, l.Flow)
		}
		flows[l.Flow] = append(flows[l.Flow], l)
	}
	if len(flows[0]) > 0 {
		order = append(order, 0)
	}
	var table, text strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	oneLine := strings.NewReplacer("\n", " ", "\r", " ")
	fmt.Fprintln(t, "NUMBER\tTIME\tOPERATION\tSTATUS\t  OUTCOME\tREDACTIONS")
	for _, flow := range order {
		for _, l := range flows[flow] {
			fmt.Fprintln(t, oneLine.Replace(l.row()))
		}
	}
	_ = t.Flush() // a strings.Builder takes everything
	rows := strings.SplitAfter(table.String(), "\n")
	text.WriteString(rows[0])
	rows = rows[1:]
	for _, flow := range order {
		n := len(flows[flow])
		if len(order) > 1 || flow > 0 {
			text.WriteString("\n" + flowTitle(flows[flow]) + "\n")
		}
		for _, row := range rows[:n] {
			text.WriteString(row)
		}
		rows = rows[n:]
	}
	return text.String()
}

// flowTitle says what a flow is about and what it came to: "order B-1045, card 400000******1118: paid
// 49.00 EUR".
func flowTitle(lines []*entry) string {
	if lines[0].Flow == 0 {
		return "of no flow"
	}
	about, card, came := "", "", ""
	for _, l := range lines {
		f := l.found
		if about == "" && f.Label != "" && f.Kind != "card" {
			about = f.Kind + " " + f.Label
		}
		if card == "" {
			card = f.Card
		}
		if f.Tone != "" && l.Callback == nil {
			came = f.Words
		}
	}
	if card != "" {
		about = strings.TrimPrefix(about+", card "+card, ", ")
	}
	if came == "" {
		came = lines[len(lines)-1].found.Words
	}
	title := fmt.Sprintf("flow %d: %s", lines[0].Flow, about)
	if about == "" {
		title = fmt.Sprintf("flow %d", lines[0].Flow)
	}
	if came != "" {
		title += " - " + came
	}
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(title)
}
