package rules

import (
	"encoding/json"
	"html"
	"net/http"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Answer is an answer as rules look at it and change it.
type Answer struct {
	leaf.Unprinted
	Code   int
	Header http.Header
	Body   string // without content coding, in UTF-8
	// Partial says that the body is not there, or not all of it: it is a stream, or too large.
	Partial bool
}

// message returns the answer with its leaves.
func (a *Answer) message() *leaf.Message {
	if a.Partial {
		return &leaf.Message{}
	}
	return leaf.Read(leaf.Message{Header: a.Header, Headless: true, Body: a.Body})
}

// allHold returns the first of several tests that does not hold of an answer; -1 if all hold.
func allHold(tests []fieldTest, c profile.Call, a *Answer, m *leaf.Message) int {
	for i := range tests {
		if t := &tests[i]; !t.test.holds(t.at.inAnswer(c, a, m)) {
			return i
		}
	}
	return -1
}

// Answered shows the rules the true answer, and decides which of those that wait for it fire. The
// first call counts: whoever sees the answer first makes it. The answer is kept, and not changed. A
// request that never arrived has none. A rule that waits and stops leaves those alone that have fired without the answer.
func (r *Ruling) Answered(a Answer) {
	if r == nil || r.decided {
		return
	}
	r.decided, r.answer = true, &a
	e := r.engine
	if r.neverArrives() || len(r.waiting) == 0 && !r.learns && !r.settles() {
		return
	}
	m := a.message()
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.learns {
		r.learn(m)
	}
	r.settle(&a, m)
	for n, s := range r.waiting {
		if i := allHold(s.answer, r.asked.Call, &a, m); i >= 0 {
			s.failed[len(s.where)+i].Add(1)
			continue
		}
		if r.fire(s) && s.then.stop {
			s.stops(r.waiting[n+1:])
			break
		}
	}
	r.rank()
}

// Looks reports whether the true answer is of interest, so that Answered should be shown it. An answer
// that is not can be shown all the same: values may refer to it.
func (r *Ruling) Looks() bool {
	return r != nil && !r.decided && (len(r.waiting) > 0 || r.learns || r.settles())
}

// Holds reports whether the true answer must be there as a whole before the client gets anything.
func (r *Ruling) Holds() bool {
	return r != nil && (!r.decided && len(r.waiting) > 0 || r.Changes())
}

// Changes reports whether Change would make another answer, so that it need not be read otherwise.
// It is to be asked after Answered.
func (r *Ruling) Changes() bool {
	return r != nil && (len(r.declined()) > 0 || r.first(func(f *firing) bool {
		return f.late() || f.then.status != 0 || !f.then.answer.empty()
	}) != nil)
}

// Change returns what the client gets of an answer. A whole answer takes the place of the true one
// first; then each rule changes what the rule before it has left. References are to the true answer.
func (r *Ruling) Change(a Answer) Answer {
	if !r.Changes() {
		return a
	}
	a.Header = cloned(a.Header)
	r.decline(&a)
	if late := r.first((*firing).late); late != nil {
		a = *r.instead(late)
	}
	for _, f := range r.fired {
		r.changeBy(&a, f)
	}
	return a
}

// Status returns the status that the client gets of a true answer with a code, and 0 where the rules
// let it have none. It is to be asked after Answered.
func (r *Ruling) Status(code int) int {
	if r == nil || code == 0 {
		return code
	}
	if late := r.first((*firing).late); late != nil {
		code = r.instead(late).Code
	}
	for _, f := range r.fired {
		if f.then.status != 0 {
			code = f.then.status
		}
	}
	switch r.Delivery().Fail {
	case Empty, Reset, Garbage, Timeout:
		return 0
	}
	return code
}

// changeBy does to an answer, whose header may be changed, what one rule says.
func (r *Ruling) changeBy(a *Answer, f *firing) {
	if f.then.status != 0 {
		a.Code = f.then.status
	}
	if !f.then.answer.empty() {
		r.changeAnswer(a, f)
	}
}

// cloned returns a copy of a header that can be changed; nil is an empty header.
func cloned(h http.Header) http.Header {
	if h == nil {
		return http.Header{}
	}
	return h.Clone()
}

// instead returns the answer that a rule gives in place of the mode. Of a lost request nobody sees
// it.
func (r *Ruling) instead(f *firing) *Answer {
	a := &Answer{Code: http.StatusBadGateway, Header: http.Header{}}
	switch e := &f.then; {
	case e.redirect != nil:
		a.Code = e.redirect.status
		a.Header.Set("Location", oneLine(r.text(e.redirect.to, f, nil)))
	case e.instead != nil:
		a.Code = e.instead.status
		for _, h := range e.instead.header {
			a.Header.Add(h.name, oneLine(r.text(h.value, f, nil)))
		}
		a.Body = r.textEscaped(e.instead.body, f, nil, escapeOf(e.instead.body))
		if a.Header["Content-Type"] == nil && a.Body != "" {
			a.Header.Set("Content-Type", mediaType(a.Body))
		}
	}
	return a
}

// escapeOf returns how a reference is written into a body of the media type that it has.
func escapeOf(body value) func(string) string {
	if len(body) > 0 && body[0].kind == literal {
		switch mediaType(body[0].literal) {
		case "application/json":
			return escapeJSON
		case "application/xml", "text/html; charset=utf-8":
			return html.EscapeString
		}
	}
	return func(text string) string { return text }
}

// escapeJSON writes a text as it stands between the quotes of a JSON string. A number stays as it
// is.
func escapeJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	return string(quoted[1 : len(quoted)-1])
}

// mediaType guesses the media type of a body by how it begins.
func mediaType(body string) string {
	switch body = strings.TrimSpace(body); {
	case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		return "application/json"
	case strings.HasPrefix(body, "<?xml"):
		return "application/xml"
	case strings.HasPrefix(body, "<"):
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// oneLine returns a text that may stand in a header.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, text)
}
