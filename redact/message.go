package redact

import (
	"iter"
	"slices"
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
	packs bool  // a value packs a message
	room  *room // where leaves and plans lie; nil if nobody has lent it

	parent    string                    // shape of the object that was asked about last
	inherited profile.Field             // what it is
	card      bool                      // it is a card, of which the number is secret
	evidence  map[object]words.Evidence // of cards; nil until it is asked for
	holder    *leaf.Holder              // the text around leaves that was asked about last
	whole     *leaf.Holder              // the text that goes whole with it; nil if none does
}

// keptFinds is the length of a text from which on what was found in it is kept. In a shorter text it
// is found again when it is written: a find takes as much memory as some hundred characters.
const keptFinds = 1 << 10

// messages takes an exchange apart, of which the bodies are decoded: into the request, the response
// and the trailers. values are how many values the bodies have, 0 where nobody has counted them. A body
// that turns out to have too many becomes a marker; captured is the exchange as it came, nil if its
// bodies may have any number of values.
func (c *cleaning) messages(x, captured *leaf.Exchange, values [2]int) [3]*message {
	target := x.Target()
	call := c.call(x, target)
	lengths, rooms := [2]int{-1, -1}, [2]*room{}
	if captured != nil {
		lengths = [2]int{len(captured.Request.Body), len(captured.Response.Body)}
		rooms = [2]*room{c.lend(), c.lend()}
	}
	request := c.read("request", bodyRoom{values[0], rooms[0]}, leaf.Message{
		Target: x.URL, Skip: len(x.URL) - len(target), Header: x.Request.Headers,
		Body: x.Request.Body,
	}, lengths[0])
	response := c.read("response", bodyRoom{values[1], rooms[1]},
		leaf.Message{Header: x.Response.Headers, Body: x.Response.Body}, lengths[1])
	x.Request.Body, x.Response.Body = request.Body, response.Body
	trailer := &leaf.Message{}
	if len(x.Meta.Trailers) > 0 {
		trailer = leaf.Read(leaf.Message{Header: x.Meta.Trailers})
	}
	return [3]*message{
		{name: "request", call: call, dir: profile.Request, Message: request, room: rooms[0]},
		{name: "response", call: call, dir: profile.Response, Message: response, room: rooms[1]},
		{name: "trailer", call: call, dir: profile.Response, Message: trailer},
	}
}

// read takes a message apart. A body whose values nobody has counted is too short to have too many,
// unless it packs documents that are longer: reading ends where these are too many, and the body, which
// had n bytes when it was captured, becomes a marker. If n is negative all is read.
func (c *cleaning) read(name string, in bodyRoom, m leaf.Message, n int) *leaf.Message {
	if in.values == 0 && n >= 0 {
		m.Most = mostValues(m.Body)
	}
	read := leaf.ReadInto(in.leaves(), m)
	if !read.More {
		return read
	}
	m.Most = 0
	if countValues(m.Header, m.Body).Weight() > mostValues(m.Body) {
		m.Body = c.withholdBody(name, n, tooManyValues)
	}
	return leaf.Read(m)
}

// call returns what is known of an exchange. A callback is looked up by the API that sent it: its
// path is the shop's.
func (c *cleaning) call(x *leaf.Exchange, target string) profile.Call {
	if x.Meta.Callback != nil {
		return c.Profiles.FindCallback(x.Meta.Profile)
	}
	return c.Profiles.Find(x.Method, pathOf(target))
}

// learnFields plans what is to become of a message, and learns all that its fields teach.
func (c *cleaning) learnFields(m *message) {
	if m.room != nil {
		m.plans = m.room.plans
	}
	m.plans = slices.Grow(m.plans, len(m.Leaves))
	parts := m.Passages()
	for l := range c.leaves(m) {
		p := c.plan(m, l)
		if p.text() == l.Value && len(parts[l]) > 0 {
			p.detail().outside = parts.Outside(l)
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
			m.packs = m.packs || l.Packed() != nil
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
	if m.isMarkup() { // for what it teaches
		if learned := c.learnedCount(); len(c.spans(m.Body, asProse)) == 0 {
			c.searched, c.searchedAt = m.Body, learned
		}
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
	prose bool // the key names a text for people
	// inherited says that a key above the leaf tells what is known, and not the leaf's own.
	inherited bool
	// parts are the secrets in the value, where the value holds more than a secret. Nil: the whole
	// value is a secret, if the field is secret.
	parts []part
}

// reading reads a leaf by its field. The field is secret only if the value can be.
func (c *cleaning) reading(m *message, l *leaf.Leaf) (f reading) {
	f = c.field(m, l)
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
	switch secret := c.secret(f.Secret) && !words.IsSetting(l.Key, l.Value) && !f.isHarmless(l); {
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

// isHarmless reports whether the value of a leaf holds no secret in spite of what its field says: in
//
//	<token id="tk_8f2kq1" existing="false">411111******1111</token>
//
// the flag and the mask. A word in the place of a CVC may hide one, and a text of a blob anything.
func (f *reading) isHarmless(l *leaf.Leaf) bool {
	if f.Secret != profile.Token && f.Secret != profile.Key {
		return f.inherited && f.Secret != profile.Blob && words.IsPlain(l.Value)
	}
	name := f.Rule[strings.LastIndexByte(f.Rule, '/')+1:]
	if words.IsHarmless(name, l.Value) {
		return true
	}
	element := strings.HasSuffix(l.Shape, ".") // of a list
	return f.inherited && !element && words.IsCount(name, l.Value)
}

// learnedCount counts what the tape and this exchange have learned.
func (c *cleaning) learnedCount() int { return c.tape.learnedCount() + len(c.shortSecrets) }

// write returns the message without what was found. A leaf that was searched before the
// last value was learned is searched again.
func (c *cleaning) write(m *message) leaf.Message {
	var edits []leaf.Edit
	if n := m.countChanges(); n > 0 {
		edits = make([]leaf.Edit, 0, n)
	}
	learned, h := c.learnedCount(), hiding{of: m.Message}
	for i := range m.plans {
		p := &m.plans[i]
		forgotten := p.found && len(p.spans()) == 0
		if !p.done && (forgotten || p.searchedAt != int32(learned)) {
			p.keep(c.finds(p))
		}
		c.noteHidden(&h, p)
		if p.made == nil {
			continue
		}
		for _, sp := range p.spans() {
			c.fire(sp.rule)
		}
		for note := range p.notes() {
			c.taken.add(note, func(note string) string { return c.place(m.name, p.leaf, ": ", note) })
		}
		edits = p.appendEdits(edits)
		p.made = nil // the edits have what is needed of it
	}
	out := m.Splice(edits)
	if m.packs {
		c.noteHiddenKeys(out)
	}
	if m.isMarkup() && !c.isSearched(out.Body) {
		out.Body = c.cleanMarkup(m, out.Body)
	}
	return out
}

// manySpans is from how many finds on a leaf is written anew: each edit of a part decodes
// the leaf again.
const manySpans = 100

// countChanges counts the plans by which something is to become of a leaf.
func (m *message) countChanges() int {
	n := 0
	for i := range m.plans {
		if p := &m.plans[i]; p.made != nil || p.found {
			n++
		}
	}
	return n
}

// place names a leaf of a message, and says more about it: "request form $PAN: pan 1". Keys are data
// too, so they are cleaned.
func (c *cleaning) place(name string, l *leaf.Leaf, sign, more string) string {
	if l.Path == "" {
		return name + " " + l.Place.String() + sign + more
	}
	path := scan.Printable(l.Path)
	if found := c.spans(path, asText); len(found) > 0 {
		if path = splice(path, found); c.holdsSecret(path, asText) {
			path = surrogate.Withheld
		}
	}
	return name + " " + l.Place.String() + " " + path + sign + more
}

// field returns what is known of a leaf: by the profile, by its key, and by the keys above
// it, because a secret may be wrapped in an object.
func (c *cleaning) field(m *message, l *leaf.Leaf) (r reading) {
	switch {
	case l.Place == leaf.Path:
		r.Field, r.known = c.segment(m, l)
		return r
	case l.Name != "" && !ofHeader(l):
		r.prose = words.IsProse(l.Key)
		// A name is a value too, and may be gone when a file is cleaned again; the keys above it
		// are not.
		r.Field = c.inheritedField(m, l.Shape)
		if r.inherited = r.Secret != profile.NotSecret; !r.inherited {
			r.Field, r.known = c.listed(m, l)
		}
		return r
	}
	known := c.knowledgeOf(m, l)
	f, inherited := known.field, false
	switch {
	case setNamed(&f, known.hint.Name(l.Value)):
	case known.above.Secret != profile.NotSecret:
		f.Secret, f.Rule, inherited = known.above.Secret, known.above.Rule, true
	case f.Secret == profile.NotSecret:
		setNamed(&f, c.besideCard(m, l, &known.hint))
	}
	return reading{Field: f, known: known.known, prose: known.prose, inherited: inherited}
}

// listed is field for a leaf with a name beside it, above which no key tells anything.
func (c *cleaning) listed(m *message, l *leaf.Leaf) (profile.Field, bool) {
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
