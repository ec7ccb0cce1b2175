package pretty

import (
	"fmt"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
)

// MaxBody is how much of a body is laid out, in bytes.
const MaxBody = 1 << 18

// maxLeaves bounds the values that are looked at.
const maxLeaves = 1 << 12

// Request lays out the body of the request of an exchange that was cleaned.
func Request(set *profile.Set, x *leaf.Exchange) string {
	m := x.Asked()
	m.Target, m.Skip = "", 0
	return newLayout(set, outcome.CallOf(set, x), profile.Request).body(m, 0)
}

// Response lays out the body of its answer.
func Response(set *profile.Set, x *leaf.Exchange) string {
	return newLayout(set, outcome.CallOf(set, x), profile.Response).body(x.Answered(), 0)
}

// Target lays out the target or the URL of its request: the path, and then each parameter of the query
// in a line.
func Target(set *profile.Set, x *leaf.Exchange) string {
	path, query, found := strings.Cut(x.URL, "?")
	if !found || len(x.URL) > MaxBody {
		return leaf.Clip(x.URL, MaxBody)
	}
	m := leaf.Message{Target: "?" + query, Most: maxLeaves}
	l := newLayout(set, outcome.CallOf(set, x), profile.Request)
	return path + "\n" + indented(l.parameters(leaf.Read(m), leaf.Query, 0), "  ? ")
}

// layout lays out the bodies of one call.
type layout struct {
	set  *profile.Set
	call profile.Call
	dir  profile.Direction
}

func newLayout(set *profile.Set, call profile.Call, dir profile.Direction) *layout {
	return &layout{set, call, dir}
}

// body lays out a body, or a document in one.
func (l *layout) body(m leaf.Message, depth int) string {
	cut := len(m.Body) - MaxBody
	if cut > 0 {
		m.Body = strings.ToValidUTF8(m.Body[:MaxBody], "")
	}
	m.Headless, m.Most = true, maxLeaves
	read := leaf.Read(m)
	text := m.Body
	switch place := placeOf(read, m.Body); place {
	case leaf.JSON:
		text = indentJSON(m.Body, l.notes(read, depth))
	case leaf.Markup:
		text = indentMarkup(m.Body)
	case leaf.Form:
		text = l.parameters(read, leaf.Form, depth)
	}
	if cut > 0 {
		text += fmt.Sprintf("\n... (%d more bytes)", cut)
	}
	return text
}

// placeOf returns what a body is.
func placeOf(m *leaf.Message, body string) leaf.Place {
	for i := range m.Leaves {
		v := &m.Leaves[i]
		if v.Place == leaf.Part {
			return leaf.Text // the lines of a multipart body can be read
		}
		if v.Place == leaf.Form && v.Holder() == nil && v.Encode("&") != "%26" {
			return leaf.Text // lines of events, or a part
		}
	}
	begin := strings.TrimLeft(strings.TrimPrefix(body, "\ufeff"), " \t\r\n")
	switch {
	case begin == "":
		return leaf.Text
	case begin[0] == '{' || begin[0] == '[':
		return leaf.JSON // also a beginning of it
	case begin[0] == '<':
		return leaf.Markup
	case len(m.Leaves) > 0:
		return outermost(&m.Leaves[0]).Place
	}
	return leaf.Text
}

// outermost returns the value of the message itself that a leaf lies in.
func outermost(v *leaf.Leaf) *leaf.Leaf {
	for v.Holder() != nil {
		v = &v.Holder().Leaf
	}
	return v
}

// note is what stands behind a value, and below it.
type note struct {
	behind string
	below  string // a document in the value, laid out
}

// notes returns the notes of a message by the offset at which a value begins.
func (l *layout) notes(m *leaf.Message, depth int) map[int]note {
	notes := map[int]note{}
	beside := newBeside(m)
	for i := range m.Leaves {
		v := &m.Leaves[i]
		value := outermost(v)
		at, _ := m.Span(value, 0, len(value.Value))
		n, known := notes[at]
		switch {
		case known && n.below != "":
			continue
		case value != v:
			n = note{below: l.opened(v, depth)}
		default:
			n.behind = l.human(v, beside)
		}
		if n != (note{}) {
			notes[at] = n
		}
	}
	return notes
}

// opened lays out the outermost document that a leaf lies in.
func (l *layout) opened(v *leaf.Leaf, depth int) string {
	h := v.Holder()
	for h.Leaf.Holder() != nil {
		h = h.Leaf.Holder()
	}
	if depth == leaf.MaxNesting {
		return ""
	}
	return l.body(leaf.Message{Body: h.Text()}, depth+1)
}

// human says what a value means; empty where it says it itself.
func (l *layout) human(v *leaf.Leaf, b *beside) string {
	f, _ := l.set.Meaning(l.call, l.dir, profile.At{Key: v.Key, Name: v.Name, Shape: v.Shape})
	return outcome.Human(l.call, f, v.Key, v.Value, func(key string) (string, bool) {
		return b.find(v, key)
	})
}

// parameters writes the parameters of a query or a form, one a line.
func (l *layout) parameters(m *leaf.Message, place leaf.Place, depth int) string {
	notes := l.notes(m, depth)
	var b strings.Builder
	last := -1
	for i := range m.Leaves {
		v := outermost(&m.Leaves[i])
		at, _ := m.Span(v, 0, len(v.Value))
		if v.Place != place || at <= last {
			continue // it lies in one that is shown
		}
		last = at
		n := notes[at]
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(oneLine(v.Key) + "=" + n.shown(oneLine(v.Value)))
		n.write(&b, "", 0)
	}
	return b.String()
}

// maxOpened is how much of a value is shown whose document stands below it, in bytes.
const maxOpened = 40

// shown returns the value that a note is of, cut if all of it stands below.
func (n note) shown(value string) string {
	if n.below == "" || len(value) <= maxOpened {
		return value
	}
	return strings.ToValidUTF8(value[:maxOpened], "") + "..."
}

// write writes the note behind a value and what follows the value in its line.
func (n note) write(b *strings.Builder, follows string, depth int) {
	b.WriteString(follows)
	if n.behind != "" {
		b.WriteString("  # " + n.behind)
	}
	if n.below != "" {
		b.WriteByte('\n')
		b.WriteString(indented(n.below, indent(depth+1)+"| "))
	}
}

// indented puts something before each line.
func indented(text, before string) string {
	return before + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+before)
}

// maxIndent bounds the levels that are shown by white space.
const maxIndent = 40

func indent(depth int) string { return strings.Repeat("  ", max(0, min(depth, maxIndent))) }

// oneLine writes ends of lines as JSON does.
func oneLine(s string) string { return lineEnds.Replace(s) }

var lineEnds = strings.NewReplacer("\n", `\n`, "\r", `\r`)
