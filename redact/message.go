package redact

import (
	"iter"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/words"
	"github.com/paytape/paytape/redact/surrogate"
)

// message is one half of an exchange on its way through cleaning.
type message struct {
	leaf.Unprinted
	name string // "request", as reports call it
	call profile.Call
	dir  profile.Direction

	*leaf.Message
	plans []plan

	parent    string                    // shape of the object that was asked about last
	inherited profile.Field             // what it is
	card      bool                      // it is a card, of which the number is secret
	evidence  map[object]words.Evidence // of cards; nil until it is asked for
	holder    *leaf.Holder              // the text around leaves that was asked about last
	whole     *leaf.Holder              // the text that goes whole with it; nil if none does
}

// plan is what is to become of a leaf. Lists have plans by the hundred thousand, of which nearly
// all are to keep the leaf as it is, so a plan is kept small.
type plan struct {
	leaf.Unprinted
	leaf       *leaf.Leaf
	made       *change // nil while nothing is to become of the leaf
	searchedAt int32   // at which count it was searched
	done       bool    // nothing of the value is left to be searched
	as         style
}

// change is what is to become of a leaf of which something does, or which has passages.
type change struct {
	leaf.Unprinted
	text    string // the value with its field's secret taken out
	outside string // what is searched: the text without what has plans of its own
	notes   []string
	spans   []span // what the search found in text
}

// change returns the change of a leaf, to be changed itself.
func (p *plan) change() *change {
	if p.made == nil {
		p.made = &change{text: p.leaf.Value, outside: p.leaf.Value}
	}
	return p.made
}

// changed returns the change of a leaf, to be read.
func (p *plan) changed() change {
	if p.made == nil {
		return change{text: p.leaf.Value, outside: p.leaf.Value}
	}
	return *p.made
}

// messages takes an exchange apart, of which the bodies are decoded: into the request, the response
// and the trailers. values are how many values the bodies have, 0 where nobody has counted them.
func (c *cleaning) messages(x *leaf.Exchange, values [2]int) [3]*message {
	target := x.Target()
	call := c.Profiles.Find(x.Method, pathOf(target))
	request := leaf.ReadInto(roomFor(values[0]), leaf.Message{
		Target: x.URL, Skip: len(x.URL) - len(target), Header: x.Request.Headers,
		Body: x.Request.Body,
	})
	response := leaf.ReadInto(roomFor(values[1]),
		leaf.Message{Header: x.Response.Headers, Body: x.Response.Body})
	trailer := &leaf.Message{}
	if len(x.Meta.Trailers) > 0 {
		trailer = leaf.Read(leaf.Message{Header: x.Meta.Trailers})
	}
	return [3]*message{
		{name: "request", call: call, dir: profile.Request, Message: request},
		{name: "response", call: call, dir: profile.Response, Message: response},
		{name: "trailer", call: call, dir: profile.Response, Message: trailer},
	}
}

// roomFor makes room for a message whose body has so many values, where that is worth it: leaves
// that have no room are copied, and lie twice in memory meanwhile.
func roomFor(values int) []leaf.Leaf {
	const few = 256  // for which leaf.Read makes room
	const spare = 64 // for what is not in the body
	if values <= few {
		return nil
	}
	return make([]leaf.Leaf, 0, values+spare)
}

// learnFields plans what is to become of a message, and learns all that its fields teach.
func (c *cleaning) learnFields(m *message) {
	m.plans = make([]plan, 0, len(m.Leaves))
	parts := m.Passages()
	for l := range c.leaves(m) {
		p := c.plan(m, l)
		if p.changed().text == l.Value {
			if len(parts[l]) > 0 {
				p.change().outside = parts.Outside(l)
			}
		}
		m.plans = append(m.plans, p)
	}
}

// leaves yields the values of a message, and a text around values in their place where that is
// secret as a whole.
func (c *cleaning) leaves(m *message) iter.Seq[*leaf.Leaf] {
	return func(yield func(*leaf.Leaf) bool) {
		var last *leaf.Holder // the text that was yielded last
		for i := range m.Leaves {
			l := &m.Leaves[i]
			c.opened = c.opened || l.Packed() != nil
			h := c.secretHolder(m, l)
			switch {
			case h != nil && h == last:
				continue
			case h != nil:
				l = &h.Leaf
			case l.Kind > leaf.Number:
				continue
			}
			if last = h; !yield(l) {
				return
			}
		}
	}
}

// searchLeaves looks through what the fields left, and learns all that shapes and keywords teach.
func (c *cleaning) searchLeaves(m *message) {
	if m.isMarkup() {
		c.spans(m.Body, asProse) // for what it teaches
	}
	for i := range m.plans {
		if p := &m.plans[i]; !p.done {
			c.searchPlan(p)
		}
	}
	c.joinPieces(m)
}

// styleOf returns how the text of a leaf is read.
func styleOf(l *leaf.Leaf) style {
	if l.Kind == leaf.Number {
		return asNumber
	}
	return asText
}

// reading is what the field of a leaf says of its value.
type reading struct {
	profile.Field
	known bool // by a profile
	// parts are the secrets in the value, where the value holds more than a secret. Nil: the whole
	// value is a secret, if the field is secret.
	parts []part
}

// reading reads a leaf by its field. The field is secret only if the value can be.
func (c *cleaning) reading(m *message, l *leaf.Leaf) (f reading) {
	f.Field, f.known = c.field(m, l)
	if l.Closed && f.Secret == profile.NotSecret {
		f.Secret, f.Rule = profile.Blob, rulePacked // nobody has seen what it packs
	}
	if ofHeader(l) && !l.Inner() {
		if parts := structured(l.Key); parts != nil {
			if f.Rule == "" {
				f.Rule = ruleHeader + strings.ToLower(l.Key)
			}
			f.Secret, f.parts = profile.Token, parts(l.Value)
			return f
		}
	}
	switch secret := c.secret(f.Secret) && !words.IsSetting(l.Key, l.Value); {
	case !secret && unmasked(f.Form, l.Value):
		f.Secret = profile.PAN
	case !secret:
		f.Secret = profile.NotSecret
	case f.Secret != profile.Token || words.Scheme(l.Value) == "":
	case words.KindOf(l.Key) == profile.Token:
		f.parts = authorization(l.Value)
	}
	return f
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
			p.made = &change{text: text, outside: text, notes: notes}
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
		p.made = &change{text: got.Text, outside: got.Text}
	}
	if got.Note != "" {
		p.change().notes = []string{got.Note}
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

// searchPlan searches the text of a plan for what no field tells of.
func (c *cleaning) searchPlan(p *plan) {
	learned, now := c.learnedCount(), p.changed()
	p.searchedAt = int32(learned)
	if p.as != asNumber {
		found := c.spans(now.outside, p.as)
		if p.leaf.Place == leaf.Text && len(found) == 0 && now.outside == now.text {
			c.searched, c.searchedAt = now.text, learned
		}
		if p.as == asProse && len(found) == 0 {
			found = c.echoesBehind(p.leaf.Name, now.text)
		}
		p.find(found)
		return
	}
	if now.text == p.leaf.Value {
		whole := plainNumber(now.text)
		if p.find(c.spans(whole, asNumber)) {
			p.made.text = whole
		}
	}
}

// find notes what a search found, in the place of what an earlier search did, and reports whether
// that is anything.
func (p *plan) find(spans []span) bool {
	if p.made != nil || len(spans) > 0 {
		p.change().spans = spans
	}
	return len(spans) > 0
}

// learnedCount counts what the tape and this exchange have learned.
func (c *cleaning) learnedCount() int { return c.tape.learnedCount() + len(c.shortSecrets) }

// write returns the message without what was found. A leaf that was searched before the
// last value was learned is searched again.
func (c *cleaning) write(m *message) leaf.Message {
	var edits []leaf.Edit
	learned := c.learnedCount()
	for i := range m.plans {
		p := &m.plans[i]
		if !p.done && p.searchedAt != int32(learned) {
			c.searchPlan(p)
		}
		if p.made == nil {
			continue
		}
		for _, sp := range p.made.spans {
			p.made.notes = append(p.made.notes, sp.Note)
			c.fire(sp.rule)
		}
		for _, n := range p.made.notes {
			c.notes = append(c.notes, c.place(m, p.leaf)+": "+n)
		}
		edits = append(edits, p.edits()...)
	}
	out := m.Splice(edits)
	if m.isMarkup() {
		out.Body = c.cleanMarkup(m, out.Body)
	}
	return out
}

// manySpans is from how many finds on a leaf is written anew: each edit of a part decodes
// the leaf again.
const manySpans = 100

// edits returns the edits that carry the plan out.
func (p *plan) edits() []leaf.Edit {
	made := p.changed()
	whole := p.leaf.Kind == leaf.Number || len(made.spans) > manySpans && made.outside == made.text
	if made.text != p.leaf.Value || whole && len(made.spans) > 0 {
		return []leaf.Edit{leaf.Whole(p.leaf, splice(made.text, made.spans))}
	}
	edits := make([]leaf.Edit, 0, len(made.spans))
	for _, sp := range made.spans {
		edits = append(edits, leaf.Edit{Leaf: p.leaf, From: sp.from, To: sp.to, Value: sp.Text})
	}
	return edits
}

// place names a leaf: "request form $PAN". Keys are data too, so they are cleaned.
func (c *cleaning) place(m *message, l *leaf.Leaf) string {
	name := m.name + " " + l.Place.String()
	if l.Path == "" {
		return name
	}
	path := c.text(scan.Printable(l.Path))
	if c.holdsSecret(path, asText) {
		path = surrogate.Withheld
	}
	return name + " " + path
}

// field returns what is known of a leaf: by the profile, by its key, and by the keys above
// it, because a secret may be wrapped in an object. It also returns whether a profile knows
// the leaf.
func (c *cleaning) field(m *message, l *leaf.Leaf) (profile.Field, bool) {
	switch {
	case l.Place == leaf.Path:
		return c.segment(m, l)
	case l.Name != "" && !ofHeader(l):
		return c.listed(m, l)
	}
	known := c.knowledgeOf(m, l)
	f := known.field
	switch {
	case setNamed(&f, known.hint.Name(l.Value)):
	case known.above.Secret != profile.NotSecret:
		f.Secret, f.Rule = known.above.Secret, known.above.Rule
	case f.Secret == profile.NotSecret:
		setNamed(&f, c.besideCard(m, l, &known.hint))
	}
	return f, known.known
}

// listed is field for a leaf with a name beside it.
func (c *cleaning) listed(m *message, l *leaf.Leaf) (profile.Field, bool) {
	// A name is a value too, and may be gone when a file is cleaned again; the keys above it
	// are not.
	if f := c.inheritedField(m, l.Shape); f.Secret != profile.NotSecret {
		return f, false
	}
	at := profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape}
	f, known := c.Profiles.Field(m.call, m.dir, at)
	if noCode(f.Secret, l) {
		f.Secret, f.Rule = profile.NotSecret, ""
	}
	if !alwaysSecret(f.Secret) && !setNamed(&f, nameBesideValue(l)) && c.keysApply(m, f, known) {
		setNamed(&f, words.NameFor(l.Key, l.Value))
	}
	return f, known
}

// nameBesideValue returns what the name beside a leaf says.
func nameBesideValue(l *leaf.Leaf) words.Name {
	n := words.NameFor(l.Name, l.Value)
	if noCode(n.Kind, l) {
		return words.Name{}
	}
	return n
}

// noCode reports whether a leaf is no CVC or PIN in spite of the name beside it: "blocked" beside
// "PIN". A key of its own says more than a name.
func noCode(kind profile.Sensitivity, l *leaf.Leaf) bool {
	const shortestBlock = 16 // of an encrypted PIN, in characters
	return (kind == profile.CVC || kind == profile.PIN) && scan.Digits(l.Value) == "" &&
		len(l.Value) < shortestBlock && words.KindOf(l.Key) == profile.NotSecret
}

// keysApply reports whether keys are asked about a field: where no profile knows the field, and
// where a profile of the user's does: such a profile makes nothing public that keys call secret.
func (c *cleaning) keysApply(m *message, f profile.Field, known bool) bool {
	return !alwaysSecret(f.Secret) && (!known || c.Profiles.Given(m.call))
}

// alwaysSecret reports whether values of a kind go whatever anybody says.
func alwaysSecret(kind profile.Sensitivity) bool {
	return kind != profile.NotSecret && !kind.Personal()
}

// setNamed has a field be what a key names, and reports whether that names anything.
func setNamed(f *profile.Field, n words.Name) bool {
	if n.Kind == profile.NotSecret {
		return false
	}
	f.Secret, f.Rule = n.Kind, ruleKeyword+n.Word
	return true
}

// segment returns what is known of a path segment: by the operation, or by the segment before it.
func (c *cleaning) segment(m *message, l *leaf.Leaf) (profile.Field, bool) {
	i, err := strconv.Atoi(l.Key)
	if err != nil {
		return profile.Field{}, false
	}
	if m.call.Operation != nil {
		if name := m.call.Operation.Segment(i); name != "" {
			return c.Profiles.Field(m.call, m.dir, profile.At{Key: name, Shape: name})
		}
	}
	var f profile.Field
	if i > 0 { // the segments are the first leaves of a message
		setNamed(&f, words.SegmentName(m.Leaves[i-1].Value, l.Value))
	}
	return f, false
}
