package http1

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// statusLine is what of an answer net/http has no way to write: the reason phrase, and
// fields that it takes off an answer 304 although RFC 9110, section 15.4.5, wants them.
type statusLine struct {
	code   string // three digits: the answers before the final one have others
	phrase string
	fields []byte // whole lines
}

// kept304 are fields of an answer 304 that speak of a body which is not sent.
var kept304 = [...]string{"Content-Type", "Content-Length"}

// lineOf returns what must be written by hand of an answer; nil if nothing must.
func lineOf(res *http.Response) *statusLine {
	usual := http.StatusText(res.StatusCode)
	if res.StatusCode != http.StatusNotModified && (res.Status == "" ||
		len(res.Status) > 4 && res.Status[3] == ' ' && res.Status[4:] == usual) {
		return nil // as nearly all are
	}
	code := strconv.Itoa(res.StatusCode)
	text, found := strings.CutPrefix(res.Status, code)
	phrase := strings.TrimPrefix(text, " ")
	if !found || !all(phrase, inValue) {
		phrase = usual
	}
	var fields []byte
	if res.StatusCode == http.StatusNotModified {
		fields = lines(res.Header, kept304[:])
	}
	if phrase == usual && len(fields) == 0 {
		return nil
	}
	return &statusLine{code, phrase, fields}
}

// lines writes some fields of a header.
func lines(h http.Header, names []string) []byte {
	some := http.Header{}
	for _, name := range names {
		if values, ok := h[name]; ok {
			some[name] = values
		}
	}
	var b bytes.Buffer
	_ = some.Write(&b) // a buffer takes everything
	return b.Bytes()
}

// Write writes an answer. net/http writes the first line of an answer at the start of a
// Write, and answers before the final one by themselves.
func (c *Conn) Write(p []byte) (int, error) {
	if c.whole != nil {
		return c.writeWhole(p)
	}
	l := c.line.Load()
	if l == nil || !l.isOf(p) {
		return c.send(p)
	}
	text, rest := c.firstLine(make([]byte, 0, len(p)+len(l.phrase)+len(l.fields)+1), p)
	text = append(text, rest...)
	if n, err := c.send(text); err != nil {
		return max(0, n-(len(text)-len(p))), err
	}
	return len(p), nil
}

// isOf reports whether an answer of net/http's is that of the status line, with its first line whole.
func (l *statusLine) isOf(p []byte) bool {
	return len(p) >= len("HTTP/1.1 200") && string(p[9:12]) == l.code && bytes.Contains(p, crlf)
}

// firstLine appends the first line that an answer of net/http's is to have, with the fields that
// belong to it, and returns what stands behind the first line of net/http's.
func (c *Conn) firstLine(to, p []byte) (line, rest []byte) {
	end := bytes.Index(p, crlf) + len(crlf)
	if l := c.line.Load(); l != nil && l.isOf(p) {
		c.line.Store(nil)
		to = append(append(to, p[:12]...), ' ')
		to = append(append(to, l.phrase...), crlf...)
		return append(to, l.fields...), p[end:]
	}
	return append(to, p[:end]...), p[end:]
}

// SetStatus gives the connection of a request the reason phrase of its answer, and what else
// net/http has no words for, before the answer is written.
func SetStatus(req *http.Request, res *http.Response) {
	if l := lineOf(res); l != nil {
		if c := ConnOf(req); c != nil {
			c.line.Store(l)
		}
	}
}
