// Package machine makes a state machine of a tape.
//
// Nodes are own states: an own state is the chain of what was done to an entity since its birth.
// Edges are writes. The checkout of package tape shows it:
//
//	#1 register.do amount=100        bears an order in the own state [register 100]
//	#2 paymentorder.do, card V       moves it to [register 100, pay V]
//	#3 getOrderStatusExtended.do     is asked in that state
//
// A recording stands in a row: its key (the operation, its constants, what each name plays, and of
// other values their class alone), the own states of the entities that it names, and which of these
// belong together. In a row it stands in a case, by the card that the client brings, and in a case
// under a view: the states of whole families, or of scopes. To serve a live request is to look its
// row, case and view up; nothing is searched. All recordings are united in the same machine, so it
// does not matter on which day, for whom, or in which cassette a state was reached.
//
// What a read shows first was there before: it, and configuration, count as part of a family or a
// member of a scope from the first write that moves them. Of several parts of one whole each counts
// in its turn, for of two cards it matters which one is blocked.
//
// States are digests. Equal digests are equal states but for a chance of about one in 2^64.
//
// Where answers to one key about one entity change while no write explains it (a customer was at
// the ACS), there is a silent edge, which a live entity takes after as many reads as on tape. Reads
// that a write overlapped tell of no state: they serve only where nothing else does.
package machine
