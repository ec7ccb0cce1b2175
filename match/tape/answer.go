package tape

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// answerReader makes templates of one recorded answer.
type answerReader struct {
	*compiler
	rec       *Recording
	req       *request.Request
	m         *leaf.Message
	body      filler
	headers   map[leaf.HeaderValue]*filler
	packed    map[*leaf.Holder]*filler // of the documents that values pack
	groups    map[string][]*Entity     // the entities of each object of a list, by its path
	ungrouped []*Entity                // those named outside of such objects
	masks     map[inObject]*leaf.Leaf  // the first mask of a card in each object; nil until asked for
	// keys are the fields of which requests tell, by the kind of the entity and the objects that show them.
	// Nil until they are asked for.
	keys   map[*profile.Entity]map[inObject][]*leaf.Leaf
	chosen []chosen              // in the request; nothing for a callback
	within *leaf.Leaf            // the leaf that got a hole last,
	spans  leaf.Spans            // and where its text lies
	pieces map[*leaf.Leaf][]span // the holes of each leaf, in its value
	fluid  map[*leaf.Leaf]bool   // leaves that say no more than that they are of one thing
	page   bool                  // the body is HTML
	refs   map[*Entity]*Ref
	target filler
	// callback is the one whose request is read as an answer of rec, which caused it. Nil: the
	// answer of rec is read.
	callback *Callback

	notes *leafNotes

	nearby   []*Entity // what around has returned last
	about    []*Entity // what bringer has looked at
	later    []fielded // the leaves that do not come first
	cellRoom []cell    // where cells has returned the last
	keyRoom  []byte    // where the key of a hole lies until it is digested
	spanRoom []span    // where the first of the pieces of leaves lie
	equal    []*Asked  // where echo has the last parameters of one text,
	others   []*value  // and the last values
	moments  []moment  // the dates so far that move
	numbers  []string  // that this answer alone has, in headers
}

// answer compiles an answer: headers and body become templates. Values that have a name of their
// own come first; then what follows them: renderings, dates, and values inside longer text.
func (c *compiler) answer(rec *Recording, r *readied) {
	a := c.reader(rec, r.req, &r.answer)
	a.notes = &r.notes
	a.chosen = a.choices()
	a.holes()
	rec.body = a.body.cut(a.tape.words, r.answer.Body, 0, len(r.answer.Body))
	rec.header = a.header(r.x)
	rec.Shown = int32(len(rec.Births))
	a.list()
	a.classify()
}

// reader returns a reader of one answer. It has the rooms of the reader before, unless these are
// large: to clear a map takes as long as the map was ever large.
func (c *compiler) reader(rec *Recording, req *request.Request, m *leaf.Message) *answerReader {
	const large = 256 // leaves
	a := c.last
	if a == nil || len(m.Leaves) > large {
		a = &answerReader{
			headers: map[leaf.HeaderValue]*filler{}, packed: map[*leaf.Holder]*filler{},
			groups: map[string][]*Entity{}, pieces: map[*leaf.Leaf][]span{},
			fluid: map[*leaf.Leaf]bool{}, refs: map[*Entity]*Ref{},
		}
	}
	if len(m.Leaves) <= large {
		c.last = a
	}
	clear(a.headers)
	clear(a.packed)
	clear(a.groups)
	clear(a.pieces)
	clear(a.fluid)
	clear(a.refs)
	clear(a.ungrouped)
	c.search.forget()
	*a = answerReader{
		compiler: c, rec: rec, req: req, m: m, headers: a.headers, packed: a.packed,
		groups: a.groups, pieces: a.pieces, fluid: a.fluid, refs: a.refs,
		page: m.HTML(), nearby: a.nearby, about: a.about, later: a.later, cellRoom: a.cellRoom,
		keyRoom: a.keyRoom, equal: a.equal[:0], others: a.others[:0], spanRoom: a.spanRoom[:0],
		chosen: a.chosen[:0], ungrouped: a.ungrouped[:0], moments: a.moments[:0], numbers: a.numbers[:0],
		body: filler{a.body.spans[:0]},
	}
	return a
}

// holes makes the holes of all leaves.
func (a *answerReader) holes() {
	m := a.m
	later := a.later[:0]
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Value == "" {
			continue
		}
		n := &a.notes.leaves[i]
		if a.repeated(l, n) || a.named(l, n.field) || a.numbersAnswer(l) {
			continue
		}
		later = append(later, fielded{l, n, a.turn(l, n)})
	}
	a.later = later
	for turn := range turns {
		for i := range later {
			if l := &later[i]; l.turn == turn {
				a.following(l.leaf, l.note)
			}
		}
	}
	a.pack()
	a.body.sort()
	a.target.sort()
}

// named makes the hole of a value that has a name of its own, and reports whether it did.
// What cleaning left in place of a secret is no value, but for a token that the sandbox has made: each
// has a marker of its own, which stands wherever the token stood.
func (a *answerReader) named(l *leaf.Leaf, f profile.Field) bool {
	issued := f.From == profile.Minted && surrogate.IsToken(l.Value)
	if surrogate.Holds(l.Value) && !issued {
		return false
	}
	switch f.From {
	case profile.Minted, profile.Unique, profile.Shared:
	default:
		return false
	}
	if f.From == profile.Shared && f.Of == "" && a.joined(l, f, true) {
		return true
	}
	h := a.value(l, f)
	if h != nil {
		a.hole(l, 0, len(l.Value), h)
	}
	return h != nil
}

// value returns the hole of a value that has a name: one known already, or one that is minted
// here. What a client chose before the tape began stays as recorded.
func (a *answerReader) value(l *leaf.Leaf, f profile.Field) *Hole {
	text := request.Canonical(f, l.Value)
	var r Rendering
	if f.Secret == profile.PAN && !request.IsDigits(l.Value) {
		r = Rendering{How: Grouped, Like: a.tape.slabs.drafts.Clone(l.Value)}
	}
	if ownHeader(l) && f.From == profile.Minted {
		return a.perOne(text, f, r)
	}
	if f.Of != "" {
		if k, ok := a.known(l, f, text); ok {
			if k.How == AsIs {
				k.Rendering = r
			}
			a.beside(l, k.entity)
			if groupOf(l.Path) == "" {
				a.reach(k.entity)
			}
			return a.filled(a.valueOf(k.value), k.Rendering)
		}
		if k, ok := a.inferredBefore(l, text); ok {
			a.beside(l, k.entity)
			return a.filled(a.valueOf(k.value), k.Rendering)
		}
	}
	if h := a.echo(l, f, text); h != nil {
		return h
	}
	if f.From != profile.Minted {
		return nil
	}
	v := a.tape.slabs.values.Put(value{
		text: a.tape.slabs.drafts.Clone(text), noun: f.Of, secret: f.Secret, minted: true, born: a.rec,
		byRead: a.rec.Reads,
	})
	e := a.owner(l, f.Of)
	if e == nil {
		return a.perOne(text, f, r)
	}
	kind := a.req.Call.Profile.Entity(f.Of)
	if kind != nil && kind.Scope {
		a.tape.issued[e.Kind] = true
	}
	v.isName = kind != nil || a.survey.Carries(f.Of)
	e.addValue(v, f.Of)
	a.tape.addToSeries(v, a.pattern(f.Of))
	a.values.add(v)
	a.beside(l, e)
	return a.filled(a.valueOf(v), r)
}

// known returns the value of a noun that a text is. A short one counts only for entities near by.
func (a *answerReader) known(l *leaf.Leaf, f profile.Field, text string) (known, bool) {
	if len(text) < request.EmbedLength {
		for _, e := range a.near(l) {
			for v := range e.alike(text) {
				if k, ok := v.is(f.Of, text); ok {
					return k, true
				}
			}
		}
		if a.req.Call.Profile.Entity(f.Of) == nil && !a.infersNoun(f.Of) {
			return known{}, false
		}
	}
	return a.values.find(f.Of, text, a.isNear(l))
}

// inferredBefore returns the value that a text is if the sandbox made it where no row tells its noun.
func (a *answerReader) inferredBefore(l *leaf.Leaf, text string) (known, bool) {
	if !a.values.inferred {
		return known{}, false
	}
	k, ok := a.values.find("", text, a.isNear(l))
	return k, ok && k.inferred && k.minted
}

// infersNoun reports whether it is inferred which thing the values of a noun name.
func (a *answerReader) infersNoun(noun string) bool {
	return a.rec.Infers && a.req.Call.InfersNoun(noun)
}

// pattern returns the pattern that a row gives to the values of a noun; "" where none does.
func (a *answerReader) pattern(noun string) string { return a.req.Call.Profile.Pattern(noun).String() }

// perOne returns the hole of a value that every answer has anew.
func (a *answerReader) perOne(text string, f profile.Field, r Rendering) *Hole {
	fill := Filling{What: PerOne, Secret: f.Secret, Mint: true, Slot: Slot{Name: f.Of}}
	if like := a.pattern(f.Of); like != "" {
		fill.Series = a.tape.seriesAt(f.Of)
		fill.Series.Like, fill.Series.Given = like, true
	}
	return a.filled(a.source(fill, a.tape.slabs.drafts.Clone(text), a.rec.Answered()), r)
}

// valueOf returns the source of a value that an entity has.
func (a *answerReader) valueOf(v *value) *Source {
	a.tape.want(v.slot)
	s := a.source(Filling{
		What: Value, Ref: a.ref(v.entity), Slot: v.slot, Mint: v.minted,
		Renewed: v.minted && v.born == a.rec && !a.rec.Reads && a.callback == nil,
		Secret:  v.secret, Form: v.form, Name: v.isName, Noun: v.noun, Series: a.tape.seriesOf(v),
	}, v.text, v.born.toldAt())
	s.owner = v.entity
	return s
}

// following makes the holes of a leaf that shows values of other fields.
func (a *answerReader) following(l *leaf.Leaf, n *leafNote) {
	f, known := n.field, n.known
	if f.From == profile.Exact && !known && a.unsaid(l) {
		if h := a.sentHere(l); h != nil {
			a.hole(l, 0, len(l.Value), h)
			return
		}
	}
	if f.From == profile.Date || !known && a.unknownDate(l, &f) {
		if h := a.date(l, f); h != nil {
			a.hole(l, 0, len(l.Value), h)
			a.tells(l, h.Source)
			if f.From != profile.Date {
				a.moved[strings.Clone(l.Value)] = true
			}
		}
		if f.From == profile.Date {
			return
		}
	}
	var h *Hole
	switch {
	case len(a.pieces[l]) > 0:
	case f.From == profile.Rendering:
		h = a.rendered(l, f)
	case f.From == profile.Shared && f.Of != "" && groupOf(l.Path) != "":
		h = a.echo(l, f, request.Canonical(f, l.Value)) // of the item, which by now is known
	case f.From == profile.Exact && !known && (request.Embeddable(l.Value) || l.Kind != leaf.Number):
		if len(l.Value) >= 4 || a.numbered(l) {
			h = a.echo(l, f, l.Value)
		}
		if h == nil && l.Kind != leaf.Number && a.joined(l, f, false) {
			return
		}
	}
	if h != nil {
		a.hole(l, 0, len(l.Value), h)
		return
	}
	a.addresses(l, f, n)
	if f.From != profile.Exact {
		return
	}
	a.datesWithin(l, n.dates)
	found := a.parts(l, f, n)
	a.daysWithin(l, n.dates)
	if a.unsentInQuery(l) || found || !a.unsaid(l) || len(a.pieces[l]) > 0 || a.ownWord(l) {
		return
	}
	if a.unsent(l) {
		a.hole(l, 0, len(l.Value), a.mint(l, l.Value, false))
		return
	}
	if infer.Volatile(l, a.rec.Answered()) || !a.rec.Reads && a.survey.Each(a.inferred(), l) {
		a.fluid[l] = true
	}
	a.noteLone(l)
}

// numbered reports whether a text of a page is the number that the client has given to what the page is
// about, however short: "Order 12".
func (a *answerReader) numbered(l *leaf.Leaf) bool {
	if l.Place != leaf.Markup || strings.Contains(l.Path, "@") {
		return false
	}
	for _, e := range a.near(l) {
		if slices.ContainsFunc(e.values, func(v *value) bool {
			return v.isName && !v.minted && v.noun != "" && !e.Scope && v.text == l.Value
		}) {
			return true
		}
	}
	return false
}

// isNear returns a predicate for values of the entities near a leaf. It looks for these when it is first
// asked: most texts are no value at all.
func (a *answerReader) isNear(l *leaf.Leaf) func(*value) bool {
	var near []*Entity
	return func(v *value) bool {
		if near == nil {
			near = a.near(l)
		}
		return slices.Contains(near, v.entity)
	}
}

// hole adds a hole for the text [from, to) of a leaf.
func (a *answerReader) hole(l *leaf.Leaf, from, to int, h *Hole) {
	w := *h.Writing
	w.enc = a.tape.words.encoder(l.Encoder())
	if h.Source != nil {
		a.tape.events = max(a.tape.events, h.K+1)
	}
	w.whole = from == 0 && to == len(l.Value)
	first, end := a.m.Span(l, 0, len(l.Value))
	start := first
	if !w.whole {
		if a.within != l {
			a.within, a.spans = l, a.m.Spans(l)
		}
		start, end = a.spans(from, to)
	}
	w.spelled(l.Value[from:to], a.m.Raw(l)[start-first:end-first])
	if h.own() {
		*h.Writing = w
	} else {
		h.Writing = a.tape.words.writing(w)
	}
	a.filler(l).add(start, end, h)
	if a.pieces[l] == nil { // most leaves have one hole
		a.spanRoom = append(a.spanRoom, span{from, to, h})
		n := len(a.spanRoom)
		a.pieces[l] = a.spanRoom[n-1 : n : n]
		return
	}
	a.pieces[l] = append(a.pieces[l], span{from, to, h})
}

// repeated makes the hole of a value that a header of the request had, such as the number by
// which the client knows the request, and reports whether it did.
func (a *answerReader) repeated(l *leaf.Leaf, n *leafNote) bool {
	if n.header == "" {
		return false
	}
	f := n.field
	if k, ok := a.values.find("", l.Value, nil); ok && k.born != a.rec || a.echo(l, f, l.Value) != nil {
		return false // it is known from elsewhere
	}
	fill := Filling{
		What: Header, Param: n.header, Mint: f.From == profile.Minted, Slot: Slot{Name: f.Of},
	}
	s := a.source(fill, a.tape.slabs.drafts.Clone(l.Value), a.rec.Answered())
	a.hole(l, 0, len(l.Value), a.filled(s, Rendering{}))
	return true
}
