// Package tape reads what was recorded: which entities there are, whose value stands in each place
// of a message, and which answers say the same.
//
// A checkout shows all of it:
//
//	#1 register.do  orderNumber=A-1 amount=100   {"orderId":"0190-aa","formUrl":"http://sandbox/pay?mdOrder=0190-aa"}
//	#2 paymentorder.do  MDORDER=0190-aa $PAN=400000..1118    {"errorCode":0}
//	#3 getOrderStatusExtended.do  orderId=0190-aa    {"orderNumber":"A-1","maskedPan":"400000**1118","date":1795341707828}
//
// The answer of #1 mints an id under the noun "order", which names an entity: an order is born. The
// number that the request chose is another of its names. #2 names the order, so it plays a role
// there, and its card stays with the order as an attribute. In #3 every value has a source: the
// number is the order's, the mask is a rendering of its first card, the date is that of the event
// #1. A template has a hole at each of these places, and says whose value fills it: by role and
// relation, never by the recorded entity itself. So the answer fits every other order too.
//
// Two answers are congruent if they are equal apart from what fills their holes. Class is a digest
// of the literal text and of what each hole is filled from.
//
// An entity is of a kind that the profile has, or it is inferred: all ids that an answer of an
// unknown API mints in one object are names of one entity. A whole has parts, a scope (a clientId)
// has members, and entities that took part in one write are linked. The session of a recording is
// its cassette: two tapes have nothing in common.
//
// A callback is no recording: it moves nothing, and hangs on the write that caused it (callback.go).
//
// Compile reads a cassette twice. First it looks at every exchange for what only later exchanges
// tell (package infer). Then it compiles the exchanges in the order in which their requests began;
// a goroutine of its own takes their messages apart ahead of each reading. Of each exchange judge.go
// says what kind of call it is, ask.go what its request names, answer.go what its answer shows, and
// conclude.go what it has done. What fills a hole may still change with a later exchange, so templates
// are open until all is compiled (pieces.go). Then they are closed (close.go): answers that differ in
// their values alone share the rest, and so do requests (params.go).
package tape
