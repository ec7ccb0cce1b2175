package redact

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/paytape/paytape/internal/leaf"
)

// maxDecoded is the size up to which a body is decoded.
const maxDecoded = 16 << 20

// half is the header and the body of one direction. The header may be that of the exchange as it came:
// who changes it makes a copy first.
type half struct {
	leaf.Unprinted
	header http.Header
	body   string
}

// codingNotes is how a body was on the wire, as Meta notes it.
type codingNotes struct {
	name            string // "request", as reports call its half
	coding, charset *string
	values          *int // how many the body has; 0 if that was not counted
}

// decodeBody undoes the content coding and the charset of a body and notes them; the coding it
// takes out of the header. A body that cannot be read as text is replaced by a marker.
func (c *cleaning) decodeBody(w codingNotes, h *half) string {
	if h.body == "" {
		return ""
	}
	body, reason := c.decodeCoding(w, h)
	if reason == "" {
		if body, reason = c.decodeCharset(w, half{header: h.header, body: body}); reason == "" {
			if len(body)/shortestValue < mostValues(body) {
				return body // unless the body packs more: see read
			}
			size := countValues(h.header, body)
			if size.Weight() <= mostValues(body) {
				*w.values = size.Leaves
				return body
			}
			reason = tooManyValues
		}
	}
	return c.withholdBody(w.name, len(h.body), reason)
}

// withholdBody returns the marker for a body of n bytes that cannot be read, and says why.
func (c *cleaning) withholdBody(name string, n int, reason string) string {
	c.lost = append(c.lost, name+" body: "+reason)
	c.fire(ruleBody)
	return withheld(n, reason)
}

// A value of a body costs some 160 bytes while the body is cleaned, and a secret 250, however short
// it is. So a body that has more than a value in valueLength bytes is not taken apart, unless it has
// no more values than a body of smallBody bytes may have. Cleaning then takes ten times a body at
// most, and of a shorter body than smallBody ten times smallBody (TestMemoryOfCleaning). An order in
// a list has a value in 28 bytes (BenchmarkBodies/JSON), a list of digits has one in 4.
const (
	valueLength = 25
	smallBody   = 1 << 20
)

// mostValues returns the number of values up to which a body is taken apart.
func mostValues(body string) int { return max(len(body), smallBody) / valueLength }

// shortestValue is how many bytes of a body a value has at least that is not packed: "1,".
const shortestValue = 2

// countValues returns how many values a body has, or a few more than it may have.
func countValues(h http.Header, body string) leaf.Size {
	return leaf.Count(leaf.Message{Header: h, Headless: true, Body: body, Most: mostValues(body)})
}

// decodeCharset returns a body as UTF-8, or why it cannot.
func (c *cleaning) decodeCharset(w codingNotes, h half) (body, reason string) {
	if c.trust == ours && strings.HasPrefix(h.body, withheldPrefix) {
		return h.body, ""
	}
	_, types := header(h.header, "Content-Type")
	decode := leaf.DecodeText
	if w.name == "request" {
		decode = leaf.DecodeRequest
	}
	body, charset, err := decode(strings.Join(types, ", "), h.body)
	if err != nil {
		return "", "not UTF-8 text"
	}
	if charset != "" {
		*w.charset = charset
	}
	return body, ""
}

// decodeCoding returns a body without its content coding, or why it cannot.
func (c *cleaning) decodeCoding(w codingNotes, h *half) (body, reason string) {
	body = h.body
	key, values := header(h.header, "Content-Encoding")
	names := leaf.CodingOf(strings.Join(values, ", "), body)
	if len(values) > 0 || names != "" {
		decoded, err := leaf.Decode(names, []byte(h.body), maxDecoded)
		switch {
		case errors.Is(err, leaf.ErrTooLarge):
			reason = "too large when decoded"
		case err != nil:
			reason = "content coding cannot be undone"
		default:
			body = string(decoded)
		}
		h.header = h.header.Clone()
		delete(h.header, key)
		if *w.coding = names; strings.EqualFold(names, "identity") {
			*w.coding = ""
		}
	}
	return body, reason
}

const withheldPrefix = "[paytape: body of "

// tooManyValues is why a body is withheld that has more values than it may have.
const tooManyValues = "too many values"

// withheld returns the marker for a body of n bytes.
func withheld(n int, reason string) string {
	return fmt.Sprintf("%s%d bytes withheld: %s]", withheldPrefix, n, reason)
}

// header returns a header whatever the case of its name, as files that others wrote may
// have it.
func header(h http.Header, name string) (string, []string) {
	if values, ok := h[name]; ok {
		return name, values
	}
	for key, values := range h {
		if strings.EqualFold(key, name) {
			return key, values
		}
	}
	return name, nil
}

// withLength returns a header whose Content-Length agrees with the stored body: the header itself, which
// is changed unless it is that of the captured message, or a copy. An answer to HEAD has no body and keeps
// the length that it names.
func withLength(h http.Header, captured half, stored string) http.Header {
	key, values := header(h, "Content-Length")
	if len(values) == 0 || captured.body == "" {
		return h
	}
	length := strconv.Itoa(len(stored))
	if len(values) == 1 && values[0] == length {
		return h
	}
	if leaf.SameHeader(h, captured.header) {
		h = h.Clone()
	}
	h[key] = []string{length}
	return h
}

// keepMissingLength has Content-Length be as much more than the stored body as it was more than
// what came of the answer, which was cut.
func keepMissingLength(stored, captured *cassette.Response) {
	length, err := strconv.Atoi(captured.Headers.Get("Content-Length"))
	if missing := length - len(captured.Body); err == nil && missing > 0 {
		stored.Headers = stored.Headers.Clone()
		stored.Headers.Set("Content-Length", strconv.Itoa(len(stored.Body)+missing))
	}
}

// Form returns go-vcr's second copy of a form body, as go-vcr makes it, from the body of an
// exchange: parameters of the query are not in it, and a method without body has none. Cleaning makes
// it of the cleaned body; of any other it is as secret as that.
func Form(x *leaf.Exchange) url.Values {
	switch x.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
	default:
		return url.Values{}
	}
	_, types := header(x.Request.Headers, "Content-Type")
	if len(types) == 0 || strings.HasPrefix(x.Request.Body, withheldPrefix) {
		return url.Values{}
	}
	media, _, _ := mime.ParseMediaType(types[0])
	if media != "application/x-www-form-urlencoded" {
		return url.Values{}
	}
	// What the standard library cannot read is in the body alone: go-vcr does not get as
	// far as recording it.
	values, _ := url.ParseQuery(x.Request.Body)
	dropNoText(values)
	return values
}

// dropNoText takes out names and values that are no UTF-8: clients send forms in other
// charsets, percent-encoded, and a file holds text alone. The body keeps them as sent.
func dropNoText(form url.Values) {
	noText := func(v string) bool { return !utf8.ValidString(v) }
	for name, values := range form {
		if utf8.ValidString(name) && !slices.ContainsFunc(values, noText) {
			continue
		}
		if form[name] = slices.DeleteFunc(values, noText); len(form[name]) == 0 || noText(name) {
			delete(form, name)
		}
	}
}
