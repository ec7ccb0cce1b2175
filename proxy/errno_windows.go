package proxy

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// What the system says of a connection. The names that Go has for all systems are numbers of Go's own
// on Windows, which no call there returns.
var (
	refusedErrors = []syscall.Errno{windows.WSAECONNREFUSED}
	resetErrors   = []syscall.Errno{windows.WSAECONNRESET, windows.WSAECONNABORTED, windows.WSAESHUTDOWN,
		windows.ERROR_BROKEN_PIPE, windows.ERROR_NETNAME_DELETED}
)
