//go:build unix

package transport

import (
	"net"
	"syscall"
)

// seesEnd says that ended knows.
const seesEnd = true

// ended reports whether a connection on which nothing is expected has come to its end, or has
// brought something all the same. It reads nothing of it.
func ended(conn net.Conn) bool {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return true // it was closed on this side
	}
	open := false
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
		open = err == syscall.EAGAIN || err == syscall.EINTR
	})
	return err != nil || !open
}
