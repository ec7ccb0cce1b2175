// Package draft writes what inference has understood of a tape as a profile.
//
// A tape of an API that no profile knows is compiled (package tape), which infers what its values are.
// A draft says the same in the words of a profile, so that people can read, correct and extend it. A
// checkout shows how:
//
//	#1  POST /payments {"reference":"s-4711"}   {"id":"pay_8f3k20dj","reference":"s-4711"}
//	#2  GET /payments/pay_8f3k20dj              {"id":"pay_8f3k20dj","state":"paid","trace":"9f1c..."}
//
// The path of #2 has an id where #1 has none, so there are two operations, /payments and
// /payments/{id} (operation.go). The value pay_8f3k20dj stands in three places: in the answer of #1, in
// the path of #2, and in its answer. What stands in a place is a fact (fact.go): a value that the
// sandbox made, a name that the client chose, a date, a card. The names of one inferred entity, in all
// their places, get nouns (noun.go): payment, and reference. A place gets a row if all its facts agree,
// and the row a comment with its evidence (row.go): "born in the answer of #1, asked in #2".
//
// A draft replays its tape as well as no profile does, because it says no more than was inferred: what
// has no row is inferred as before (profile.Call.Infers). A row is written for what was understood, for
// what cleaning took out, and where a row elsewhere would give a place another meaning than it has.
//
// Limits: operations that a profile knows are left out. Calls that share a method and a path, as those
// of SOAP do, are one operation; which of them only look is told by the fields of their requests. How
// callbacks are signed no tape tells. A path that no profile can have, with signs that it cannot have,
// is told in a comment.
package draft
