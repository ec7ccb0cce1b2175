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

// mayPeel turns most texts away at a look: those with no run that is long enough, no zeros and no
// escapes that could hide one.
func mayPeel(s string) bool {
	if len(s) < minPacked {
		return false
	}
	if strings.IndexByte(s, '%') >= 0 || strings.IndexByte(s, '\\') >= 0 ||
		strings.IndexByte(s, 0) >= 0 || strings.Contains(s, "&#") {
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

// stretch returns the stretch of the text from which the bytes [from, to) of a view came, as wide
// as it must go: in the outermost encoding all of the word, or of the JWT, that it is a part of.
// It is a JWT's own if jwt is true.
func (v *view) stretch(from, to int) (start, end int, jwt bool) {
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
	start, end, jwt = widen(text.text, hit, all)
	start, end = text.origin(start, end)
	return start, end, jwt
}

// slack is how many characters of base64 may stand between the beginning of a run and the text in
// it: those of a byte order mark.
const slack = 2

// widen returns the word of base64 or hex around a hit in s. A slash or a hyphen may be a part of
// the word or not: it is if all that was decoded goes up to the end of the run.
func widen(s string, hit, all span) (from, to int, jwt bool) {
	if from, to, jwt = jwtAround(s, hit.from, hit.to); jwt {
		return from, to, true
	}
	from, to = base64Run(s, hit.from, hit.to)
	start, end := hit.from, hit.to
	for start > 0 && base64Values[s[start-1]] >= 0 {
		start--
	}
	for end < len(s) && base64Values[s[end]] >= 0 {
		end++
	}
	if all.from-start <= slack {
		from = min(from, start)
	}
	if rest := s[min(all.to, end):end]; !strings.ContainsAny(rest, "/-") {
		to = max(to, end)
	}
	for to < len(s) && s[to] == '=' {
		to++
	}
	return from, to, false
}

// jwtAround returns the token of dotted parts that a stretch of s is a part of.
func jwtAround(s string, from, to int) (start, end int, ok bool) {
	in := func(c byte) bool { return alphanumeric(c) || c == '-' || c == '_' || c == '.' }
	for from > 0 && in(s[from-1]) {
		from--
	}
	for to < len(s) && in(s[to]) {
		to++
	}
	token := s[from:to]
	if at := strings.Index(token, jwtStart); at > 0 && !tokenByte(token[at-1]) {
		from, token = from+at, token[at:] // behind the dot that ends a sentence
	}
	return from, to, strings.HasPrefix(token, jwtStart) && strings.Contains(token, ".")
}

// blobs finds the stretches of a text that hold a secret under an encoding. They go whole: what is
// encoded cannot be cut.
func (c *cleaning) blobs(s string) []span {
	if !mayPeel(s) {
		return nil
	}
	var found []span
	seen := func(v *view, from, to int) {
		from, to, jwt := v.stretch(from, to)
		found = append(found, c.blob(s, span{from: from, to: to}, jwt))
	}
	whole := c.peeled(s, func(v *view) {
		for _, f := range c.layer(v.text, asText) {
			seen(v, f.from, f.to)
		}
	}, func(v *view, from, to int) {
		start, end := v.origin(from, to)
		found = append(found, c.blob(s, span{from: start, to: end}, false))
	})
	if !whole {
		return []span{c.blob(s, span{to: len(s)}, false)}
	}
	return found
}

// blob names what takes the place of a stretch of s.
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
