package natsconn

import (
	"context"
	"crypto/cipher"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// Bounds of a connection, in bytes.
const (
	window   = 256 << 10 // that one side may have sent and the other not have read
	maxChunk = 32 << 10  // of a frame
)

// Conn is a connection to another endpoint. As of a TCP connection, what was written before Close
// arrives.
type Conn struct {
	leaf.Unprinted
	endpoint *Endpoint
	id       connID
	to       string // the subject of the other side
	head     Head
	accepted bool // the other side has asked for it, and waits until it is taken
	in, out  cipher.AEAD

	writing sync.Mutex // guards that whole Writes follow each other

	sending  sync.Mutex // guards the order of frames, and the two below
	counter  uint64     // of frames that were sealed
	sequence uint64     // of frames that were sent

	mu       sync.Mutex // guards the rest
	taken    bool       // here, if it was accepted
	changed  *sync.Cond // of anything below
	expected uint64     // the sequence of the next frame
	heard    time.Time  // the last frame
	said     time.Time  // the last frame of this side

	unread []byte // received
	read   uint64 // bytes, by whoever reads
	told   uint64 // of them the other side knows
	eof    bool   // no more comes
	gone   bool   // the other side reads no more, and has forgotten the connection

	written uint64 // bytes
	credit  uint64 // of them the other side has read
	ended   bool   // no more is written

	err     error // why the connection is over; nil: it is not
	closed  bool
	resets  bool // Close is an abort
	drains  bool // the other side wants it closed when it is idle
	idle    bool // no request is under way
	readBy  deadline
	writeBy deadline
}

// newConn makes a connection, before it has keys.
func (e *Endpoint) newConn(o opening, to string) *Conn {
	now := time.Now()
	c := &Conn{
		endpoint: e, id: o.ID, to: e.frameSubject(to), head: o.Head, heard: now, said: now,
	}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// Address returns the name of the address at which the client came in.
func (c *Conn) Address() string { return c.head.Address }

// LocalAddr returns the address to which the client has connected.
func (c *Conn) LocalAddr() net.Addr { return addrOf(c.head.Local) }

// RemoteAddr returns the address of the client.
func (c *Conn) RemoteAddr() net.Addr { return addrOf(c.head.Remote) }

// textAddr is an address that is none of TCP.
type textAddr string

func (a textAddr) Network() string { return "nats" }
func (a textAddr) String() string  { return string(a) }

func addrOf(text string) net.Addr {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return net.TCPAddrFromAddrPort(at)
	}
	return textAddr(text)
}

// Read reads what the other side has written.
func (c *Conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	for {
		switch {
		case c.closed:
			c.mu.Unlock()
			return 0, net.ErrClosed
		case c.readBy.over():
			c.mu.Unlock()
			return 0, os.ErrDeadlineExceeded
		case len(c.unread) > 0:
			n := copy(p, c.unread)
			if c.unread = c.unread[n:]; len(c.unread) == 0 {
				c.unread = nil
			}
			c.read += uint64(n)
			tell := c.read-c.told >= window/2 && !c.gone && c.err == nil
			c.mu.Unlock()
			if tell {
				_ = c.sendBeat() // the next one tells the same
			}
			return n, nil
		case c.err != nil:
			c.mu.Unlock()
			return 0, c.err
		case c.eof:
			c.mu.Unlock()
			return 0, io.EOF
		case len(p) == 0:
			c.mu.Unlock()
			return 0, nil
		}
		c.changed.Wait()
	}
}

// Write sends bytes, as far as the other side has room for them. While NATS cannot be reached it waits.
func (c *Conn) Write(p []byte) (n int, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	for {
		size, err := c.reserve(len(p) - n)
		if err != nil || len(p) == n {
			return n, err
		}
		for c.send(frame{kind: frameData, payload: p[n : n+size]}) != nil {
			if err := c.pause(); err != nil {
				c.giveBack(size)
				return n, err
			}
		}
		n += size
	}
}

// reserve waits until the other side has room, and takes as much of it as there is for n bytes.
func (c *Conn) reserve(n int) (int, error) {
	largest := min(maxChunk, c.endpoint.options.Messages.Largest()-frameLen)
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if err := c.writable(); err != nil {
			return 0, err
		}
		room := min(int(window-(c.written-c.credit)), largest, n)
		if room > 0 || n == 0 {
			c.written += uint64(room)
			return room, nil
		}
		c.changed.Wait()
	}
}

// giveBack gives back room that was not used.
func (c *Conn) giveBack(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written -= uint64(n)
}

// writable tells why nothing can be written. The lock is held.
func (c *Conn) writable() error {
	switch {
	case c.closed:
		return net.ErrClosed
	case c.writeBy.over():
		return os.ErrDeadlineExceeded
	case c.err != nil:
		return c.err
	case c.ended, c.gone:
		return syscall.EPIPE
	}
	return nil
}

// resend is after what time a frame is sent again that NATS has not taken.
const resend = 20 * time.Millisecond

// pause waits before a frame is sent again, and tells why it need not be.
func (c *Conn) pause() error {
	again := time.AfterFunc(resend, c.wake)
	defer again.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.writable(); err != nil {
		return err
	}
	c.changed.Wait()
	return c.writable()
}

// wake has those who wait look again. Under the lock, so that it comes neither between their look and
// their waiting.
func (c *Conn) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed.Broadcast()
}

// send sends a frame, unless NATS cannot be reached.
func (c *Conn) send(f frame) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	f.sequence = c.sequence
	data := sealFrame(c.out, c.id, c.counter, f)
	c.counter++
	if err := c.endpoint.options.Messages.Publish(c.to, data); err != nil {
		return err
	}
	c.sequence++
	c.mu.Lock()
	c.said = time.Now()
	c.mu.Unlock()
	return nil
}

// sendBeat tells how much was read.
func (c *Conn) sendBeat() error {
	c.mu.Lock()
	read := c.read
	c.mu.Unlock()
	if err := c.send(frame{kind: frameBeat, payload: binary.BigEndian.AppendUint64(nil, read)}); err != nil {
		return err
	}
	c.mu.Lock()
	c.told = max(c.told, read)
	c.mu.Unlock()
	return nil
}

// receive takes a frame of the other side, and reports whether it was the first.
func (c *Conn) receive(counter uint64, sealed []byte) (first bool) {
	f, ok := openFrame(c.in, c.id, counter, sealed)
	if !ok {
		return false // it is not of the other side
	}
	c.mu.Lock()
	switch {
	case c.err != nil || f.sequence < c.expected:
		c.mu.Unlock()
		return false
	case f.sequence > c.expected:
		c.failLocked(errLost)
	default:
		c.expected++
		c.heard = time.Now()
		c.takeFrame(f)
		c.changed.Broadcast()
	}
	failed := c.err != nil && c.err != syscall.ECONNRESET
	c.mu.Unlock()
	if failed {
		_ = c.send(frame{kind: frameAbort}) // without NATS there is silence
	}
	return f.sequence == 0 && !failed
}

// takeFrame does what a frame says. The lock is held.
func (c *Conn) takeFrame(f frame) {
	switch f.kind {
	case frameData:
		if c.eof || len(c.unread)+len(f.payload) > window {
			c.failLocked(errProtocol)
			return
		}
		c.unread = append(c.unread, f.payload...)
	case frameBeat:
		if len(f.payload) != 8 || binary.BigEndian.Uint64(f.payload) > c.written {
			c.failLocked(errProtocol)
			return
		}
		c.credit = max(c.credit, binary.BigEndian.Uint64(f.payload))
	case frameEnd:
		c.eof = true
	case frameClose:
		c.eof, c.gone = true, true
	case frameAbort:
		c.unread = nil
		c.failLocked(syscall.ECONNRESET)
	case frameDrain:
		c.drains = true
		c.closeIfIdle()
	default:
		c.failLocked(errProtocol)
	}
}

// failLocked ends the connection. The lock is held.
func (c *Conn) failLocked(err error) {
	if c.err == nil {
		c.err = err
	}
	c.changed.Broadcast()
	c.endpoint.remove(c)
}

// awaitTaken waits until the other side has taken the connection.
func (c *Conn) awaitTaken(ctx context.Context) error {
	stop := context.AfterFunc(ctx, c.wake)
	defer stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.expected == 0 && c.err == nil && ctx.Err() == nil {
		c.changed.Wait()
	}
	switch {
	case c.expected > 0 && c.err == nil:
		return nil
	case c.err == syscall.ECONNRESET:
		return ErrRefused
	case c.err != nil:
		return c.err
	}
	return ctx.Err()
}

// tick tells the other side that this one is there, and gives up a side that has said nothing for some
// time.
func (c *Conn) tick(silence time.Duration) {
	now := time.Now()
	c.mu.Lock()
	beats := !c.gone && c.err == nil && (!c.accepted || c.taken) &&
		(c.read != c.told || now.Sub(c.said) >= silence/beatsPerSilence)
	silent := !c.gone && now.Sub(c.heard) > silence
	if silent {
		c.failLocked(errSilent)
	}
	c.mu.Unlock()
	switch {
	case silent:
		_ = c.send(frame{kind: frameAbort}) // it may hear, and not be heard
	case beats:
		_ = c.sendBeat() // without NATS there is silence
	}
}
