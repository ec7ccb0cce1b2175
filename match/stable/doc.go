// Package stable makes tapes quiet: of a recording it makes one that says the same, and whose text
// depends on what was said and not on when.
//
// The idea is that a tape holds two kinds of text. One is what the sandbox and the client said. The
// other is what replay makes anew for every client anyway: ids that the sandbox makes, dates that
// tell when something was done, addresses of ports that the system chose. Of the second kind the
// tape need not keep the accident of the day on which it was recorded. A compiled tape (package
// tape) knows each place of the second kind, because replay fills these places. So a stable tape is
// what replay would tell of the recording, with ids that are drawn from what was said, by a clock
// that stands still between two exchanges.
//
// A checkout, as it was recorded and as it stands on a stable tape:
//
//	#7 register.do  orderNumber=A-1     at 2026-11-23T14:53:28.102   at 2020-01-15T12:00:00.25
//	                                    {"orderId":"0190-aa"}        {"orderId":"5c1e-07"}
//	#9 status  orderId=0190-aa          at 2026-11-23T14:53:28.377   at 2020-01-15T12:00:02.25
//	                                    {"date":1795445608102}       {"date":1579089600250}
//
// # What stands in the place of what
//
// A flow is what is about entities that belong together, without scopes and without what was there
// before the tape (flow.go). Flows stand one behind the other, in the order of their first
// requests. Each flow has a clock of its own, which begins at the same time for all, or behind the
// flows of which something must come before it (clock.go). The exchanges of a flow are two seconds
// apart, or as far as on tape if that was a wait.
//
// The seed of a flow is what its first request said. A minted value is made by package fresh in the
// shape of the recorded value, from the seed of its flow, its noun and its number among the values of
// the noun (names.go). So no flow depends on another: a suite in another order moves blocks.
//
// Places of answers and callbacks are filled by the templates of the tape, those of requests by what
// the tape knows of parameters. What is left, such as an id in a header that nobody compares, is
// looked for by its text (sweep.go). Values of unknown APIs that nobody sends are replaced where each
// flow has its own (loose.go).
//
// What is made depends on no accident of the recorded value: not on the pattern of its letters and
// digits, not on a leading zero. It has what all values of the noun have in common (shape.go).
//
// Exchanges that stand on a stable tape already keep their text when others are appended.
//
// # Why it is safe
//
// The stable tape is compiled too, and both machines (package machine) are compared exchange by
// exchange: keys, states before and after, views, the classes of answers and callbacks (check.go).
// Equal machines answer alike. If they differ, less is replaced: first the exchanges stay in their
// order, then they keep their times as well, and at last the tape stays as it was recorded. The
// caller is told which of these it was, and where the machines differed. Tests of package match play
// random scenarios from recordings and from their stable tapes.
//
// # Limits
//
// What was never seen to come again, or is too short to be told apart, stays as recorded. Dates that
// the client made stay, unless they lie near their exchange. Surrogates keep their numbers: whoever
// knows the redactor numbers them anew (package renumber). What a prefix means that two tapes have
// once each, neither tells. A card that is not on tape is answered as the first card of its issuer is:
// of the cards of parallel clients another may be the first. Both machines and all exchanges are held
// in memory.
package stable
