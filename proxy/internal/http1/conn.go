package http1

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// Conn is the connection of a client that speaks HTTP/1. It looks at each head before
// net/http does: what is ambiguous is replaced by a request that only a refusal answers, and
// what net/http would lose is kept for the handler. In the other direction it writes what
// net/http has no words for into the first line of an answer.
//
// Limits: what a client sends behind a request to switch protocols, before the switch is
// agreed on, is read as its next request. A client that shuts down its sending half has left,
// even if it would read on: on the wire it looks like a client that closes its connection, and
// a client that closes its connection cancels its request at the sandbox.
type Conn struct {
	leaf.Unprinted
	net.Conn
	refused Refused // told of heads that do not come to their end

	// Of the one goroutine that reads, as net/http sees to.
	buf     []byte // read and not handed on
	room    []byte // for buf when that is empty: most requests fit and need no other
	ready   int    // bytes at the start of buf that may be handed on
	scanned int    // bytes of buf in which the end of a head has been looked for
	left    int64  // bytes of the body under way that have not been handed on
	chunks  *chunks
	ended   bool // what follows cannot be read as requests

	raw      atomic.Bool // the connection is a tunnel, or was taken over: bytes pass as they are
	discards atomic.Bool // the client was refused: what it sends is thrown away
	arrived  atomic.Bool // all of the body at hand came with its head
	unsent   atomic.Bool // some of an answer could not be written
	line     atomic.Pointer[statusLine]

	whole *wholeAnswer // goes out in place of what net/http writes next; nil for none

	passing atomic.Pointer[exchange] // to net/http; nil: none
	taken   chan *passed             // by net/http
	gone    chan struct{}            // closed with the connection
	once    sync.Once                // of that

	mu       sync.Mutex // guards the rest
	heads    []head     // handed on and not yet handled
	deadline readDeadline
	upstream Upstream        // nil before the first request that needs it
	answered func(sent bool) // waits for the end of the answer under way; nil: nobody does
}

// refusedHead is what net/http gets to see of a head that is refused.
const refusedHead = "GET / HTTP/1.1\r\nHost: refused\r\nConnection: close\r\n\r\n"

// Read hands on whole heads, and bodies as they come.
func (c *Conn) Read(p []byte) (int, error) {
	for {
		switch {
		case len(p) == 0:
			return 0, nil
		case c.ready > 0:
			n := copy(p, c.buf[:c.ready])
			c.ready -= n
			c.drop(n)
			return n, nil
		case c.raw.Load():
			return c.next(p)
		case c.ended:
			return 0, io.EOF
		case c.discards.Load():
			if _, err := c.receive(p); err != nil {
				return 0, err
			}
		case c.chunks != nil:
			return c.readChunks(p)
		case c.left > 0:
			n, err := c.next(p[:min(int64(len(p)), c.left)])
			c.left -= int64(n)
			return n, err
		case len(p) == 1 && c.handledSoon():
			return 0, os.ErrDeadlineExceeded // as net/http wants it
		default:
			if err := c.fetchHead(); err != nil {
				return 0, err
			}
		}
	}
}

// drop forgets bytes that have been handed on.
func (c *Conn) drop(n int) {
	if c.buf = c.buf[n:]; len(c.buf) == 0 {
		c.buf = nil
	}
}

// next reads what was read too far, and then from the connection.
func (c *Conn) next(p []byte) (int, error) {
	if len(c.buf) > 0 {
		n := copy(p, c.buf)
		c.drop(n)
		return n, nil
	}
	return c.receive(p)
}

func (c *Conn) readChunks(p []byte) (int, error) {
	n, err := c.next(p)
	of, end := c.chunks.feed(p[:n])
	switch end {
	case nil:
		return n, err
	case io.EOF:
		c.chunks = nil
		c.buf = slices.Concat(p[of:n], c.buf)
		return of, nil
	}
	// An error here would look like a client that has left, who gets no answer.
	c.buf, c.ready, c.chunks, c.ended = []byte(noChunk), len(noChunk), nil, true
	c.discards.Store(true)
	return c.Read(p)
}

// noChunk is what net/http takes for a malformed body wherever in a body it is.
const noChunk = "\x00\n\r\n\r\n"

// fetchHead reads until a whole head is there, or until one can only be refused.
func (c *Conn) fetchHead() error {
	for {
		if p, whole := c.look(); p != nil {
			c.refuse(head{problem: p})
			return nil
		} else if whole {
			c.take()
			return nil
		}
		partial := len(c.buf) > 0
		c.grow()
		n, err := c.receiveHead(c.buf[len(c.buf):cap(c.buf)], partial)
		c.buf = c.buf[:len(c.buf)+n]
		if n == 0 && err != nil {
			return err
		}
	}
}

// grow makes room for what is read next.
func (c *Conn) grow() {
	if before := c.buf; len(before) > 0 {
		if c.buf = slices.Grow(before, roomSize); &c.buf[0] != &before[0] {
			clear(before) // nothing of a request is left where its beginning was
		}
		return
	}
	if c.room == nil {
		c.room = make([]byte, 0, roomSize)
	}
	c.buf = c.room
}

// roomSize is how many bytes are read at once at least where a head is awaited.
const roomSize = 2 << 10

// look goes through what has come of a head. It wants every line to end in CR LF: a bare
// LF is the end of a line to some servers and part of it to others.
func (c *Conn) look() (p *problem.Problem, whole bool) {
	if c.scanned == 0 && bytes.HasPrefix(c.buf, crlf) {
		c.buf = c.buf[len(crlf):] // RFC 9112, section 2.2: one may come before a request
	}
	if len(c.buf) > 0 && c.buf[0] != '\r' && !IsToken(c.buf[:1]) {
		return problemLine, false // no HTTP at all, such as the first byte of TLS
	}
	for {
		i := bytes.IndexByte(c.buf[c.scanned:], '\n')
		if i < 0 {
			break
		}
		end := c.scanned + i + 1
		line := c.buf[c.scanned:end]
		if c.scanned = end; !bytes.HasSuffix(line, crlf) {
			return problemField, false
		}
		if len(line) == len(crlf) {
			return nil, true
		}
	}
	if len(c.buf) > MaxHead {
		return problemHead, false
	}
	return nil, false
}

// take hands a whole head on, in the form in which net/http reads it.
func (c *Conn) take() {
	n := c.scanned
	h := readHead(c.buf[:n])
	if h.problem != nil || n > MaxHead {
		if h.problem == nil {
			h.problem = problemHead
		}
		c.refuse(h)
		return
	}
	h.arrived = h.length > 0 && int64(len(c.buf)-n) >= h.length
	if h.target != "" {
		shown := escapePercent(h.target)
		at := len(h.method) + 1
		c.buf = slices.Concat(c.buf[:at], []byte(shown), c.buf[at+len(h.target):])
		n += len(shown) - len(h.target)
	}
	c.setPartial(false)
	c.ready, c.scanned = n, 0
	if c.left = h.length; h.length < 0 {
		c.left, c.chunks = 0, &chunks{}
	}
	c.push(h)
	if h.method == http.MethodConnect {
		c.raw.Store(true)
	}
}

// refuse puts a request in place of a head, of which the handler knows that it is refused.
func (c *Conn) refuse(h head) {
	c.setPartial(false)
	c.buf = []byte(refusedHead)
	c.ready, c.scanned = len(c.buf), 0
	c.discards.Store(true)
	c.push(h)
}

func (c *Conn) push(h head) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heads = append(c.heads, h)
}

// pop returns the head of the request that net/http has just read. There is none for what
// comes behind a tunnel that was refused.
func (c *Conn) pop() (head, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.heads) == 0 {
		return head{}, false
	}
	h := c.heads[0]
	c.heads = slices.Delete(c.heads, 0, 1)
	return h, true
}

// Upstream is connections to upstreams.
type Upstream interface {
	http.RoundTripper
	CloseIdleConnections()
}

// Upstream returns the connections to upstreams that are for this client alone. The first call
// makes them; every call for one connection must come with the same function.
func (c *Conn) Upstream(make func() Upstream) Upstream {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.upstream == nil {
		c.upstream = make()
	}
	return c.upstream
}

// closeUpstream closes the connections to upstreams. A connection that is in use is closed a second
// after its last answer.
func (c *Conn) closeUpstream() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.upstream != nil {
		c.upstream.CloseIdleConnections()
	}
}

// tlsConn is a Conn inside TLS. net/http asks it for the state of TLS.
type tlsConn struct {
	*Conn
	tls *tls.Conn
}

// ConnectionState returns the state of TLS.
func (c *tlsConn) ConnectionState() tls.ConnectionState { return c.tls.ConnectionState() }
