package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// Mend is something that would change an answer. Its texts hold values of the tape alone.
type Mend struct {
	Kind MendKind
	Text string // without a full stop
	// Code is a command to type, or rows for a file; empty for none.
	Code string
}

// MendKind says what has to be changed.
type MendKind string

// The kinds of mends, in the order of effort.
const (
	MendClient  MendKind = "client"
	MendCommand MendKind = "command"
	MendRules   MendKind = "rules"
	MendProfile MendKind = "profile"
)

// mends returns what would make an answer of a miss, or would take away a mark. An answer without a
// mark needs none.
func (t *Trace) mends() []Mend {
	var all []Mend
	switch {
	case t.miss == nil && t.mark == "":
		return nil
	case t.miss == nil, t.refused:
		all = append(all, t.markMends()...)
	default:
		all = append(all, Mend{Kind: MendClient, Text: t.clientMend()})
	}
	if t.inList || t.ruled {
		return all // the tape would do
	}
	all = append(all, t.recordMend())
	if t.miss != nil && t.failingIndex() == indexFields {
		all = append(all, t.rowMends()...)
	}
	return all
}

// clientMend says how the client would have to send the request.
func (t *Trace) clientMend() string {
	near := t.missNear()
	if t.failingIndex() == indexFields && near != nil && len(near.Diffs) > 0 && !t.denied {
		return remedy(near.Diffs)
	}
	return t.miss.Hint
}

// recordMend is the command that records a call in addition to what is on tape.
func (t *Trace) recordMend() Mend {
	name, address := "NAME", "URL"
	if all := t.tape.machine.All; len(all) > 0 {
		name = all[0].Cassette
	}
	if known := t.tape.Addresses(); len(known) > 0 {
		address = known[0]
	}
	r := t.recording
	if near := t.missNear(); near != nil {
		r = cmp.Or(near.recording, r)
	}
	if r != nil {
		name, address = r.Cassette, cmp.Or(r.Address, address)
	}
	return Mend{
		Kind: MendCommand, Text: "record this call in addition to what is on the tape",
		Code: fmt.Sprintf("paytape record --upstream %s %s", address, name),
	}
}

// maxCards is how many cards a mend names.
const maxCards = 4

// markMends say what would make a marked answer certain.
func (t *Trace) markMends() []Mend {
	if t.inherits() {
		return []Mend{{Kind: MendClient, Text: "mend the first answer about it that is marked: what was " +
			"assumed there is assumed here too"}}
	}
	var all []Mend
	if cards := t.cardsOfRow(); t.mark == assumedCard && len(cards) > 0 {
		all = append(all, Mend{Kind: MendClient, Text: "use a card of the tape: " + strings.Join(cards, ", ")})
	}
	if says := markCures[t.mark]; says != "" {
		all = append(all, Mend{Kind: MendClient, Text: says})
	}
	if take, ok := t.takeMend(); ok {
		all = append(all, take)
	}
	return all
}

// markCures say what takes a mark away, of marks that have a cure of their own.
var markCures = map[string]string{
	assumedMiss:  "mend the miss before it, which paytape why explains",
	assumedLogin: "use the login of the tape, or say which are good: --credentials FILE",
	assumedWrite: "record the calls one after another",
	assumedGap:   "record the cassette anew, without gaps",
	assumedEdge:  "record each of the flows on a cassette of its own",
	assumedRetry: "send the write once, or with an idempotency key",
}

// cardsOfRow are the cards with which the call was recorded in this state, a few.
func (t *Trace) cardsOfRow() []string {
	var cards []string
	for _, r := range t.inRow() {
		if c := r.Cards(); c != "" && !slices.Contains(cards, c) && len(cards) < maxCards {
			cards = append(cards, c)
		}
	}
	return cards
}

// inRow are the recordings beside the one that was served: of the same call in the same state.
func (t *Trace) inRow() []*machine.Recording {
	var all []*machine.Recording
	if t.recording == nil {
		return nil
	}
	if cases := t.tape.machine.Beside(t.recording); cases != nil {
		for _, r := range cases.Recordings() {
			all = append(all, r)
		}
	}
	return all
}

// takeMend is a rule that says which recording is meant, where the order of the tape or a card that it
// has not has decided.
func (t *Trace) takeMend() (Mend, bool) {
	all := t.inRow()
	if t.mark != ambiguous && t.mark != assumedCard || t.call().Operation == nil || len(all) == 0 {
		return Mend{}, false
	}
	var refs []string
	for _, r := range all[:min(maxPlaces, len(all))] {
		refs = append(refs, refOf(r))
	}
	return Mend{
		Kind: MendRules,
		Text: "a rule for a rules file that says which recording is meant, of " + strings.Join(refs, ", "),
		Code: fmt.Sprintf("# paytape rules 1\nrules:\n  - name: take-%d\n    op: %s\n    then: {take: %q}\n",
			t.recording.Number, quoteYAML(t.call().Operation.Name), refOf(t.recording)),
	}, true
}

// rowOnTop is a row for a rules file.
type rowOnTop struct {
	op, side, key, row, was string
}

// rowMends are the mends of rowsOnTop.
func (t *Trace) rowMends() []Mend {
	rows, why := t.rowsOnTop()
	switch {
	case len(rows) == 0:
		return nil
	case t.call().Operation == nil:
		return []Mend{{MendProfile, "a profile of your own, which --profile names (" + why + ")", t.profileYAML(rows)}}
	}
	return []Mend{
		{MendRules, "rows for a rules file (" + why + ")", rowsYAML(rows)},
		{MendProfile, "the same rows in a profile of your own, which --profile names", ""},
	}
}

// rowsOnTop are the rows on top of the profiles that would make the nearest recording answer: a field that
// must be equal today would follow the client. The rows tell why: if answers on tape repeat the
// value, it is the client's, and they follow too; if none does, it may be anything. Of an operation that no
// profile has they are rows of requests alone: what answers repeat is inferred.
func (t *Trace) rowsOnTop() (rows []rowOnTop, why string) {
	near := t.missNear()
	if near == nil || near.recording == nil {
		return nil, ""
	}
	r := near.recording
	op := ""
	if t.call().Operation != nil {
		op = t.call().Operation.Name
	}
	var repeats []string
	for i := range near.Diffs {
		d := &near.Diffs[i]
		a := t.param(d.Path)
		if d.Problem != Differs || a == nil || !followable(d, a) {
			return nil, "" // the rest of them would keep the recording from serving
		}
		row := profile.Field{From: profile.Ignored}
		answers, at := t.repeatedIn(r, d)
		if len(answers) > 0 || t.call().Operation == nil && len(at) > 0 {
			row = profile.Field{From: profile.Shared}
		}
		was, _ := originOfParam(t.tape.opts.Profiles, t.call(), a)
		rows = append(rows, rowOnTop{
			op: op, side: "request", key: keyOf(a), row: row.Says(),
			was: strings.TrimSpace(a.Field.Says() + " " + parenthesised(was.String())),
		})
		rows = append(rows, answers...)
		for _, one := range at {
			if !slices.Contains(repeats, one) {
				repeats = append(repeats, one)
			}
		}
	}
	why = "no answer repeats the value"
	if len(repeats) > 0 {
		why = "answers repeat the value: " + strings.Join(repeats[:min(maxPlaces, len(repeats))], ", ")
	}
	return rows, why
}

func parenthesised(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// followable reports whether a row can make a field follow the client that must be equal.
func followable(d *Diff, a *tape.Asked) bool {
	switch a.Place {
	case leaf.Form, leaf.JSON, leaf.Query, leaf.Part, leaf.Markup:
		return a.Field.From == profile.Exact && d.Field.From == profile.Exact && len(a.Names) == 0 &&
			a.Field.Secret == profile.NotSecret
	}
	return false
}

// keyOf returns the key of a parameter as rows have it: its path without indexes.
func keyOf(a *tape.Asked) string {
	return indexes.ReplaceAllString(repeatSuffix.ReplaceAllString(a.Path, ""), "")
}

// repeatedIn looks in the answers about the same things for the recorded value of a field. It returns
// a row for each place that has it, and the exchanges.
func (t *Trace) repeatedIn(r *machine.Recording, d *Diff) (rows []rowOnTop, at []string) {
	if d.Want == "" {
		return nil, nil
	}
	about := r.Concerned()
	for _, o := range t.tape.machine.All {
		if o.Lost || o.Call().Profile != t.call().Profile ||
			o != r && !slices.ContainsFunc(o.Concerned(), func(e *tape.Entity) bool {
				return !e.Scope && slices.Contains(about, e)
			}) {
			continue
		}
		m := recordedAnswer(o)
		for i := range m.Leaves {
			l := &m.Leaves[i]
			if l.Place != leaf.JSON && l.Place != leaf.Markup || l.Value != d.Want || !alike(l.Key, d) {
				continue
			}
			if o.Call().Operation != nil && t.call().Operation != nil {
				row := rowOnTop{
					op: o.Call().Operation.Name, side: "response", key: l.Shape, row: "client shared",
				}
				f := FieldOf(t.tape.opts.Profiles, o.Call(), profile.Response, l)
				if f.From == profile.Exact && !slices.Contains(rows, row) {
					rows = append(rows, row)
				}
			}
			if ref := refOf(o); !slices.Contains(at, ref) {
				at = append(at, ref)
			}
		}
	}
	return rows, at
}

// alike reports whether a leaf may have the value of a field: the value is long enough to identify it,
// or the name of one is part of the name of the other, as "amount" is of "refundedAmount".
func alike(key string, d *Diff) bool {
	if len(d.Want) >= request.EmbedLength {
		return true
	}
	a, b := strings.ToLower(key), strings.ToLower(request.LastName(d.Path))
	return a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}

// rowsYAML writes rows as a rules file has them.
func rowsYAML(rows []rowOnTop) string {
	var b strings.Builder
	b.WriteString("# paytape rules 1\nrewrite:\n")
	for _, op := range operationsOf(rows) {
		fmt.Fprintf(&b, "  %s:\n", quoteYAML(op))
		for _, side := range []string{"request", "response"} {
			head := fmt.Sprintf("    %s:\n", side)
			for _, r := range rows {
				if r.op != op || r.side != side {
					continue
				}
				b.WriteString(head)
				head = ""
				fmt.Fprintf(&b, "      %s: %s", quoteYAML(r.key), r.row)
				if r.was != "" {
					fmt.Fprintf(&b, " # was: %s", r.was)
				}
				b.WriteString("\n")
			}
		}
	}
	return b.String()
}

// quoteYAML quotes a key that is not a plain word of YAML. In double quotes JSON and YAML agree.
func quoteYAML(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("._/-", r))
	}) < 0
	if plain && (s[0] < '0' || s[0] > '9') && s[0] != '-' {
		return s
	}
	return fmt.Sprintf("%q", s)
}
