// Package http1 reads HTTP/1 strictly, beneath net/http. What two servers might read in two ways is
// refused before a handler sees it, and what net/http would lose or change is kept beside the
// request.
//
//	client --> Conn --> net/http --> Handler --> the deck's own handlers
//	           reads each head       refuses what Conn has marked,
//	           before net/http       gives back what net/http took
//
// An example. A client sends
//
//	GET /payment/rest/getOrderStatus.do?orderId=%zz HTTP/1.1
//
// net/http would refuse the bad percent escape, which the sandbox may well answer. Conn shows
// net/http the target "...?orderId=%25zz", and Handler puts the raw target back. A client that
// sends Content-Length and Transfer-Encoding at once may be about to smuggle a second request past
// one of two servers: Conn shows net/http a harmless request in its place, and Handler answers it
// with the problem "framing" and closes the connection.
//
// A plain exchange passes net/http by: a request that came whole and says nothing of its connection,
// and an answer that is whole. Nearly all requests to a deck that replays are such, and net/http would
// read each head a second time, and have a goroutine that waits for the client to leave. A Listener
// serves them with the same handlers. What shows to be another exchange, before its handler runs or
// while it runs, becomes net/http's where it stands, and so does its connection.
//
//	client --> Listener --> Handler --> the deck's own handlers
//	              |
//	              +--> net/http, with the connection of anything else
//
// A server is made of three parts: Listen, WithConn as its ConnContext, and Handler.
package http1

import "time"

// Bounds of the head of a request.
const (
	HeadTimeout = 10 * time.Second // from its first byte to its end
	MaxHead     = 256 << 10        // bytes; a seToken has up to 8192 (domain facts, Signing)
)
