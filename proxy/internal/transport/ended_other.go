//go:build !unix

package transport

import "net"

// ended cannot be told here before something is written.
func ended(net.Conn) bool { return false }
