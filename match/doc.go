// Package match decides which recorded exchange answers a request, and with what values.
//
// A cassette is a set of threads with variables; replay is unification.
//
// A variable is a value that travels on tape: an order id born in one answer and sent back
// in three requests, a card number that a client chose, a date that recurs. Where it is born
// decides what it is: born in an answer it is minted and gets a fresh value in every replayed
// thread; born in a request it binds to whatever the live client sends there. One variable
// has one value and many renderings: without dashes, without padding, as a mask, inside a
// URL. What is known of one API is in its profile; nothing in this package names one.
//
// A thread is what one opening request starts. An exchange belongs to the threads whose
// values it carries; one that carries values of several joins them. Threads that are
// connected on tape must be connected alike in replay.
//
// Compile does the work once: each answer becomes a template of literal bytes and holes,
// each request a list of constants and holes and a key of its constants. A Player then holds
// the live side. A live thread keeps every recorded thread that still agrees with all it has
// seen and all it has answered (a candidate, with the values that its variables have), and
// narrows as requests come. A request that carries values of several live threads makes one
// flow of them. Nothing is answered that does not unify; what cannot be answered is a Miss
// that says which field, which earlier write or which unknown id was in the way.
//
// State is the set of writes served. A write is served after those recorded before it in
// its threads, and once; a read is served in the state in which it was recorded, several
// reads of one state in their order, and the last of them again and again.
//
// A read that carries no id of one thread's own (all orders of a shop, the bindings of a
// customer's number) belongs to every thread that has as much in common with it, and shows what
// several clients did. It is answered from the recording in which the flows of the client's
// connection are as they are now, each of them that was there; where the connection is not known,
// the flow most recently active. A thread that is there on tape and that no flow here plays was
// somebody else's: of it the answer shows made-up values, and says that it is ambiguous. So a
// client alone gets a list that was recorded between two clients' orders, with its own orders in
// their places; a list of a state that its orders have left, or not reached, is a miss. Where the
// request tells whose threads are meant (a customer's number, if the tape has several) nobody else
// can be: all must be there. Writes
// that carry only what all clients have (the number of a merchant) make a thread for each client
// that repeats them. One that joins a thread with another does not wait for those who did so
// with threads that are not here.
//
// What was asked before the first write of a thread says nothing of an order: each of those
// requests opens the thread. But a client whose own flow has written since is not answered so:
// what it asks is past.
//
// What no profile knows is inferred from the whole tape: a value that looks made by a machine,
// that one answer brings first and a later request carries in whichever way of writing, is
// minted; one that a write carries first and that travels on from there is the client's own.
// An id in the answer to a write that nobody carries is minted too, if it is called one and
// the tape shows that each such answer has another. Amounts, dates, names of things and short
// values are constants.
//
// A date is an event: it has the time of its first showing and keeps it, and is told from
// another of the same text by the ids beside it and by its name. Dates of what no profile knows
// are constants.
//
// A request belongs to the flow whose minted values it carries, else to that whose unique ones, on
// whichever connection it comes. Shared values tell nobody apart: of the flows that have as many
// and as rare ones in common with a request, that of the same connection answers, however many
// others there are; else the one last active of those in a state in which the tape has an answer,
// of the last maxSearch. That answer is of that flow's present state, but the flow may be another
// client's, whose ids it shows, and not as far as the asking one. Both are marked ambiguous. So is
// the answer to a request of which the tape has several recordings that differ in what was taken
// out of them, and in what came of it.
//
// Sessions are players of one tape that share nothing. A Spy has the sandbox behind it: threads
// that the tape cannot open live there, and are flows without candidates here. Describe says
// what was understood of a tape.
//
// Where to look. A tape is read from tape.go and compile.go on: which thread an exchange is of in
// openers.go, belong.go and near.go; the values that travel in variable.go, scope.go and
// identities.go, of what no profile knows in infer.go (token, odd, named, anew, passing, asks);
// requests in wants.go and keys.go; answers in answer.go and template.go (pack, header, address,
// names, moment, datetext); what was served when in states.go and change.go. A live request goes
// through request.go, session.go and player.go; who may own it is in owners.go and tries.go, what
// can answer in find.go, candidate.go, unify.go and assign.go, reads of many threads in gather.go
// and among.go, the choice in choose.go and sharers.go; serve.go fills the answer (values, fresh)
// and retry.go keeps it. A miss is explained from miss.go on (blame, obstacles, closest), a tape
// in describe.go and use.go.
//
// Limits: a flow keeps at most maxCandidates candidates and a Player maxFlows flows, the
// least recently active going first. A value is found inside other text when it is
// embedLength characters or longer and has a digit; a key of a JSON object is never one.
package match

// Bounds of what a Player keeps. They hold memory, not correctness: a flow that was dropped
// misses with unknown-id.
const (
	maxCandidates = 64
	maxFlows      = 20_000
	embedLength   = 8
	inferLength   = 10 // of a value that is taken for an id though no profile says so
)
