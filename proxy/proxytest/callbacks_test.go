package proxytest_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/proxytest"
)

func ExampleCallbacks_Next() {
	deck := proxytest.Replay(t, "deposited", proxytest.CallbackOptions(deck.Callbacks{
		Keys: []deck.CallbackKey{{Text: "key of the test"}},
	}))
	// ... the shop registers an order at deck.URL, and the client pays it ...
	paid := deck.Callbacks.Next()
	if paid.Operation != "deposited" || paid.Value("status") != "1" {
		t.Fatal("the shop was not told")
	}
}

// key is of these tests alone: the tape has none.
var key = proxytest.CallbackOptions(deck.Callbacks{
	Keys: []deck.CallbackKey{{Text: "key of the test"}}, Retry: time.Millisecond,
})

// pay registers an order with a number, at a shop that may have an address, and pays it.
func pay(t testing.TB, d *proxytest.Deck, number, shop string) string {
	t.Helper()
	pairs := []string{"orderNumber", number, "amount", "12500", "returnUrl", "https://shop.example/"}
	if shop != "" {
		pairs = append(pairs, "dynamicCallbackUrl", shop)
	}
	_, answer := call(t, d, "register.do", pairs...)
	id, _ := answer["orderId"].(string)
	call(t, d, "paymentorder.do", "MDORDER", id, "$PAN", "411111"+"1111111111", "$CVC", "123",
		"$EXPIRY", "203112", "TEXT", "CARD HOLDER", "language", "en")
	return id
}

// TestShopWithAServer has the deck call a shop, and the test see it.
func TestShopWithAServer(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer shop.Close()
	d := proxytest.Replay(t, "deposited", key)
	id := pay(t, d, "B-1", shop.URL+"/paid")
	if e := d.Await(proxytest.Accepted("deposited")); e.Attempt != 2 || e.Code != http.StatusOK {
		t.Errorf("attempt %d, status %d", e.Attempt, e.Code)
	}
	if e := d.Await(proxytest.Operation("register.do")); e.Kind != proxy.Served {
		t.Errorf("register.do was %s", e.Kind)
	}
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		if got := d.Callbacks.Next(); got.Code != want || got.Value("mdOrder") != id {
			t.Errorf("the shop answered %d, want %d", got.Code, want)
		}
	}
	if n := len(d.Callbacks.All()); n != 2 {
		t.Errorf("%d have gone out", n)
	}
}

// TestHeldCallbacks has callbacks, and their repetitions, wait for the test.
func TestHeldCallbacks(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer shop.Close()
	d := proxytest.Replay(t, "deposited", proxytest.CallbackOptions(deck.Callbacks{
		Mode: deck.CallbacksHold, Keys: []deck.CallbackKey{{Text: "k"}},
	}))
	pay(t, d, "B-1", shop.URL)
	d.Await(func(e proxy.Event) bool { return e.Outcome == proxy.OutcomeHeld })
	if calls.Load() != 0 {
		t.Error("a held callback went out")
	}
	for n, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		if got := d.Callbacks.Next(); got.Code != want || int(calls.Load()) != n+1 {
			t.Errorf("the shop answered %d at call %d", got.Code, calls.Load())
		}
	}
}

// TestNoCallbackComes ends a test that waits for what does not come.
func TestNoCallbackComes(t *testing.T) {
	t.Parallel()
	try(t, func(t testing.TB) {
		proxytest.Replay(t, "checkout").Callbacks.Next()
	}).failed(t, "this deck sends no callbacks")
	try(t, func(t testing.TB) {
		proxytest.Replay(t, "deposited")
	}).failed(t, "--callback-key-file gateway=FILE")
	soon := func(t testing.TB) testing.TB { return deadline{t} }
	try(t, func(t testing.TB) {
		proxytest.Replay(soon(t), "deposited", key).Callbacks.Next()
	}).failed(t, "no callback came")
	try(t, func(t testing.TB) {
		proxytest.Replay(soon(t), "deposited", key).Await(proxytest.Operation("refund.do"))
	}).failed(t, "waiting for an event: none came in time")
}

// deadline is a test that has to end soon.
type deadline struct{ testing.TB }

func (deadline) Deadline() (time.Time, bool) { return time.Now().Add(1010 * time.Millisecond), true }

// TestShopWithoutAddress has the test stand in for the shop: the tape is one of a static address.
func TestShopWithoutAddress(t *testing.T) {
	t.Parallel()
	d := proxytest.Replay(t, "static", key)
	id := pay(t, d, "B-1", "")
	paid := d.Callbacks.Next()
	if paid.Operation != "deposited" || paid.Value("mdOrder") != id || paid.Value("orderNumber") != "B-1" ||
		len(paid.Value("checksum")) != 64 || paid.Code != 0 {
		t.Errorf("the test got %s of attempt %d, status %d", paid.Operation, paid.Attempt, paid.Code)
	}
	if s := d.Summary(); s.Callbacks.Accepted != 1 || s.Callbacks.Undelivered != 0 {
		t.Errorf("%+v", s.Callbacks)
	}
}
