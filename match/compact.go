package match

import (
	"net/http"
	"strings"
)

// compactor lets go of the files that exchanges were read from: whatever a tape keeps of them
// is a copy, and what many exchanges have in common, such as the text around the holes of
// their answers, is one. It is only there while a tape is compiled.
type compactor struct {
	words    map[string]string
	literals map[string]template
	frames   map[frame]*frame
	wanted   map[wanted]*wanted
	apart    bool // no two places of answers share a hole: somebody asks where it is
}

func newCompactor(apart bool) *compactor {
	return &compactor{
		apart: apart,
		words: map[string]string{}, literals: map[string]template{},
		frames: map[frame]*frame{}, wanted: map[wanted]*wanted{},
	}
}

// word returns a copy of text that equal texts share.
func (c *compactor) word(text string) string {
	word, known := c.words[text]
	if !known {
		word = strings.Clone(text)
		c.words[word] = word
	}
	return word
}

// want returns a wanted that equal ones share.
func (c *compactor) want(w wanted) *wanted {
	same := c.wanted[w]
	if same == nil {
		kept := w // a copy, so that those which have an equal are not kept
		kept.path = c.word(w.path)
		same = &kept
		c.wanted[kept] = same
	}
	return same
}

// frame returns a frame that equal ones share.
func (c *compactor) frame(f frame) *frame {
	same := c.frames[f]
	if same == nil {
		kept := f // a copy, as in want
		for _, s := range []*string{
			&kept.operation, &kept.op, &kept.method, &kept.status, &kept.coding, &kept.charset,
			&kept.fault, &kept.host, &kept.address,
		} {
			*s = c.word(*s)
		}
		same = &kept
		c.frames[kept] = same
	}
	return same
}

// exchange compacts all that an exchange holds.
func (c *compactor) exchange(e *exchange) {
	e.target = c.word(e.target)
	for i := range e.tokens {
		e.tokens[i] = c.word(e.tokens[i])
	}
	for i := range e.request {
		c.value(&e.request[i])
	}
	e.trailer = c.trailer(e.trailer)
	e.body = c.template(e.body)
}

// value compacts the value of a want.
func (c *compactor) value(w *want) {
	if h := w.whole(); h != nil && len(h.vars) > 0 && h.vars[0].text == w.text {
		c.hole(h)
		w.text = h.vars[0].text // an id is one of a kind: there is nobody to share it with
		if len(h.vars) == 1 && h.rendering == (rendering{}) {
			w.value = h.vars[0].alone(w.value)
		}
		return
	}
	w.text = c.word(w.text)
	w.value = c.template(w.value)
}

// template compacts a template. Those without holes are one for each text.
func (c *compactor) template(t template) template {
	if len(t) == 1 && t[0].hole == nil {
		same, known := c.literals[t[0].literal]
		if !known {
			same = template{{literal: c.word(t[0].literal)}}
			c.literals[same[0].literal] = same
		}
		return same
	}
	for i := range t {
		t[i].literal = c.word(t[i].literal)
		if h := t[i].hole; h != nil {
			c.hole(h)
			if len(h.vars) == 1 && !c.apart {
				t[i].hole = h.vars[0].same(h)
			}
		}
	}
	return t
}

func (c *compactor) hole(h *hole) {
	if h.inner != nil {
		h.inner = c.template(h.inner)
	}
	if h.like != "" {
		h.like = c.word(h.like)
	}
	for _, v := range h.vars {
		c.variable(v)
	}
}

// variable compacts the ways of writing a variable. Its value is a copy from its birth on.
func (c *compactor) variable(v *variable) {
	for i := range v.ways {
		v.ways[i].like = c.word(v.ways[i].like)
	}
}

func (c *compactor) trailer(h http.Header) http.Header {
	var out http.Header
	for name, values := range h {
		for _, v := range values {
			if out == nil {
				out = http.Header{}
			}
			name = c.word(name)
			out[name] = append(out[name], c.word(v))
		}
	}
	return out
}

// header compacts the values of a header.
func (c *compactor) header(h *answerHeader) {
	for i := range h.values {
		v := &h.values[i]
		v.name = c.word(v.name)
		v.text = c.template(v.text)
	}
}
