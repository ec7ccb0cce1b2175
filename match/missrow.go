package match

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
)

// MissRow is what would mend a miss in a file: rows for a rules file, where a profile has the
// operation, else a profile of one's own. Its texts hold names and values of the tape alone.
type MissRow struct {
	Kind MendKind // MendRules or MendProfile
	// Line is the row on one line, and File the same as a file that may be put in force as it is.
	Line, File string
}

// mostRows is how many rows a tape keeps. A suite misses the same again and again; to find a row
// takes a look at all recordings, which nobody may ask for without an end.
const mostRows = 256

// missRows are the rows that were found, by the recording that came nearest and the fields that
// differ.
type missRows struct {
	mu  sync.Mutex // guards all
	all map[missKey]MissRow
}

type missKey struct {
	recording *machine.Recording
	fields    string
}

// Row returns what would mend the miss in a file, and whether anything would: a field that must be
// equal has another value than on tape, and may have any. It is safe for concurrent use.
func (m *Miss) Row() (MissRow, bool) {
	if m.Reason != BadField || m.Trace == nil || len(m.Near) == 0 || m.Near[0].recording == nil {
		return MissRow{}, false
	}
	var fields []string
	for _, d := range m.Near[0].Diffs {
		fields = append(fields, d.Path)
	}
	key := missKey{m.Near[0].recording, strings.Join(fields, "\x00")}
	rows := &m.Trace.tape.missRows
	rows.mu.Lock()
	defer rows.mu.Unlock()
	row, known := rows.all[key]
	if !known && len(rows.all) < mostRows {
		if rows.all == nil {
			rows.all = map[missKey]MissRow{}
		}
		row = m.Trace.missRow()
		rows.all[key] = row
	}
	return row, row.Line != ""
}

// missRow finds the row of a miss.
func (t *Trace) missRow() MissRow {
	if t.inList || t.ruled || t.failingIndex() != indexFields {
		return MissRow{}
	}
	rows, _ := t.rowsOnTop()
	switch {
	case len(rows) == 0:
		return MissRow{}
	case t.call().Operation == nil:
		return MissRow{MendProfile, t.profileLine(rows), t.profileYAML(rows)}
	}
	return MissRow{MendRules, "rewrite: " + flowOf(rows), rowsYAML(rows)}
}

// flowOf writes rows of operations on one line.
func flowOf(rows []rowOnTop) string {
	var ops []string
	for _, op := range operationsOf(rows) {
		ops = append(ops, quoteYAML(op)+": "+sidesOf(rows, op))
	}
	return "{" + strings.Join(ops, ", ") + "}"
}

// sidesOf writes the rows of an operation on one line.
func sidesOf(rows []rowOnTop, op string) string {
	var sides []string
	for _, side := range []string{"request", "response"} {
		var fields []string
		for _, r := range rows {
			if r.op == op && r.side == side {
				fields = append(fields, quoteYAML(r.key)+": "+r.row)
			}
		}
		if len(fields) > 0 {
			sides = append(sides, side+": {"+strings.Join(fields, ", ")+"}")
		}
	}
	return "{" + strings.Join(sides, ", ") + "}"
}

// operationsOf are the operations of rows, each once, in their order.
func operationsOf(rows []rowOnTop) []string {
	var ops []string
	for _, r := range rows {
		if !slices.Contains(ops, r.op) {
			ops = append(ops, r.op)
		}
	}
	return ops
}

// ownOperation is an operation that no profile has, as a profile of one's own would describe it.
type ownOperation struct{ base, prefix, method, path, carrier string }

// ownOperation describes the call of the nearest recording.
func (t *Trace) ownOperation() ownOperation {
	r := t.missNear().recording
	o := ownOperation{method: r.Method, path: named(patternOf(r)), carrier: string(profile.CarrierNone)}
	first, rest, deeper := strings.Cut(strings.TrimPrefix(o.path, "/"), "/")
	if o.prefix = "/"; deeper && rest != "" && !isParam(first) {
		o.prefix = "/" + first + "/"
	}
	if p := t.call().Profile; p != nil {
		o.base = p.Origin.File
		if p.Origin.File == p.Name+".yaml" && len(p.Bases) == 0 && !slices.Contains(
			t.tape.opts.Profiles.GivenProfiles(), p) {
			o.base = p.Name
		}
	}
	for _, a := range t.asked() {
		switch a.Place {
		case leaf.JSON:
			o.carrier = string(profile.CarrierJSON)
		case leaf.Markup:
			o.carrier = string(profile.CarrierXML)
		case leaf.Form, leaf.Part:
			o.carrier = string(profile.CarrierForm)
		case leaf.Query:
			if o.carrier == string(profile.CarrierNone) {
				o.carrier = string(profile.CarrierQuery)
			}
		}
	}
	return o
}

// named gives the open segments of a path names: "/v1/charges/{id}".
func named(pattern string) string {
	segments := strings.Split(pattern, "/")
	n := 0
	for i, s := range segments {
		if !isParam(s) {
			continue
		}
		if n++; n == 1 {
			segments[i] = "{id}"
			continue
		}
		segments[i] = fmt.Sprintf("{id%d}", n)
	}
	return strings.Join(segments, "/")
}

// profileLine writes rows as a profile of one's own on one line.
func (t *Trace) profileLine(rows []rowOnTop) string {
	o := t.ownOperation()
	head := "profile: mine, paths: [" + quoteYAML(o.prefix) + "]"
	if o.base != "" {
		head = "extends: " + quoteYAML(o.base)
	}
	sides := strings.TrimPrefix(sidesOf(rows, rows[0].op), "{")
	return fmt.Sprintf("{%s, operations: {%s: {methods: [%s], path: %s, carrier: %s, %s}}", head,
		quoteYAML(o.method+" "+o.path), o.method, quoteYAML(o.path), o.carrier, sides)
}

// profileYAML writes rows as a file with a profile of one's own.
func (t *Trace) profileYAML(rows []rowOnTop) string {
	o := t.ownOperation()
	var b strings.Builder
	if o.base != "" {
		fmt.Fprintf(&b, "extends: %s\n", quoteYAML(o.base))
	} else {
		fmt.Fprintf(&b, "profile: mine\npaths: [%s]\n", quoteYAML(o.prefix))
	}
	fmt.Fprintf(&b, "operations:\n  %s:\n    methods: [%s]\n    path: %s\n    carrier: %s\n    request:\n",
		quoteYAML(o.method+" "+o.path), o.method, quoteYAML(o.path), o.carrier)
	for _, r := range rows {
		if r.side == "request" {
			fmt.Fprintf(&b, "      %s: %s\n", quoteYAML(r.key), r.row)
		}
	}
	return b.String()
}
