package cluster

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// recorder is a response writer that makes an Answer of what is written. waited tells how long the
// client would have waited so far.
type recorder struct {
	header http.Header
	waited func() time.Duration
	answer Answer
	began  bool
	raw    *rawConn
}

// Record has a handler answer a request, and returns the answer. waited tells how long the client would
// have waited so far.
func Record(h http.Handler, req *http.Request, waited func() time.Duration) *Answer {
	r := &recorder{header: http.Header{}, waited: waited}
	r.run(h, req)
	a := &r.answer
	if a.Code == 0 {
		a.Wait = waited()
	}
	if r.raw != nil {
		a.End, a.Raw = EndReset, r.raw.sent
		if len(a.Raw) > 0 {
			a.End = EndRaw
		}
	}
	if a.End == EndWhole {
		r.begin(http.StatusOK) // as net/http has it for a handler that wrote nothing
		r.keepTrailer()
	}
	return a
}

// run runs the handler. A handler that gives up has cut the answer.
func (r *recorder) run(h http.Handler, req *http.Request) {
	defer func() {
		switch cause := recover(); cause {
		case nil:
		case http.ErrAbortHandler:
			r.answer.End = EndCut
		default:
			panic(cause)
		}
	}()
	h.ServeHTTP(r, req)
}

// Header returns the header of the answer.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader begins the answer.
func (r *recorder) WriteHeader(code int) {
	if code >= http.StatusOK {
		r.begin(code)
	}
}

func (r *recorder) begin(code int) {
	if r.began {
		return
	}
	r.began = true
	r.answer.Code, r.answer.Header, r.answer.Wait = code, cloned(r.header), r.waited()
}

// cloned returns a header with values of its own. A nil value stays one: net/http adds no such field.
func cloned(h http.Header) http.Header {
	own := http.Header{}
	for name, values := range h {
		own[name] = slices.Clone(values)
	}
	return own
}

// Write takes a piece of the body.
func (r *recorder) Write(p []byte) (int, error) {
	r.begin(http.StatusOK)
	after := r.waited()
	pieces := r.answer.Pieces
	if n := len(pieces); n > 0 && pieces[n-1].After == after {
		pieces[n-1].Data = append(pieces[n-1].Data, p...)
		return len(p), nil
	}
	r.answer.Pieces = append(pieces, Piece{after, slices.Clone(p)})
	return len(p), nil
}

// Flush does nothing: pieces with times of their own go out by themselves.
func (r *recorder) Flush() {}

// keepTrailer keeps the trailers that the header has announced.
func (r *recorder) keepTrailer() {
	for _, list := range r.answer.Header["Trailer"] {
		for name := range strings.SplitSeq(list, ",") {
			name = http.CanonicalHeaderKey(strings.TrimSpace(name))
			if values, ok := r.header[name]; ok {
				if r.answer.Trailer == nil {
					r.answer.Trailer = http.Header{}
				}
				r.answer.Trailer[name] = slices.Clone(values)
			}
		}
	}
}

// Hijack gives a connection away that keeps what is sent, to a handler that breaks it.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if r.raw != nil {
		return nil, nil, errors.New("the connection was given away before")
	}
	r.raw = &rawConn{}
	return r.raw, bufio.NewReadWriter(bufio.NewReader(r.raw), bufio.NewWriter(r.raw)), nil
}

// rawConn is a connection of which only what is sent counts.
type rawConn struct {
	net.Conn
	sent []byte
}

func (c *rawConn) Read([]byte) (int, error) { return 0, net.ErrClosed }

func (c *rawConn) Write(p []byte) (int, error) {
	c.sent = append(c.sent, p...)
	return len(p), nil
}

func (c *rawConn) Close() error { return nil }
