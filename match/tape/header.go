package tape

import (
	"net/http"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// headerTemplate is one value of a header.
type headerTemplate struct {
	name string
	text Template
}

// trailer copies the trailer of an answer; nil for none.
func (c *compiler) trailer(of http.Header) http.Header {
	if len(of) == 0 {
		return nil
	}
	own := make(http.Header, len(of))
	for name, values := range of {
		for _, v := range values {
			own[c.tape.words.word(name)] = append(own[name], c.tape.words.word(v))
		}
	}
	return own
}

// answerHeader is the header of a recorded answer, and its trailer.
type answerHeader struct {
	values []headerTemplate
	// plain is the header itself, if it holds no variables; else nil. Answers share it, and
	// most of a tape's exchanges share one: nobody writes to it.
	plain   http.Header
	trailer http.Header
}

// header compiles the header of an answer, without what replay writes itself.
func (a *answerReader) header(x *leaf.Exchange) *answerHeader {
	literal := len(x.Meta.Trailers) == 0
	if literal && len(a.headers) == 0 {
		if same := a.tape.headers[string(a.headerKey())]; same != nil {
			return same
		}
	}
	h := &answerHeader{trailer: a.trailer(x.Meta.Trailers)}
	for i := range a.m.Leaves {
		l := &a.m.Leaves[i]
		if !a.keepsHeader(l) {
			continue
		}
		text := Template{values: a.tape.words.word(l.Value)}
		if f := a.headers[a.m.HeaderValue(l)]; f != nil {
			f.sort()
			text = f.cut(a.tape.words, l.Value, 0, len(l.Value))
		}
		literal = literal && text.layout == nil
		h.values = append(h.values, headerTemplate{a.tape.words.word(l.Key), text})
	}
	if !literal {
		return h
	}
	return a.tape.sameHeader(h)
}

// keepsHeader reports whether a leaf is a value of a header that replay does not write itself.
func (a *answerReader) keepsHeader(l *leaf.Leaf) bool {
	// An answer that was cut, or has no body, had the length that it should have had.
	promised := a.rec.lacksBody() && l.Key == "Content-Length"
	return ownHeader(l) && (!volatileHeader(l.Key) || promised)
}

// headerKey is the key of the header at hand, as of sameHeader, if it is one without variables.
func (a *answerReader) headerKey() []byte {
	key := a.keyRoom[:0]
	for i := range a.m.Leaves {
		if l := &a.m.Leaves[i]; a.keepsHeader(l) {
			key = append(append(key, l.Key...), 0)
			key = append(append(key, l.Value...), 0)
		}
	}
	a.keyRoom = key
	return key
}

// ownHeader reports whether a leaf is a value of a header rather than in one.
func ownHeader(l *leaf.Leaf) bool { return l.Place == leaf.Header && l.Holder() == nil }

// lacksBody reports whether the length in an answer is not that of its body on tape.
func (r *Recording) lacksBody() bool {
	return r.Fault == leaf.FaultCut || r.Method == http.MethodHead ||
		r.Code == http.StatusNotModified
}

// sameHeader returns the header of an earlier answer that is equal to one without variables,
// or that one.
func (t *Tape) sameHeader(h *answerHeader) *answerHeader {
	var key strings.Builder
	for _, v := range h.values {
		key.WriteString(v.name + "\x00" + v.text.values + "\x00")
	}
	if same := t.headers[key.String()]; same != nil {
		return same
	}
	h.plain = http.Header{}
	for _, v := range h.values {
		h.plain[v.name] = append(h.plain[v.name], v.text.values)
	}
	t.headers[key.String()] = h
	return h
}

// write fills the header of an answer, without what would repeat something that the request has not.
func (h *answerHeader) write(fill func(*Hole) string) http.Header {
	if h.plain != nil {
		return h.plain
	}
	out := make(http.Header, len(h.values))
	for _, v := range h.values {
		if text := v.text.Text(fill); text != "" || v.text.layout == nil {
			out[v.name] = append(out[v.name], text)
		}
	}
	return out
}

// volatileHeader reports whether a header differs between two equal answers: replay writes
// these itself.
func volatileHeader(name string) bool { return name == "Date" || name == "Content-Length" }
