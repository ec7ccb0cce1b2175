package sandbox_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/tidwall/gjson"
)

func TestParallelTransfers(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	ids := ledger{t: t, seen: map[string]bool{}}
	inParallel(clients, func(i int) {
		id := c.registerP2P(fmt.Sprint("P", i), object{"amount": 1000 + i}).get("orderId")
		c.is(c.p2pFee(id), "errorCode", "0")
		c.is(c.move(id, cardPaid, cardPayee), "errorCode", "0")
		a := c.p2pStatus(id)
		c.is(a, "orderStatus", "2")
		c.is(a, "amount", fmt.Sprint(1000+i))
		ids.add("orderId", id)
		ids.add("refNum", a.get("operationList.0.refNum"))
		ids.add("refNum", a.get("operationList.1.refNum"))
	})
}

func TestOneTransferIsPaidOnce(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	id := c.registerOCT("1")
	var mu sync.Mutex // guards paid
	paid := int64(0)
	inParallel(clients, func(i int) {
		amount := 1000 + i
		a := c.oct(id, cardPayee, object{"amountInput": amount})
		c.p2pStatus(id)
		if a.get("errorCode") == "0" {
			mu.Lock()
			defer mu.Unlock()
			paid += int64(amount)
		}
	})
	if got := gjson.Get(c.p2pStatus(id).body, "amount").Int(); got != paid {
		t.Errorf("the order is over %d, what was paid is %d", got, paid)
	}
}

// Whatever a call says, the answer is JSON in HTTP 200 and the state stays sound: an order is
// paid or not, and its amount is one.
func FuzzP2P(f *testing.F) {
	card := `"toCard":{"pan":"` + cardPayee + `"}`
	f.Add("registerP2P.do", `"orderNumber":"2","amount":1,"currency":"978"`)
	f.Add("performP2P.do", card+`,"amountInput":5,"amountInput":null`)
	f.Add("performP2P.do", card+`,"amount":"-1","params":[{"name":"a"}],"threeDSSDK":true`)
	f.Add("performP2PByBinding.do", `"toCard":{"bindingId":"x"},"fromCard":[],"tii":"F"`)
	f.Add("verifyP2P.do", card+`,"amount":"99"`)
	f.Add("verifyP2PByBinding.do", `"toCard":{"seToken":"AAAA","pan":null}`)
	f.Add("getP2PStatus.do", `"version":3,"orderId":{"a":[1]}`)
	f.Add("finishThreeDsVer2.do", `"tDsTransId":"x"}`)
	f.Fuzz(func(t *testing.T, op, more string) {
		box := newBox()
		run := func(op, body string) gjson.Result {
			w := serve(box, "POST", "/payment/rest/api/p2p/"+op, "",
				`{"username":"sandbox-api","password":"sandbox-password",`+body+"}")
			if w.Code != http.StatusNotFound {
				checkJSON(t, w)
			}
			if w.Code != http.StatusOK && w.Code != http.StatusNotFound {
				t.Errorf("status is %d", w.Code)
			}
			return gjson.Parse(w.Body.String())
		}
		id := run("registerP2P.do", `"orderNumber":"1","amount":1500,"currency":"978",`+
			`"returnUrl":"https://shop.example/back","transactionTypeIndicator":"A",`+
			`"features":{"feature":["WITHOUT_FROM_CARD"]}`).Get("orderId").String()
		run(op, fmt.Sprintf(`"orderId":%q,`, id)+more)
		order := run("getP2PStatus.do", fmt.Sprintf(`"orderId":%q`, id))
		amount, status := order.Get("amount").Int(), order.Get("orderStatus").Int()
		if amount <= 0 || status != 0 && status != 2 && status != 6 {
			t.Errorf("after %q the amount is %d, the status %d", op, amount, status)
		}
	})
}
