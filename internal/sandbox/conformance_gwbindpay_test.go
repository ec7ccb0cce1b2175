package sandbox_test

import (
	"strings"
	"time"
)

var gwBindPayClaims = []claim{
	{"document 3, Bindings, rule 2",
		"a new order of the client is paid with the binding", func(c *client) {
			bound, id := c.bind("C"), c.ofClient()
			a := c.payBound(id, bound)
			c.fields(a, "@this", "errorCode", "info", "redirect")
			c.is(a, "errorCode", "0")
			c.like(a, "redirect", `https://shop\.example/back\?orderId=`+id+`&lang=en`)
			a = c.orderStatus(id)
			c.is(a, "orderStatus", "2")
			c.is(a, "ip", `"192.0.2.7"`)
			c.is(a, "cardAuthInfo.maskedPan", `"411111**1111"`)
			c.is(a, "cardAuthInfo.expiration", `"203012"`)
			c.is(a, "bindingInfo.clientId", `"7"`)
			c.same("bindingId", a.get("bindingInfo.bindingId"), bound)
		}},
	{"document 3, Bindings, rule 2",
		"a binding pays many orders and stays one", func(c *client) {
			bound := c.bind("C")
			for _, pairs := range [][]string{{}, {"tii", "F"}, {"tii", "F", "cvc", "123"}, {"tii", "U"}} {
				c.is(c.payBound(c.ofClient("features", "FORCE_CREATE_BINDING"), bound, pairs...),
					"errorCode", "0")
			}
			c.is(c.bindings("C"), "bindings.#", "1")
		}},
	{"domain facts, On the wire",
		"a payment by binding comes in the forms of other calls", func(c *client) {
			bound := c.bind("C")
			for _, call := range []struct{ method, body string }{
				{"POST", ""}, {"POST", "{}"}, {"GET", ""}, {"GET", "tii=U"},
			} {
				query := form("mdOrder", c.ofClient(), "bindingId", bound)
				a := c.send(call.method, "/payment/rest/paymentOrderBinding.do?"+query, call.body)
				c.is(a, "errorCode", "0")
			}
		}},
	{"domain facts, On the wire",
		"refusals about bindings follow language", func(c *client) {
			bound := c.bind("R")
			for lang, pattern := range map[string]string{"en": `[ -~]+`, "ru": `\p{Cyrillic}.+`} {
				c.like(c.payBound(c.ofClient(), bound, "language", lang), "errorMessage", pattern)
				c.like(c.gateway("bindCard.do", "bindingId", bound, "language", lang),
					"errorMessage", pattern)
				c.like(c.recurrent("none", "1", `,"language":"`+lang+`"`), "errorMessage", pattern)
			}
		}},
	{"document 3, Limits, 3",
		"what the merchant starts is one-stage only", func(c *client) {
			bound := c.bind("C")
			hold := func() string {
				return c.gateway("registerPreAuth.do", "amount", "1500", "clientId", "7",
					"returnUrl", "https://shop.example/back").get("orderId")
			}
			id := hold()
			c.is(c.payBound(id, bound, "tii", "U"), "errorCode", "5")
			for _, tii := range []string{"U", "R", "I"} {
				c.is(c.pay(id, cardPaid, "tii", tii, "$CVC", ""), "errorCode", "5")
			}
			c.is(c.orderStatus(id), "orderStatus", "0")
			c.is(c.payBound(id, bound, "tii", "F"), "errorCode", "0")
			c.is(c.orderStatus(id), "orderStatus", "1")
			c.is(c.payBound(hold(), bound), "errorCode", "0")
		}},
	{"domain facts, Order status",
		"holding the amount makes a binding too", func(c *client) {
			id := c.gateway("registerPreAuth.do", append(bindingOrder, "amount", "1500",
				"returnUrl", "https://shop.example/back")...).get("orderId")
			c.pay(id, cardPaid)
			c.same("bindingId", c.orderStatus(id).get("bindingInfo.bindingId"),
				c.bindings("C").get("bindings.0.bindingId"))
		}},
	{"document 3, paymentOrderBinding.do",
		"tii is F or U, and with U there is no CVC", func(c *client) {
			bound, id := c.bind("C"), c.ofClient()
			for _, tii := range []string{"CI", "R", "I", "x"} {
				c.is(c.payBound(id, bound, "tii", tii), "errorCode", "5")
			}
			c.is(c.payBound(id, bound, "tii", "U", "cvc", "123"), "errorCode", "5")
			c.is(c.payBound(id, bound, "cvc", "12"), "errorCode", "1")
			c.is(c.payBound(id, bound, "ip", strings.Repeat("1", 40)), "errorCode", "5")
			c.is(c.orderStatus(id), "orderStatus", "0")
		}},
	{"domain facts, Codes",
		"a missing mdOrder or bindingId is errorCode 4, a number", func(c *client) {
			c.is(c.payBound("", "x"), "errorCode", "4")
			c.is(c.payBound("x", ""), "errorCode", "4")
		}},
	{"domain facts, Codes",
		"an unknown order is errorCode 6, an unknown binding 2", func(c *client) {
			c.is(c.payBound("none", c.bind("C")), "errorCode", "6")
			c.is(c.payBound(c.ofClient(), "none"), "errorCode", "2")
		}},
	{"document 3, Bindings, rule 2",
		"the binding of another client is errorCode 2", func(c *client) {
			id := c.register("1", "clientId", "8").get("orderId")
			c.is(c.payBound(id, c.bind("C")), "errorCode", "2")
			c.is(c.orderStatus(id), "orderStatus", "0")
		}},
	{"document 3, Bindings, rule 3",
		"recurrent and instalment bindings are not for paymentOrderBinding.do", func(c *client) {
			for _, kind := range []string{"R", "I"} {
				c.is(c.payBound(c.ofClient(), c.bind(kind)), "errorCode", "5")
			}
		}},
	{"domain facts, Codes",
		"an order is paid by binding once", func(c *client) {
			bound, id := c.bind("C"), c.ofClient()
			c.payBound(id, bound)
			c.is(c.payBound(id, bound), "errorCode", "5")
		}},
	{"domain facts, Codes",
		"a payment by an expired binding is declined with 101", func(c *client) {
			bound := c.bind("C", "$EXPIRY", "202604")
			c.clock.move(60 * 24 * time.Hour)
			id := c.ofClient()
			c.is(c.payBound(id, bound), "errorCode", "0")
			c.is(c.orderStatus(id), "orderStatus", "6")
			c.is(c.orderStatus(id), "actionCode", "101")
		}},
	{"domain facts, Operations",
		"unBindCard.do switches a binding off, bindCard.do on", func(c *client) {
			bound := c.bind("C")
			a := c.gateway("unBindCard.do", "bindingId", bound, "language", "en")
			c.fields(a, "@this", "errorCode", "errorMessage")
			c.is(a, "errorCode", `"0"`)
			c.is(c.gateway("unBindCard.do", "bindingId", bound), "errorCode", `"2"`)
			c.is(c.bindings("C"), "errorCode", `"2"`)
			id := c.ofClient()
			c.is(c.payBound(id, bound), "errorCode", "2")
			c.is(c.pay(id, cardPaid, "tii", "F"), "errorCode", "2")
			c.is(c.gateway("bindCard.do", "bindingId", bound), "errorCode", `"0"`)
			c.is(c.gateway("bindCard.do", "bindingId", bound), "errorCode", `"2"`)
			c.is(c.bindings("C"), "bindings.#", "1")
			c.is(c.payBound(id, bound), "errorCode", "0")
		}},
	{"domain facts, Operations",
		"paying with the card again brings its binding back", func(c *client) {
			bound := c.bind("C")
			c.gateway("unBindCard.do", "bindingId", bound)
			c.same("bindingId", c.bind("C"), bound)
			c.is(c.bindings("C"), "bindings.#", "1")
		}},
	{"domain facts, Operations",
		"extendBinding.do gives a binding another expiry", func(c *client) {
			bound := c.bind("C", "$EXPIRY", "202604")
			c.clock.move(60 * 24 * time.Hour)
			extend := func(expiry string) answer {
				return c.gateway("extendBinding.do", "bindingId", bound, "newExpiry", expiry)
			}
			for _, wrong := range []string{"202604", "203013", "2030", "220101x", "230012"} {
				c.is(extend(wrong), "errorCode", `"5"`)
			}
			c.is(extend(""), "errorCode", `"4"`)
			c.is(extend("203105"), "errorCode", `"0"`)
			c.is(c.bindings("C"), "bindings.0.expiryDate", `"203105"`)
			id := c.ofClient()
			c.payBound(id, bound)
			c.is(c.orderStatus(id), "orderStatus", "2")
			c.is(c.orderStatus(id), "cardAuthInfo.expiration", `"203105"`)
		}},
	{"domain facts, Codes",
		"changing an unknown binding is errorCode 2", func(c *client) {
			for _, op := range []string{"bindCard.do", "unBindCard.do", "extendBinding.do"} {
				c.is(c.gateway(op, "bindingId", "none", "newExpiry", "203012"), "errorCode", `"2"`)
				c.is(c.gateway(op, "newExpiry", "203012"), "errorCode", `"4"`)
				c.is(c.gateway(op, "bindingId", strings.Repeat("1", 256), "newExpiry", "203012"),
					"errorCode", `"5"`)
			}
		}},
}
