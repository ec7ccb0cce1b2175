package http1

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
)

// plain reports whether the request whose head was read last can be the first half of a plain
// exchange: it came whole, and it says nothing of its connection but that it shall stay.
func (c *Conn) plain() bool {
	h := &c.heads[len(c.heads)-1]
	return h.problem == nil && h.minor == '1' && h.target == "" && !h.steers && h.length >= 0 &&
		h.method != http.MethodConnect && h.method != http.MethodHead &&
		int64(len(c.buf)-c.ready) >= h.length
}

// exchange is a plain exchange: the response writer for its answer, and the context and the body of the
// request, in one piece of memory. As long as it is plain nobody reads the connection.
type exchange struct {
	leaf.Unprinted
	conn   *servedConn
	head   string
	length int // bytes of the request
	body   plainBody
	ctx    exchangeContext
	failed bool // the answer could not be written

	mu     sync.Mutex // guards the rest
	ended  bool
	handed bool    // the connection was handed to net/http, which may read it,
	to     *passed // and which has the exchange; nil: it has not
}

// newExchange makes an exchange of the request that has come. The bytes of the request stay where they
// are, for net/http to read if it gets the exchange.
func newExchange(c *servedConn) *exchange {
	h := &c.heads[len(c.heads)-1]
	x := &exchange{conn: c, head: string(c.buf[:c.ready]), length: c.ready + int(h.length)}
	x.ctx.x = x
	x.body.rest = c.buf[c.ready:x.length]
	return x
}

// request returns the request as net/http would have read it. Its memory is the connection's.
func (x *exchange) request() *http.Request {
	h, c := &x.conn.heads[len(x.conn.heads)-1], x.conn
	target, host := c.fields.read(x.head)
	if !readPath(&c.url, target) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			panic(http.ErrAbortHandler) // cannot be: such a head has a problem, or another target
		}
		c.url = *u
	}
	var body io.ReadCloser = http.NoBody
	if h.length > 0 {
		body = &x.body
	}
	c.request = *(&http.Request{
		Method: h.method, URL: &c.url, RequestURI: target,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: c.fields.header, Host: host, Body: body, ContentLength: h.length,
		RemoteAddr: c.remote, TLS: c.tls,
	}).WithContext(&x.ctx)
	return &c.request
}

// readPath reads a target that is a path in which nothing is escaped or would have to be, as those of
// nearly all requests are, and perhaps a query. It returns false for any other target.
func readPath(u *url.URL, target string) bool {
	path, query, asks := strings.Cut(target, "?")
	if path[0] != '/' || strings.HasPrefix(path, "//") || !all(path, inPlainPath) {
		return false
	}
	*u = url.URL{Path: path, RawQuery: query, ForceQuery: asks && query == ""}
	return true
}

// serve has the exchange handled. It returns false if the connection has no more plain exchanges: net/http
// has it, or it has to be closed.
func (x *exchange) serve(h http.Handler) (again bool) {
	defer func() {
		cause := recover()
		if to := x.end(); to != nil {
			x.tell(to)
			to.done <- cause
			return
		}
		_ = x.body.Close()
		again = cause == nil && !x.failed && !x.handed
	}()
	h.ServeHTTP(x, x.request())
	x.pass() // unless the answer was whole
	return
}

// end ends the exchange, and returns who has it; nil: it was plain to its end.
func (x *exchange) end() *passed {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = true
	return x.to
}

// Header returns the header of the answer. Its memory is the connection's.
func (x *exchange) Header() http.Header { return x.conn.header }

// WriteHeader writes an answer that is whole (see responseWriter). Any other is net/http's.
func (x *exchange) WriteHeader(code int) {
	c := x.conn
	if c.whole == nil || x.end() != nil {
		x.lower().WriteHeader(code)
		return
	}
	var room [2 * firstRoom]byte
	head := append(strconv.AppendInt(append(room[:0], "HTTP/1.1 "...), int64(code), 10), ' ')
	if words := http.StatusText(code); words != "" {
		head = append(head, words...)
	} else {
		head = strconv.AppendInt(append(head, "status code "...), int64(code), 10)
	}
	head = append(head, crlf...)
	if c.stopping() {
		head = append(head, "Connection: close\r\n"...)
	}
	_, err := c.writeWhole(head)
	x.failed = err != nil
}

// Write writes a piece of an answer that is not whole.
func (x *exchange) Write(p []byte) (int, error) { return x.lower().Write(p) }

// WriteString is Write for a text.
func (x *exchange) WriteString(s string) (int, error) { return io.WriteString(x.lower(), s) }

// Unwrap lets http.ResponseController do what only net/http can do, such as taking the connection over.
func (x *exchange) Unwrap() http.ResponseWriter { return x.lower() }

// lower returns net/http's response writer, with the header as it is now.
func (x *exchange) lower() http.ResponseWriter {
	to := x.pass()
	if to == nil {
		panic(http.ErrAbortHandler) // the connection is gone
	}
	x.tell(to)
	return to.ResponseWriter
}

// tell tells net/http the header of the answer. At the end of an exchange it may hold trailers.
func (x *exchange) tell(to *passed) {
	h := to.Header()
	clear(h)
	for name, values := range x.conn.header {
		h[name] = values
	}
}

// plainBody is the body of a request that has come whole. It is safe for concurrent use.
type plainBody struct {
	leaf.Unprinted
	mu     sync.Mutex
	rest   []byte // of what lies in the room of the connection
	closed bool
}

// Read reads of the body, until it is closed or the exchange has ended.
func (b *plainBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return 0, http.ErrBodyReadAfterClose
	case len(b.rest) == 0:
		return 0, io.EOF
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// Close closes the body. Its error is nil.
func (b *plainBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.rest = true, nil
	return nil
}
