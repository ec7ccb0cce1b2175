package match

import (
	"net/http"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// headerTemplate is one value of a header.
type headerTemplate struct {
	name string
	text template
}

// answerHeader is the header of a recorded answer.
type answerHeader struct {
	values []headerTemplate
	// plain is the header itself, if it holds no variables; else nil. Answers share it, and
	// most of a tape's exchanges share one: nobody writes to it.
	plain http.Header
}

// header compiles the header of an answer, without what replay writes itself.
func (a *answerCompiler) header() *answerHeader {
	h := &answerHeader{}
	literal := true
	for i := range a.m.Leaves {
		l := &a.m.Leaves[i]
		// An answer that was cut, or has no body, had the length that it should have had.
		promised := a.e.lacksBody() && l.Key == "Content-Length"
		if !ownHeader(l) || volatileHeader(l.Key) && !promised {
			continue
		}
		text := template{{literal: l.Value}}
		if f := a.headers[a.m.HeaderValue(l)]; f != nil {
			text = f.cut(l.Value)
		}
		literal = literal && len(text) == 1
		h.values = append(h.values, headerTemplate{l.Key, text})
	}
	a.tape.compact.header(h)
	if !literal {
		return h
	}
	return a.tape.sameHeader(h)
}

// ownHeader reports whether a leaf is a value of a header rather than in one.
func ownHeader(l *leaf.Leaf) bool { return l.Place == leaf.Header && l.Holder() == nil }

// lacksBody reports whether the length in an answer is not that of its body on tape.
func (e *exchange) lacksBody() bool {
	return e.fault == leaf.FaultCut || e.method == http.MethodHead ||
		e.code == http.StatusNotModified
}

// sameHeader returns the header of an earlier answer that is equal to one without variables,
// or that one.
func (t *Tape) sameHeader(h *answerHeader) *answerHeader {
	var key strings.Builder
	for _, v := range h.values {
		key.WriteString(v.name + "\x00" + v.text[0].literal + "\x00")
	}
	if same := t.headers[key.String()]; same != nil {
		return same
	}
	h.plain = http.Header{}
	for _, v := range h.values {
		h.plain[v.name] = append(h.plain[v.name], v.text[0].literal)
	}
	t.headers[key.String()] = h
	return h
}

// write fills the header of an answer.
func (h *answerHeader) write(fill func(*hole) string) http.Header {
	if h.plain != nil {
		return h.plain
	}
	out := make(http.Header, len(h.values))
	for _, v := range h.values {
		out[v.name] = append(out[v.name], v.text.write(fill))
	}
	return out
}

// volatileHeader reports whether a header differs between two equal answers: replay writes
// these itself.
func volatileHeader(name string) bool { return name == "Date" || name == "Content-Length" }
