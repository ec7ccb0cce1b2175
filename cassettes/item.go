package cassettes

import (
	"bytes"
	"net/url"

	"github.com/paytape/paytape/internal/leaf"
)

// readItem reads an item that emit wrote, and nothing looser, in a tenth of the time that a
// YAML library takes. It reports false for any other text, which is then the library's.
func readItem(text []byte) (*leaf.Exchange, bool) { return (&itemReader{}).read(text) }

// itemReader reads items, each from top to bottom. What it returns holds nothing of their text.
type itemReader struct {
	formless bool    // the forms of requests are skipped
	shared   *shared // what items have in common; nil if there is one item alone

	s   []byte // what is left of the item
	bad bool   // it is not laid out by emit
	x   *leaf.Exchange

	room  []byte   // in which a scalar lies until it is a string
	lines []string // in which a list lies until its length is known
}

func (r *itemReader) read(text []byte) (*leaf.Exchange, bool) {
	r.s, r.bad, r.x = text, false, &leaf.Exchange{}
	r.expect(itemStart)
	r.fields(r.request)
	r.expect("  response:\n")
	r.fields(r.response)
	r.expect("  paytape:\n")
	r.fields(r.meta)
	return r.x, !r.bad && len(r.s) == 0
}

// expect reads a fixed text.
func (r *itemReader) expect(w string) {
	if !r.accept(w) {
		r.bad = true
	}
}

// accept reads a fixed text if it stands here.
func (r *itemReader) accept(w string) bool {
	if len(r.s) < len(w) || string(r.s[:len(w)]) != w {
		return false
	}
	r.s = r.s[len(w):]
	return true
}

// until reads up to a byte, and past it. The byte has to be there.
func (r *itemReader) until(c byte) []byte {
	read, rest, ok := bytes.Cut(r.s, []byte{c})
	r.s, r.bad = rest, r.bad || !ok
	return read
}

// fields reads the fields of a section, each by its key.
func (r *itemReader) fields(field func(key []byte)) {
	for !r.bad && r.accept("    ") {
		field(r.until(':'))
	}
}

func (r *itemReader) request(key []byte) {
	q := &r.x.Request
	switch string(key) {
	case "body":
		q.Body = r.body()
	case "form":
		form := r.section()
		if !r.formless {
			q.Form = url.Values(r.values(form))
		}
	case "headers":
		q.Headers = r.header()
	case "url":
		q.URL = r.text()
	case "method":
		q.Method = r.text()
	default:
		r.bad = true
	}
}

func (r *itemReader) response(key []byte) {
	p := &r.x.Response
	switch string(key) {
	case "body":
		p.Body = r.body()
	case "headers":
		p.Headers = r.header()
	case "status":
		p.Status = r.text()
	case "code":
		p.Code = r.integer()
		r.bad = r.bad || !isStatus(p.Code)
	case "duration":
		p.Duration = r.duration()
	default:
		r.bad = true
	}
}

func (r *itemReader) meta(key []byte) {
	m := &r.x.Meta
	switch string(key) {
	case "number":
		m.Number = r.integer()
		r.bad = r.bad || m.Number > maxNumber
	case "at":
		err := m.At.UnmarshalText(r.plain())
		r.bad = r.bad || err != nil
	case "trailers":
		m.Trailers = r.header()
	case "redactions":
		m.Redactions = r.list()
	case "rules":
		m.Rules = r.list()
	case "profiles":
		m.Profiles = r.list()
	case "aliases":
		m.Aliases = r.list()
	case "callback":
		m.Callback = r.callback()
	default:
		if s := metaText(m, key); s != nil {
			*s = r.text()
			return
		}
		r.bad = true
	}
}

// callback reads what is known of a callback.
func (r *itemReader) callback() *leaf.Callback {
	c := &leaf.Callback{}
	r.expect("\n")
	for !r.bad && r.accept("      ") {
		switch string(r.until(':')) {
		case "of":
			c.Of = r.integer()
		case "operation":
			c.Operation = r.text()
		case "gap":
			c.Gap = r.duration()
		case "attempt":
			c.Attempt = r.integer()
		case "via":
			c.Via = r.text()
		case "checksum":
			c.Checksum = r.text()
		default:
			r.bad = true
		}
	}
	return c
}

// metaText returns the field that is written as a text under a key, nil for none.
func metaText(m *leaf.Meta, key []byte) *string {
	switch string(key) {
	case "profile":
		return &m.Profile
	case "operation":
		return &m.Operation
	case "base":
		return &m.Base
	case "host":
		return &m.Host
	case "requestCoding":
		return &m.RequestCoding
	case "coding":
		return &m.Coding
	case "requestCharset":
		return &m.RequestCharset
	case "charset":
		return &m.Charset
	case "failure":
		return &m.Failure
	case "fault":
		return &m.Fault
	case "relayed":
		return &m.Relayed
	case "withheld":
		return &m.Withheld
	}
	return nil
}
