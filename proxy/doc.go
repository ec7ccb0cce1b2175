// Package proxy is the deck itself: doors that clients come in by, and modes that decide
// what happens to their requests.
//
// Every way in is an http.Handler, every mode is an http.RoundTripper, and a door holds one
// mode. A door keeps a request as it came (raw target, repeated headers, trailers, framing)
// and hands it to its mode with the deck's own address as its URL; the mode answers from the
// sandbox (Record, Pass), from tape (Replay), or from either (Spy). Replay is unification and happens in package
// match: the mode only turns its answer into a response. Record appends to a tape what the
// redactor has produced and nothing else: Tape and Event take only values that package
// redact can make, or constants of this package.
//
// A mode never returns an error other than ErrAbort. A failure is a real answer with a code,
// a plain sentence and a Paytape-Error header, because a client whose connection is just
// closed may send its request again, and here a request may be a payment. For the same
// reason one request that writes is one request upstream, always: nothing is retried.
//
// What a client has seen complete is on tape. The last byte of an answer is released only
// after Tape.Append has returned; an answer without a body waits before its head goes out;
// an event stream, whose events end with a byte that must not wait, has its end held back.
//
// Only configured upstreams are dialled, and redirects are passed on, never followed. Bytes
// pass unaltered with one exception: addresses of the sandbox in answers lead to the deck,
// and the deck's addresses in requests are turned back. A tape holds the sandbox's addresses.
//
// A path may begin with a session, /~NAME/, which every mode takes off: nothing of it goes
// upstream or on tape. In replay, sessions have nothing in common; an API whose own paths
// begin so cannot be reached.
//
// Limits: a path with a bad percent escape is refused by net/http before a door sees it (in
// a query it passes); request trailers pass if they were announced; after a protocol switch
// (WebSocket) only the handshake is on tape; a body over RecordOptions.Limit passes and is
// not on tape; addresses are turned in bodies of known operations up to 1 MiB.
package proxy
