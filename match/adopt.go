package match

import (
	"slices"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// Adopt notes an exchange that the sandbox has answered for a Spy: the thread it belongs to
// lives upstream. The body of the answer has no content coding.
func (p *Player) Adopt(r *Request, answer leaf.Message) {
	p.tape.settle(r)
	m := leaf.Read(answer)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticks++
	q := &query{r: r}
	minted := p.mintedIn(r, m)
	f := p.upstreamFlow(q, len(minted) > 0)
	if f == nil {
		return
	}
	f.used = p.ticks
	p.owners.touch(f, r.Conn)
	for _, b := range append(minted, chosenIn(r)...) {
		p.owners.add(f, b)
	}
}

// upstreamFlow returns the flow upstream that an exchange belongs to, a new one if there is
// none yet; nil for an opening that opened nothing.
func (p *Player) upstreamFlow(q *query, born bool) *flow {
	if q.declared() && !born {
		return nil
	}
	rel := p.owners.related(q.r)
	var f *flow
	for _, g := range slices.Concat(rel.minted, rel.unique) {
		switch {
		case !g.upstream || f == g:
		case f == nil:
			f = g
		default:
			p.owners.join(f, g)
		}
	}
	if sharing, _ := p.owners.sharing(q.r); f == nil && !q.declared() && !born &&
		len(sharing) > 0 && sharing[0].upstream {
		f = sharing[0]
	}
	if f == nil {
		f = &flow{upstream: true}
	}
	return f
}

// mintedIn returns the values that an answer from upstream has brought: those that the
// profile names and, where it knows nothing, every id that neither the request nor the
// requests on tape hold, as these are constants.
func (p *Player) mintedIn(r *Request, m *leaf.Message) []binding {
	sent := map[string]bool{}
	for _, param := range r.params {
		sent[param.text] = true
		for _, tok := range tokens(param.text) {
			sent[tok.text] = true
		}
	}
	var bs []binding
	add := func(f profile.Field, text string) {
		if text != "" && !sent[text] {
			v := &variable{origin: minted, of: f.Of, secret: f.Secret}
			bs = append(bs, binding{v, canonical(f, text)})
		}
	}
	passages := m.Passages()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header || pan.IsMask(l.Value) {
			continue
		}
		f, rowed := p.tape.opts.Profiles.Field(r.call, profile.Response, at(l))
		switch {
		case f.From == profile.Minted && f.Of != "":
			add(f, l.Value)
		case f.From == profile.Exact && !rowed:
			for _, tok := range tokens(passages.Outside(l)) {
				if tok.run && len(tok.text) >= inferLength && !dateLike(tok.text) &&
					!p.tape.constant(tok.text) {
					add(profile.Field{}, tok.text)
				}
			}
		}
	}
	return bs
}

// chosenIn returns the values that the client chose for a request, and the ids that no answer
// has brought.
func chosenIn(r *Request) []binding {
	origins := map[profile.Provenance]origin{
		profile.Unique: unique, profile.Shared: shared, profile.Minted: configured,
	}
	var bs []binding
	for _, param := range r.params {
		o, known := origins[param.field.From]
		if !known || param.text == "" {
			continue
		}
		v := &variable{origin: o, of: param.field.Of, secret: param.field.Secret}
		if v.identifies() && v.of != "" {
			bs = append(bs, binding{v, canonical(param.field, param.text)})
		}
	}
	return bs
}

// requestWords are what a spy must know of the requests on a tape.
type requestWords struct {
	once      sync.Once // guards the making of both
	usual     map[apiNoun]bool
	constants map[string]bool // ids that are constants
}

type apiNoun struct{ api, noun string }

// usual reports whether three of four requests to an API carry a value of a noun: then it
// tells nobody apart.
func (t *Tape) usual(op, noun string) bool {
	return t.requestWords().usual[apiNoun{apiOf(op), noun}]
}

// apiOf returns the API in the key of an operation: see operationKey.
func apiOf(op string) string {
	api, _, _ := strings.Cut(op, " ")
	return api
}

// constant reports whether what looks like an id is the same in every request on tape.
func (t *Tape) constant(text string) bool { return t.requestWords().constants[text] }

func (t *Tape) requestWords() *requestWords {
	w := &t.words
	w.once.Do(func() {
		w.usual, w.constants = map[apiNoun]bool{}, map[string]bool{}
		requests, carried := map[string]int{}, map[apiNoun]int{}
		for _, e := range t.exchanges {
			api := apiOf(e.op)
			requests[api]++
			for noun := range e.words(w.constants) {
				carried[apiNoun{api, noun}]++
			}
		}
		for of, n := range carried {
			w.usual[of] = 4*n >= 3*requests[of.api]
		}
	})
	return w
}

// words returns the nouns that a recorded request carries, and adds its constants to a set.
func (e *exchange) words(constants map[string]bool) map[string]bool {
	nouns := map[string]bool{}
	for i := range e.request {
		w := &e.request[i]
		if w.field.Of != "" {
			nouns[w.field.Of] = true
		}
		for _, piece := range w.value {
			for _, tok := range tokens(piece.literal) {
				constants[tok.text] = true
			}
		}
	}
	return nouns
}
