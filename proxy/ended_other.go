//go:build !unix

package proxy

import "net"

// ended cannot be told here before something is written.
func ended(net.Conn) bool { return false }
