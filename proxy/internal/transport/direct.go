package transport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"time"
)

// direct sends requests of which all is in memory, over plain HTTP/1.1. The goroutine that asks writes
// the request and reads the answer. net/http has two goroutines for each connection, because it may
// have to write a body while an answer comes; to hand a request and its answer from one to the next
// takes as much processor time as to write them. What a request and an answer look like on the wire is
// net/http's affair here too: Request.Write and ReadResponse.
//
// A request that direct takes is sent once. It is not written to a connection of which the end is known.
type direct struct {
	dial dial

	mu   sync.Mutex // guards idle
	idle map[string][]*directConn
}

// directConn is a connection to an upstream, for one exchange at a time.
type directConn struct {
	net.Conn
	of      *direct
	address string
	in      *bufio.Reader // of the directConn itself
	out     *bufio.Writer
	left    int64       // bytes that may be read yet: a head has a bound
	unused  *time.Timer // closes the connection; nil if it was never idle
}

// isDirect reports whether direct takes a request: one of the usual methods, of which all is in memory.
// Where the end of a connection is not known before something is written, it takes none.
func isDirect(req *http.Request) bool {
	if !seesEnd || !slices.Contains(directMethods, req.Method) {
		return false
	}
	_, whole := req.Body.(*Whole)
	return (whole || req.Body == empty{}) && req.URL.Scheme == "http" && len(req.Trailer) == 0 &&
		req.Header["Expect"] == nil && req.Header["Upgrade"] == nil && isASCII(req.URL.Host)
}

var directMethods = []string{
	http.MethodPost, http.MethodGet, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead,
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' })
}

// send sends a request once.
func (d *direct) send(asked *http.Request) (*http.Response, error) {
	out := *asked
	req := &out
	if whole, ok := asked.Body.(*Whole); ok {
		req.Body = whole.again()
	}
	c, err := d.conn(req)
	if err != nil {
		_ = req.Body.Close()
		return nil, err
	}
	ctx := req.Context()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	res, err := c.exchange(req)
	if err != nil {
		stop()
		_ = c.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	body := &directBody{ReadCloser: res.Body, conn: c, stop: stop, keep: !res.Close && !req.Close}
	switch {
	case res.StatusCode == http.StatusSwitchingProtocols:
		body.keep = false // nobody has asked for it
	case res.Body == http.NoBody:
		body.end(true)
		return res, nil
	}
	res.Body = body
	return res, nil
}

// conn returns a connection for a request.
func (d *direct) conn(req *http.Request) (*directConn, error) {
	port := req.URL.Port()
	if port == "" {
		port = "80"
	}
	address := net.JoinHostPort(req.URL.Hostname(), port)
	for c := d.take(address); c != nil; c = d.take(address) {
		if !ended(c.Conn) {
			return c, nil
		}
		_ = c.Close()
	}
	conn, err := d.dial(req.Context(), "tcp", address)
	if err != nil {
		return nil, err
	}
	c := &directConn{Conn: conn, of: d, address: address, out: bufio.NewWriter(conn)}
	c.in = bufio.NewReader(c)
	return c, nil
}

// take returns the connection to an address that was used last; nil if there is none.
func (d *direct) take(address string) *directConn {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.idle[address]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	d.idle[address] = list[:len(list)-1]
	c.unused.Stop()
	return c
}

// put keeps a connection for the next request, for a while.
func (d *direct) put(c *directConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.idle[c.address]) >= idlePerHost {
		_ = c.Close()
		return
	}
	if d.idle == nil {
		d.idle = map[string][]*directConn{}
	}
	d.idle[c.address] = append(d.idle[c.address], c)
	if c.unused == nil {
		c.unused = time.AfterFunc(maxIdle, func() { d.drop(c) })
	} else {
		c.unused.Reset(maxIdle)
	}
}

// drop closes a connection if it is idle.
func (d *direct) drop(c *directConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.idle[c.address]
	if at := slices.Index(list, c); at >= 0 {
		d.idle[c.address] = slices.Delete(list, at, at+1)
		_ = c.Close()
	}
}

// closeIdle closes all connections that are idle.
func (d *direct) closeIdle() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, list := range d.idle {
		for _, c := range list {
			c.unused.Stop()
			_ = c.Close()
		}
	}
	d.idle = nil
}

// Read reads no more than what is left.
func (c *directConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("the response headers exceeded %d bytes", maxHead)
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// exchange writes a request and reads the head of the answer.
func (c *directConn) exchange(req *http.Request) (*http.Response, error) {
	if err := req.Write(c.out); err != nil {
		return nil, err
	}
	if err := c.out.Flush(); err != nil {
		return nil, err
	}
	_ = c.SetReadDeadline(time.Now().Add(answerTimeout)) // fails if the connection is closed, like all else
	c.left = maxHead
	res, err := c.answer(req)
	c.left = math.MaxInt64
	_ = c.SetReadDeadline(time.Time{})
	return res, err
}

// answer reads the head of the answer, and hands on what comes before.
func (c *directConn) answer(req *http.Request) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(req.Context())
	for {
		res, err := http.ReadResponse(c.in, req)
		if err != nil || res.StatusCode >= 200 || res.StatusCode == http.StatusSwitchingProtocols {
			return res, err
		}
		if trace != nil && trace.Got1xxResponse != nil {
			if err := trace.Got1xxResponse(res.StatusCode, textproto.MIMEHeader(res.Header)); err != nil {
				return nil, err
			}
			c.left = maxHead // whoever has it bounds how many there are
		}
	}
}

// directBody is the body of an answer, at whose end its connection may be used again.
type directBody struct {
	io.ReadCloser
	conn  *directConn
	stop  func() bool
	keep  bool // both sides keep the connection
	ended bool
}

func (b *directBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.end(err == io.EOF)
	}
	return n, err
}

// Close closes the connection if the end of the body has not come.
func (b *directBody) Close() error {
	b.end(false)
	return nil
}

// end says that no more is read, and whether all was.
func (b *directBody) end(whole bool) {
	if b.ended {
		return
	}
	b.ended = true
	c := b.conn
	if idle := b.stop(); idle && whole && b.keep && c.in.Buffered() == 0 {
		c.of.put(c)
		return
	}
	_ = c.Close()
}
