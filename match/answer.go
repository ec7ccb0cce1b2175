package match

import (
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// answerCompiler makes templates of one recorded answer.
type answerCompiler struct {
	*compiler
	e       *exchange
	m       *leaf.Message
	body    filler
	headers map[leaf.HeaderValue]*filler
	packed  map[*leaf.Holder]*filler // of the documents that values pack
	places  placed[*thread]          // the threads of ids
	nouns   placed[*variable]        // ids that have a noun
	within  *leaf.Leaf               // the leaf that got a hole last,
	spans   leaf.Spans               // and where its text lies
	page    bool                     // the body is HTML

	passages leaf.Passages // whose leaves make their own holes
	sent     http.Header   // of the request
}

// answer compiles an answer: headers and body become templates. Values that have a name
// come first; then what follows them: renderings, and values inside longer text.
func (c *compiler) answer(e *exchange, req *Request, m *leaf.Message) {
	call := req.call
	a := &answerCompiler{
		compiler: c, e: e, m: m,
		headers: map[leaf.HeaderValue]*filler{}, packed: map[*leaf.Holder]*filler{},
		passages: m.Passages(), sent: req.header, page: m.HTML(),
	}
	later := c.later[:0]
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Value == "" {
			continue
		}
		f, rowed := a.field(call, l)
		if !a.repeated(l, f, rowed) && !a.named(l, f) {
			later = append(later, fielded{l, f, rowed, a.turn(l, f)})
		}
	}
	for turn := range turns {
		for i := range later {
			if l := &later[i]; l.turn == turn {
				a.following(l.leaf, l.field, l.rowed)
			}
		}
	}
	c.later = later
	a.pack()
	e.body = a.body.cut(m.Body)
	e.header = a.header()
}

// fielded is a leaf and its field.
type fielded struct {
	leaf  *leaf.Leaf
	field profile.Field
	rowed bool // a profile has a row for it
	turn  int  // when it is looked at
}

// turns is how many turns there are.
const turns = 3

// turn returns when a leaf is looked at. Dates belong to what stands beside them, renderings too;
// an address, or a header, may show an id that is born behind it.
func (a *answerCompiler) turn(l *leaf.Leaf, f profile.Field) int {
	switch {
	case f.From == profile.Rendering, f.From == profile.Exact && a.unused(l):
		return 0
	case lettered(l.Value) != nil, l.Place == leaf.Header && a.e.unknown:
		return 2
	}
	return 1
}

func (a *answerCompiler) field(call profile.Call, l *leaf.Leaf) (profile.Field, bool) {
	if ownHeader(l) {
		return a.tape.opts.Profiles.HeaderField(call, profile.Response, l.Key)
	}
	f, known := a.tape.opts.Profiles.Field(call, profile.Response, at(l))
	if f.Secret == profile.PAN && pan.IsMask(l.Value) {
		// A field for a number that holds a mask (documents 1 and 2 allow both).
		f.From, f.Form = profile.Rendering, profile.Mask
	}
	return asCard(f, l.Value), known
}

// named makes the hole of a value that has a name of its own, and reports whether it did.
// What cleaning left in place of a secret is no value.
func (a *answerCompiler) named(l *leaf.Leaf, f profile.Field) bool {
	if strings.Contains(l.Value, "REDACTED-") {
		return false
	}
	var h *hole
	switch f.From {
	case profile.Minted, profile.Unique, profile.Shared:
		if f.From == profile.Shared && f.Of == "" && a.joined(l, f, true) {
			return true
		}
		h = a.value(l, f)
	}
	if h != nil {
		a.add(l, 0, len(l.Value), h)
		a.names(l, h)
	}
	return h != nil
}

// names notes an id that a leaf shows, for the dates beside it. Those of headers are of one
// answer.
func (a *answerCompiler) names(l *leaf.Leaf, h *hole) {
	if len(h.vars) > 0 && h.vars[0].of != "" && l.Place != leaf.Header {
		a.nouns.add(l.Path, h.vars[0])
	}
}

// following makes the holes of a leaf that shows values of other fields. rowed says that a
// profile has a row for it.
func (a *answerCompiler) following(l *leaf.Leaf, f profile.Field, rowed bool) {
	var h *hole
	switch {
	case f.From == profile.Date:
		h = a.date(l, f)
	case f.From == profile.Rendering:
		h = a.rendered(l, f)
	case f.From == profile.Exact && !rowed && embeddable(l.Value):
		h = a.echo(l)
	case f.From == profile.Exact && !rowed && l.Kind != leaf.Number:
		h = a.chosen(a.e, l.Value) // a page shows the shop's order number
		if h == nil && a.joined(l, f, false) {
			return
		}
	}
	if h != nil {
		a.add(l, 0, len(l.Value), h)
		a.names(l, h)
		return
	}
	a.addresses(l, f)
	if f.From != profile.Exact || a.parts(l, !rowed || f.Address) || !a.e.unknown {
		return
	}
	switch {
	case a.unused(l):
		a.add(l, 0, len(l.Value), a.unsent(l.Value))
	case a.passes(l) || a.ever(l) || a.passed(l.Value):
		a.add(l, 0, len(l.Value), a.passing(l.Value))
	}
}

// rendered returns the hole of a rendering. A mask may be shown before its number is: then it
// waits for the number to be born. Other renderings are values of their own until then.
func (a *answerCompiler) rendered(l *leaf.Leaf, f profile.Field) *hole {
	if h := a.followed(a.near(l), f, l.Value); h != nil {
		return h
	}
	if f.Form != profile.Mask {
		return a.value(l, profile.Field{From: profile.Minted, Of: f.Of})
	}
	if !pan.IsMask(l.Value) {
		return nil
	}
	h := &hole{rendering: rendering{how: masked, like: l.Value}}
	a.scopes[a.e.threads[0]].wait(f.Of, h)
	return h
}

// value returns the hole of a value that has a name: one known already, or one that is
// minted here. What a client chose before the tape began is a variable too, but as long as
// the client does not send it, it stays as recorded.
func (a *answerCompiler) value(l *leaf.Leaf, f profile.Field) *hole {
	text := canonical(f, l.Value)
	scope := a.scopes[a.e.threads[0]]
	p := param{text: l.Value, field: f}
	if f.Of != "" {
		if k, ok := a.ids.find(f.Of, text, a.e.threads, false); ok {
			a.depend(k)
			a.places.add(l.Path, k.thread)
			scope.use(k.v)
			return &hole{vars: []*variable{k.v}, rendering: regroup(k.rendering, p)}
		}
		for _, t := range a.e.threads {
			if v := a.scopes[t].shared[sharedKey{of: f.Of, text: text}]; v != nil {
				return &hole{vars: []*variable{v}, rendering: regroup(rendering{}, p)}
			}
		}
		if v := a.connected(f.Of, text); v != nil && f.From != profile.Minted {
			return &hole{vars: []*variable{v}, rendering: regroup(rendering{}, p)}
		}
	}
	if f.From != profile.Minted {
		if h := a.echo(l); h != nil {
			return h
		}
		p.path = l.Key
		return a.sharedHole(a.e, p)
	}
	if h := a.chosen(a.e, l.Value); h != nil {
		return h
	}
	v := &variable{
		origin: minted, of: f.Of, text: strings.Clone(text), birth: a.e, secret: f.Secret,
		header: ownHeader(l),
	}
	a.ids.add(v, a.e.threads[0])
	scope.use(v)
	return &hole{vars: []*variable{v}, rendering: regroup(rendering{}, p)}
}

// connected returns the variable that a shared value is in a thread with which those of the
// exchange are connected: the customer of the order that a binding comes from. Nil if there is
// none.
func (a *answerCompiler) connected(of, text string) *variable {
	for _, t := range a.e.threads {
		members := t.flow().members
		for _, m := range members[:min(maxAmong, len(members))] {
			if v := a.scopes[m].shared[sharedKey{of: of, text: text}]; v != nil {
				return v
			}
		}
	}
	return nil
}

// depend ties the exchange to the thread in which a value of its answer was born: where that
// thread is there in replay too, the value must be the same.
func (a *answerCompiler) depend(k known) {
	most := maxTied
	if a.e.loose {
		most = maxAmong
	}
	if k.v.origin != minted || len(k.v.text) < embedLength || len(a.e.tied) >= most ||
		slices.Contains(a.e.threads, k.thread) || slices.Contains(a.e.tied, k.thread) {
		return
	}
	a.e.tied = append(a.e.tied, k.thread)
}

// echo returns the hole of a value that the client sent before in one of the threads, under
// the same key if it can.
func (a *answerCompiler) echo(l *leaf.Leaf) *hole {
	for _, t := range a.e.threads {
		s := a.scopes[t]
		if v := s.shared[sharedKey{key: l.Key, text: l.Value}]; v != nil {
			return &hole{vars: []*variable{v}}
		}
		if vs := s.given[l.Value]; len(vs) > 0 {
			return &hole{vars: vs[len(vs)-1:]}
		}
	}
	return nil
}

// parts makes holes of what turns up inside a longer text: ids, and at its beginning an
// address that the client gave. Long values of which no profile knows anything, and those in
// addresses (open), are inferred to be minted here if a later request carries them.
// It reports whether it found anything.
func (a *answerCompiler) parts(l *leaf.Leaf, open bool) bool {
	before := len(a.filler(l).spans)
	decimal := l.Kind == leaf.Number && strings.ContainsAny(l.Value, "-.eE")
	behind := 0 // what is found so far: inside an id is no other
	for _, tok := range leafTokens(l, a.passages) {
		k, ok := a.ids.find("", tok.text, a.e.threads, false)
		if !ok && !decimal && tok.at >= behind && a.survey.born(tok, l, a.place, open, a.e.unknown) {
			v := &variable{
				origin: minted, of: a.survey.requested[folded(tok.text)].of,
				text: strings.Clone(tok.text), birth: a.e,
			}
			a.ids.add(v, a.e.threads[0])
			k, ok = known{v: v, thread: a.e.threads[0]}, true
			a.idKeys[l.Key] = a.idKeys[l.Key] || tok.text == l.Value
		}
		if ok {
			a.depend(k)
			h := &hole{vars: []*variable{k.v}, rendering: k.rendering}
			a.add(l, tok.at, tok.at+len(tok.text), h)
			behind = tok.at + len(tok.text)
		}
	}
	a.datesWithin(l)
	if strings.Contains(l.Value, "://") {
		a.givenAddress(l)
	}
	return len(a.filler(l).spans) > before
}

// add enters a hole for the text [from, to) of a leaf.
func (a *answerCompiler) add(l *leaf.Leaf, from, to int, h *hole) {
	h.enc = l.Encoder()
	h.whole = from == 0 && to == len(l.Value)
	a.tape.notes.place(h, l)
	if a.within != l {
		a.within, a.spans = l, a.m.Spans(l)
	}
	start, end := a.spans(from, to)
	first, _ := a.spans(0, len(l.Value))
	h.spelled(l.Value[from:to], a.m.Raw(l)[start-first:end-first])
	a.filler(l).add(start, end, h)
}
