package workload

import (
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// secure pays an order with a challenge as a shop's server does: it asks for the state, lets the
// payer's browser go through the method and the ACS, and asks again (document 3, 3-D Secure 2).
func secure(c *Client, variant int) {
	id := c.form("register.do", "orderNumber", c.id(variant), "amount", strconv.Itoa(2000+variant%500),
		"currency", "978", "language", "en", "returnUrl", "https://shop.example/return").
		Get("orderId").String()
	paid := c.pay(id, cardChallenge)
	b := browser{c: c}
	b.post(paid.Get("threeDSMethodURLServer").String(), nil)
	b.post(paid.Get("threeDSMethodURL").String(),
		url.Values{"threeDSMethodData": {paid.Get("threeDSMethodDataPacked").String()}})
	b.press("", nil)
	challenge := c.form("3ds/continue.do", "mdOrder", id, "language", "en")
	b.post(challenge.Get("acsUrl").String(),
		url.Values{"creq": {challenge.Get("packedCReq").String()}})
	if variant%5 == 0 {
		b.press("confirm", url.Values{"password": {"00000000"}}) // wrong, and asked again
	}
	b.press("confirm", url.Values{"password": {"12345678"}})
	b.press("", nil)
	c.want(c.status(id), "orderStatus", statePaid)
}

// page pays an order in the browser: the payment page, its frames, the ACS, and back to the shop.
func page(c *Client, variant int) {
	order := c.form("register.do", "orderNumber", c.id(variant), "currency", "978", "language", "en",
		"amount", strconv.Itoa(3000+variant%500), "returnUrl", "https://shop.example/return")
	b := browser{c: c}
	b.get(order.Get("formUrl").String())
	b.press("", url.Values{"$PAN": {cardChallenge}, "$CVC": {"123"}, "MM": {"12"}, "YYYY": {"2030"},
		"TEXT": {"JOHN DOE"}})
	b.frames()
	b.press("", nil) // to the address that redirects to the ACS
	b.press("", nil)
	b.press("confirm", url.Values{"password": {"12345678"}})
	b.press("", nil)
	c.want(c.status(order.Get("orderId").String()), "orderStatus", statePaid)
}

// browser is as much of a payer's browser as the pages of the sandbox need. It reads HTML by the
// few forms that those pages have.
type browser struct {
	c    *Client
	at   string // where the browser is
	text string // of the page there; "" at the shop
}

func (b *browser) get(address string) { b.walk("GET", address, "") }

func (b *browser) post(address string, fields url.Values) { b.walk("POST", address, fields.Encode()) }

// walk goes to an address, "" being where the browser is, and follows redirects up to the shop.
func (b *browser) walk(method, address, body string) {
	for b.c.Err == nil {
		b.at, b.text = b.resolve(address), ""
		if !strings.HasPrefix(b.at, b.origin()) {
			return
		}
		prepare := func(*http.Request) {}
		if method == "POST" {
			prepare = asForm
		}
		if b.text, address = b.c.send(method, b.at, body, prepare); address == "" {
			return
		}
		method, body = "GET", ""
	}
}

// origin is the beginning of all addresses that are not the shop's.
func (b *browser) origin() string {
	u, err := url.Parse(b.c.Base)
	if err != nil {
		return b.c.Base
	}
	return u.Scheme + "://" + u.Host + "/"
}

func (b *browser) resolve(address string) string {
	here, err := url.Parse(b.at)
	if err == nil {
		if there, err := here.Parse(address); err == nil {
			return there.String()
		}
	}
	return address
}

// press posts the form of the page with its hidden fields, those that are filled in, and the value
// of a button.
func (b *browser) press(button string, filled url.Values) {
	_, form, found := strings.Cut(b.text, "<form")
	if !found {
		b.c.failf("a page has no form")
		return
	}
	form, _, _ = strings.Cut(form, "</form>")
	fields := url.Values{}
	for _, tag := range strings.Split(form, "<input")[1:] {
		tag, _, _ = strings.Cut(tag, ">")
		fields.Set(attribute(tag, "name"), attribute(tag, "value"))
	}
	for name, values := range filled {
		fields[name] = values
	}
	if button != "" {
		fields.Set("action", button)
	}
	b.post(attribute(form, "action"), fields)
}

// frames loads what the page holds in frames, and sends the forms that they hold.
func (b *browser) frames() {
	for _, tag := range strings.Split(b.text, "<iframe")[1:] {
		frame := browser{c: b.c, at: b.at}
		frame.get(attribute(tag, "src"))
		if strings.Contains(frame.text, "<form") {
			frame.press("", nil)
		}
	}
}

// attribute returns the value of an attribute of the tag that a text begins with.
func attribute(tag, name string) string {
	_, value, found := strings.Cut(tag, " "+name+`="`)
	if !found {
		return ""
	}
	value, _, _ = strings.Cut(value, `"`)
	return html.UnescapeString(value)
}
