//go:build linux && !race

package socket

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// Unannounced reports whether the connections of this package make calls that the scheduler is not told of.
const Unannounced = true

// mostBytes is how much one system call is asked for. A collector that wants to begin waits for a call
// that is under way.
const mostBytes = 64 << 10

// conn is a TCP connection. It does what a net.TCPConn does, and has the other methods of one: ReadFrom
// and WriteTo go on to that, with calls that are announced.
type conn struct {
	*net.TCPConn
	raw     syscall.RawConn
	in, out transfer
}

// transfer is one direction of a connection, and what is read or written in it just now.
type transfer struct {
	mu    sync.Mutex // held from the beginning of a Read or Write to its end; guards the rest
	step  func(fd uintptr) bool
	bytes []byte
	done  int // how many of bytes
	err   syscall.Errno
}

// Of returns a connection that is used in place of c, if that is a TCP connection; else c.
func Of(c net.Conn) net.Conn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return c
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return c // it is closed, as a Read will tell
	}
	own := &conn{TCPConn: tcp, raw: raw}
	own.in.step, own.out.step = own.in.read, own.out.write
	return own
}

// Read reads into p what has come, at most 64 KiB.
func (c *conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return c.TCPConn.Read(p)
	}
	n, err := c.in.run(p, c.raw.Read)
	if n == 0 && err == nil {
		return 0, io.EOF
	}
	return n, c.failed("read", err)
}

// Write writes all of p.
func (c *conn) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return c.TCPConn.Write(p)
	}
	n, err := c.out.run(p, c.raw.Write)
	if n < len(p) && err == nil {
		err = io.ErrUnexpectedEOF // as net has it where the system takes nothing and names no error
	}
	return n, c.failed("write", err)
}

// run takes steps until one says that it was the last. between has the goroutine wait between two steps
// until the socket is ready for the next.
func (t *transfer) run(p []byte, between func(step func(fd uintptr) bool) error) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes, t.done, t.err = p, 0, 0
	err := between(t.step)
	t.bytes = nil
	if err == nil && t.err != 0 {
		err = t.err
	}
	return t.done, err
}

// read reads once. It returns false if nothing has come.
func (t *transfer) read(fd uintptr) bool { return t.call(syscall.SYS_READ, fd) }

// write writes as much as the socket takes. It returns false if that is not all.
func (t *transfer) write(fd uintptr) bool {
	for before := -1; t.done < len(t.bytes) && t.done > before && t.err == 0; {
		before = t.done
		if !t.call(syscall.SYS_WRITE, fd) {
			return false
		}
	}
	return true
}

// call makes a system call for what is not done yet. It returns false if the call would have to wait.
func (t *transfer) call(number, fd uintptr) bool {
	rest := t.bytes[t.done:]
	for {
		n, _, err := syscall.RawSyscall(
			number, fd, uintptr(unsafe.Pointer(&rest[0])), uintptr(min(len(rest), mostBytes)))
		switch err {
		case 0:
			t.done += int(n)
			return true
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			t.err = err
			return true
		}
	}
}

// failed returns the error of package net for one of this package.
func (c *conn) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	own := &net.OpError{Op: op, Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: err}
	var failed *net.OpError
	var number syscall.Errno
	switch {
	case errors.As(err, &failed):
		own.Err = failed.Err // that of waiting
	case errors.As(err, &number):
		own.Err = os.NewSyscallError(op, number)
	}
	return own
}
