package match

import (
	"net/http"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// compactor lets go of the files that exchanges were read from: whatever a tape keeps of them
// is a copy, and what many exchanges have in common, such as the text around the holes of
// their answers, is one. It is only there while a tape is compiled.
type compactor struct {
	words    map[string]string
	literals map[string]template
	fields   map[profile.Field]*profile.Field
}

func newCompactor() *compactor {
	return &compactor{
		words: map[string]string{}, literals: map[string]template{},
		fields: map[profile.Field]*profile.Field{},
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

// field returns a field that equal ones share.
func (c *compactor) field(f profile.Field) *profile.Field {
	same := c.fields[f]
	if same == nil {
		same = &f
		c.fields[f] = same
	}
	return same
}

// exchange compacts all that an exchange holds.
func (c *compactor) exchange(e *exchange) {
	for _, s := range []*string{
		&e.operation, &e.method, &e.target, &e.op, &e.status, &e.coding, &e.charset, &e.fault,
		&e.host, &e.address,
	} {
		*s = c.word(*s)
	}
	for i := range e.tokens {
		e.tokens[i] = c.word(e.tokens[i])
	}
	for i := range e.request {
		c.want(&e.request[i])
	}
	e.trailer = c.trailer(e.trailer)
	e.body = c.template(e.body)
}

func (c *compactor) want(w *want) {
	w.path = c.word(w.path)
	if h := w.whole(); h != nil && len(h.vars) > 0 && h.vars[0].text == w.text {
		c.hole(h)
		w.text = h.vars[0].text // an id is one of a kind: there is nobody to share it with
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
		if t[i].hole != nil {
			c.hole(t[i].hole)
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

// variable copies the value of a variable, which many holes may name.
func (c *compactor) variable(v *variable) {
	for i := range v.ways {
		v.ways[i].like = c.word(v.ways[i].like)
	}
	if v.compact {
		return
	}
	v.compact = true
	if v.origin == minted || v.origin == unique {
		v.text = strings.Clone(v.text)
		return
	}
	v.text = c.word(v.text)
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
