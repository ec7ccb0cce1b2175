// Package proxy is the deck itself: doors that clients come in by, and modes that decide
// what happens to their requests.
//
// Every way in is an http.Handler, every mode is an http.RoundTripper, and a door holds one
// mode. A door keeps a request as it came (raw target, repeated headers, trailers, framing)
// and hands it to its mode with the deck's own address as its URL; the mode answers from the
// sandbox (Record, Pass), from tape (Replay), or from either (Spy). Which recording answers is for
// package match to find: there a tape is a state machine, and live entities (an order, a card) move
// through it. The mode turns the answer into a response, which says from which exchange it is, in
// which state that found what it is about, and on what it stands beside the tape (its mark). Record
// appends to a tape what the redactor has produced and nothing else: Tape and Event take only
// values that package redact can make, values of a tape, or constants of this package.
//
// An example. A shop registers an order, pays it and asks for its status, while a deck records:
//
//	shop                               deck                 sandbox
//	POST /payment/rest/register.do
//	  orderNumber=A-1&amount=12500 --> Door --> Record ---> {"orderId":"3f...",
//	                                              |          "formUrl":"https://sandbox/..."}
//	{"orderId":"3f...",            <-- Door <-----+
//	 "formUrl":"http://deck/..."}                 +--> Tape.Append: exchange 1, cleaned
//	POST .../paymentorder.do  $PAN=...            the same: exchange 2, with another card number
//	POST .../getOrderStatus.do  orderId=3f...     the same: exchange 3
//
// Record hands the last byte of each answer to the shop when its exchange is on tape. It sends one
// Event for each exchange: Recorded, Number 1, Operation "register.do", Code 200. Later the shop
// runs against a replay deck, and sends other values:
//
//	POST .../register.do  orderNumber=B-7&amount=12500 --> Door --> Replay --> match
//	{"orderId":"9c...","formUrl":"http://deck/..."}     <-- Door <-- Replay <-- exchange 1 answers,
//	                                                        with a fresh orderId for a live order
//	Paytape-Served: checkout#1; state=nothing done yet
//
// The payment of order 9c... is answered by exchange 2, and its status by exchange 3, because the
// live order has been paid by then. An amount that nobody registered is a miss: status 501, and an
// Event of kind Missed with the reason, the nearest exchange and a hint. There is no way from
// Replay to a network: it has no Transport.
//
// A mode may be under the rules of the run (Ruled; package match/rules says what rules are). With a
// rule that loses the answer to refund.do, the shop's fourth call goes like this:
//
//	POST .../refund.do  orderId=9c... --> Door --> Ruled --> Replay --> match: exchange 4
//	(the connection is closed)        <-- Door <-- Ruled <-- Replay <-- the order is refunded now
//
// and the poll behind it says that the order is refunded. A Record under the same rule has the
// refund and its true answer on tape, with the name of the rule.
//
// There are two doors on one port. At the reverse door clients use the deck's address as the
// base URL of the API; other hosts of a flow are under /_host/NAME/. The forward door is for
// clients whose hosts are hard-coded: it takes requests in absolute form, and tunnels in
// which it speaks TLS under an authority of this install. Either way a request comes to the
// same mode, with a note of how it was addressed, so all modes are alike at both doors and
// what was recorded at one is replayed at the other.
//
// A mode never returns an error other than ErrAbort. A failure is a real answer with a code,
// a plain sentence and a Paytape-Error header, because a client whose connection is just
// closed may send its request again, and here a request may be a payment. For the same
// reason one request is one request upstream, always: nothing of which a byte was sent is retried.
//
// What a client has seen complete is on tape. The last byte of an answer is released only
// after Tape.Append has returned; an answer without a body waits before its head goes out;
// of an answer whose length nobody knows every byte passes at once, and its end is held
// back: the chunk that says that there are no more.
//
// Only configured upstreams are dialled, and redirects are passed on, never followed. Bytes
// pass unaltered with two exceptions. If callbacks are to come through the deck, an address of the
// deck stands in place of the shop's in the field of a request that the profile names
// (CallbackRoute). And addresses of the sandbox in answers lead to the deck,
// and the deck's addresses in requests are turned back: in the fields that a profile names, in
// redirects, wherever a page leads on, in hidden fields of forms that are posted through the deck, and
// in what browsers are told of an origin (originRewriter).
// At the forward door clients use the sandbox's own, and nothing is turned. A tape holds the
// sandbox's addresses, and the names of hosts to which no path leads.
//
// A path may begin with a session, /~NAME/, which every mode takes off: nothing of it goes
// upstream or on tape. In replay, sessions have nothing in common; an API whose own paths
// begin so cannot be reached.
//
// What two servers might read in two ways is refused before a door sees it, and never
// forwarded (package http1). What net/http would lose on the way is kept beside the request.
//
// Limits: names of fields are passed on in their usual spelling, and fields of one name in
// their order but not among others; chunks are cut anew and their extensions dropped;
// "Pragma: no-cache" alone in an answer is joined by a Cache-Control; in HTTP/2 a path with a
// bad percent escape is refused, and trailers of requests pass if they were announced; so is,
// in any version, such a path that begins with two slashes. After a protocol switch
// (WebSocket) only the handshake is on tape; a switch to another version of HTTP, or to TLS, is not
// asked for; a body over RecordOptions.Limit passes and is
// not on tape; addresses are turned in bodies of known operations, forms and pages up to 1 MiB,
// which are held until they are whole; what a script takes from a hidden field and sends otherwise than
// as a form is not turned back; in pages not in style sheets of their own, in policies
// that are part of the page, and in strings that scripts put together.
// Tunnels are opened over HTTP/1.1 only. A client of HTTP/2 is told to continue before the
// sandbox has said so, and half a head of its holds a connection for as long as it may be idle.
// Two APIs that answered the same path at the forward door are not told apart at the reverse
// door, where the path alone counts. In a session at the forward door, the sandbox's own
// addresses in answers lead out of the session.
package proxy
