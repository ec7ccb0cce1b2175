// Package hub is where the events of a deck come together. A Hub gives each event a number and a
// time, keeps the last events in a ring, and lets subscribers follow them: a log, an inspector, a
// test that waits for a call.
//
//	modes, doors --Publish--> [ 7 | 8 | 9 | 4 | 5 | 6 ] --Follow--> subscribers
//	                  |              the ring
//	                  +--> Options.Observers
//
// An example. A shop registers an order (event 1), pays it (2) and asks for its status (3), while
// a subscriber follows:
//
//	for e, lost := range d.Events().Follow(ctx, 0) {
//		fmt.Println(e.ID, e.Operation, e.Code, lost) // "1 register.do 200 0" and so on
//		if x, ok := d.Events().Exchange(e.ID); ok {
//			fmt.Println(x.Exchange().Request.Body) // the card number of event 2 has a surrogate
//		}
//	}
//
// A subscriber is a place in the ring: it has no queue, need not be registered and cannot be forgotten.
// Publish waits for no subscriber. It wakes those who have had all events and want the new one: a log
// that writes errors alone (FollowOnly) sleeps through whatever is answered from tape. A subscriber that is slower than the traffic is overtaken by it. Follow then goes on
// with the oldest event that is held, and says how many events lie between.
//
// Observers are for what must have every event and only counts: Publish calls them one after
// another, and the request waits for them. The counts of metrics are such (package admin adds to
// counters in memory, and takes no lock that is held while anything is read or written). Whatever
// writes, such as a log, is a subscriber.
//
// The request and the answer of an event (proxy.Exchange) are kept as they were on the wire, where
// nothing but a redactor reaches them: most events are never looked at, and cleaning one costs more
// than answering it from tape. Exchange cleans them in the order of their numbers, together with
// all that came before and is still held, because an exchange teaches what is secret in the next
// one.
//
// The ring is bounded twice: in events, and in bytes of the exchanges that they hold. Where the
// bytes run out, the oldest exchanges go and their events stay.
//
// Limits: an exchange that has left the ring before anybody looked has taught nothing. What an
// event tells beside its exchange was cleaned when it was published.
package hub
