// Package natsconn makes connections of messages: what comes in at one deck ends at another, byte for
// byte.
//
// An example. A client connects to deck B, and deck A is to have the connection:
//
//	client            B                                   NATS                          A
//	connect --------> open: "door", from 10.0.0.9:4711 --------------------------------->
//	                  <------------------------------------ accept: what A adds to the key
//	                  beat 0 -----------------------------------------------------------> Take
//	                  <------------------------------------------------------------ beat 0
//	POST ... -------> data 1: POST ... -------------------------------------------------> Read
//	                  <----------------------------------- data 1: HTTP/1.1 200 ... Write
//	<-- HTTP/1.1 ----'
//
// What A has is a net.Conn: deadlines work, and its addresses are those of the client and of B. So an
// HTTP server at A, or TLS, needs to know nothing of the way.
//
// # What makes it safe
//
// Key. Each connection has keys of its own, one for each direction, derived from the common key and from
// random bytes of both sides. Frames are sealed with AES-256-GCM under a counter, so a frame of another
// connection, of the other direction or of an earlier connection cannot be opened here. An open that
// somebody has recorded and sends again is answered by other keys, and comes to nothing: a connection
// is handed out when its first frame was opened.
//
// Sequence. NATS delivers at most once. Each frame has a number; one that is missing ends the
// connection with an error, and one that comes again is dropped. A stream of bytes has no holes.
//
// Beat. A side that has nothing to say tells so, with its number, a few times within Options.Silence. So
// a loss is seen even if nothing comes behind it, and a side that has died is given up after that time.
// While NATS cannot be reached for less than that, Write waits.
//
// Window. A side sends as much as the other has room for, and that tells with its beats what was read:
// each connection has at most one window of bytes in memory in each direction.
//
// # What NATS sees
//
// Names of decks, random ids of connections, lengths and times. Messages of core NATS are nowhere
// stored.
package natsconn
