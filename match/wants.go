package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// wants compiles the parameters of a recorded request: first those that are values as a
// whole, then what belongs to them: dates, renderings, and texts with values inside.
func (c *compiler) wants(e *exchange, req *Request) {
	e.request = make([]want, 0, len(req.params))
	for _, p := range req.params {
		if p.field.From == profile.Ignored {
			continue
		}
		w := want{
			wanted: c.tape.compact.want(wanted{p.path, p.field, p.place, p.assumed}),
			text:   p.text, value: template{{literal: p.text}},
		}
		if p.field.From != profile.Rendering {
			w.fill(c.requestHole(e, p))
		}
		e.request = append(e.request, w)
	}
	for i := range e.request {
		w := &e.request[i]
		switch {
		case len(w.value) == 1 && w.field.From == profile.Exact:
			w.value = c.embedded(e, w.param())
		case w.field.From == profile.Rendering:
			w.fill(c.requestHole(e, w.param()))
		case w.field.From == profile.Date:
			w.fill(c.dateHole(e, w.param()))
		}
		if len(w.value) > 1 {
			w.value.written(e)
		}
	}
}

// requestHole returns the hole that a parameter is, or nil if it is a constant.
func (c *compiler) requestHole(e *exchange, p param) *hole {
	text := canonical(p.field, p.text)
	if p.field.Of != "" && text != "" {
		k, ok := c.ids.find(p.field.Of, text, e.threads, false)
		if ok && k.v.origin == configured && !slices.Contains(e.threads, k.thread) {
			return c.configured(e, p) // each thread that takes an id for granted knows it
		}
		if ok {
			c.scopes[e.threads[0]].use(k.v)
			return &hole{vars: []*variable{k.v}, rendering: regroup(k.rendering, p)}
		}
	}
	switch p.field.From {
	case profile.Unique:
		return c.newUnique(e, p)
	case profile.Shared:
		return c.sharedHole(e, p)
	case profile.Exact:
		return c.madeUp(e, p)
	case profile.Minted, profile.Rendering:
		if p.field.Secret == profile.PAN {
			return c.sharedHole(e, p)
		}
		if h := c.followed(e.threads, p.field, p.text); h != nil {
			return h
		}
		if h := c.chosen(e, p.text); h != nil {
			return h
		}
		return c.configured(e, p)
	}
	return nil
}

// madeUp returns the hole of a text that the client made up, for the request or for more of
// them, of which no profile knows; nil for any other.
func (c *compiler) madeUp(e *exchange, p param) *hole {
	if c.survey.anew(p, c.place) {
		p.field.From = profile.Shared
		return c.sharedHole(e, p)
	}
	if !c.survey.madeUp(p, c.place) {
		return nil
	}
	if k, ok := c.ids.find("", p.text, e.threads, false); ok {
		return &hole{vars: []*variable{k.v}, rendering: k.rendering}
	}
	return c.newUnique(e, p)
}

func (c *compiler) newUnique(e *exchange, p param) *hole {
	t := e.threads[0]
	v := &variable{origin: unique, of: p.field.Of, text: strings.Clone(p.text), birth: e}
	c.ids.add(v, t)
	c.scopes[t].use(v)
	c.scopes[t].give(v)
	return &hole{vars: []*variable{v}}
}

// sharedHole gives every thread of the exchange its own variable of the value: threads may
// share a card without having anything else in common.
func (c *compiler) sharedHole(e *exchange, p param) *hole {
	h := &hole{rendering: regroup(rendering{}, p)}
	for _, t := range e.threads {
		h.vars = append(h.vars, c.sharedIn(t, e, p))
		if p.field.Of == "" {
			break
		}
	}
	return h
}

func (c *compiler) sharedIn(t *thread, e *exchange, p param) *variable {
	s := c.scopes[t]
	k := sharedKey{of: p.field.Of, text: canonical(p.field, p.text)}
	if k.of == "" {
		k.key = lastName(p.path)
	}
	v := s.shared[k]
	if v == nil {
		k.key, k.text = c.tape.compact.word(k.key), c.tape.compact.word(k.text)
		v = &variable{
			origin: shared, of: k.of, text: k.text, birth: e, secret: p.field.Secret,
		}
		s.shared[k] = v
		s.give(v)
	}
	if v.identifies() {
		c.share(t, v)
	}
	s.use(v)
	return v
}

// shareWithTied makes the shared values of a request count for threads that its answer tied
// in as well, where they used them: of several customers' earlier orders, the one whose
// clientId is the same.
func (c *compiler) shareWithTied(e *exchange) {
	for i := range e.request {
		w := &e.request[i]
		h := w.whole()
		if h == nil || h.vars[0].origin != shared || h.vars[0].of == "" {
			continue
		}
		for _, t := range c.sharingWith(e) {
			v := c.scopes[t].shared[sharedKey{of: h.vars[0].of, text: h.vars[0].text}]
			if v != nil && !slices.Contains(h.vars, v) {
				h.vars = append(h.vars, v)
			}
		}
	}
}

// sharingWith returns the threads for which the shared values of a request count, beside those
// that it belongs to.
func (c *compiler) sharingWith(e *exchange) []*thread {
	if e.loose {
		return slices.Concat(e.tied, c.alike)
	}
	return e.tied
}

// followed returns the hole for a rendering of a value that one of the threads knows, or nil.
func (c *compiler) followed(threads []*thread, f profile.Field, text string) *hole {
	if text == "" {
		return nil
	}
	r := rendering{how: mannerOf(f.Form), like: text}
	for _, t := range threads {
		vs := c.scopes[t].nouns[f.Of]
		for i := len(vs) - 1; i >= 0; i-- {
			if r.writes(vs[i].text, text) {
				return &hole{vars: []*variable{vs[i]}, rendering: r}
			}
		}
	}
	return nil
}

// configured returns the hole of an id that the tape never saw born. It is the same in every
// run, and what carries it belongs together. Renderings and empty ids are constants.
func (c *compiler) configured(e *exchange, p param) *hole {
	if p.field.From != profile.Minted || p.field.Of == "" || p.text == "" {
		return nil
	}
	text := c.tape.compact.word(p.text)
	v := &variable{origin: configured, of: p.field.Of, text: text, birth: e}
	c.ids.add(v, e.threads[0])
	return &hole{vars: []*variable{v}}
}

// chosen returns the hole of an id that the sandbox did not make but took over from the
// client: its own customer number as customerId, say. Short values agree by chance.
func (c *compiler) chosen(e *exchange, text string) *hole {
	const shortest = 4
	if len(text) < shortest {
		return nil
	}
	for _, t := range e.threads {
		for _, v := range c.scopes[t].given[text] {
			if v.origin == unique || v.origin == shared && v.identifies() {
				return &hole{vars: []*variable{v}}
			}
		}
	}
	return nil
}

func mannerOf(f profile.Form) manner {
	switch f {
	case profile.Mask:
		return masked
	case profile.Last:
		return last
	case profile.Unpadded:
		return padded
	}
	return asIs
}

// embedded makes a template of text in which values of other fields turn up.
func (c *compiler) embedded(e *exchange, p param) template {
	var f filler
	for _, tok := range paramTokens(&p) {
		if k, ok := c.ids.find("", tok.text, e.threads, false); ok {
			f.add(tok.at, tok.at+len(tok.text), &hole{vars: []*variable{k.v}, rendering: k.rendering})
		}
	}
	return f.cut(p.text)
}

// regroup returns the rendering of a card number that is written with separators.
func regroup(r rendering, p param) rendering {
	if r.how == asIs && p.field.Secret == profile.PAN && strings.Trim(p.text, "0123456789") != "" {
		return rendering{how: grouped, like: p.text}
	}
	return r
}

// lastName returns the last name of a parameter path.
func lastName(path string) string {
	return path[strings.LastIndexAny(path, ".>")+1:]
}
