package renumber

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/surrogate"
)

// each calls a function with the surrogates in the values and keys of an exchange, in order.
func (t *Tape) each(x *leaf.Exchange, f func(mark)) {
	for v := range t.redactor.Values(x) {
		for _, m := range t.marks(v.Leaf.Value, v.Kind) {
			f(m)
		}
	}
	for _, in := range messages(x) {
		for _, l := range keys(in) {
			for _, m := range t.marks(l.Value, profile.NotSecret) {
				f(m)
			}
		}
	}
	for _, s := range texts(x) {
		for _, m := range t.marks(*s, profile.NotSecret) {
			f(m)
		}
	}
}

// ends returns what a surrogate keeps of a card number: two cards with other ends are two.
func ends(text string) string {
	digits := pan.Digits(text)
	if len(digits) < pan.KeptFirst+pan.KeptLast {
		return digits
	}
	return digits[:pan.KeptFirst] + "-" + digits[len(digits)-pan.KeptLast:]
}

// Outline returns all that an exchange holds but its numbers: its place on the tape, and those of its
// surrogates, which it lists as they come. Two exchanges of one outline are one.
func (t *Tape) Outline(x *leaf.Exchange) (outline string, found []Surrogate) {
	var b strings.Builder
	write := func(parts ...string) {
		for _, p := range parts {
			b.WriteString(p)
			b.WriteByte(0)
		}
	}
	value := func(text string, kind profile.Sensitivity) {
		last := 0
		for _, m := range t.marks(text, kind) {
			b.WriteString(text[last:m.from])
			b.WriteString(surrogate.Prefix)
			b.WriteString(m.Kind.String())
			if m.Kind == profile.PAN {
				b.WriteString(ends(text[m.from:m.to]))
			}
			found, last = append(found, m.Surrogate), m.to
		}
		write(text[last:])
	}
	write(x.Method, strconv.Itoa(x.Code), x.Meta.At.Format(stamp), x.Response.Duration.String())
	for v := range t.redactor.Values(x) {
		l := v.Leaf
		if l.Place == leaf.Header && http.CanonicalHeaderKey(l.Key) == "Content-Length" {
			continue // a number of another length changes it
		}
		write(v.Half, l.Place.String())
		value(l.Path, profile.NotSecret) // keys may be numbers of cards
		value(l.Value, v.Kind)
	}
	for _, in := range messages(x) {
		for _, l := range keys(in) {
			value(l.Value, profile.NotSecret)
		}
	}
	for _, s := range texts(x) {
		value(*s, profile.NotSecret)
	}
	m := &x.Meta
	write(m.Base, m.Host, m.RequestCoding, m.Coding, m.RequestCharset, m.Charset, m.Fault, m.Relayed)
	write(m.Aliases...)
	write(m.Rules...)
	if c := m.Callback; c != nil {
		write(c.Operation, c.Gap.String(), strconv.Itoa(c.Attempt), c.Via, c.Checksum)
	}
	return b.String(), found
}

// Places returns the surrogates in the values of an exchange by where they stand: "request form
// password", and a number for each of several in one value.
func (t *Tape) Places(x *leaf.Exchange) map[string]Surrogate {
	all := map[string]Surrogate{}
	for v := range t.redactor.Values(x) {
		for i, m := range t.marks(v.Leaf.Value, v.Kind) {
			all[fmt.Sprint(v.Half, " ", v.Leaf.Place, " ", v.Leaf.Path, " ", i)] = m.Surrogate
		}
	}
	return all
}

// stamp is a time to the nanosecond.
const stamp = "2006-01-02T15:04:05.999999999Z07:00"

// Apply returns an exchange in which surrogates have other numbers. The exchange itself is not
// changed. Surrogates that are not in the table stay.
func (t *Tape) Apply(x *leaf.Exchange, to map[Surrogate]int) *leaf.Exchange {
	y := *x
	if len(to) == 0 {
		return &y
	}
	edits := map[string][]leaf.Edit{}
	read := map[string]*leaf.Message{}
	for v := range t.redactor.Values(x) {
		read[v.Half] = v.Message
		edits[v.Half] = append(edits[v.Half], t.edits(v.Leaf, v.Kind, to)...)
	}
	for i, in := range messages(x) {
		half := halves[i]
		out := in
		if m := read[half]; m != nil {
			out = m.Splice(edits[half])
		}
		out = t.applyKeys(out, to)
		put(&y, half, out)
	}
	for _, s := range texts(&y) {
		*s = t.text(*s, to)
	}
	y.Meta.Redactions = slices.Clone(x.Meta.Redactions)
	for i, line := range y.Meta.Redactions {
		kind, n := surrogate.ReadNote(line)
		if fresh, ok := to[Surrogate{kind, n}]; ok {
			y.Meta.Redactions[i] = strings.TrimSuffix(line, surrogate.Note(kind, n)) +
				surrogate.Note(kind, fresh)
		}
	}
	return &y
}

// edits returns the edits of a leaf.
func (t *Tape) edits(l *leaf.Leaf, kind profile.Sensitivity, to map[Surrogate]int) []leaf.Edit {
	var edits []leaf.Edit
	for _, m := range t.marks(l.Value, kind) {
		if n, ok := to[m.Surrogate]; ok {
			edits = append(edits, leaf.Edit{Leaf: l, From: m.from, To: m.to, Value: m.with(n)})
		}
	}
	return edits
}

// text returns a text with other numbers.
func (t *Tape) text(s string, to map[Surrogate]int) string {
	var b strings.Builder
	last := 0
	for _, m := range t.marks(s, profile.NotSecret) {
		if n, ok := to[m.Surrogate]; ok {
			b.WriteString(s[last:m.from] + m.with(n))
			last = m.to
		}
	}
	return b.String() + s[last:]
}

// applyKeys returns a message in whose keys surrogates have other numbers.
func (t *Tape) applyKeys(in leaf.Message, to map[Surrogate]int) leaf.Message {
	in.Keys = true
	m := leaf.Read(in)
	var edits []leaf.Edit
	for i := range m.Leaves {
		if l := &m.Leaves[i]; l.Named {
			edits = append(edits, t.edits(l, profile.NotSecret, to)...)
		}
	}
	return m.Splice(edits)
}

// keys returns the keys of a message that may hold a surrogate.
func keys(in leaf.Message) []leaf.Leaf {
	in.Keys = true
	return slices.DeleteFunc(leaf.Read(in).Leaves, func(l leaf.Leaf) bool { return !l.Named })
}

// halves are the names of the messages of an exchange, as Redactor.Values has them.
var halves = [...]string{"request", "response", "trailer"}

// messages returns the messages of an exchange, which are those of halves.
func messages(x *leaf.Exchange) [3]leaf.Message {
	return [3]leaf.Message{x.Asked(), x.Answered(), {Header: x.Meta.Trailers}}
}

// texts returns what is neither in a message nor noted by us.
func texts(x *leaf.Exchange) []*string {
	return []*string{&x.Response.Status, &x.Meta.Failure, &x.Meta.Withheld}
}

// put puts a message in its place.
func put(y *leaf.Exchange, half string, m leaf.Message) {
	switch half {
	case "request":
		grown := len(m.Body) - len(y.Request.Body)
		y.URL, y.Request.Headers, y.Request.Body = m.Target, resized(m.Header, grown), m.Body
	case "response":
		grown := len(m.Body) - len(y.Response.Body)
		y.Response.Headers, y.Response.Body = resized(m.Header, grown), m.Body
	default:
		y.Meta.Trailers = m.Header
	}
}

// resized returns a header whose Content-Length is that of a body that has grown.
func resized(h http.Header, grown int) http.Header {
	length, err := strconv.Atoi(h.Get("Content-Length"))
	if err != nil || grown == 0 {
		return h
	}
	h = h.Clone()
	h.Set("Content-Length", fmt.Sprint(length+grown))
	return h
}
