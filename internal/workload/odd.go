package workload

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Odd is the kind of what clients do that no flow does: they ask for what is not there, send what
// is no form, and leave before they are answered. It fails where a request is not answered, or is
// answered as if the server were broken; a recorder that cannot read its upstream is broken too.
var Odd = Kind{"odd", "misses, lists, bad forms, bodies that end too early, clients that leave", odd}

func odd(c *Client, variant int) { oddities[variant%len(oddities)](c, variant) }

var oddities = []func(c *Client, variant int){
	func(c *Client, variant int) { // a path of no API
		c.ask("GET", fmt.Sprintf("/nothing/%d", variant), "")
	},
	func(c *Client, variant int) { // an operation of no API
		c.ask("POST", "/payment/rest/nothing.do", gatewayLogin+"&a=1")
	},
	func(c *Client, variant int) { // an order of nobody
		c.ask("POST", "/payment/rest/getOrderStatusExtended.do", gatewayLogin+"&orderId="+c.uuid(variant))
	},
	func(c *Client, variant int) { // an amount that is on no tape
		c.ask("POST", "/payment/rest/register.do", fmt.Sprintf(
			"%s&orderNumber=%s&amount=%d&returnUrl=https%%3A%%2F%%2Fshop.example",
			gatewayLogin, c.id(variant), 50_000_000+variant))
	},
	func(c *Client, variant int) { // a wrong password
		c.ask("POST", "/payment/rest/register.do",
			"userName=sandbox-api&password=a-wrong-password&orderNumber="+c.id(variant))
	},
	func(c *Client, variant int) { // the orders of a day
		c.ask("POST", "/payment/rest/getLastOrdersForMerchants.do", gatewayLogin+
			"&page=0&size=5&from=20260101000000&to=20261231000000&transactionStates=DEPOSITED")
	},
	func(c *Client, variant int) { // no form
		c.ask("POST", "/payment/rest/register.do", "a=%zz&=&&%%%=1;amount="+strings.Repeat("9", 50))
	},
	func(c *Client, variant int) { // no JSON
		c.ask("POST", "/v1/apigate/ws/rest/debitCard", `{"cardIdentification":{"cardNumber":[[[`)
	},
	func(c *Client, variant int) { c.cutOff() },
	func(c *Client, variant int) { c.leave(variant) },
}

// ask sends a request that may be refused.
func (c *Client) ask(method, path, body string) {
	r, err := http.NewRequest(method, c.Base+path, strings.NewReader(body))
	if err != nil {
		c.failf("the base address is none")
		return
	}
	asForm(r)
	c.Sent++
	res, err := c.HTTP.RoundTrip(r)
	if err != nil {
		c.failf("%s: no answer", path)
		return
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		c.failf("%s: half an answer", path)
	}
	if res.StatusCode >= 500 && res.StatusCode != http.StatusNotImplemented {
		c.failf("%s: status %d", path, res.StatusCode)
	}
}

// cutOff sends less of a body than it has promised. The transport notices and closes the
// connection; there is no answer to look at.
func (c *Client) cutOff() {
	r, err := http.NewRequest("POST", c.Base+"/payment/rest/register.do",
		io.LimitReader(strings.NewReader(gatewayLogin), 9))
	if err != nil {
		c.failf("the base address is none")
		return
	}
	asForm(r)
	r.ContentLength = 900
	c.abandon(r)
}

// leave goes away while the answer is made, or before.
func (c *Client) leave(variant int) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "POST", c.Base+"/payment/rest/getOrderStatusExtended.do",
		&lastRead{strings.NewReader(gatewayLogin + "&orderId=" + c.uuid(variant)), cancel})
	if err != nil {
		cancel()
		c.failf("the base address is none")
		return
	}
	asForm(r)
	c.abandon(r)
	cancel()
}

// abandon sends a request of which the answer, if there is one, does not matter.
func (c *Client) abandon(r *http.Request) {
	c.Sent++
	if res, err := c.HTTP.RoundTrip(r); err == nil {
		res.Body.Close()
	}
}

// lastRead calls a function when a text has been read.
type lastRead struct {
	io.Reader
	done func()
}

func (l *lastRead) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if err != nil {
		l.done()
	}
	return n, err
}
