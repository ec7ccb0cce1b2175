package http1

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
)

// responseWriter is the response writer of a request. An answer that comes in one piece, and says
// how long it is, goes to the connection in one write, and its header is written straight from the
// map of the handler. net/http would copy the header, copy the body twice, and send what is larger
// than its buffer of 4 KiB in several writes, each of which wakes the client.
//
//	handler      WriteHeader(200)   nothing yet: the code is held
//	             WriteString(page)  the head and the page are one text now
//	the handler returns             net/http is told of an answer without a header and a body
//	net/http     Write(head)        Conn takes the first line, and Connection, and writes the text
//
// So it is net/http that decides whether the connection stays open. Any other answer is net/http's
// as soon as it is clear that the answer is another one: at its first piece, at a flush, or when
// the handler takes the connection over.
type responseWriter struct {
	http.ResponseWriter
	conn  *Conn
	head  bool // the request is a HEAD: its answer has no body, whatever its length
	code  int  // of the answer whose header came; 0 before
	whole *wholeAnswer
	// passed is set when net/http has the answer, or is to have all that comes.
	passed bool
}

// wholeAnswer is an answer as it goes out, but for its first line.
type wholeAnswer struct {
	leaf.Unprinted
	text []byte // room for the first line, then the fields of the head, an empty line and the body
	body int    // where the body begins
	// names are those of the fields, in their order. The next answer has most often the same ones.
	names []string
}

const (
	firstRoom = 64        // bytes: "HTTP/1.1 200 OK", and "Connection: close" behind it
	maxWhole  = 64 << 10  // bytes of a body that is held
	maxFields = 32        // of a header that is held
	keptRoom  = 128 << 10 // bytes: a larger text is not used again
)

// wholeAnswers are those that went out, for their memory.
var wholeAnswers sync.Pool

func (a *wholeAnswer) free() {
	if cap(a.text) <= keptRoom {
		clear(a.text) // nothing of an answer outlives it but the names of its fields
		wholeAnswers.Put(a)
	}
}

// WriteHeader holds the head of a final answer which may have a body.
func (w *responseWriter) WriteHeader(code int) {
	final := code >= http.StatusOK && code <= 999 && code != http.StatusNoContent &&
		code != http.StatusNotModified
	if final && !w.head && !w.passed && w.code == 0 {
		w.code = code
		return
	}
	if w.code != 0 || code >= http.StatusOK || code == http.StatusSwitchingProtocols {
		w.pass()
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write writes a piece of the body, and keeps it if it is all of the body.
func (w *responseWriter) Write(p []byte) (int, error) {
	if keep(w, p) {
		return len(p), nil
	}
	w.pass()
	return w.ResponseWriter.Write(p)
}

// WriteString is Write for a text.
func (w *responseWriter) WriteString(s string) (int, error) {
	if keep(w, s) {
		return len(s), nil
	}
	w.pass()
	return io.WriteString(w.ResponseWriter, s)
}

// keep keeps an answer whose body is p. It returns false if p is not all of the body, or if
// something in the header is for net/http to read.
func keep[T string | []byte](w *responseWriter, p T) bool {
	if w.code == 0 && !w.passed {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case w.passed:
		return false
	case len(p) == 0:
		return true
	}
	return w.whole == nil && len(p) <= maxWhole && hold(w, p)
}

// hold holds an answer whose body is p. It returns false if something in the header is for net/http to
// read.
func hold[T string | []byte](w *responseWriter, p T) bool {
	a, _ := wholeAnswers.Get().(*wholeAnswer)
	if a == nil {
		a = &wholeAnswer{}
	}
	a.text = slices.Grow(a.text[:0], firstRoom)[:firstRoom]
	if !a.fields(w.Header(), len(p)) {
		a.free()
		return false
	}
	a.body = len(a.text)
	a.text = append(a.text, p...)
	w.whole = a
	return true
}

// fields writes a header as net/http does, and the empty line behind it, for a body of so many bytes.
// It returns false for a header to which net/http would add something, and for one that says
// something of the connection.
func (a *wholeAnswer) fields(h http.Header, length int) bool {
	if _, dated := h["Date"]; !dated {
		return false
	}
	if _, typed := h["Content-Type"]; !typed {
		return false
	}
	var room [20]byte
	if said := h["Content-Length"]; len(said) != 1 ||
		said[0] != string(strconv.AppendInt(room[:0], int64(length), 10)) {
		return false
	}
	return a.lines(h) || a.order(h) && a.lines(h)
}

// order puts the names of a header in order. It returns false for one that says something of the
// connection, or that has names which are none.
func (a *wholeAnswer) order(h http.Header) bool {
	clear(a.names)
	names := a.names[:0]
	a.names = nil
	for name := range h {
		steers := name == "Connection" || name == "Transfer-Encoding"
		if steers || len(h) > maxFields || !all(name, inToken) {
			return false
		}
		names = append(names, name)
	}
	slices.Sort(names)
	a.names = names
	return true
}

// lines writes a header, and the empty line behind it. It returns false, and leaves nothing
// written, if the names that were put in order are not those of the header.
func (a *wholeAnswer) lines(h http.Header) bool {
	if len(a.names) != len(h) {
		return false
	}
	for _, name := range a.names {
		values, has := h[name]
		if !has {
			clear(a.text[firstRoom:]) // net/http's answers are not held
			a.text = a.text[:firstRoom]
			return false
		}
		for _, value := range values {
			a.text = append(append(a.text, name...), ": "...)
			a.text = append(append(a.text, oneLine(value)...), crlf...)
		}
	}
	a.text = append(a.text, crlf...)
	return true
}

// oneLine returns a value of a field in one line, without the white space around it.
func oneLine(value string) string {
	if strings.IndexByte(value, '\n') >= 0 || strings.IndexByte(value, '\r') >= 0 {
		value = strings.NewReplacer("\r", " ", "\n", " ").Replace(value)
	}
	return textproto.TrimString(value)
}

// pass hands what is held to net/http, which has all that follows.
func (w *responseWriter) pass() {
	if w.passed {
		return
	}
	w.passed = true
	if w.code != 0 {
		w.ResponseWriter.WriteHeader(w.code)
	}
	if a := w.whole; a != nil {
		_, _ = w.ResponseWriter.Write(a.text[a.body:]) // net/http tells of an error at the next write
		w.whole = nil
		a.free()
	}
}

// finish sends a whole answer: net/http writes its own first line when the handler has returned.
func (w *responseWriter) finish() {
	if none := w.whole == nil && w.code != 0 && !w.passed; none {
		hold(w, "")
	}
	if w.whole == nil {
		w.pass()
		return
	}
	clear(w.Header())
	w.passed, w.conn.whole = true, w.whole
	w.ResponseWriter.WriteHeader(w.code)
}

// FlushError sends what has come of the answer.
func (w *responseWriter) FlushError() error {
	w.pass()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack takes the connection over.
func (w *responseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.pass()
	w.conn.raw.Store(true)
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// Unwrap lets http.ResponseController find what lies below.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// writeWhole writes a whole answer in place of the head that net/http has written.
func (c *Conn) writeWhole(head []byte) (int, error) {
	a := c.whole
	c.whole = nil
	defer a.free()
	var room [firstRoom]byte
	first, rest := c.firstLine(room[:0], head)
	first = append(first, connectionField(rest)...)
	text := a.text[max(0, firstRoom-len(first)):]
	if len(first) > firstRoom {
		text = slices.Concat(first, a.text[firstRoom:]) // the reason phrase is a long one
	}
	copy(text, first)
	if _, err := c.send(text); err != nil {
		return 0, err
	}
	return len(head), nil
}

// connectionField returns the line of a head of net/http's that says what becomes of the
// connection; nil for none.
func connectionField(head []byte) []byte {
	at := bytes.Index(head, []byte("Connection: "))
	if at < 0 {
		return nil
	}
	line, _, _ := bytes.Cut(head[at:], crlf)
	return line[:len(line)+len(crlf)]
}
