package gateway

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/tidwall/gjson"
)

// quiet is a gateway whose shop is called without a network, on a clock that may differ from
// the machine's by the given time.
func quiet(t *testing.T, s *shop, ahead time.Duration) *Gateway {
	t.Helper()
	g := New(Options{
		User: "u", Password: "p", Source: mint.NewSource(1, 1),
		Now:       func() time.Time { return time.Now().Add(ahead) },
		Callbacks: Callbacks{Address: "http://shop.example/"},
	})
	g.courier = newCourier(g.options.Callbacks, s)
	t.Cleanup(g.Close)
	return g
}

// ask makes a call with name, value pairs and returns the answer.
func (g *Gateway) ask(operation string, texts ...string) gjson.Result {
	form := url.Values{"userName": {g.options.User}, "password": {g.options.Password}}
	for i := 0; i+1 < len(texts); i += 2 {
		form.Set(texts[i], texts[i+1])
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/payment/rest/"+operation,
		strings.NewReader(form.Encode())))
	return gjson.Parse(w.Body.String())
}

func (g *Gateway) register(number string, texts ...string) (orderID string) {
	texts = append(texts, "orderNumber", number, "amount", "1500",
		"returnUrl", "https://shop.example/")
	return g.ask("register.do", texts...).Get("orderId").String()
}

func (g *Gateway) pay(orderID string) gjson.Result {
	return g.payWith(orderID, "411111"+"1111111111")
}

func (g *Gateway) payWith(orderID, card string) gjson.Result {
	return g.ask("paymentorder.do", "MDORDER", orderID, "$PAN", card,
		"$CVC", "123", "$EXPIRY", "203012")
}

// An order that nobody pays is declined by the clock, of which the shop hears although nobody
// looks (document 3, Events; domain facts, Order status).
func TestTimeOutIsTold(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, 10_000 * time.Hour, -time.Minute} {
		t.Run(fmt.Sprint(ahead), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shop{}
				g := quiet(t, s, ahead)
				g.register("1")
				time.Sleep(time.Minute)
				paid := g.register("2")
				g.pay(paid)
				g.register("3")
				time.Sleep(orderLifetime - time.Minute - time.Nanosecond)
				synctest.Wait()
				s.wants(t, "deposited 2")
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				s.wants(t, "deposited 2", "declinedByTimeout 1")
				time.Sleep(time.Hour)
				s.wants(t, "deposited 2", "declinedByTimeout 1", "declinedByTimeout 3")
			})
		})
	}
}

// An order with a shorter time to pay is not late because another was registered before it.
func TestShorterTimeToPay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		g := quiet(t, s, 0)
		g.register("1")
		g.register("2", "sessionTimeoutSecs", "90")
		g.register("3", "sessionTimeoutSecs", "60")
		time.Sleep(90 * time.Second)
		synctest.Wait()
		s.wants(t, "declinedByTimeout 3", "declinedByTimeout 2")
		time.Sleep(time.Hour)
		s.wants(t, "declinedByTimeout 3", "declinedByTimeout 2", "declinedByTimeout 1")
	})
}

// A payer who never comes back from the ACS lets the order time out too.
func TestTimeOutAtTheACSIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		g := quiet(t, s, 0)
		id := g.register("1")
		if g.payWith(id, "400000"+"0000001075").Get("errorCode").Int() != 0 {
			t.Error("the payment is refused")
		}
		if got := g.ask("getOrderStatusExtended.do", "orderId", id).Get("orderStatus"); got.Int() == 6 {
			t.Error("the order is declined at once")
		}
		time.Sleep(orderLifetime)
		synctest.Wait()
		s.wants(t, "declinedByTimeout 1")
	})
}

// Whoever looks first finds the time-out; it is told once.
func TestTimeOutIsToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ahead time.Duration
		s := &shop{}
		g := quiet(t, s, 0)
		g.options.Now = func() time.Time { return time.Now().Add(ahead) }
		id := g.register("1")
		ahead = orderLifetime
		for range 2 {
			status := g.ask("getOrderStatusExtended.do", "orderId", id)
			if got := status.Get("actionCode").Int(); got != actionTimedOut {
				t.Errorf("the action code is %d", got)
			}
		}
		time.Sleep(time.Hour)
		s.wants(t, "declinedByTimeout 1")
	})
}

// A clock that stands still lets no order time out, however long the machine runs; a clock
// that is moved does at the next alarm.
func TestTimeOutWaitsForTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at := time.Now()
		s := &shop{}
		g := quiet(t, s, 0)
		g.options.Now = func() time.Time { return at }
		g.register("1")
		time.Sleep(24 * time.Hour)
		s.wants(t)
		g.mu.Lock()
		at = at.Add(orderLifetime)
		g.mu.Unlock()
		time.Sleep(orderLifetime)
		synctest.Wait()
		s.wants(t, "declinedByTimeout 1")
	})
}

// The moment of a time-out is the order's deadline, not when it was noticed.
func TestTimeOutHasTheTimeOfTheDeadline(t *testing.T) {
	t.Parallel()
	b := newBook(mint.NewSource(1, 1))
	at := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
	o := b.newOrder("1", call{params: params{"amount": "1"}, now: at})
	b.expire(at.Add(time.Hour))
	events := b.takeEvents()
	if len(events) != 1 || !events[0].at.Equal(at.Add(orderLifetime)) || events[0].orderID != o.id {
		t.Errorf("%d events, or one of another time", len(events))
	}
	if len(b.deadlines) != 0 {
		t.Error("the order is still watched")
	}
}

// A closed gateway answers and calls nobody.
func TestClosedGateway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		g := quiet(t, s, 0)
		g.register("1")
		g.Close()
		if !g.pay(g.register("2")).Get("redirect").Exists() {
			t.Error("it does not answer")
		}
		time.Sleep(time.Hour)
		s.wants(t)
	})
}
