package scan

import "strings"

// Widener widens hits in the views of a text. Hits stand together, so what was found around the
// last hit is kept: the time would grow with the square of a run that holds many.
type Widener struct {
	of     *View   // the view around whose hits these were found
	run    stretch // of base64
	cut    int     // behind the last slash or hyphen in it
	word   stretch // of base64 up to the next slash
	dotted stretch // of what JWTs are made of
	token  stretch // the JWT at its end
	jwt    bool    // there is one
}

// Around returns the stretch of the text from which the bytes [from, to) of a view came, as wide as
// it must go: in the outermost encoding all of the word, or of the JWT, that it is a part of. It is
// a JWT's own if jwt is true.
func (w *Widener) Around(v *View, from, to int) (start, end int, jwt bool) {
	text, hit, all := v, stretch{}, stretch{}
	first, last := 0, len(v.Text)
	for ; v.parent != nil; v = v.parent {
		from, to = v.place(from, to)
		first, last = v.place(first, last)
		if v.line == "" {
			text, hit, all = v.parent, stretch{from: from, to: to}, stretch{from: first, to: last}
			first, last = 0, len(v.parent.Text)
		}
	}
	if w.of != text {
		*w = Widener{of: text}
	}
	found, jwt := w.widen(hit, all)
	start, end = text.Origin(found.from, found.to)
	return start, end, jwt
}

// slack is how many characters of base64 may stand between the beginning of a run and the text in
// it: the characters of a byte order mark.
const slack = 2

// widen returns the word of base64 or hex around a hit. A slash or a hyphen may be a part of the
// word or not: it is if all that was decoded goes up to the end of the run.
func (w *Widener) widen(hit, all stretch) (found stretch, jwt bool) {
	s := w.of.Text
	if !w.dotted.holds(hit) {
		w.dotted = extent(s, hit, IsTokenByte)
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
		w.word.from, w.word.to = AroundBase64(s, hit.from, hit.to)
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

// stretch is a part of a text.
type stretch struct{ from, to int }

// holds reports whether another stretch is inside.
func (sp stretch) holds(other stretch) bool { return sp.from <= other.from && other.to <= sp.to }

// extent widens a stretch by the characters around it that are of a kind.
func extent(s string, sp stretch, kind func(byte) bool) stretch {
	for sp.from > 0 && kind(s[sp.from-1]) {
		sp.from--
	}
	for sp.to < len(s) && kind(s[sp.to]) {
		sp.to++
	}
	return sp
}

// jwtIn returns the token of dotted parts that ends a stretch of letters and dots.
func jwtIn(s string, sp stretch) (stretch, bool) {
	token := s[sp.from:sp.to]
	if at := strings.Index(token, JWTStart); at > 0 && !IsTokenByte(token[at-1]) {
		sp.from, token = sp.from+at, token[at:] // behind the dot that ends a sentence
	}
	return sp, strings.HasPrefix(token, JWTStart) && strings.Contains(token, ".")
}
