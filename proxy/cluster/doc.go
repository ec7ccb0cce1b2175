// Package cluster lets several decks be one: each session, or the recording, has one owner among them,
// and any deck answers for all.
//
// An example. Decks A, B and C replay the same tapes behind a load balancer, and a NATS server is
// between them. A shop works in the session /~one/ and knows nothing of all this:
//
//	shop                  A                  B                     NATS
//	register.do --------> nobody has "one"   .                     .
//	                      claim "one" -----------------------------> claims: one = A
//	                      serve: order 9c..  .                     .
//	                      append 1: register.do at 12:00:00 -------> log of "one"
//	<-- order 9c.. -------'                  .                     .
//	paymentorder.do 9c.. ------------------> A has "one"           .
//	                      <--- forwarded ----'                     .
//	                      append 2: paymentorder.do at 12:00:03 ---> log of "one"
//	                      ---- answer -----> .                     .
//	<-- paid --------------------------------'                     .
//	                      (A is killed)
//	getOrderStatus 9c.. -------------------> A's lease is over     .
//	                                         claim "one" ----------> claims: one = B
//	                                         <--- 1, 2 ------------- log of "one"
//	                                         serve 1 and 2 again: order 9c.., paid
//	                                         append 3, 4: B has it, getOrderStatus
//	<-- paid --------------------------------'
//
// Serving is a function of tape, seed, clock and the requests in their order. The decks have the tapes,
// one seed for all lies with the first of them in NATS, and the log has the rest. So a deck that takes
// a session over knows all that its owner knew, and ids stay what they are.
//
// # What makes it safe
//
// Claim and lease. A deck has a lease, a key that expires unless the deck renews it, and is named anew
// when it has lost its lease. A claim names a session and the deck that has it. It is made only where
// there is none, or where the lease of the deck in it has expired, and only if nobody else has changed it.
//
// Fence. The owner serves a request and appends it to the log of the session before anybody has the
// answer. Each append tells which entry of the session was the last; a new owner begins with an entry
// of its own. An owner that lost its session without knowing it cannot append any more, so nobody
// sees what it has served: it forgets the session, and the request goes to the new owner.
//
// Number. Every request has a number of the deck to which it came, and keeps it while it is forwarded
// again and again. An owner that finds the number in the log gives the same answer and serves nothing.
// The oldest answers are dropped if there are many, by what the log alone tells; a request whose
// answer was dropped is refused, here and by the next owner.
//
// Receipt. Whether a client has got an answer is known to the deck to which it came, which tells the
// owner. Until then the same write sent again may be a retry, as match.Answer.Delivered has it. The
// log has the receipts with the next entry. A request behind it on the same connection proves that the
// answer was read, and has the receipt with it. The same write that comes another way waits a moment for
// the receipt.
//
// Command. What is said to all sessions, such as that a rule holds, lies in a stream of its own that
// does not expire. The log says after which command, by its place in the stream, a request was served.
//
// Time. The clock of a request is read by the owner, is in the log, and never runs backwards in a
// session. Nothing waits while it is served: an Answer says how long its client is to wait for which
// piece, and the deck that has the client does.
//
// Callbacks. The owner sends them. Before the first attempt of a callback the log says that it was
// begun, so it is sent once at most: a new owner sends those that were not begun. A callback whose
// owner dies during its attempts has no further attempt. Sessions of a deck that has gone are taken over
// also if nobody asks for them: a shop may wait for a callback.
//
// # NATS is gone
//
// Without NATS no session can be claimed and no request forwarded: the answer is 503 and says so. An
// owner goes on until its lease is over, and answers reads. A write is answered when the log has it:
// the client waits, and gets 503 if NATS does not come back in time. A read that was answered so, and
// that the log never got, has not happened for the next owner: what it has moved is lost, such as the
// count of a rule.
//
// NATS that comes back without its disk has lost sessions, commands and seed. Each deck notices when it has
// lost its lease for that, and puts back the origin that it knows, with one more loss: all decks put the
// same, and the loss goes into the generation of sessions, so their ids do not come again. A deck that was
// started before the others have noticed has decided anew, and they take that. Until then answers are 503.
//
// # Recordings
//
// Decks that record one cassette together are no Nodes but have a Recording: there is one thing to own,
// and the sandbox cannot be asked again. One deck claims it with its lease and opens it; whatever comes
// in at the others ends at the owner as a connection (package natsconn), so that nothing of HTTP is made
// anew on the way. The fence is the lock of the cassette, in the folder that all decks have: a deck that
// has claimed the recording waits for it, and one that has lost its lease lets go. The claim says
// whether the owner has the lock, so a deck that joins can tell a folder that is not the owner's. Nothing
// that a client has sent lies in NATS.
//
// A lease tells what a deck does: decks that replay and decks that record differ in a fact, and do not
// share a key.
//
// # What NATS sees
//
// Nothing that can be read. A request has cards and passwords, and a session cannot be served again
// without them: the shop's own card number decides which answer comes, and stands in answers that
// come later. The surrogates of redaction would not do. So requests, answers and the log are sealed
// (AES-256-GCM), with a key that decks have from a file and NATS never has; what NATS can read are
// digests of the names of sessions and lengths. Logs expire after a week. Whoever has both the disk of NATS and
// the key has the requests of that week: the key deserves the care of the key of a certificate
// authority.
//
// # Limits
//
// A session that is taken over is served again from its first request, or from its last reset: a reset
// begins the log anew, with an entry that has what must not come twice, such as the digests of ids. A
// session whose log has begun to expire cannot be
// taken over: nothing of the log is served, and the session begins anew in another generation, which
// goes into its seed. The generation is the number of the age of logs since the first deck, so a session
// that begins later than the first week has other ids than one of a deck alone with the same seed. A
// rule counts what happens in one session. Files of rules are read once, because decks would see a
// change at different times.
//
// nats.go is the client of the project NATS: leases, claims, logs and large bodies are its key-value
// buckets, streams and object stores. No server is in this package.
package cluster
