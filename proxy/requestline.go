package proxy

import (
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// requestLine is the request line of a call that no profile knows, for whoever looks at it later. It
// was not cleaned: to clean a path takes up to 13 us, which is a fifth of what the answer takes, and
// most events are never looked at.
type requestLine struct {
	leaf.Unprinted
	method, path string
	by           FieldCleaner
	secrets      []string // live tokens, which the cleaner learns before
}

// clean returns the method and the path. It cleans them each time, because the cleaner may have
// learned more since.
func (l *requestLine) clean() (method, target redact.Safe) {
	teach(l.by, l.secrets)
	return l.by.Text(l.method), l.by.Text(l.path)
}

// lineLater keeps the request line of a call that no profile knows, to be cleaned when somebody looks.
func (e *Event) lineLater(t FieldCleaner, method, path string) {
	if e.Operation == "" {
		e.asked = &requestLine{method: method, path: path, by: t}
	}
}

// lineKnows says which live tokens may stand in a request line that is kept.
func (e *Event) lineKnows(secrets []string) {
	if e.asked != nil {
		e.asked.secrets = secrets
	}
}

// lineNow cleans a request line that was kept: of an event with other words that are cleaned now, in
// which a card has the number that it has in the path.
func (e *Event) lineNow() {
	if e.asked != nil {
		e.Method, e.Target = e.asked.clean()
		e.asked = nil
	}
}

// Line returns Method and Target, and those of a request that was answered from tape, which are cleaned
// now.
func (e *Event) Line() (method, target redact.Safe) {
	if e.asked != nil {
		return e.asked.clean()
	}
	return e.Method, e.Target
}
