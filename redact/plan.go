package redact

import (
	"iter"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/surrogate"
)

// plan is what is to become of a leaf. Lists have plans by the hundred thousand, of which nearly
// all are to keep the leaf as it is, so a plan is kept small.
type plan struct {
	leaf.Unprinted
	leaf       *leaf.Leaf
	made       *change // nil while nothing is to become of the leaf
	searchedAt int32   // at which count it was searched
	done       bool    // nothing of the value is left to be searched
	found      bool    // the search found something
	as         style
}

// change is what is to become of a leaf of which something does, or which has passages.
type change struct {
	leaf.Unprinted
	text string  // the value with its field's secret taken out
	note string  // of this secret; empty if the field has none
	more *detail // nil for nearly all secrets of fields
}

// detail is the rest of a change.
type detail struct {
	leaf.Unprinted
	outside string   // what is searched: the text without what has plans of its own
	notes   []string // of the secrets of a field that has several
	spans   []span   // what the search found in the text
}

// change returns the change of a leaf, to be changed itself.
func (p *plan) change() *change {
	if p.made == nil {
		p.made = &change{text: p.leaf.Value}
	}
	return p.made
}

// detail returns the detail of a change, to be changed itself.
func (p *plan) detail() *detail {
	c := p.change()
	if c.more == nil {
		c.more = &detail{outside: c.text}
	}
	return c.more
}

// text returns the value of a leaf without the secret of its field.
func (p *plan) text() string {
	if p.made == nil {
		return p.leaf.Value
	}
	return p.made.text
}

// outside returns what is searched of a leaf.
func (p *plan) outside() string {
	if p.made == nil || p.made.more == nil {
		return p.text()
	}
	return p.made.more.outside
}

// spans returns what the search found, as far as it was kept.
func (p *plan) spans() []span {
	if p.made == nil || p.made.more == nil {
		return nil
	}
	return p.made.more.spans
}

// notes returns the notes of all that is taken out of a leaf.
func (p *plan) notes() iter.Seq[string] {
	return func(yield func(string) bool) {
		if p.made == nil || p.made.note != "" && !yield(p.made.note) || p.made.more == nil {
			return
		}
		for _, note := range p.made.more.notes {
			if !yield(note) {
				return
			}
		}
		for _, sp := range p.made.more.spans {
			if !yield(sp.Note) {
				return
			}
		}
	}
}

// plan applies what is known of the leaf's field.
func (c *cleaning) plan(m *message, l *leaf.Leaf) plan {
	p := plan{leaf: l, as: styleOf(l)}
	if ofNoField(l) {
		p.as = asProse
		return p
	}
	f := c.reading(m, l)
	switch {
	case f.parts != nil:
		text, notes := c.replaceParts(l.Value, f.parts)
		for range notes {
			c.fire(f.Rule)
		}
		if text != l.Value || notes != nil {
			p.change().text = text
			p.detail().notes = notes
		}
		return p
	case f.Secret == profile.NotSecret:
		if l.Kind == leaf.String && l.Place != leaf.Path && mayRepeat(&f, l) {
			p.as = asProse
		}
		return p
	}
	got := c.replace(f.Secret, fieldValue{text: l.Value, number: l.Kind == leaf.Number})
	p.done = got.Note != "" || surrogate.IsMarker(got.Text)
	if got.Text != l.Value {
		p.change().text = got.Text
	}
	if got.Note != "" {
		p.change().note = got.Note
		c.fire(f.Rule)
		if f.Secret == profile.PAN {
			c.fire(c.prefixRule(scan.ReadNumber(l.Value).Digits))
		}
	}
	return p
}

// ofNoField reports whether a leaf is the text of a whole body.
func ofNoField(l *leaf.Leaf) bool { return l.Place == leaf.Text && l.Holder() == nil }

// unmasked reports whether a field for masks holds a whole number.
func unmasked(form profile.Form, value string) bool {
	if form != profile.Mask && form != profile.Last {
		return false
	}
	n := scan.ReadNumber(value)
	return !n.Harmless && len(n.Digits) > scan.MinDigits
}

// searchPlan searches the text of a plan for what no field tells of. What it finds in a short text is
// for what it teaches: the text is searched again when it is written.
func (c *cleaning) searchPlan(p *plan) {
	found := c.finds(p)
	p.found, p.searchedAt = len(found.spans) > 0, int32(found.learned)
	if p.found && len(found.text) > keptFinds || len(p.spans()) > 0 {
		p.keep(found)
	}
}

// finds is what a search found in a text.
type finds struct {
	leaf.Unprinted
	text    string
	spans   []span
	learned int // how much was learned before the search
}

// finds searches the text of a plan.
func (c *cleaning) finds(p *plan) finds {
	f := finds{text: p.text(), learned: c.learnedCount()}
	if p.as == asNumber {
		if f.text == p.leaf.Value {
			f.text = plainNumber(f.text)
			f.spans = c.spans(f.text, asNumber)
		}
		return f
	}
	outside := p.outside()
	f.spans = c.spans(outside, p.as)
	if p.leaf.Place == leaf.Text && len(f.spans) == 0 && outside == f.text {
		c.searched, c.searchedAt = f.text, f.learned
	}
	if p.as == asProse && len(f.spans) == 0 {
		f.spans = c.echoesBehind(p.leaf.Name, f.text)
	}
	return f
}

// keep keeps what a search found, in the place of what an earlier search did.
func (p *plan) keep(found finds) {
	if len(found.spans) == 0 && len(p.spans()) == 0 {
		return
	}
	p.detail().spans = found.spans
	p.made.text = found.text
}

// appendEdits appends the edits that carry the plan out.
func (p *plan) appendEdits(edits []leaf.Edit) []leaf.Edit {
	text, spans := p.text(), p.spans()
	whole := p.leaf.Kind == leaf.Number || len(spans) > manySpans && p.outside() == text
	if text != p.leaf.Value || whole && len(spans) > 0 {
		return append(edits, leaf.Whole(p.leaf, splice(text, spans)))
	}
	for _, sp := range spans {
		edits = append(edits, leaf.Edit{Leaf: p.leaf, From: sp.from, To: sp.to, Value: sp.Text})
	}
	return edits
}
