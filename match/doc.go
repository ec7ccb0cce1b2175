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
// Here a live client registers 200 under its own number: the row is that of #4, which bears an
// order in the state [register 200], with a fresh id. It pays with M: row and case of #5. It polls
// twice: #6, then, as one read was on tape, the silent edge and #7. It refunds 50: #8. None of it
// is a guess, so none is marked. It asks for bindings: on tape there were two, here is one, so the
// list is put together of the item that the tape shows for a binding in this state, and says
// composed. Another client registers 100 and pays with a card W that the tape does not have: it is
// answered as V, and the answer and all that follow say assumed=card. It refunds 50: no recording
// stands in that row, which is a miss that tells the state in words.
//
// What a Player does with a request: player.go brings it into canonical form, find.go finds the live
// entities that it names; serve.go looks up row, case and view, takes silent edges that are due, and
// decides on the mark; list.go answers with lists; secret.go judges credentials. Then answer.go
// serves what was found: advance.go moves entities, bear.go bears them, fill.go fills the template,
// and mint.go makes the values that are new. retry.go gives an answer again that nobody read;
// miss.go, nearest.go and remedy.go explain why there is none; spy.go tells what lives at the
// sandbox from what is replayed. entity.go says what a live entity is, recency.go which ones go.
// Sessions are players of one tape that share nothing, each with a lock of its own. Serving is a
// function of the tape, the seed, the clock and the requests in their order.
//
// An answer is right, marked, or a miss. A miss of a write marks what the write would have moved:
// what the sandbox would hold of it is not known from then on.
//
// Limits: a Player keeps at most maxEntities entities and scopes, the least recently used going first. A value
// is found inside other text when it is eight characters or longer and has a digit; a key of a JSON
// object is never one.
package match
