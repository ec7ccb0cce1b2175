package filter

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/proxy/inspect/view"
)

// Filter says of rows whether somebody wants to see them. Parse makes one; the zero Filter wants
// all. It never changes, and is safe for concurrent use.
type Filter struct {
	root node // nil: every row
}

// node is a part of a filter.
type node interface {
	match(r *view.Row, body func() string) bool
	// write appends the part as a person would write it.
	write(b *strings.Builder)
	// says returns the part in words.
	says() string
	// asks reports what the part needs to know.
	asks() need
}

// need is what it takes to say of a row whether a filter wants it, beside the row.
type need struct {
	body bool // what the exchange says
	time bool // what time it is
	read bool // what is known only where the exchange was looked at
}

func (n need) and(m need) need { return need{n.body || m.body, n.time || m.time, n.read || m.read} }

// Match reports whether somebody wants to see a row. body returns the request and the answer as
// texts; it is called only where the filter looks for something in them, and may be nil for a row
// whose exchange is not there.
func (f *Filter) Match(r *view.Row, body func() string) bool {
	return f.root == nil || f.root.match(r, body)
}

// String returns the filter in the form that Parse reads as the same filter. A card number in it is
// a mask.
func (f *Filter) String() string {
	if f.root == nil {
		return ""
	}
	var b strings.Builder
	f.root.write(&b)
	return b.String()
}

// Reads tells in words which rows the filter shows.
func (f *Filter) Reads() string {
	if f.root == nil {
		return "everything"
	}
	return f.root.says()
}

// Empty reports whether the filter wants every row.
func (f *Filter) Empty() bool { return f.root == nil }

// Body reports whether the filter looks into requests and answers.
func (f *Filter) Body() bool { return f.need().body }

// Moves reports whether what the filter wants changes by itself as time passes: "since:5m".
func (f *Filter) Moves() bool { return f.need().time }

// Reading reports whether the filter asks for what is known only of a row whose exchange was looked
// at: an order, an outcome, an amount.
func (f *Filter) Reading() bool { return f.need().read }

func (f *Filter) need() need {
	if f.root == nil {
		return need{}
	}
	return f.root.asks()
}

// all holds where all of its parts do, of which there are two or more.
type all []node

func (a all) match(r *view.Row, body func() string) bool {
	for _, n := range a {
		if !n.match(r, body) {
			return false
		}
	}
	return true
}

func (a all) write(b *strings.Builder) {
	for i, n := range a {
		if i > 0 {
			b.WriteByte(' ')
		}
		n.write(b)
	}
}

func (a all) says() string { return joined(a, ", ") }
func (a all) asks() need   { return asked(a) }

// some holds where one of its parts does, of which there are two or more.
type some []node

func (s some) match(r *view.Row, body func() string) bool {
	return slices.ContainsFunc(s, func(n node) bool { return n.match(r, body) })
}

func (s some) write(b *strings.Builder) {
	b.WriteString("( ")
	for i, n := range s {
		if i > 0 {
			b.WriteString(" or ")
		}
		n.write(b)
	}
	b.WriteString(" )")
}

func (s some) says() string { return "either " + joined(s, ", or ") }
func (s some) asks() need   { return asked(s) }

// not holds where its part does not.
type not struct{ of node }

func (n not) match(r *view.Row, body func() string) bool { return !n.of.match(r, body) }

func (n not) write(b *strings.Builder) {
	b.WriteByte('-')
	if _, several := n.of.(all); several {
		b.WriteString("( ")
		defer b.WriteString(" )")
	}
	n.of.write(b)
}

func (n not) says() string {
	switch n.of.(type) {
	case all, some:
		return "not (" + n.of.says() + ")"
	}
	return "not " + n.of.says()
}

func (n not) asks() need { return n.of.asks() }

// joined says several parts.
func joined(nodes []node, between string) string {
	said := make([]string, len(nodes))
	for i, n := range nodes {
		said[i] = n.says()
		switch n.(type) {
		case all, some:
			said[i] = "(" + said[i] + ")"
		}
	}
	return strings.Join(said, between)
}

// asked returns what several parts need to know.
func asked(nodes []node) need {
	var all need
	for _, n := range nodes {
		all = all.and(n.asks())
	}
	return all
}

// term is a key with a value, or words alone.
type term struct {
	key   *Key // nil: words alone
	value string
	test  test
}

// test is a value that a key has understood.
type test struct {
	match func(r *view.Row, body func() string) bool
	says  string
}

func (t *term) match(r *view.Row, body func() string) bool { return t.test.match(r, body) }
func (t *term) says() string                               { return t.test.says }

func (t *term) write(b *strings.Builder) {
	if t.key != nil {
		b.WriteString(t.key.Name)
		b.WriteByte(':')
	}
	b.WriteString(quoted(t.value, t.key == nil))
}

func (t *term) asks() need {
	if t.key == nil {
		return need{read: true}
	}
	return t.key.need
}
