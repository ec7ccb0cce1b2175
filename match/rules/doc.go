// Package rules says what a run should do, where a profile says what is true of an API and a tape
// what has happened. A rules file for a shop's tests of its error handling reads:
//
//	# paytape rules 1
//	rules:
//	  - name: status-flaky              # the first two polls of every order fail
//	    op: getOrderStatusExtended.do
//	    when: first 2
//	    then: {answer: {status: 503}}
//	  - name: deposit-lost              # the money moves, and the shop is not told
//	    op: deposit.do
//	    where: {amount: ">= 100000"}
//	    then: {lose: answer}
//
// The shop registers order A for 250000 and polls its status. The engine finds the request under
// getOrderStatusExtended.do, where status-flaky is the only rule. Nothing has to hold of the
// request, so this is the first attempt about order A, and the rule fires: the client gets 503, the
// mode behind is not asked, and the answer says
//
//	Paytape-Rules: status-flaky(1/2)
//
// The second poll of A fails too, the third is answered by the mode. Order B has two failures of
// its own: what is counted belongs to the entity that the request names, in any mode and on any
// connection. The shop deposits A: deposit-lost lets the request through, so that the order is
// deposited on tape, at the sandbox, and for every later answer, and then closes the connection.
//
// A rule is a table of a few keys and no program. It has an operation (op), tests on the request
// (where), tests on the answer (answer), sessions (session), conditions on the count of attempts
// (when, counted per), and effects (then). Phases follow one another: the request is changed or
// answered at once; a branch of the tape is chosen; the answer is changed; it is delivered, late,
// in part or not at all. Every rule that matches applies, in the order of the files in every phase.
// Of effects that end a phase the first wins, and the others are shown as outranked; of values for
// one field, and of delays, the last wins.
//
// An attempt is a request of which all tests hold, and "seen", "unseen" and "asked" with them. Each
// attempt counts, a client's retries too: a request that is equal to the one before, whose answer
// the rule has broken, is shown as resent. "skip 2" lets two attempts go by, and the other
// conditions count from there.
//
// Parse reads a file (reader.go) into rules (rule.go) of places (place.go), tests (test.go),
// conditions (when.go), values (value.go) and effects (effect.go, instead.go). It refuses secrets
// (secret.go), fields that were misspelt (field.go) and what cannot be together (check.go). An
// Engine (engine.go) holds the set in force (set.go), what was counted (count.go) and the entities
// that requests name (entity.go). Begin finds the rules of which all tests hold (lookup.go; of many
// rules it looks at those which testindex.go finds by the values of the request) and returns a
// Ruling (ruling.go): what the rules say of one request. A mode asks it in the order of the phases,
// and edit.go changes messages. report.go tells what rules have done.
//
// An entity is what a profile calls so; the names that one exchange has of it are the names of one
// entity. A request may name several: the narrowest counts, as "of" in the profile tells, the card
// before its account; and of the two cards of a transfer the first. A list tells of none. Of an API
// that no profile knows, an id in the path is the name, else the first value that stands where ids
// stand; what a request without a name has made has its id in the answer. A request that names
// nothing is counted for its session.
//
// Chances, delays and minted values are functions of the seed, the rule, what is counted and the
// count. What is counted has a number: an entity is the n-th that its session has named, so the
// same requests of a session in the same order are treated the same, whatever other sessions do.
// Clients that run in parallel and are to repeat exactly have a session each, or a rule with "per"
// and a field whose values they choose. Names of entities are no base for it: a shop's order
// numbers are new in every run.
//
// A rule on callbacks (op: callback) is on what the sandbox says to the shop by itself, and on nothing
// else. A callback is a request that names an order, so it is tested and counted as one; an attempt is
// an attempt of the sandbox. Callback (callback.go) says what the rules make of one: whether the shop
// hears of it, when, how often, with which fields and which signature (callbackeffect.go).
//
// Reports hold what the rules file holds, and counts: never a value of the traffic. A rules file
// that holds a card number, a CVC or a password is refused.
//
// Limits: an engine follows 100,000 names of entities and as many counts, and forgets the oldest
// behind them. Deleting works in JSON, forms, queries and headers. A value that a document packs,
// or that is a part of a multipart body, is set, and not deleted.
//
// go.yaml.in/yaml reads the files, and its nodes know line and column; gjson finds the paths after
// "body:".
package rules
