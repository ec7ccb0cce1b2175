package redact

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// decodings bounds what the cleaning of one exchange may decode on the way, in bytes, so that many
// small values that each unfold into much cost no more than one large one. It is shared by all
// who clean the exchange.
type decodings struct{ left int }

// poolFactor is how many bytes may be decoded for each byte of an exchange: it is read about
// four times.
const poolFactor = 4 * peelFactor

// newDecodings returns what the cleaning of a text or an exchange of a size may decode.
func newDecodings(size int) *decodings {
	return &decodings{left: peelFloor + poolFactor*size}
}

// peeled visits what some reader could decode in a text: base64, hex, UTF-16, compressed data and
// card data in TLV, escaped or not. It returns false if there was more of it than the bounds
// allow: closed is called for each stretch that was not read to its end, and in the end nothing
// is known of the text as a whole.
func (c *cleaning) peeled(s string, visit func(*view), closed func(v *view, from, to int)) bool {
	if c.pool == nil {
		c.pool = newDecodings(len(s))
	}
	in, _ := c.inflaters.Get().(*inflater)
	if in == nil {
		in = &inflater{}
	}
	defer c.inflaters.Put(in)
	p := newPeeler(s, func(v *view) {
		if v.decoded() {
			visit(v)
		}
	})
	p.budget = min(p.budget, c.pool.left)
	p.inflater, p.closed = in, closed
	before := p.budget
	p.peel(s)
	c.pool.left -= before - p.budget
	return p.budget > 0
}

// mayPeel turns most texts away at a look: those with no run that is long enough, no zeros, no
// escapes that could hide one and no bytes that are no text.
func mayPeel(s string) bool {
	if len(s) < minPacked {
		return false
	}
	if strings.IndexByte(s, '%') >= 0 || strings.IndexByte(s, '\\') >= 0 ||
		strings.Contains(s, "&#") || noisy(s) {
		return true
	}
	for i, to := longRun(s, 0); i < len(s); i, to = longRun(s, to) {
		if to-i >= minWrapped || (run{text: s[i:to]}).promising() {
			return true
		}
	}
	return false
}

// decoded reports whether more than escapes was undone on the way to a view.
func (v *view) decoded() bool {
	for ; v.parent != nil; v = v.parent {
		if v.line == "" {
			return true
		}
	}
	return false
}

// stretches widens hits in the views of a text. Hits stand together, so what was found around the
// last one is kept: the time would grow with the square of a run that holds many.
type stretches struct {
	of     *view // the view around whose hits these were found
	run    span  // of base64
	cut    int   // behind the last slash or hyphen in it
	word   span  // of base64 up to the next slash
	dotted span  // of what JWTs are made of
	token  span  // the JWT at its end
	jwt    bool  // there is one
}

// around returns the stretch of the text from which the bytes [from, to) of a view came, as wide as
// it must go: in the outermost encoding all of the word, or of the JWT, that it is a part of. It is
// a JWT's own if jwt is true.
func (w *stretches) around(v *view, from, to int) (start, end int, jwt bool) {
	text, hit, all := v, span{}, span{}
	first, last := 0, len(v.text)
	for ; v.parent != nil; v = v.parent {
		from, to = v.place(from, to)
		first, last = v.place(first, last)
		if v.line == "" {
			text, hit, all = v.parent, span{from: from, to: to}, span{from: first, to: last}
			first, last = 0, len(v.parent.text)
		}
	}
	if w.of != text {
		*w = stretches{of: text}
	}
	found, jwt := w.widen(hit, all)
	start, end = text.origin(found.from, found.to)
	return start, end, jwt
}

// slack is how many characters of base64 may stand between the beginning of a run and the text in
// it: those of a byte order mark.
const slack = 2

// widen returns the word of base64 or hex around a hit. A slash or a hyphen may be a part of the
// word or not: it is if all that was decoded goes up to the end of the run.
func (w *stretches) widen(hit, all span) (found span, jwt bool) {
	s := w.of.text
	if !w.dotted.holds(hit) {
		w.dotted = extent(s, hit, tokenByte)
		w.token, w.jwt = jwtIn(s, w.dotted)
	}
	if w.jwt && w.token.holds(hit) {
		return w.token, true
	}
	if !w.run.holds(hit) {
		w.run = extent(s, hit, func(c byte) bool { return base64Values[c] >= 0 })
		w.cut = w.run.from + strings.LastIndexAny(s[w.run.from:w.run.to], "/-") + 1
	}
	if !w.word.holds(hit) {
		w.word.from, w.word.to = base64Run(s, hit.from, hit.to)
	}
	found = w.word
	if all.from-w.run.from <= slack {
		found.from = min(found.from, w.run.from)
	}
	if all.to >= w.cut {
		found.to = max(found.to, w.run.to)
	}
	for found.to < len(s) && s[found.to] == '=' {
		found.to++
	}
	return found, false
}

// holds reports whether another span is inside.
func (sp span) holds(other span) bool { return sp.from <= other.from && other.to <= sp.to }

// extent widens a span by the characters around it that are of a kind.
func extent(s string, sp span, kind func(byte) bool) span {
	for sp.from > 0 && kind(s[sp.from-1]) {
		sp.from--
	}
	for sp.to < len(s) && kind(s[sp.to]) {
		sp.to++
	}
	return sp
}

// jwtIn returns the token of dotted parts that ends a stretch of letters and dots.
func jwtIn(s string, sp span) (span, bool) {
	token := s[sp.from:sp.to]
	if at := strings.Index(token, jwtStart); at > 0 && !tokenByte(token[at-1]) {
		sp.from, token = sp.from+at, token[at:] // behind the dot that ends a sentence
	}
	return sp, strings.HasPrefix(token, jwtStart) && strings.Contains(token, ".")
}

// blobs finds the stretches of a text that hold a secret under an encoding. They go whole: what is
// encoded cannot be cut.
func (c *cleaning) blobs(s string) []span {
	if !mayPeel(s) {
		return nil
	}
	var found []span
	w, last := stretches{}, span{}
	whole := c.peeled(s, func(v *view) {
		for _, f := range c.layer(v.text, asText) {
			from, to, jwt := w.around(v, f.from, f.to)
			if from != last.from || to != last.to {
				last = span{from: from, to: to, rule: f.rule}
				found = append(found, c.blob(s, last, jwt))
			}
		}
	}, func(v *view, from, to int) {
		start, end := v.origin(from, to)
		found = append(found, c.blob(s, span{from: start, to: end, rule: rulePacked}, false))
	})
	if !whole {
		return []span{c.blob(s, span{to: len(s), rule: rulePacked}, false)}
	}
	return found
}

// blob names what takes the place of a stretch of s. The rule is that of what was found inside, or
// that for what is over the bounds.
func (c *cleaning) blob(s string, at span, jwt bool) span {
	kind := profile.Blob
	if jwt {
		kind = profile.Token
	}
	n := c.tape.number(kind, s[at.from:at.to])
	at.text, at.note = numbered(kind, n), note(kind, n)
	if jwt {
		c.tape.learn(s[at.from:at.to], stand{at.text, at.note})
	}
	return at
}

// learnInside learns the secrets inside a value that is replaced whole, under whatever encoding:
// what a token carries may stand in clear elsewhere.
func (c *cleaning) learnInside(s string) {
	c.learnNumbers(s)
	if c.inside || !mayPeel(s) {
		return // the views of a value hold those of what is in it
	}
	c.inside = true
	defer func() { c.inside = false }()
	c.peeled(s, func(v *view) { c.layer(v.text, asText) }, func(*view, int, int) {})
}

// hitsInside is hits for what is under an encoding. What is over the bounds may hold anything.
func (c *cleaning) hitsInside(s string) bool {
	if !mayPeel(s) {
		return false
	}
	bad := false
	whole := c.peeled(s, func(v *view) {
		bad = bad || c.hitsAs(v.text, asText)
	}, func(*view, int, int) { bad = true })
	return bad || !whole
}
