package cassettes

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
)

// readItem reads an item that emit wrote, and nothing looser, in a tenth of the time that a
// YAML library takes. It reports false for any other text, which is then the library's.
func readItem(text string) (*leaf.Exchange, bool) {
	return (&itemReader{s: text, x: &leaf.Exchange{}}).item()
}

// readFormless is readItem without the form of the request.
func readFormless(text string) (*leaf.Exchange, bool) {
	return (&itemReader{s: text, x: &leaf.Exchange{}, formless: true}).item()
}

func (r *itemReader) item() (*leaf.Exchange, bool) {
	r.expect("- request:\n")
	r.fields(r.request)
	r.expect("  response:\n")
	r.fields(r.response)
	r.expect("  paytape:\n")
	r.fields(r.meta)
	return r.x, !r.bad && r.s == ""
}

// itemReader reads an item from top to bottom.
type itemReader struct {
	s   string // what is left of it
	bad bool   // it is not laid out by emit
	x   *leaf.Exchange

	formless bool // the form is skipped
}

// expect reads a fixed text.
func (r *itemReader) expect(w string) {
	rest, ok := strings.CutPrefix(r.s, w)
	r.s, r.bad = rest, r.bad || !ok
}

// accept reads a fixed text if it stands here.
func (r *itemReader) accept(w string) bool {
	rest, ok := strings.CutPrefix(r.s, w)
	r.s = rest
	return ok
}

// fields reads the fields of a section, each by its key.
func (r *itemReader) fields(field func(key string)) {
	for !r.bad && strings.HasPrefix(r.s, "    ") {
		key, rest, ok := strings.Cut(r.s[len("    "):], ":")
		r.s, r.bad = rest, !ok
		field(key)
	}
}

func (r *itemReader) request(key string) {
	q := &r.x.Request
	switch key {
	case "body":
		q.Body = r.text()
	case "form":
		if r.formless {
			r.skip()
			return
		}
		q.Form = url.Values(r.values())
	case "headers":
		q.Headers = http.Header(r.values())
	case "url":
		q.URL = r.text()
	case "method":
		q.Method = r.text()
	default:
		r.bad = true
	}
}

func (r *itemReader) response(key string) {
	p := &r.x.Response
	switch key {
	case "body":
		p.Body = r.text()
	case "headers":
		p.Headers = http.Header(r.values())
	case "status":
		p.Status = r.text()
	case "code":
		p.Code = r.integer()
	case "duration":
		p.Duration = r.duration()
	default:
		r.bad = true
	}
}

func (r *itemReader) meta(key string) {
	m := &r.x.Meta
	switch key {
	case "number":
		m.Number = r.integer()
	case "at":
		err := m.At.UnmarshalText([]byte(r.plain()))
		r.bad = r.bad || err != nil
	case "trailers":
		m.Trailers = http.Header(r.values())
	case "redactions":
		m.Redactions = r.list()
	case "rules":
		m.Rules = r.list()
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
		key, rest, ok := strings.Cut(r.s, ":")
		r.s, r.bad = rest, !ok
		switch key {
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
func metaText(m *leaf.Meta, key string) *string {
	switch key {
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

// plain reads a scalar without quotes to the end of its line.
func (r *itemReader) plain() string {
	r.expect(" ")
	s, rest, ok := strings.Cut(r.s, "\n")
	r.s, r.bad = rest, r.bad || !ok
	return s
}

func (r *itemReader) integer() int {
	n, err := strconv.Atoi(r.plain())
	r.bad = r.bad || err != nil
	return n
}

func (r *itemReader) duration() time.Duration {
	d, err := time.ParseDuration(r.plain())
	r.bad = r.bad || err != nil
	return d
}

func (r *itemReader) text() string {
	r.expect(" ")
	s := r.quoted()
	r.expect("\n")
	return s
}

// values reads a header or a form.
func (r *itemReader) values() map[string][]string {
	m := map[string][]string{}
	if r.accept(" {}\n") {
		return m
	}
	r.expect("\n")
	for !r.bad && r.accept("      ") {
		long := r.accept("? ")
		key := r.quoted()
		if long {
			r.expect("\n      ")
		}
		r.expect(": [")
		m[key] = r.row()
		r.expect("]\n")
	}
	return m
}

// skip goes past what values reads: nothing in it lies further left.
func (r *itemReader) skip() {
	if r.accept(" {}\n") {
		return
	}
	r.expect("\n")
	for !r.bad && r.accept("      ") {
		_, rest, ok := strings.Cut(r.s, "\n")
		r.s, r.bad = rest, !ok
	}
}

// row reads the values of a key.
func (r *itemReader) row() []string {
	row := []string{}
	for !r.bad && strings.HasPrefix(r.s, `"`) {
		row = append(row, r.quoted())
		if !r.accept(", ") {
			break
		}
	}
	return row
}

func (r *itemReader) list() []string {
	var list []string
	r.expect("\n")
	for !r.bad && r.accept("      - ") {
		list = append(list, r.quoted())
		r.expect("\n")
	}
	return list
}

// quoted reads a double-quoted scalar. One without escapes stays a part of the file's text.
func (r *itemReader) quoted() string {
	r.expect(`"`)
	end := strings.IndexByte(r.s, '"')
	if end >= 0 && strings.IndexByte(r.s[:end], '\\') < 0 {
		s := r.s[:end]
		r.s = r.s[end+1:]
		return s
	}
	var b strings.Builder
	b.Grow(max(0, strings.Index(r.s, "\"\n"))) // what ends most scalars
	for !r.bad && r.s != "" {
		end := special(r.s)
		b.WriteString(r.s[:end])
		if r.s = r.s[end:]; r.accept(`"`) {
			return b.String()
		}
		r.expect(`\`)
		r.escape(&b)
	}
	r.bad = true
	return ""
}

// special returns how many characters stand for themselves at the beginning of a quoted text.
func special(s string) int {
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			return i
		}
	}
	return len(s)
}

// escape reads what follows a backslash.
func (r *itemReader) escape(b *strings.Builder) {
	if r.s == "" {
		r.bad = true
		return
	}
	c := r.s[0]
	r.s = r.s[1:]
	switch c {
	case '"', '\\', ' ':
		b.WriteByte(c)
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case '\n': // a continuation: the indentation is none of the value
		r.s = strings.TrimLeft(r.s, " ")
	case 'x':
		r.rune(b, 2)
	case 'u':
		r.rune(b, 4)
	case 'U':
		r.rune(b, 8)
	default:
		r.bad = true
	}
}

// rune reads a character written as n hex digits.
func (r *itemReader) rune(b *strings.Builder, n int) {
	if len(r.s) < n {
		r.bad = true
		return
	}
	v, err := strconv.ParseUint(r.s[:n], 16, 32)
	if err != nil || !utf8.ValidRune(rune(v)) {
		r.bad = true
		return
	}
	r.s = r.s[n:]
	b.WriteRune(rune(v))
}
