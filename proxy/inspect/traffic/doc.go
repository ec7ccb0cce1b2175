// Package traffic keeps rows of what goes through a deck, for people to look at: which rows there
// are under a filter, in which flows they belong together, and how two flows differ.
//
//	hub ----- events -----> rows -----> flows -----> windows, counts
//	   \                      ^
//	    ---- exchanges -> reading
//
// A row is made of an event at once, which costs little. What the exchange says, such as an outcome,
// an amount, or the order that it is about, is read behind: an exchange must be cleaned first, which
// costs many times what serving it cost. So reading takes a bounded part of the time of one
// processor, and where traffic is faster, rows stay as their events have them until somebody looks
// at them. A miss and a failure are read before others.
//
// Rows belong to one flow if they name one thing: an order by its number, its id, or the number that
// replay gives a live entity. For example
//
//	register B-1045 -> 3f6c       begins flow g1, which is B-1045 and 3f6c
//	pay 3f6c                      is in flow g1
//	status of B-1046              begins flow g2, which is B-1046
//	callback of 9a02              begins flow g3, which is 9a02
//	status B-1046 -> 9a02         g3 is g2, and has the ID g2 from now on
//
// A number that is used again for another id is another flow: a test that begins anew names its
// orders as before. Rows that name nothing are a flow with their neighbours.
//
// The rows under a filter are kept with the filter, and each new row is asked once whether it is one
// of them. So a window costs as much as its lines, however many rows are held.
package traffic
