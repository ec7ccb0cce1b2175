package redact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// message is one half of an exchange on its way through cleaning.
type message struct {
	name string // "request", as reports call it
	call profile.Call
	dir  profile.Direction

	*leaf.Message
	plans []plan
}

// plan is what is to become of a leaf.
type plan struct {
	leaf  *leaf.Leaf
	text  string // the value with its field's secret taken out
	notes []string
	done  bool // nothing of the value is left to be searched

	spans   []span // what the search found in text
	lessons int    // at which count it was searched
}

// read takes a message apart and learns all that its fields and shapes teach.
func (c *cleaning) read(m message, raw leaf.Message) *message {
	m.Message = leaf.Read(raw)
	m.plans = make([]plan, 0, len(m.Leaves))
	for i := range m.Leaves {
		l := &m.Leaves[i]
		switch l.Kind {
		case leaf.Bool, leaf.Null, leaf.Empty:
			continue
		}
		p := c.plan(&m, l)
		if !p.done {
			c.look(&p)
		}
		m.plans = append(m.plans, p)
	}
	return &m
}

// plan applies what is known of the leaf's field.
func (c *cleaning) plan(m *message, l *leaf.Leaf) plan {
	p := plan{leaf: l, text: l.Value}
	f := c.field(m, l)
	if l.Place == leaf.Header {
		if clean := structured(l.Key); clean != nil {
			p.text, p.notes = clean(c, l.Value)
			return p
		}
	}
	if !c.secret(f) {
		if !unmasked(f, l.Value) {
			return p
		}
		f.Secret = profile.PAN
	}
	if f.Secret == profile.Token && keyword(l.Key) == profile.Token && scheme(l.Value) != "" {
		p.text, p.notes = credential(c, l.Value)
		return p
	}
	got := c.replace(f.Secret, fieldValue{l.Value, l.Kind == leaf.Number})
	p.text, p.done = got.text, got.note != "" || ownMark(got.text)
	if got.note != "" {
		p.notes = []string{got.note}
	}
	return p
}

// unmasked reports whether a field for masks holds a whole number.
func unmasked(f profile.Field, value string) bool {
	if f.Form != profile.Mask && f.Form != profile.Last {
		return false
	}
	n := readNumber(value)
	return !n.keep && len(n.digits) > minKnown
}

// look searches the text of a plan for what no field tells of.
func (c *cleaning) look(p *plan) {
	p.lessons = c.tape.learned()
	if p.leaf.Kind != leaf.Number {
		p.spans = c.spans(p.text, true)
		return
	}
	if p.text == p.leaf.Value {
		whole := plainNumber(p.text)
		if p.spans = c.spans(whole, false); len(p.spans) > 0 {
			p.text = whole
		}
	}
}

// write returns the message without what was found. A leaf that was searched before the
// last lesson is searched again.
func (c *cleaning) write(m *message) leaf.Message {
	var edits []leaf.Edit
	learned := c.tape.learned()
	for i := range m.plans {
		p := &m.plans[i]
		if !p.done && p.lessons != learned {
			c.look(p)
		}
		for _, sp := range p.spans {
			p.notes = append(p.notes, sp.note)
		}
		for _, n := range p.notes {
			c.notes = append(c.notes, c.place(m, p.leaf)+": "+n)
		}
		edits = append(edits, p.edits()...)
	}
	return m.Splice(edits)
}

// manySpans is from how many finds on a leaf is written anew: each edit of a part decodes
// the leaf again.
const manySpans = 100

// edits returns the edits that carry the plan out.
func (p *plan) edits() []leaf.Edit {
	whole := p.leaf.Kind == leaf.Number || len(p.spans) > manySpans
	if p.text != p.leaf.Value || whole && len(p.spans) > 0 {
		return []leaf.Edit{leaf.Whole(p.leaf, splice(p.text, p.spans))}
	}
	edits := make([]leaf.Edit, 0, len(p.spans))
	for _, sp := range p.spans {
		edits = append(edits, leaf.Edit{Leaf: p.leaf, From: sp.from, To: sp.to, Value: sp.text})
	}
	return edits
}

// place names a leaf: "request form $PAN". Keys are data too, so they are cleaned.
func (c *cleaning) place(m *message, l *leaf.Leaf) string {
	name := m.name + " " + l.Place.String()
	if l.Path == "" {
		return name
	}
	path := c.text(printable(l.Path))
	if c.hits(path, true) {
		path = gateMark
	}
	return name + " " + path
}

// field returns what is known of a leaf: by the profile, by its key, and by the keys above
// it, because a secret may be wrapped in an object.
func (c *cleaning) field(m *message, l *leaf.Leaf) profile.Field {
	switch l.Place {
	case leaf.Header:
		f, known := c.Profiles.HeaderField(m.call, m.dir, l.Key)
		if !known {
			f.Secret = keyword(l.Key)
		}
		return f
	case leaf.Path:
		return c.segment(m, l)
	case leaf.Text:
		return profile.Field{}
	}
	if l.Name != "" {
		// A name is a value too, and may be gone when a file is cleaned again; the keys
		// above it are not.
		if kind := c.above(m, l.Shape); kind != profile.NotSecret {
			return profile.Field{Secret: kind}
		}
	}
	at := profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape}
	f, known := c.Profiles.Field(m.call, m.dir, at)
	if f.Secret != profile.NotSecret {
		return f
	}
	if kind := keyword(l.Name); kind != profile.NotSecret {
		f.Secret = kind
		return f
	}
	if known {
		return f
	}
	if f.Secret = keyword(l.Key); f.Secret == profile.NotSecret {
		f.Secret = c.above(m, l.Shape)
	}
	return f
}

// segment returns what is known of a path segment.
func (c *cleaning) segment(m *message, l *leaf.Leaf) profile.Field {
	if m.call.Operation == nil {
		return profile.Field{}
	}
	i, err := strconv.Atoi(l.Key)
	if err != nil {
		return profile.Field{}
	}
	name := m.call.Operation.Segment(i)
	if name == "" {
		return profile.Field{}
	}
	f, _ := c.Profiles.Field(m.call, m.dir, profile.At{Key: name, Shape: name})
	return f
}

// above returns the kind of secret that an object or a text around a leaf is, NotSecret if
// none. Personal data is not inherited: names of objects are too general for that.
func (c *cleaning) above(m *message, shape string) profile.Sensitivity {
	if !strings.ContainsAny(shape, ".>") {
		return profile.NotSecret
	}
	parts := components(shape)
	for n := len(parts) - 1; n > 0; n-- {
		key := parts[n-1]
		if key.name == "" {
			continue
		}
		at := profile.At{Key: key.name, Shape: shape[:key.end]}
		f, known := c.Profiles.Field(m.call, m.dir, at)
		if !known {
			f.Secret = keyword(key.name)
		}
		if _, personal := fakerOf(f.Secret); f.Secret != profile.NotSecret && !personal {
			return f.Secret
		}
	}
	return profile.NotSecret
}

// component is one key of a leaf's shape and where it ends.
type component struct {
	name string
	end  int
}

// components cuts a shape into its keys. Dots inside keys are escaped in it.
func components(shape string) []component {
	var parts []component
	from := 0
	for i := 0; i <= len(shape); i++ {
		end := i == len(shape) || shape[i] == '>' ||
			shape[i] == '.' && (i == 0 || shape[i-1] != '\\')
		if end {
			name := strings.ReplaceAll(shape[from:i], `\.`, ".")
			parts = append(parts, component{name, i})
			from = i + 1
		}
	}
	return slices.Clip(parts)
}
