// Package inspect shows people what a deck does, and lets them do something about it: a page, and
// under api/ a JSON twin of every screen.
//
//	GET  /                        the page, which holds no data: scripts and styles (package web)
//	GET  /api/status              what the deck is, and what it has come to
//	GET  /api/exchanges           a window of the list: ?q= &grouped=1 &at= &n= &open= &fold= &before=
//	GET  /api/rows                rows, the oldest first: ?q= &after= &n=
//	GET  /api/events              rows as they come (text/event-stream): ?q= &after= &most= a second
//	GET  /api/exchanges/52        an exchange in full; 52.har as an archive
//	GET  /api/values              a value with its birth and its uses: ?id= &side= &path=
//	GET  /api/flows/g12           a flow, by its id or that of what it is about
//	GET  /api/compare             two flows side by side: ?a= &b=
//	GET  /api/why/52              why the answer is what it is; why/last-miss
//	GET  /api/filter              what a filter means, and how it goes on: ?q= &cursor=
//	GET  /api/tapes               names; /api/tapes/NAME/machine draws one
//	GET  /api/rules               the rules of the run
//	POST /api/rules/NAME/arm      lets a rule fire: ?times=; /disarm keeps it from that
//	GET  /api/callbacks           counts, the latest callbacks, and when they go out
//	POST /api/callbacks/mode      says when they go out: ?to=now|recorded|hold|off
//	POST /api/callbacks/next      sends the oldest that is held
//	POST /api/callbacks/3/resend  sends a callback once more
//	POST /api/exchanges/52/resend sends a request once more; ?sure=1 where a sandbox gets it
//
// With format=text the answer is what a terminal shows (package line), for columns= and color=1.
//
// The page needs no token, because it holds nothing. All else does, and stands behind the guard of
// package guard. Values of the traffic come as redact.Safe alone: the types of package view, which
// all answers are made of, take nothing else.
package inspect
