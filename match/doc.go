// Package match answers live requests from a tape.
//
// A tape is a state machine learned from what was recorded; replay moves live entities through it.
// This checkout of one client, C7, is on tape:
//
//	#1 register 100        order A is born
//	#2 pay A with card V
//	#3 status of A: 2
//	#4 register 200        order B is born
//	#5 pay B with card M
//	#6 status of B: 0
//	#7 status of B: 2
//	#8 refund B 50
//	#9 bindings of C7: V's, M's
//
// Package request brings a request into canonical form. Package tape finds the entities (A, B, C7,
// the bindings) and whose value stands in each place of an answer. Package machine makes the
// states: #2 stands in the row (pay an order, [register 100]), in the case of card V, and leads to
// [register 100, pay V]. #6 and #7 ask one question in one state and are answered differently, so
// after one read there is a silent edge behind [register 200, pay M].
//
// In replay a client registers 200 under its own number. The request stands in the row of #4,
// which bears an order in the state [register 200]; the order gets a fresh id. The client pays
// with M: row and case of #5. It polls twice. The first answer is #6; one read was on tape before
// the change, so the second poll takes the silent edge and gets #7. It refunds 50: #8. No answer
// so far is a guess, so none has a mark. It asks for bindings: the tape has two bindings, the
// client has one. So the list is put together of the item that the tape shows for a binding in
// this state, and the answer says composed. Another client registers 100 and pays with a card W
// that the tape does not have: it is answered as V, and the answer and all that follow say
// assumed=card. It refunds 50: no recording stands in the row (refund an order, [register 100, pay
// V]), so the answer is a miss that tells the state in words.
//
// What a Player does with a request: player.go brings it into canonical form, find.go finds the live entities
// that it names; serve.go looks up row, case and view, takes silent edges that are due, and decides on the
// mark; list.go answers with lists; secret.go judges credentials. Then answer.go serves what was found:
// advance.go moves entities, bear.go bears them, fill.go fills the template, and mint.go makes the values that
// are new. retry.go knows the answers that a client may have missed, and underkey.go what becomes of an
// idempotency key that comes again; miss.go, nearest.go and remedy.go explain why there is none; spy.go tells
// what lives at the sandbox from what is replayed. entity.go says what a live entity is, livestate.go how a
// session makes and changes entities, and recency.go which are dropped first. callback.go brings with an
// answer what the sandbox tells the shop because of it, and due.go what comes by itself after a time. Sessions
// are players of one tape that share nothing, each with a lock of its own. Serving is a function of the tape,
// the seed, the clock and the requests in their order.
//
// An answer is right, marked, or a miss. A miss of a write marks the entities that the write would
// have moved, because from then on nobody knows what the sandbox would hold of them.
//
// Limits: a Player keeps at most maxEntities entities and scopes, the least recently used going
// first. A value is found inside other text when it is eight characters or longer on tape and has a
// digit; a key of a JSON object is never a value.
package match
