//go:build !windows

package proxy

import "syscall"

// What the system says of a connection.
var (
	refusedErrors = []syscall.Errno{syscall.ECONNREFUSED}
	resetErrors   = []syscall.Errno{syscall.ECONNRESET, syscall.EPIPE}
)
