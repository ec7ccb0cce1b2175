// Package callback is the half of a payment API in which the sandbox is the client and the shop is
// the server: the callbacks.
//
// An example. A shop registers an order, tells where it wants to be called, and pays; the sandbox
// then tells the shop by itself that the money was taken:
//
//	shop                                       deck          sandbox
//	POST /payment/rest/register.do
//	  orderNumber=A-1&amount=12500
//	  &dynamicCallbackUrl=http://shop/paid --> ... -------> {"orderId":"3f...", ...}
//	POST .../paymentorder.do  mdOrder=3f... -> ... -------> {"errorCode":"0", ...}
//	GET /paid?mdOrder=3f...&operation=deposited
//	  &status=1&checksum=EAF2...            <- Relay <----- the callback
//	200                                     -> Relay -----> accepted
//
// While a deck records, a Relay stands between the sandbox and the shop: it passes the callback on,
// and puts it on tape as an interaction of its own. The sandbox calls the deck because the deck has
// put an address of its own in place of the shop's (Addresses), or because the operator has told
// the sandbox so. What is on tape says which exchange a callback follows (Causes), and which
// attempt of the sandbox it is (Tries). Callbacks that came past the deck, through a tunnel, are
// added to a tape afterwards, by the ids in them (Graft).
//
// In replay there is no sandbox, and a Sender does what it did. The shop runs against the tape with
// values of its own: its order is 9c..., and it wants to be called at http://127.0.0.1:40123/hook.
// The answer to paymentorder.do brings a match.Callback, in which the ids are those of the live
// order, the dates are of today, and the checksum is missing, for nobody but the sandbox could have
// made it. When the shop has its answer the Sender
//
//  1. puts address, path and query together: http://127.0.0.1:40123/hook?mdOrder=9c...&status=1;
//  2. signs the final bytes, last of all, as the profile tells (Sign);
//  3. looks whether it may call that host: what is checked is the address that is dialled;
//  4. sends the callback, one after another for each order, and many orders at once;
//  5. tries again, as the sandbox would, until the shop answers with 200 or no attempt is left.
//
// What the shop says at last is compared with the tape: a shop that took the callback there and
// refuses it here (or the other way round) has changed.
//
// Rules of the run change what a shop gets, and when (Rules). A Relay asks them between the tape
// and the shop, so that the tape has what the sandbox has sent. A Sender asks them before each
// attempt, and signs what they have made of it.
//
// Nobody but a rule waits for a Sender: a callback goes out when the answer that brings it has gone
// out, and a shop that does not answer holds up its own order alone. What it holds is bounded, in
// number and in time, and it calls this machine only, unless it is told of other hosts. Redirects
// are not followed, and the settings of the environment for proxies do not count. What people see
// of it (List, the events) has been cleaned.
package callback
