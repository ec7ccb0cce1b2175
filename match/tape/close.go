package tape

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/paytape/paytape/match/request"
)

// closer closes the open templates and Params of a tape once all of it is compiled: nothing changes any
// more that fills a hole. What a closed tape keeps is a copy, so that the pieces, holes and sources of
// compiling can be forgotten. A goroutine finishes the entities meanwhile: neither needs what the other makes.
type closer struct {
	tape     *Tape
	layouts  map[uint64]*layout // by hash
	refs     map[string]*Ref    // with steps, by their keys
	writings map[closedWriting]*Writing
	dates    map[redating]*redating
	leads    map[request.Destination]*request.Destination
	sources  map[*Source]*Source
	forms    map[uint64]*form    // by hash
	wholes   map[*Asked]*Asked   // parameters of all requests of a form
	alike    map[alikeKey]*Asked // what is alike of others
	ties     map[*Source]int     // the number of each source that a parameter is tied to, from 1
	parts    []part              // where those of a layout lie until it is known whether there is such a layout,
	values   []byte              // and the values of its holes, or the texts of parameters
	inForm   []formPart          // where those of a form lie until it is known whether there is such a form
	key      []byte
}

// closedWriting tells a writing that holes of closed templates share from others.
type closedWriting struct {
	writingKey
	date *redating
	to   *request.Destination
}

// alikeKey tells what is alike of parameters from that of others.
type alikeKey struct {
	Argument
	names uint64 // digest
}

// mostForms is how many forms come at the most of requests with the same list of parameters. A form takes
// 56 bytes and 16 for each parameter, a parameter that is not in it some 3 and its text: so the forms are
// nothing beside 10,000 requests, and a currency or a language is in them.
const mostForms = 256

// close closes all templates of a tape and the parameters of its requests, has recordings share what they have
// alike, and finishes the entities.
func (t *Tape) close() {
	var entities sync.WaitGroup
	entities.Go(func() {
		for _, e := range t.Entities {
			e.finish(t.words)
		}
	})
	defer entities.Wait()
	c := &closer{
		tape: t, layouts: map[uint64]*layout{}, refs: map[string]*Ref{},
		writings: map[closedWriting]*Writing{}, dates: map[redating]*redating{},
		leads: map[request.Destination]*request.Destination{}, sources: map[*Source]*Source{},
		forms: map[uint64]*form{}, wholes: map[*Asked]*Asked{}, alike: map[alikeKey]*Asked{},
		ties: map[*Source]int{},
	}
	for _, r := range t.Recordings {
		c.recording(r)
	}
	for _, p := range t.places {
		for i := range p.Ties {
			p.Ties[i].Source = c.source(p.Ties[i].Source)
		}
	}
}

func (c *closer) recording(r *Recording) {
	r.Rest = c.tape.words.rest(r.Rest)
	c.close(&r.body)
	c.header(r.header)
	c.params(&r.Request)
	if l := r.Listing; l != nil {
		c.close(&l.Before)
		c.close(&l.After)
		for i := range l.Items {
			c.close(&l.Items[i].Text)
		}
	}
	for _, cb := range r.Callbacks {
		cb.address = c.source(cb.address)
		c.close(&cb.target)
		c.header(cb.header)
		c.close(&cb.body)
	}
}

// params closes the parameters of a request. Those of few texts are in the form, as long as there are few
// forms of such a kind.
func (c *closer) params(p *Params) {
	if p.form == nil {
		return
	}
	c.inForm, c.values = c.inForm[:0], c.values[:0]
	forms := 1
	for _, a := range p.open {
		if n := c.tape.words.various[a.Parameter]; a.tie == nil && forms*n <= mostForms {
			forms *= n
			c.inForm = append(c.inForm, formPart{c.whole(a), false})
			continue
		}
		c.inForm = append(c.inForm, formPart{c.own(a), true})
		c.values = appendParam(c.values, a, c.tie(a.tie))
	}
	*p = Params{c.form(), packed(c.tape.slabs.texts.CloneBytes(c.values))}
}

// whole returns a copy of a parameter that all requests of a form have.
func (c *closer) whole(a *Asked) *Asked {
	same := c.wholes[a]
	if same == nil {
		same = c.tape.slabs.kept.asked.Put(*a)
		same.Text, same.Names = c.tape.words.word(a.Text), slices.Clone(a.Names)
		c.wholes[a] = same
	}
	return same
}

// own returns what is alike of a parameter that requests have for themselves.
func (c *closer) own(a *Asked) *Asked {
	key := alikeKey{Argument: a.Argument}
	key.Text, key.Deciding = "", ""
	for _, n := range a.Names {
		n.From, n.To, n.Like = 0, 0, ""
		key.names = key.names*31 + maphash.Comparable(seed, n)
	}
	same := c.alike[key]
	if same == nil {
		same = c.tape.slabs.kept.asked.Put(a.alike())
		c.alike[key] = same
	}
	return same
}

// tie returns the number of what a parameter is tied to; 0 for nothing.
func (c *closer) tie(s *Source) int {
	if s == nil {
		return 0
	}
	closed := c.source(s)
	if c.ties[closed] == 0 {
		c.tape.tied = append(c.tape.tied, closed)
		c.ties[closed] = len(c.tape.tied)
	}
	return c.ties[closed]
}

// form returns the form of the parameters at hand, which all equal ones share.
func (c *closer) form() *form {
	hash := uint64(len(c.inForm))
	for _, part := range c.inForm {
		hash = hash*31 + maphash.Comparable(seed, part)
	}
	same := c.forms[hash]
	if same == nil || !slices.Equal(same.parts, c.inForm) {
		kept := &c.tape.slabs.kept
		same = kept.forms.Put(form{parts: kept.inForms.Clone(c.inForm), of: c.tape})
		c.forms[hash] = same
	}
	return same
}

// header closes the templates of a header.
func (c *closer) header(h *answerHeader) {
	for i := range h.values {
		c.close(&h.values[i].text)
	}
}

// close closes a template, unless it is closed already.
func (c *closer) close(t *Template) {
	if t.layout == nil || t.open == nil {
		return
	}
	for _, p := range t.open {
		if p.Hole != nil && p.Hole.packing != nil {
			c.close(&p.Hole.inner)
		}
	}
	c.parts, c.values = c.parts[:0], c.values[:0]
	at := int64(0)
	for _, p := range t.open {
		is := part{literal: p.Literal}
		if h := p.Hole; h != nil {
			is.filling, is.writing = c.filling(h.Filling), c.writing(h.Writing)
			c.values = appendValue(c.values, h, &at)
		}
		c.parts = append(c.parts, is)
	}
	*t = Template{c.layout(), c.tape.slabs.texts.CloneBytes(c.values)}
}

// layout returns the layout of the parts at hand, which all equal ones share.
func (c *closer) layout() *layout {
	hash := uint64(len(c.parts))
	for i := range c.parts {
		p := &c.parts[i]
		hash = hash*31 + maphash.String(seed, p.literal)
		hash = hash*31 + maphash.Comparable(seed, [...]any{p.filling, p.writing})
	}
	same := c.layouts[hash]
	if same == nil || !slices.Equal(same.parts, c.parts) {
		kept := &c.tape.slabs.kept
		same = kept.layouts.Put(layout{parts: kept.parts.Clone(c.parts), of: c.tape})
		c.layouts[hash] = same
	}
	return same
}

// filling returns a filling that all equal ones share, those with a way of steps too: the steps are
// numbered by now.
func (c *closer) filling(f *Filling) *Filling {
	if f.Ref == nil || len(f.Ref.Steps) == 0 {
		return f
	}
	closed := *f
	closed.Ref = c.ref(f.Ref)
	fills := c.tape.words.fills
	same := fills[closed]
	if same == nil {
		same = c.tape.slabs.fillings.Put(closed)
		fills[closed] = same
	}
	return same
}

func (c *closer) ref(r *Ref) *Ref {
	key := binary.AppendVarint(append(c.key[:0], byte(r.Base)), int64(r.N))
	for _, s := range r.Steps {
		key = binary.AppendVarint(appendText(append(key, byte(s.To)), s.Kind), int64(s.N))
	}
	c.key = key
	same := c.refs[string(key)]
	if same == nil {
		kept := &c.tape.slabs.kept
		same = kept.refs.Put(Ref{r.Base, r.N, kept.steps.Clone(r.Steps)})
		c.refs[string(key)] = same
	}
	return same
}

// writing returns a writing without Like, which is a value of its hole, and that all equal ones share,
// but for those that are of one hole alone.
func (c *closer) writing(w *Writing) *Writing {
	if !w.own() {
		return w
	}
	closed := *w
	closed.Like, closed.date, closed.To = "", shared(c.dates, w.date), shared(c.leads, w.To)
	kept := &c.tape.slabs.kept.writings
	if w.odd != nil || w.packing != nil {
		return kept.Put(closed)
	}
	key := closedWriting{closed.key(), closed.date, closed.To}
	same := c.writings[key]
	if same == nil {
		same = kept.Put(closed)
		c.writings[key] = same
	}
	return same
}

// source returns a copy of a source that is in no hole; nil of nil.
func (c *closer) source(s *Source) *Source {
	if s == nil {
		return nil
	}
	closed := c.sources[s]
	if closed == nil {
		closed = c.tape.slabs.kept.sources.Put(Source{
			c.filling(s.Filling), c.tape.slabs.texts.Clone(s.Text), s.at, s.owner,
		})
		c.sources[s] = closed
	}
	return closed
}

// shared returns a copy of a value that all equal ones share; nil of nil.
func shared[T comparable](all map[T]*T, v *T) *T {
	if v == nil {
		return nil
	}
	same := all[*v]
	if same == nil {
		kept := *v
		same = &kept
		all[kept] = same
	}
	return same
}
