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
	r.word("- request:\n")
	r.fields(r.request)
	r.word("  response:\n")
	r.fields(r.response)
	r.word("  paytape:\n")
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

// word reads a fixed text.
func (r *itemReader) word(w string) {
	rest, ok := strings.CutPrefix(r.s, w)
	r.s, r.bad = rest, r.bad || !ok
}

// is reads a fixed text if it stands here.
func (r *itemReader) is(w string) bool {
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
		d, err := time.ParseDuration(r.plain())
		p.Duration, r.bad = d, r.bad || err != nil
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
	default:
		if s := metaText(m, key); s != nil {
			*s = r.text()
			return
		}
		r.bad = true
	}
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
	case "withheld":
		return &m.Withheld
	}
	return nil
}

// plain reads a scalar without quotes to the end of its line.
func (r *itemReader) plain() string {
	r.word(" ")
	s, rest, ok := strings.Cut(r.s, "\n")
	r.s, r.bad = rest, r.bad || !ok
	return s
}

func (r *itemReader) integer() int {
	n, err := strconv.Atoi(r.plain())
	r.bad = r.bad || err != nil
	return n
}

func (r *itemReader) text() string {
	r.word(" ")
	s := r.quoted()
	r.word("\n")
	return s
}

// values reads a header or a form.
func (r *itemReader) values() map[string][]string {
	m := map[string][]string{}
	if r.is(" {}\n") {
		return m
	}
	r.word("\n")
	for !r.bad && r.is("      ") {
		long := r.is("? ")
		key := r.quoted()
		if long {
			r.word("\n      ")
		}
		r.word(": [")
		m[key] = r.row()
		r.word("]\n")
	}
	return m
}

// skip goes past what values reads: nothing in it lies further left.
func (r *itemReader) skip() {
	if r.is(" {}\n") {
		return
	}
	r.word("\n")
	for !r.bad && r.is("      ") {
		_, rest, ok := strings.Cut(r.s, "\n")
		r.s, r.bad = rest, !ok
	}
}

// row reads the values of a key.
func (r *itemReader) row() []string {
	row := []string{}
	for !r.bad && strings.HasPrefix(r.s, `"`) {
		row = append(row, r.quoted())
		if !r.is(", ") {
			break
		}
	}
	return row
}

func (r *itemReader) list() []string {
	var list []string
	r.word("\n")
	for !r.bad && r.is("      - ") {
		list = append(list, r.quoted())
		r.word("\n")
	}
	return list
}

// quoted reads a double-quoted scalar. One without escapes stays a part of the file's text.
func (r *itemReader) quoted() string {
	r.word(`"`)
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
		if r.s = r.s[end:]; r.is(`"`) {
			return b.String()
		}
		r.word(`\`)
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
