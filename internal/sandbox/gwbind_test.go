package sandbox_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/tidwall/gjson"
)

// One binding pays for all: no payment is lost and no binding is made beside it.
func TestParallelPaymentsWithOneBinding(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	bound := c.bind("I")
	ids := ledger{t: t, seen: map[string]bool{}}
	inParallel(clients, func(i int) {
		a := c.instalment(bound, fmt.Sprint("P", i), "")
		c.is(a, "orderStatus.orderStatus", "2")
		ids.add("orderId", a.get("orderId"))
		ids.add("authRefNum", a.get("orderStatus.authRefNum"))
	})
	state := c.control("GET", "/state")
	c.is(state, "gateway.counts.bindings", "1")
	c.is(state, "gateway.bindings.0.instalments.paid", fmt.Sprint(clients))
	c.is(state, "gateway.bindings.0.instalments.paidAmount", fmt.Sprint(clients*1500))
}

// Of many switches at once one wins, so the binding ends as often off as it was turned.
func TestParallelSwitches(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	bound := c.bind("C")
	done := make(chan string, clients)
	inParallel(clients, func(int) {
		done <- c.gateway("unBindCard.do", "bindingId", bound).get("errorCode")
	})
	close(done)
	won := 0
	for code := range done {
		if code == "0" {
			won++
		}
	}
	if won != 1 {
		t.Errorf("the binding was switched off %d times", won)
	}
}

// Whatever is asked, the answer says either that an order was made or why not, and never both.
func FuzzStoredPayment(f *testing.F) {
	f.Add(true, `,"additionalParameters":{"a":1,"a":null,"b":"\ud800"}`)
	f.Add(false, `,"amount":1e400`)
	f.Add(true, `,"amount":"0","orderNumber":["1"],"username":1`)
	f.Add(false, `,"additionalParameters":{"installments":"9","":{}},"bindingId":"x"`)
	f.Add(true, `}[`)
	f.Fuzz(func(t *testing.T, recurrent bool, more string) {
		box := newBox()
		call := func(path, body string) gjson.Result {
			w := serve(box, "POST", "/payment/"+path, "", body)
			checkJSON(t, w)
			if w.Code != http.StatusOK {
				t.Errorf("status of %s is %d", path, w.Code)
			}
			return gjson.Parse(w.Body.String())
		}
		tii, op, made := "II", "installmentPayment.do", "orderId"
		if recurrent {
			tii, op, made = "RI", "recurrentPayment.do", "data.orderId"
		}
		first := call("rest/register.do", form("amount", "1", "returnUrl", "https://a.example",
			"clientId", "7")).Get("orderId").String()
		call("rest/paymentorder.do", form("MDORDER", first, "tii", tii, "$PAN", cardPaid,
			"$CVC", "123", "$EXPIRY", "203012"))
		bound := call("rest/getOrderStatusExtended.do", form("orderId", first)).
			Get("bindingInfo.bindingId").String()
		a := call(op, fmt.Sprintf(`{"userName":"sandbox-api","password":"sandbox-password",`+
			`"orderNumber":"P","bindingId":%q,"amount":1%s}`, bound, more))
		refused := a.Get("errorCode").String() > "0"
		if refused == a.Get(made).Exists() {
			t.Error("the answer is both an order and a refusal, or neither")
		}
		w := httptest.NewRecorder()
		box.Control().ServeHTTP(w, httptest.NewRequest("GET", "/state", nil))
		orders := gjson.Get(w.Body.String(), "gateway.counts.orders").Int()
		if refused != (orders == 1) {
			t.Errorf("there are %d orders after refused=%t", orders, refused)
		}
	})
}
