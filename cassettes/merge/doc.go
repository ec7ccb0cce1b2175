// Package merge makes one tape of two, or of two that come from a third.
//
// A tape is in git, and two branches have each appended a flow to it. Git sees two texts that
// change the same lines, the last; this package sees exchanges:
//
//	base     register, pay, status
//	ours     register, pay, status, refund            one appended
//	theirs   register, status, cancel                 one appended, one removed
//	merged   register, status, refund, cancel
//
// # Which exchanges are one
//
// Two exchanges are one if all they hold is equal but the numbers that tapes give out: those of
// exchanges, and those of surrogates (renumber.Outline). An exchange that has changed is known by the
// moment at which its request began, its method and its path; where times tell nothing, by the
// exchange before it. What one side has changed or removed is changed or removed; what both have
// changed alike is so once; what both have changed, each in its own way, is a conflict, and so is
// what one side has changed and the other removed. What either side has added stays, once if both
// have added it.
//
// On a stable tape exchanges of two flows are equal if the flows begin alike, so there flows are paired
// (flow.go): two new flows are one if all exchanges of one are exchanges of the other, and both are kept
// whole if not. Which exchanges are a flow, and how a flow gets ids of its own, others tell (Stable).
//
// # Surrogates
//
// REDACTED-token-2 of one tape is not that of another, so the surrogates of theirs are brought into
// the numbering of ours. Where an exchange of both is one, the surrogates in it stand for the same
// values, place by place. Every other surrogate of theirs keeps its number if ours has not given
// it out, and gets the next free number if it has:
//
//	ours     status: token 1    refund: token 2
//	theirs   status: token 1    cancel: token 2
//	merged   status: token 1    refund: token 2    cancel: token 3
//
// Addresses of the internet keep their numbers: their fakes recur on every tape, so nothing is told
// apart by them, and an answer that shows the address of the client is the same answer in both.
//
// # Order
//
// What is new stands behind the same exchange as on its own tape. Where both sides have something new
// in one place it is ordered by time. Two tapes that have nothing in common are so ordered by time
// throughout. Where times tell nothing, what is new in ours comes before what is new in theirs: on a
// tape without times, and where they go back, as on a stable tape, whose flows all begin at one time.
// All are numbered anew, and a callback names its cause by the new number.
//
// # What is promised
//
// All that is returned was cleaned by a redactor after it was put together, whatever the tapes were.
// The tapes are not changed.
//
// # Limits
//
// Whether a flow that one side has removed is needed by what the other side has added is not looked
// at here: exchanges are all that this package knows. Merged says which have gone, so that whoever
// knows flows can look (package flow).
package merge
