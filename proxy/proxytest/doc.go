// Package proxytest gives a Go test a payment sandbox from tape, in one line:
//
//	func TestCheckout(t *testing.T) {
//		t.Parallel()
//		deck := proxytest.Replay(t, "checkout", proxytest.Upstream("https://sandbox.example"))
//		shop := NewShop(deck.URL)
//		...
//	}
//
// The cassette is testdata/paytape/checkout.yaml in the folder of the test's package. It is
// recorded by the test itself, with card numbers, CVCs, PINs and tokens taken out:
//
//	PAYTAPE=record go test -count=1 -run '^TestCheckout$'
//
// and from then on plain "go test" replays it, without a network: the shop registers an order
// and gets a fresh orderId, pays it and gets the recorded approval, asks for the status and finds
// the order paid. A request that the tape has no answer to is a miss: the shop gets status 501,
// and the test fails with what was in the way, the nearest recorded exchange, and what would make
// the request match.
//
// Each call of Replay is a deck of its own, on a port of its own, and closed by Cleanup: what one
// test does to an order no other test sees, so tests run in parallel, each as often as it likes.
// What is the same for all of them, the compiled tape, is made once for the test binary. In a
// benchmark and in front of f.Fuzz a deck works as it does in a test.
//
// While recording, tests that name one cassette share one deck, because one cassette has one
// recorder. A cassette that exists is continued: to record it anew, remove the file first. Where
// the environment variable CI says that this is a service that builds and tests, recording is
// refused: there a missing cassette shall fail the build.
//
// Cassettes that are too large or too many for a repository lie in a store, and testdata/paytape has a file
// paytape.lock that names them. Replay pulls what it needs and the folder lacks: Store, or PAYTAPE_STORE,
// says from where, and PAYTAPE_OFFLINE=true that nothing is asked.
//
// What the sandbox tells the shop by itself, the deck tells too: see Callbacks. A tape whose callbacks are
// signed needs a key, which need not be that of the sandbox's account, or none at all:
//
//	proxytest.CallbackOptions(deck.Callbacks{Keys: []deck.CallbackKey{{Text: "key of the test"}}})
//	proxytest.CallbackOptions(deck.Callbacks{Mode: deck.CallbacksUnsigned})
//
// How a shop takes failures can be tested without a tape of them: deck.Rule has every first poll fail,
// or the answer to a deposit get lost.
//
// Limits: a deck is asked by its URL; clients whose hosts are hard-coded need the forward door
// of package deck. The tape of a test binary is not read again if its file changes while the
// tests run.
package proxytest
