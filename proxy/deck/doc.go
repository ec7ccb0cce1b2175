// Package deck is a deck, assembled: Options go in, and out comes a running Deck with its
// addresses, its Summary and one Close. It is what the command paytape starts, and what a program
// or a test starts that wants a payment sandbox on tape.
//
// A deck is made of parts that other packages have: a door that clients come in by and a mode
// that decides what happens to their requests (proxy), a cassette or a recorder (cassettes), a
// compiled tape with live entities (match), a redactor (redact), the last events of all these parts
// (proxy/hub), an address to look after them (proxy/admin), and perhaps the built-in sandbox behind
// them. This package knows in which order these parts start, which of them need each other, and in
// which order they stop:
//
//	          Options
//	             |  Check, before anything starts
//	             v
//	client --> listener --> doors --> mode --+--> tape              Replay, Spy
//	                                         |
//	                                         +--> recorder          Record, Spy
//	                                         |
//	                                         +--> sandboxes         Record, Spy, Pass
//
// The listener, the doors and the mode tell a hub (proxy/hub) what happens.
//
// An example. A shop registers an order and pays it while a deck records:
//
//	d, err := deck.Start(ctx, deck.Options{
//		Mode: deck.Record, Cassettes: []string{"checkout"},
//		Upstreams: []string{"https://sandbox.example"},
//	})
//	// The shop uses d.URL as its base URL: POST /payment/rest/register.do answers with the
//	// sandbox's orderId, POST /payment/rest/paymentorder.do with its approval.
//	err = d.Close() // now cassettes/checkout.yaml holds both exchanges, without the card
//
// In a test, or where no network is, the same shop gets the same answers from tape:
//
//	d, err := deck.Start(ctx, deck.Options{Cassettes: []string{"checkout"}})
//	// register.do answers with a fresh orderId for the order number that the shop sends now.
//	// A payment of another amount is no guess but a miss: status 501 with an explanation.
//	err = d.Close()
//	fmt.Println(d.Summary().Misses)
//
// While a deck runs, and after it has been closed, the last requests can be looked at, with every
// card, password and token taken out; Events has more of it:
//
//	for e := range d.Events().Follow(ctx, 0) {
//		x, _ := d.Events().Exchange(e.ID)
//		fmt.Println(e.ID, e.Kind, e.Operation, e.Code, x.Exchange().Request.Body)
//	}
//
// The second deck has no way to the network. Clients of one deck that must not see each other's
// orders put a session before every path: d.URL + "/~one". Decks that shall answer from one tape
// apart from each other share a Tape that Load has made. Prepare does what takes long in Load ahead
// of it. A Go test asks package proxytest for a deck.
//
// What a run does beside its mode, such as to lose the answer to a deposit, is said by rules (match/rules):
// those of Options.RuleFiles, which are read again when they change, those of the admin address, and
// those that AddRules has put in force. None of the three changes the rules of the others.
//
// Limits: a deck does not read its other files again once it has started. Texts of notices, of misses
// and of some errors name options by the flags of the command paytape. A mode that compares a
// tape with the sandbox is not here yet.
package deck
