package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/tidwall/gjson"
)

// Published test numbers, in two parts so that a search for card numbers passes by.
const (
	cardSecure1 = "421234" + "5678901237"
	cardSecure2 = "500000" + "1111111115"
)

const rightPassword = "123" + "45678" // which the page of the ACS says

// payer is a shop, and a browser that pays there. The shop knows the gateway by a base URL.
type payer struct {
	*chromium
	base   string
	client *http.Client
	shop   *httptest.Server
	number string // of the order that is being paid
	id     string
}

// legs are the ways in which a browser gets through a payment. Each has an amount of its own, by
// which replay tells their orders apart.
var legs = []struct {
	name, amount, card string
	walk               func(p *payer, card, formURL string)
	status             string
}{
	{"3-D Secure 2", "1001", cardSecure2, (*payer).challenge2, "2"},
	{"3-D Secure 1", "1002", cardSecure1, (*payer).challenge1, "2"},
	{"payment page", "1003", cardSecure2, (*payer).page, "2"},
	{"payment page with 3-D Secure 1", "1004", cardSecure1, (*payer).page, "2"},
	{"3DS Method", "1005", cardSecure2, (*payer).method, "2"},
	{"ACS redirect", "1006", cardSecure2, (*payer).redirect, "2"},
	{"ACS redirect with 3-D Secure 1", "1007", cardSecure1, (*payer).redirect, "2"},
	{"3-D Secure 2, failed", "1008", cardSecure2, (*payer).failed2, "6"},
	{"payment page, failed", "1009", cardSecure1, (*payer).failedPage, "6"},
}

// payAll walks every leg, or every n-th, with order numbers that begin so.
func (p *payer) payAll(run string, every int) {
	p.t.Helper()
	for i := 0; i < len(legs); i += every {
		leg := legs[i]
		p.number = run + "-" + leg.amount
		a := p.call("register.do", "orderNumber", p.number, "amount", leg.amount, "currency", "978",
			"returnUrl", p.shop.URL+"/back?run="+run, "failUrl", p.shop.URL+"/sorry?run="+run,
			"language", "en")
		p.id = a.Get("orderId").String()
		leg.walk(p, leg.card, a.Get("formUrl").String())
		path := "/back"
		if leg.status == "6" {
			path = "/sorry"
		}
		want := path + "?run=" + run + "&orderId=" + p.id + "&lang=en"
		if got := p.atShop(); got != want {
			p.t.Errorf("%s: the shop was opened at %q, want %q", leg.name, got, want)
		}
		a = p.call("getOrderStatusExtended.do", "orderId", p.id, "language", "en")
		if got := a.Get("orderStatus").String(); got != leg.status ||
			a.Get("orderNumber").String() != p.number {
			p.t.Errorf("%s: status %q, want %s", leg.name, got, leg.status)
		}
	}
}

// call makes a call of the gateway, with pairs of name and value.
func (p *payer) call(operation string, pairs ...string) gjson.Result {
	p.t.Helper()
	v := url.Values{"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"}}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return gjson.Parse(p.get("POST", p.base+"/payment/rest/"+operation, v.Encode()))
}

// get makes any call and returns the answer.
func (p *payer) get(method, target, form string) string {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, target, strings.NewReader(form))
	if err != nil {
		p.t.Fatal("making a request failed")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := p.client.Do(req)
	if err != nil {
		p.t.Fatalf("no answer from %s", req.URL.Host)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		p.t.Fatalf("%s: status %d, %v: %s", req.URL.Path, res.StatusCode, err,
			gjson.GetBytes(body, "message"))
	}
	return string(body)
}

func (p *payer) pay(card string) gjson.Result {
	p.t.Helper()
	return p.call("paymentorder.do", "MDORDER", p.id, "$PAN", card, "$CVC", "123",
		"$EXPIRY", "203012", "TEXT", "Test Person", "language", "en")
}

func (p *payer) proceed() gjson.Result {
	p.t.Helper()
	return p.call("3ds/continue.do", "mdOrder", p.id, "language", "en")
}

// open opens a page of the shop, with pairs of name and value.
func (p *payer) open(path string, pairs ...string) {
	p.t.Helper()
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	p.do("opening the shop", chromedp.Navigate(p.shop.URL+path+"?"+v.Encode()))
}

func (p *payer) toACS(card string) {
	p.t.Helper()
	p.pay(card)
	a := p.proceed()
	p.open("/pay", "action", a.Get("acsUrl").String(), "creq", a.Get("packedCReq").String())
}

func (p *payer) challenge2(card, _ string) {
	p.toACS(card)
	p.answer(rightPassword)
}

func (p *payer) challenge1(card, _ string) {
	a := p.pay(card)
	p.open("/pay", "action", a.Get("acsUrl").String(), "PaReq", a.Get("paReq").String(),
		"MD", p.id, "TermUrl", a.Get("termUrl").String())
	p.answer(rightPassword)
}

func (p *payer) page(card, formURL string) {
	p.do("opening the payment page", chromedp.Navigate(formURL))
	p.fill(card)
	p.answer(rightPassword)
}

func (p *payer) method(card, _ string) {
	a := p.pay(card)
	p.open("/method", "server", a.Get("threeDSMethodURLServer").String(),
		"action", a.Get("threeDSMethodURL").String(),
		"data", a.Get("threeDSMethodDataPacked").String())
	if got := p.atShop(); got != "looked at twice" {
		p.t.Errorf("the frames say %q", got)
	}
	a = p.proceed()
	p.open("/pay", "action", a.Get("acsUrl").String(), "creq", a.Get("packedCReq").String())
	p.answer(rightPassword)
}

func (p *payer) redirect(card, _ string) {
	p.pay(card)
	if card == cardSecure2 {
		p.proceed()
	}
	p.do("going to the ACS",
		chromedp.Navigate(p.base+"/payment/acsRedirect.do?orderId="+p.id))
	p.answer(rightPassword)
}

func (p *payer) failed2(card, _ string) {
	p.toACS(card)
	p.failThrice()
}

func (p *payer) failedPage(card, formURL string) {
	p.do("opening the payment page", chromedp.Navigate(formURL))
	p.fill(card)
	p.failThrice()
}

// failThrice gives wrong passwords until the ACS gives up.
func (p *payer) failThrice() {
	p.t.Helper()
	for _, wrong := range []string{"wrong-1", "wrong-2", "wrong-3"} {
		p.forget()
		p.answer(wrong)
		if wrong != "wrong-3" {
			p.do("being told of a wrong password", chromedp.WaitVisible(chromedp.CSS(`#error`)))
		}
	}
}

// forget takes what a page tells off it, so that the next one is not taken for this.
func (p *payer) forget() {
	p.t.Helper()
	p.do("waiting for the ACS", chromedp.WaitVisible(chromedp.CSS(`input[name="password"]`)))
	if _, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](
		"document.querySelectorAll('#error').forEach(e => e.remove()), true")); err != nil {
		p.t.Fatalf("taking the page's error off: %v", err)
	}
}

// newBrowserShop is a shop that shows how it was opened. /pay sends the browser on by a form, and
// /method has the two hidden frames of the 3DS Method.
func newBrowserShop(t *testing.T) *httptest.Server {
	const fields = `<form method="post"></form><script>
		const given = new URLSearchParams(location.search), form = document.forms[0]
		form.action = given.get("action")
		for (const [name, value] of given) {
			const input = document.createElement("input")
			input.type = "hidden"; input.name = name; input.value = value; form.append(input)
		}
		form.submit()</script>`
	const frames = `<p id="wait"></p><form method="post" target="acs">
		<input type="hidden" name="threeDSMethodData"></form>
		<iframe name="server" hidden></iframe><iframe name="acs" hidden></iframe><script>
		const given = new URLSearchParams(location.search), form = document.forms[0]
		let loads = 0
		const server = document.querySelector("[name=server]"), acs = document.querySelector("[name=acs]")
		const done = () => { if (++loads == 3) { wait.id = "shop"; shop.textContent = "looked at twice" } }
		form.action = given.get("action"); form.threeDSMethodData.value = given.get("data")
		server.onload = done; acs.onload = done
		server.src = given.get("server"); form.submit()</script>`
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		page := `<p id="shop"></p><script>document.getElementById("shop").` +
			`textContent = location.pathname + location.search</script>`
		switch r.URL.Path {
		case "/pay":
			page = fields
		case "/method":
			page = frames
		}
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(shop.Close)
	return shop
}
