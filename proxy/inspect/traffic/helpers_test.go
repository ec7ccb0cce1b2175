package traffic_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/redact"
)

// run is a deck whose events a test makes, and what follows it.
type run struct {
	*traffic.Traffic
	hub     *hub.Hub
	session string
	kind    proxy.Kind
}

// newRun returns a run. It ends with the test.
func newRun(t testing.TB, o traffic.Options, ho hub.Options) *run {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	ho.Redactor = redact.New(redact.Options{Profiles: set})
	o.Hub, o.Profiles = hub.New(ho), set
	r := &run{Traffic: traffic.New(o), hub: o.Hub, kind: proxy.Served}
	t.Cleanup(r.Close)
	return r
}

// said publishes an exchange with the gateway: the form and the JSON answer of an operation.
func (r *run) said(op, form, answer string) {
	x := &leaf.Exchange{}
	x.Request.Method, x.URL = "POST", "http://deck.test/payment/rest/"+op
	x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	x.Request.Body = form
	x.Code, x.Response.Headers = 200, http.Header{"Content-Type": {"application/json"}}
	x.Response.Body = answer
	x.Meta.At = time.Now()
	e := proxy.Event{
		Kind: r.kind, Cassette: "checkout", Number: 1, Profile: "gateway", Code: 200,
		Session: r.session, Took: time.Millisecond, Exchange: proxy.NewExchange(x),
	}
	if strings.HasSuffix(op, ".do") {
		e.Operation = op // else no profile knows it
	}
	r.hub.Publish(e)
}

// card returns a published test number that ends in other digits.
func card(last string) string { return "400000" + "000000" + last }

// order plays an order: register, pay, status. code is its actionCode; 0 is paid.
func (r *run) order(number, id, card string, code int) {
	r.said("register.do", "orderNumber="+number+"&amount=12500&currency=978&returnUrl=https://shop.test/",
		fmt.Sprintf(`{"errorCode":"0","orderId":%q,"formUrl":"https://deck.test/pay?mdOrder=%s"}`, id, id))
	r.said("paymentorder.do", "MDORDER="+id+"&$PAN="+card+"&$CVC=123&YYYY=2030&MM=12&TEXT=TEST+CARD",
		`{"errorCode":"0","redirect":"https://shop.test/"}`)
	status := 2
	if code != 0 {
		status = 6
	}
	r.said("getOrderStatusExtended.do", "orderId="+id, fmt.Sprintf(`{"errorCode":"0","orderNumber":%q,`+
		`"orderStatus":%d,"actionCode":%d,"amount":12500,"currency":"978"}`, number, status, code))
}

// miss publishes a request to refund an order that the tape does not have.
func (r *run) miss(id string) {
	x := &leaf.Exchange{}
	x.Request.Method, x.URL = "POST", "http://deck.test/payment/rest/refund.do"
	x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	x.Request.Body, x.Code = "orderId="+id+"&amount=5000", 501
	x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
	x.Response.Body = `{"reason":"field"}`
	r.hub.Publish(proxy.Event{
		Kind: proxy.Missed, Profile: "gateway", Operation: "refund.do", Code: 501, Session: r.session,
		Reason: match.BadField, Nearest: "checkout#4", Exchange: proxy.NewExchange(x),
		Fields: []redact.Safe{redact.New(redact.Options{}).Text("amount")},
	})
}

// callback publishes an attempt of a callback about an order.
func (r *run) callback(number, attempt int, id, outcome string, code int) {
	x := &leaf.Exchange{}
	x.Request.Method, x.URL = "GET", leaf.CallbackOrigin+"/?mdOrder="+id+"&operation=deposited&status=1"
	x.Code = code
	x.Meta.Profile, x.Meta.Operation = "gateway", profile.CallbackOperation
	x.Meta.Callback = &leaf.Callback{Operation: "deposited", Attempt: attempt}
	r.hub.Publish(proxy.Event{
		Kind: proxy.Callback, Profile: "gateway", Operation: "deposited", Callback: number,
		Attempt: attempt, Outcome: outcome, Code: code, Session: r.session, Exchange: proxy.NewExchange(x),
	})
}

// read waits until every row with an exchange was read.
func (r *run) read(t testing.TB) {
	t.Helper()
	for id := uint64(1); id <= r.hub.LastID(); id++ {
		for range 2000 {
			row, found := r.Row(id)
			if !found || row.Read || row.Kind == "warning" {
				break
			}
		}
	}
}
