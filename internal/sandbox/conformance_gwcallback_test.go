package sandbox_test

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox"
)

// callingBack is a client of a stand-in with a static callback address, and the shop there.
func (c *client) callingBack(set func(*sandbox.Options)) (*client, *listener) {
	c.t.Helper()
	s := newListener(c.t)
	o := sandbox.Options{Seed: 1}
	o.Callbacks.Address = s.url
	if set != nil {
		set(&o)
	}
	return newClient(c.t, o), s
}

var gwCallbackClaims = []claim{
	{"document 3, Events",
		"a payment is told to dynamicCallbackUrl if the order has one", func(c *client) {
			c, static := c.callingBack(nil)
			own := newListener(c.t)
			id := c.order("1", cardPaid, "dynamicCallbackUrl", own.url)
			c.same("mdOrder", own.next().get("mdOrder"), id)
			c.order("2", cardPaid)
			c.same("orderNumber", static.next().get("orderNumber"), "2")
		}},
	{"document 3, Events",
		"without a static address dynamicCallbackUrl is told all the same", func(c *client) {
			own := newListener(c.t)
			c.order("1", cardPaid, "dynamicCallbackUrl", own.url)
			own.wants("deposited")
		}},
	{"document 3, Events",
		"authorization, debit and refund are told in their order", func(c *client) {
			c, s := c.callingBack(nil)
			id := c.hold("1", cardPaid)
			c.manage("deposit.do", id, "0")
			c.manage("refund.do", id, "100")
			c.manage("refund.do", id, "0")
			s.wants("approved", "deposited", "refunded", "refunded")
		}},
	{"document 3, Events",
		"a cancellation is told", func(c *client) {
			c, s := c.callingBack(nil)
			c.manage("reverse.do", c.hold("1", cardPaid))
			s.wants("approved", "reversed")
		}},
	{"document 3, Events",
		"a rejection by time-out is told", func(c *client) {
			c, s := c.callingBack(nil)
			id := c.register("1").get("orderId")
			c.clock.move(20 * time.Minute)
			c.is(c.orderStatus(id), "actionCode", "-2007")
			d := s.next()
			c.same("operation", d.get("operation"), "declinedByTimeout")
			c.same("mdOrder", d.get("mdOrder"), id)
		}},
	{"document 3, registerP2P.do",
		"a transfer is told to dynamicCallbackUrl if it has one", func(c *client) {
			c, static := c.callingBack(nil)
			own := newListener(c.t)
			id := c.registerOCT("1", object{"dynamicCallbackUrl": own.url})
			c.oct(id, cardPaid)
			c.same("mdOrder", own.next().get("mdOrder"), id)
			c.oct(c.registerOCT("2"), cardPaid)
			c.same("orderNumber", static.next().get("orderNumber"), "2")
		}},
	{"document 3, registerP2P.do",
		"dynamicCallbackUrl of a transfer is an address on the web", func(c *client) {
			c.is(c.registerP2P("1", object{"dynamicCallbackUrl": "shop://cb"}), "errorCode", "5")
		}},
	{"document 3, Events",
		"a new binding is told to the static address", func(c *client) {
			c, static := c.callingBack(nil)
			own := newListener(c.t)
			id := c.order("1", cardPaid, append(bindingOrder, "dynamicCallbackUrl", own.url)...)
			own.wants("deposited")
			d := static.next()
			c.same("operation", d.get("operation"), "bindingCreated")
			c.same("mdOrder", d.get("mdOrder"), id)
			c.same("clientId", d.get("clientId"), "7")
			c.same("bindingId", d.get("bindingId"), c.bindings("C").get("bindings.0.bindingId"))
		}},
	{"document 3, Events",
		"a binding switched off and on is told to the static address", func(c *client) {
			c, static := c.callingBack(nil)
			own := newListener(c.t)
			c.order("1", cardPaid, append(bindingOrder, "dynamicCallbackUrl", own.url)...)
			static.wants("bindingCreated")
			id := c.bindings("C").get("bindings.0.bindingId")
			for _, op := range []string{"unBindCard.do", "bindCard.do"} {
				c.is(c.gateway(op, "bindingId", id), "errorCode", `"0"`)
				d := static.next()
				c.same("operation", d.get("operation"), "bindingActivityChanged")
				c.same("bindingId", d.get("bindingId"), id)
				c.same("enabled", d.get("enabled"), map[string]string{
					"unBindCard.do": "false", "bindCard.do": "true"}[op])
			}
		}},
	{"document 3, Events",
		"what failed is not told", func(c *client) {
			c, s := c.callingBack(nil)
			id := c.hold("1", cardFunds)
			c.manage("deposit.do", id, "0")
			c.manage("refund.do", id, "0")
			c.is(c.control("GET", "/state"), "gateway.callbacks",
				`{"counts":{"delivered":0,"pending":0,"failed":0},"latest":[]}`)
			c.order("2", cardPaid)
			c.same("orderNumber", s.next().get("orderNumber"), "2")
		}},
	{"document 3, registerP2P.do",
		"dynamicCallbackUrl has at most 512 characters", func(c *client) {
			long := "https://shop.example/" + strings.Repeat("x", 512-len("https://shop.example/"))
			c.is(c.register("1", "dynamicCallbackUrl", long), "errorCode", "")
			c.is(c.register("2", "dynamicCallbackUrl", long+"x"), "errorCode", `"5"`)
			c.is(c.register("3", "dynamicCallbackUrl", "shop.example/cb"), "errorCode", `"5"`)
			c.is(c.register("4", "dynamicCallbackUrl", "shop://cb"), "errorCode", `"5"`)
		}},
	{"domain facts, Callbacks",
		"a callback is a GET with everything in the query", func(c *client) {
			c, s := c.callingBack(func(o *sandbox.Options) { o.Callbacks.Address += "?shop=5" })
			id := c.order("A 1", cardPaid, bindingOrder...)
			d := s.next()
			c.same("method", d.method, "GET")
			c.same("path", d.path, "/callback")
			for name, want := range map[string]string{"mdOrder": id, "orderNumber": "A 1",
				"status": "1", "amount": "1500", "clientId": "7", "shop": "5",
				"bindingId": c.bindings("C").get("bindings.0.bindingId")} {
				c.same(name, d.get(name), want)
			}
			for _, name := range []string{"checksum", "sign_alias"} {
				if d.values.Has(name) || d.body != "" {
					c.t.Errorf("without a key there is %s, or a body", name)
				}
			}
		}},
	{"domain facts, Callbacks",
		"it is a POST form if configured", func(c *client) {
			c, s := c.callingBack(func(o *sandbox.Options) { o.Callbacks.Post = true })
			id := c.order("1", cardPaid)
			d := s.next()
			c.same("method", d.method, "POST")
			c.same("Content-Type", d.kind, formType)
			c.same("mdOrder", d.get("mdOrder"), id)
			if !strings.Contains(d.body, "operation=deposited") {
				c.t.Error("the body does not hold the operation")
			}
		}},
	{"domain facts, Callbacks",
		"the checksum is that of all other parameters", func(c *client) {
			const key = "key of the shop"
			c, s := c.callingBack(func(o *sandbox.Options) {
				o.Callbacks.Key, o.Callbacks.Alias = key, "k1"
				o.Callbacks.Address += "?shop=5&to=%C3%9F"
			})
			c.order("a;b&c", cardPaid, bindingOrder...)
			d := s.next()
			c.same("checksum", d.get("checksum"), d.proof(key))
			c.same("sign_alias", d.get("sign_alias"), "k1")
		}},
	{"domain facts, Callbacks",
		"the checksum of a POST is that of its form", func(c *client) {
			const key = "key of the shop"
			c, s := c.callingBack(func(o *sandbox.Options) {
				o.Callbacks.Key, o.Callbacks.Post = key, true
			})
			c.order("1", cardPaid)
			d := s.next()
			c.same("checksum", d.get("checksum"), d.proof(key))
		}},
	{"domain facts, Identifiers, Dates",
		"the date has the form of Java, in UTC", func(c *client) {
			c, s := c.callingBack(nil)
			c.order("1", cardPaid)
			c.same("callbackCreationDate", s.next().get("callbackCreationDate"),
				"Sat Mar 14 07:20:30 UTC 2026")
		}},
}
