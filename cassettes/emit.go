package cassettes

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
)

// emit writes one exchange as the text of a YAML list item. The same exchange gives the same
// text. It is written by hand because the YAML libraries lose a body's leading line feed,
// write some bodies so that nobody can read them back, and take 17 times as long.
//
//	interactions:
//	- request:
//	    body: "amount=100"
//	    form:
//	      "amount": ["100"]
//	    headers: {}
//	    url: "https://sandbox.example/register.do"
//	    method: "POST"
//	  response:
//	    body: "{\
//	      \"orderId\":\"70906e55\",\
//	      \"errorCode\":0}"
//	    headers:
//	      "Content-Type": ["application/json"]
//	    status: "200 OK"
//	    code: 200
//	    duration: 12.5ms
//	  paytape:
//	    at: 2026-03-01T10:00:00.123456789+03:00
//	    profile: "gateway"
//	    operation: "register.do"
//	    number: 1
//
// The number comes last: an interaction that has a number is whole. (gofmt would take the drawing
// for a list, and flatten it, if it began with the dash.)
func emit(x *leaf.Exchange) ([]byte, error) { return emitInto(nil, x) }

// emitInto is emit that writes into a room, whatever the room holds.
func emitInto(room []byte, x *leaf.Exchange) ([]byte, error) {
	bodies := len(x.Request.Body) + len(x.Response.Body)
	w := writer{b: slices.Grow(room[:0], 1024+bodies+bodies/2)}
	w.line("- request:")
	w.body(x.Request.Body)
	w.values("form", x.Form)
	w.values("headers", x.Request.Headers)
	w.text("url", x.URL)
	w.text("method", x.Method)
	w.line("  response:")
	w.body(x.Response.Body)
	w.values("headers", x.Response.Headers)
	w.text("status", x.Status)
	w.plain("code", strconv.Itoa(x.Code))
	w.plain("duration", x.Duration.String())
	w.line("  paytape:")
	w.meta(&x.Meta)
	if w.err != nil {
		return nil, fmt.Errorf("writing exchange %d: %w", x.Meta.Number, w.err)
	}
	return w.b, nil
}

// writer appends lines to an item and keeps the first error.
type writer struct {
	b   []byte
	err error
}

func (w *writer) line(s string) {
	w.b = append(w.b, s...)
	w.b = append(w.b, '\n')
}

// key begins a line at the depth of every field.
func (w *writer) key(key string) {
	w.b = append(w.b, "    "...)
	w.b = append(w.b, key...)
	w.b = append(w.b, ':')
}

func (w *writer) plain(key, value string) {
	w.key(key)
	w.b = append(w.b, ' ')
	w.line(value)
}

func (w *writer) text(key, s string) {
	w.check(key, s)
	w.key(key)
	w.b = append(w.b, ' ')
	w.b = appendQuoted(w.b, s)
	w.line("")
}

func (w *writer) body(s string) {
	w.check("body", s)
	w.key("body")
	w.b = append(w.b, ' ')
	w.b = appendBody(w.b, s)
	w.line("")
}

// check refuses what a YAML library would read back as something else. The field is named,
// its content is not.
func (w *writer) check(key, s string) {
	if w.err == nil && !utf8.ValidString(s) {
		w.err = fmt.Errorf("%s is not valid UTF-8", key)
	}
}

// values writes a header or a form, sorted by key, one key to a line.
func (w *writer) values(key string, m map[string][]string) {
	w.key(key)
	if len(m) == 0 {
		w.line(" {}")
		return
	}
	w.line("")
	var room [32]string
	keys := room[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		w.check(key, k)
		w.valueKey(k)
		w.list(key, m[k])
	}
}

// maxKey is the length in bytes up to which a key is written before a colon. YAML readers
// look for that colon within 1,024 characters; a body that is posted as a form without being
// one becomes a key of any length.
const maxKey = 500

func (w *writer) valueKey(k string) {
	w.b = append(w.b, "      "...)
	from := len(w.b)
	w.b = appendQuoted(w.b, k)
	if len(w.b)-from > maxKey {
		w.b = slices.Insert(w.b, from, '?', ' ')
		w.b = append(w.b, "\n      "...)
	}
	w.b = append(w.b, ": "...)
}

func (w *writer) list(key string, values []string) {
	w.b = append(w.b, '[')
	for i, v := range values {
		w.check(key, v)
		if i > 0 {
			w.b = append(w.b, ", "...)
		}
		w.b = appendQuoted(w.b, v)
	}
	w.line("]")
}

// meta writes what go-vcr has no place for. Absent values are left out, like the tags of
// leaf.Meta have it.
func (w *writer) meta(m *leaf.Meta) {
	w.at(m)
	w.optional("profile", m.Profile)
	w.optional("operation", m.Operation)
	w.texts("profiles", m.Profiles)
	w.optional("base", m.Base)
	w.optional("host", m.Host)
	w.texts("aliases", m.Aliases)
	w.optional("requestCoding", m.RequestCoding)
	w.optional("coding", m.Coding)
	w.optional("requestCharset", m.RequestCharset)
	w.optional("charset", m.Charset)
	if len(m.Trailers) > 0 {
		w.values("trailers", m.Trailers)
	}
	w.texts("redactions", m.Redactions)
	w.texts("rules", m.Rules)
	w.optional("relayed", m.Relayed)
	w.callback(m.Callback)
	w.optional("failure", m.Failure)
	w.optional("fault", m.Fault)
	w.optional("withheld", m.Withheld)
	w.plain("number", strconv.Itoa(m.Number))
}

// callback writes what is known of a callback, a line each; nothing for another exchange.
func (w *writer) callback(c *leaf.Callback) {
	if c == nil {
		return
	}
	w.key("callback")
	w.line("")
	if c.Of != 0 {
		w.nested("of", strconv.Itoa(c.Of))
	}
	if c.Operation != "" {
		w.nestedText("operation", c.Operation)
	}
	if c.Gap != 0 {
		w.nested("gap", c.Gap.String())
	}
	w.nested("attempt", strconv.Itoa(c.Attempt))
	w.nestedText("via", c.Via)
	if c.Checksum != "" {
		w.nestedText("checksum", c.Checksum)
	}
}

// nested writes a field of a field.
func (w *writer) nested(key, value string) {
	w.b = append(w.b, "  "...)
	w.plain(key, value)
}

func (w *writer) nestedText(key, s string) {
	w.check(key, s)
	w.nested(key, string(appendQuoted(nil, s)))
}

func (w *writer) at(m *leaf.Meta) {
	if m.At.IsZero() {
		return
	}
	at, err := m.At.MarshalText()
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("the time at which it began: %w", err)
	}
	w.plain("at", string(at))
}

func (w *writer) optional(key, s string) {
	if s != "" {
		w.text(key, s)
	}
}

// texts writes texts, a line each; nothing for an empty one.
func (w *writer) texts(key string, list []string) {
	if len(list) == 0 {
		return
	}
	w.key(key)
	w.line("")
	for _, s := range list {
		w.check(key, s)
		w.b = append(w.b, "      - "...)
		w.b = appendQuoted(w.b, s)
		w.line("")
	}
}
