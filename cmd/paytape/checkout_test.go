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

// checkout is a payment at a shop in a browser. The shop knows the gateway by a base URL.
type checkout struct {
	*chromium
	base   string
	client *http.Client
	shop   *httptest.Server
	number string // of the order that is being paid
	id     string
}

// paymentCases are the ways in which a browser pays an order. Each case has an amount of its own,
// by which replay tells their orders apart.
var paymentCases = []struct {
	name, amount, card string
	pay                func(p *checkout, card, formURL string)
	status             string
}{
	{"3-D Secure 2", "1001", cardSecure2, (*checkout).challenge2, "2"},
	{"3-D Secure 1", "1002", cardSecure1, (*checkout).challenge1, "2"},
	{"payment page", "1003", cardSecure2, (*checkout).page, "2"},
	{"payment page with 3-D Secure 1", "1004", cardSecure1, (*checkout).page, "2"},
	{"3DS Method", "1005", cardSecure2, (*checkout).method, "2"},
	{"ACS redirect", "1006", cardSecure2, (*checkout).redirect, "2"},
	{"ACS redirect with 3-D Secure 1", "1007", cardSecure1, (*checkout).redirect, "2"},
	{"3-D Secure 2, failed", "1008", cardSecure2, (*checkout).failed2, "6"},
	{"payment page, failed", "1009", cardSecure1, (*checkout).failedPage, "6"},
}

// payAll pays an order for every case, or for every n-th. The order numbers begin with the run.
func (c *checkout) payAll(run string, every int) {
	c.t.Helper()
	for i := 0; i < len(paymentCases); i += every {
		pc := paymentCases[i]
		c.number = run + "-" + pc.amount
		a := c.call("register.do", "orderNumber", c.number, "amount", pc.amount, "currency", "978",
			"returnUrl", c.shop.URL+"/back?run="+run, "failUrl", c.shop.URL+"/sorry?run="+run,
			"language", "en")
		c.id = a.Get("orderId").String()
		pc.pay(c, pc.card, a.Get("formUrl").String())
		path := "/back"
		if pc.status == "6" {
			path = "/sorry"
		}
		want := path + "?run=" + run + "&orderId=" + c.id + "&lang=en"
		if got := c.atShop(); got != want {
			c.t.Errorf("%s: the shop was opened at %q, want %q", pc.name, got, want)
		}
		a = c.call("getOrderStatusExtended.do", "orderId", c.id, "language", "en")
		if got := a.Get("orderStatus").String(); got != pc.status ||
			a.Get("orderNumber").String() != c.number {
			c.t.Errorf("%s: status %q, want %s", pc.name, got, pc.status)
		}
	}
}

// call makes a call of the gateway, with pairs of name and value.
func (c *checkout) call(operation string, pairs ...string) gjson.Result {
	c.t.Helper()
	v := url.Values{"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"}}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return gjson.Parse(c.get("POST", c.base+"/payment/rest/"+operation, v.Encode()))
}

// get makes any call and returns the answer.
func (c *checkout) get(method, target, form string) string {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, target, strings.NewReader(form))
	if err != nil {
		c.t.Fatal("making a request failed")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := c.client.Do(req)
	if err != nil {
		c.t.Fatalf("no answer from %s", req.URL.Host)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		c.t.Fatalf("%s: status %d, %v: %s", req.URL.Path, res.StatusCode, err,
			gjson.GetBytes(body, "message"))
	}
	return string(body)
}

func (c *checkout) pay(card string) gjson.Result {
	c.t.Helper()
	return c.call("paymentorder.do", "MDORDER", c.id, "$PAN", card, "$CVC", "123",
		"$EXPIRY", "203012", "TEXT", "Test Person", "language", "en")
}

func (c *checkout) proceed() gjson.Result {
	c.t.Helper()
	return c.call("3ds/continue.do", "mdOrder", c.id, "language", "en")
}

// open opens a page of the shop, with pairs of name and value.
func (c *checkout) open(path string, pairs ...string) {
	c.t.Helper()
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	c.do("opening the shop", chromedp.Navigate(c.shop.URL+path+"?"+v.Encode()))
}

func (c *checkout) toACS(card string) {
	c.t.Helper()
	c.pay(card)
	a := c.proceed()
	c.open("/pay", "action", a.Get("acsUrl").String(), "creq", a.Get("packedCReq").String())
}

func (c *checkout) challenge2(card, _ string) {
	c.toACS(card)
	c.answer(rightPassword)
}

func (c *checkout) challenge1(card, _ string) {
	a := c.pay(card)
	c.open("/pay", "action", a.Get("acsUrl").String(), "PaReq", a.Get("paReq").String(),
		"MD", c.id, "TermUrl", a.Get("termUrl").String())
	c.answer(rightPassword)
}

func (c *checkout) page(card, formURL string) {
	c.do("opening the payment page", chromedp.Navigate(formURL))
	c.fill(card)
	c.answer(rightPassword)
}

func (c *checkout) method(card, _ string) {
	a := c.pay(card)
	c.open("/method", "server", a.Get("threeDSMethodURLServer").String(),
		"action", a.Get("threeDSMethodURL").String(),
		"data", a.Get("threeDSMethodDataPacked").String())
	if got := c.atShop(); got != "looked at twice" {
		c.t.Errorf("the frames say %q", got)
	}
	a = c.proceed()
	c.open("/pay", "action", a.Get("acsUrl").String(), "creq", a.Get("packedCReq").String())
	c.answer(rightPassword)
}

func (c *checkout) redirect(card, _ string) {
	c.pay(card)
	if card == cardSecure2 {
		c.proceed()
	}
	c.do("going to the ACS",
		chromedp.Navigate(c.base+"/payment/acsRedirect.do?orderId="+c.id))
	c.answer(rightPassword)
}

func (c *checkout) failed2(card, _ string) {
	c.toACS(card)
	c.failThrice()
}

func (c *checkout) failedPage(card, formURL string) {
	c.do("opening the payment page", chromedp.Navigate(formURL))
	c.fill(card)
	c.failThrice()
}

// failThrice gives wrong passwords until the ACS gives up.
func (c *checkout) failThrice() {
	c.t.Helper()
	for _, wrong := range []string{"wrong-1", "wrong-2", "wrong-3"} {
		c.forget()
		c.answer(wrong)
		if wrong != "wrong-3" {
			c.do("being told of a wrong password", chromedp.WaitVisible(chromedp.CSS(`#error`)))
		}
	}
}

// forget takes what a page tells off it, so that the next one is not taken for this.
func (c *checkout) forget() {
	c.t.Helper()
	c.do("waiting for the ACS", chromedp.WaitVisible(chromedp.CSS(`input[name="password"]`)))
	if _, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](
		"document.querySelectorAll('#error').forEach(e => e.remove()), true")); err != nil {
		c.t.Fatalf("taking the page's error off: %v", err)
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
