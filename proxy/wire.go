package proxy

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// wire is the connection of a client that speaks HTTP/1. It looks at each head before
// net/http does: what is ambiguous is replaced by a request that only a refusal answers, and
// what net/http would lose is kept for the handler. In the other direction it writes what
// net/http has no words for into the first line of an answer.
//
// Limits: what a client sends behind a request to switch protocols, before the switch is
// agreed on, is read as its next request. A client that shuts down its sending half has left,
// even if it would read on: on the wire that looks like one that closes, and one that closes
// cancels its request at the sandbox.
type wire struct {
	leaf.Unprinted
	net.Conn
	observe func(Event) // of heads that nobody is told of otherwise; may be nil

	// Of the one goroutine that reads, as net/http sees to.
	buf     []byte // read and not handed on
	room    []byte // for buf when that is empty: most requests fit and need no other
	ready   int    // bytes at the start of buf that may be handed on
	scanned int    // bytes of buf in which the end of a head has been looked for
	left    int64  // bytes of the body under way that have not been handed on
	chunks  *chunks
	ended   bool // what follows cannot be read as requests

	through atomic.Bool // the connection is a tunnel, or was taken over: bytes pass as they are
	deaf    atomic.Bool // the client was refused: what it sends is thrown away
	line    atomic.Pointer[statusLine]

	mu       sync.Mutex // guards the rest
	heads    []head     // handed on and not yet handled
	deadline time.Time  // as net/http has set it
	partial  bool       // a head has begun
	own      *http.Transport
}

// refusedHead is what net/http gets to see of a head that is refused.
const refusedHead = "GET / HTTP/1.1\r\nHost: refused\r\nConnection: close\r\n\r\n"

// Read hands on whole heads, and bodies as they come.
func (c *wire) Read(p []byte) (int, error) {
	for {
		switch {
		case len(p) == 0:
			return 0, nil
		case c.ready > 0:
			n := copy(p, c.buf[:c.ready])
			c.ready -= n
			c.drop(n)
			return n, nil
		case c.through.Load():
			return c.next(p)
		case c.ended:
			return 0, io.EOF
		case c.deaf.Load():
			if _, err := c.Conn.Read(p); err != nil {
				return 0, err
			}
		case c.chunks != nil:
			return c.readChunks(p)
		case c.left > 0:
			n, err := c.next(p[:min(int64(len(p)), c.left)])
			c.left -= int64(n)
			return n, err
		default:
			if err := c.fetchHead(); err != nil {
				return 0, err
			}
		}
	}
}

// drop forgets bytes that have been handed on.
func (c *wire) drop(n int) {
	if c.buf = c.buf[n:]; len(c.buf) == 0 {
		c.buf = nil
	}
}

// next reads what was read too far, and then from the connection.
func (c *wire) next(p []byte) (int, error) {
	if len(c.buf) > 0 {
		n := copy(p, c.buf)
		c.drop(n)
		return n, nil
	}
	return c.Conn.Read(p)
}

func (c *wire) readChunks(p []byte) (int, error) {
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
	c.deaf.Store(true)
	return c.Read(p)
}

// noChunk is what net/http takes for a malformed body wherever in a body it is.
const noChunk = "\x00\n\r\n\r\n"

// fetchHead reads until a whole head is there, or until one can only be refused.
func (c *wire) fetchHead() error {
	for {
		if p, whole := c.look(); p != nil {
			c.refuse(head{problem: p})
			return nil
		} else if whole {
			c.take()
			return nil
		}
		c.begun(len(c.buf) > 0)
		c.grow()
		n, err := c.Conn.Read(c.buf[len(c.buf):cap(c.buf)])
		c.buf = c.buf[:len(c.buf)+n]
		if n == 0 && err != nil {
			c.gaveUp(err)
			return err
		}
	}
}

// grow makes room for what is read next.
func (c *wire) grow() {
	if len(c.buf) > 0 {
		c.buf = slices.Grow(c.buf, roomSize)
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
func (c *wire) look() (p *problem, whole bool) {
	if c.scanned == 0 && bytes.HasPrefix(c.buf, crlf) {
		c.buf = c.buf[len(crlf):] // RFC 9112, section 2.2: one may come before a request
	}
	if len(c.buf) > 0 && c.buf[0] != '\r' && !tokenByte(c.buf[0]) {
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
	if len(c.buf) > maxHeader {
		return problemHead, false
	}
	return nil, false
}

// take hands a whole head on, in the form in which net/http reads it.
func (c *wire) take() {
	n := c.scanned
	h := readHead(c.buf[:n])
	if h.problem != nil || n > maxHeader {
		if h.problem == nil {
			h.problem = problemHead
		}
		c.refuse(h)
		return
	}
	if h.target != "" {
		shown := escapePercent(h.target)
		at := len(h.method) + 1
		c.buf = slices.Concat(c.buf[:at], []byte(shown), c.buf[at+len(h.target):])
		n += len(shown) - len(h.target)
	}
	c.begun(false)
	c.ready, c.scanned = n, 0
	if c.left = h.length; h.length < 0 {
		c.left, c.chunks = 0, &chunks{}
	}
	c.push(h)
	if h.method == http.MethodConnect {
		c.through.Store(true)
	}
}

// refuse puts a request in place of a head, of which the handler knows that it is refused.
func (c *wire) refuse(h head) {
	c.begun(false)
	c.buf = []byte(refusedHead)
	c.ready, c.scanned = len(c.buf), 0
	c.deaf.Store(true)
	c.push(h)
}

func (c *wire) push(h head) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heads = append(c.heads, h)
}

// pop returns the head of the request that net/http has just read. There is none for what
// comes behind a tunnel that was refused.
func (c *wire) pop() (head, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.heads) == 0 {
		return head{}, false
	}
	h := c.heads[0]
	c.heads = slices.Delete(c.heads, 0, 1)
	return h, true
}

// connections returns the connections to upstreams that are for this client alone. A deck has
// one transport, so they are made once.
func (c *wire) connections(t *Transport) *http.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own == nil {
		c.own = t.pool(writeIdle)
	}
	return c.own
}

// release closes them. One that is still in use is closed a second after that.
func (c *wire) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// secureWire is a wire inside TLS. net/http asks it for the state of that.
type secureWire struct {
	*wire
	tls *tls.Conn
}

// ConnectionState returns the state of TLS.
func (c *secureWire) ConnectionState() tls.ConnectionState { return c.tls.ConnectionState() }
