package sandbox_test

import (
	"fmt"
	"time"
)

// Entries of jsonParams that make a recurrent and an instalment binding.
const (
	recurrentTerms  = `{"recurringFrequency":"28","recurringExpiry":"20301231"}`
	instalmentTerms = `{"installments":"3","totalInstallmentAmount":4500,` +
		`"recurringFrequency":"28","recurringExpiry":"20301231"}`
)

// bind pays an order of client 7 so that it makes a binding of the type, and returns its id.
func (c *client) bind(kind string, pairs ...string) string {
	c.t.Helper()
	terms := map[string]string{"R": recurrentTerms, "I": instalmentTerms}[kind]
	id := c.register("", bindingOrder...).get("orderId")
	c.pay(id, cardPaid, append([]string{"jsonParams", terms}, pairs...)...)
	return c.orderStatus(id).get("bindingInfo.bindingId")
}

// payBound pays an order with a binding.
func (c *client) payBound(orderID, bindingID string, pairs ...string) answer {
	c.t.Helper()
	return c.gateway("paymentOrderBinding.do", append([]string{"mdOrder", orderID,
		"bindingId", bindingID, "ip", "192.0.2.7", "language", "en"}, pairs...)...)
}

// ofClient registers an order of client 7 and returns its id.
func (c *client) ofClient(pairs ...string) string {
	c.t.Helper()
	return c.register("", append([]string{"clientId", "7"}, pairs...)...).get("orderId")
}

// stored calls recurrentPayment.do or installmentPayment.do; more replaces or adds fields.
func (c *client) stored(op, bindingID, number, more string) answer {
	c.t.Helper()
	return c.send("POST", "/payment/"+op, fmt.Sprintf(`{"userName":"sandbox-api",`+
		`"password":"sandbox-password","orderNumber":%q,"language":"en","bindingId":%q,`+
		`"amount":1500,"currency":"978","description":"rent"%s}`, number, bindingID, more),
		"Content-Type", "application/json")
}

func (c *client) recurrent(bindingID, number, more string) answer {
	c.t.Helper()
	return c.stored("recurrentPayment.do", bindingID, number, more)
}

func (c *client) instalment(bindingID, number, more string) answer {
	c.t.Helper()
	return c.stored("installmentPayment.do", bindingID, number, more)
}

var gwBindClaims = []claim{
	{"document 3, Bindings, rule 1",
		"an instalment binding takes all four terms, a recurrent one two", func(c *client) {
			for terms, kind := range map[string]string{
				`{"installments":"3","totalInstallmentAmount":"4500"}`:               "C",
				`{"installments":"3","recurringFrequency":"28"}`:                     "C",
				`{"recurringFrequency":"28","recurringExpiry":"x","installments":3}`: "R",
				instalmentTerms: "I",
			} {
				c.pay(c.register("", bindingOrder...).get("orderId"), cardPaid, "jsonParams", terms)
				c.is(c.bindings(kind), "bindings.#", "1")
			}
		}},
	{"document 3, Bindings, rule 1",
		"recurringFrequency and recurringExpiry are not verified", func(c *client) {
			id := c.register("1", bindingOrder...).get("orderId")
			c.pay(id, cardPaid, "jsonParams", `{"recurringFrequency":"often","recurringExpiry":"never"}`)
			c.is(c.bindings("R"), "bindings.#", "1")
		}},
	{"document 3, paymentorder.do",
		"installments and totalInstallmentAmount are numbers", func(c *client) {
			id := c.register("1", bindingOrder...).get("orderId")
			for _, terms := range []string{
				`{"installments":"three"}`, `{"installments":0}`, `{"totalInstallmentAmount":1.5}`,
				`{"totalInstallmentAmount":[1]}`, `[]`, `{`,
			} {
				c.is(c.pay(id, cardPaid, "jsonParams", terms), "errorCode", "5")
			}
			c.is(c.orderStatus(id), "merchantOrderParams", "[]")
		}},
	{"document 3, Transaction initiator indicator",
		"F, U, R and I save nothing, not even with the feature", func(c *client) {
			c.bind("C")
			for _, tii := range []string{"F", "U", "R", "I"} {
				pairs := []string{"tii", tii, "$CVC", ""}
				if tii == "F" {
					pairs = pairs[:2]
				}
				id := c.register(tii, bindingOrder...).get("orderId")
				c.is(c.pay(id, cardPaid, pairs...), "errorCode", "0")
			}
			c.is(c.bindings("C"), "bindings.#", "1")
			c.is(c.bindings("R"), "errorCode", `"2"`)
			c.is(c.bindings("I"), "errorCode", `"2"`)
		}},
	{"document 3, Transaction initiator indicator",
		"with F the card is a saved one", func(c *client) {
			id := c.ofClient()
			c.is(c.pay(id, cardPaid, "tii", "F"), "errorCode", "2")
			c.is(c.orderStatus(id), "orderStatus", "0")
			bound := c.bind("C")
			c.is(c.pay(id, cardPaid2, "tii", "F"), "errorCode", "2")
			c.is(c.pay(id, cardPaid, "tii", "F"), "errorCode", "0")
			c.same("bindingId", c.orderStatus(id).get("bindingInfo.bindingId"), bound)
		}},
	{"document 3, Transaction initiator indicator",
		"U, R and I have neither CVC nor 3-D Secure", func(c *client) {
			for _, tii := range []string{"U", "R", "I"} {
				id := c.ofClient()
				c.is(c.pay(id, cardSecure, "tii", tii), "errorCode", "5")
				a := c.pay(id, cardSecure, "tii", tii, "$CVC", "")
				c.fields(a, "@this", "errorCode", "info", "redirect")
				c.is(c.orderStatus(id), "orderStatus", "2")
				c.is(c.orderStatus(id), "cardAuthInfo.secureAuthInfo.eci", "7")
			}
		}},
	{"document 3, Bindings, rule 4",
		"without clientId a payment by an indicator is impossible", func(c *client) {
			id := c.register("1").get("orderId")
			for _, tii := range []string{"CI", "F", "RI", "II"} {
				c.is(c.pay(id, cardPaid, "tii", tii), "errorCode", "4")
			}
			for _, tii := range []string{"U", "R", "I"} {
				c.is(c.pay(id, cardPaid, "tii", tii, "$CVC", ""), "errorCode", "4")
			}
			c.is(c.payBound(id, c.bind("C")), "errorCode", "4")
			c.is(c.orderStatus(id), "orderStatus", "0")
		}},
	{"document 3, getBindings.do",
		"a list holds one type; without bindingType the ordinary ones", func(c *client) {
			ids := map[string]string{"C": c.bind("C"), "R": c.bind("R"), "I": c.bind("I")}
			for kind, id := range ids {
				c.is(c.bindings(kind), "bindings.#", "1")
				c.same("bindingId", c.bindings(kind).get("bindings.0.bindingId"), id)
			}
			c.same("default", c.bindings("").get("bindings.0.bindingId"), ids["C"])
		}},
	{"document 3, Binding",
		"a card has one recurrent binding, with the latest expiry", func(c *client) {
			one := c.bind("R")
			c.same("bindingId", c.bind("R", "$EXPIRY", "203111"), one)
			c.is(c.bindings("R"), "bindings.0.expiryDate", `"203111"`)
		}},
	{"document 3, getBindings.do",
		"an expired binding is listed only when asked for", func(c *client) {
			bound := c.bind("C", "$EXPIRY", "202604")
			c.clock.move(60 * 24 * time.Hour)
			c.is(c.bindings("C"), "errorCode", `"2"`)
			a := c.gateway("getBindings.do", "clientId", "7", "showExpired", "true")
			c.same("bindingId", a.get("bindings.0.bindingId"), bound)
			c.is(c.gateway("getBindings.do", "clientId", "7", "showExpired", "x"), "errorCode", `"5"`)
		}},
}
