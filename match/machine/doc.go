// Package machine makes a state machine of a tape.
//
// Nodes are own states: an own state is the chain of what was done to an entity since its birth.
// Edges are writes. The checkout of package tape shows it:
//
//	#1 register.do amount=100        bears an order in the own state [register 100]
//	#2 paymentorder.do, card V       moves it to [register 100, pay V]
//	#3 getOrderStatusExtended.do     is asked in that state
//
// A recording stands in a row. A row has three parts: the key (the operation, its constants, the
// role of each name, and the class of each other value), the own states of the entities that the
// recording names, and which of these entities belong together. In the row the recording stands in
// a case, by the card that the client brings. In the case it stands under a view: the states of
// whole families, or of scopes. To serve a live request is to look up its row, case and view;
// nothing is searched. All recordings are united in the same machine, so it does not matter on
// which day, for whom, or in which cassette a state was reached.
//
// An entity that a read shows first was there before. Such an entity, and configuration, counts as
// a part of a family or a member of a scope from the first write that moves it. Several parts of
// one whole count in the order of their births, because it matters which of two cards is blocked.
//
// States are digests. Equal digests are equal states but for a chance of about one in 2^64.
//
// Where answers to one key about one entity change while no write explains it (a customer was at
// the ACS), there is a silent edge, which a live entity takes after as many reads as on tape. So
// there is where answers to two keys tell different states of the entity: see contradiction.go. A
// read that a write overlapped tells of no state: it is served only where no other recording can
// be. Callbacks come with the answer of the write that caused them, or with a silent edge behind it: see
// callback.go.
package machine
