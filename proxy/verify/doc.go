// Package verify plays what is on a tape against the live sandbox, and tells how the sandbox has
// changed since the tape was recorded.
//
// It is a client and no mode of a deck: nothing listens, and nobody is served. It stands below package
// proxy because it sends as recording does. Each request goes through a proxy.Record, whose tape is a
// list in memory. So only configured upstreams are dialled, bodies are bounded, and what comes back is
// cleaned before anybody looks at it. The tape itself is read and never written.
//
// A checkout was recorded in spring, and is verified in autumn:
//
//	tape   #1 register.do   orderNumber=A-1 password=REDACTED-token-1   {"orderId":"0190-aa"}
//	       #2 status        orderId=0190-aa                             {"orderStatus":0}
//
//	live   #1 register.do   orderNumber=A-9k2xw password=<of the file>  {"orderId":"0195-c4"}
//	       #2 status        orderId=0195-c4                             {"orderStatus":"0"}
//
//	drift  #2 status        answer orderStatus  changed type  number 0 -> string "0"
//
// A Plan says which exchanges are played (plan.go): one flow of each shape, because flows that said the
// same would tell the same, and the flows that these stand on. All are played in the order of the tape,
// the one order of which it is known that it works. A value of a request is made anew (request.go): names
// that the client chooses are fresh, dates move, what the sandbox has made is what it has made in this
// run (live.go), and secrets come from a file (secrets.go). Everything else is sent byte by byte as it
// was recorded. What comes back is compared by package drift.
//
// An exchange is not played where it would mean nothing: its order was not born in this run, it is
// signed, its host has no upstream, its operation is never to be sent. After an answer that failed where
// the tape's did not, and after a write that was not sent, the rest of the flow is not played. The report
// says so of each.
//
// Limits: callbacks are not received, and what is on tape of them is counted only. Browsers are not
// played beyond their requests. Lists that a whole account fills are compared item by item, and not by
// their length. A flow is played once: what a sandbox does now and then is not found.
package verify
