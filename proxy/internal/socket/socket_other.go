//go:build !linux || race

package socket

import "net"

// Unannounced reports whether the connections of this package make calls that the scheduler is not told of.
const Unannounced = false

// Of returns c.
func Of(c net.Conn) net.Conn { return c }
