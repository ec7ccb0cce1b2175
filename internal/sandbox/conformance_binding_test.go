package sandbox_test

// bindings lists the bindings of client 7 of the given type; empty means the default.
func (c *client) bindings(kind string) answer {
	c.t.Helper()
	return c.gateway("getBindings.do", "clientId", "7", "bindingType", kind, "language", "en")
}

var bindingOrder = []string{"clientId", "7", "features", "FORCE_CREATE_BINDING"}

var bindingClaims = []claim{
	{"document 3, Bindings, rule 1",
		"a paid order with clientId and the feature makes a binding", func(c *client) {
			status := c.orderStatus(c.order("1", cardPaid, bindingOrder...))
			c.is(status, "bindingInfo.clientId", `"7"`)
			c.like(status, "bindingInfo.bindingId", uuid7)
			list := c.bindings("C")
			c.same("bindingId", list.get("bindings.0.bindingId"), status.get("bindingInfo.bindingId"))
			c.is(list, "bindings.#", "1")
		}},
	{"document 3, Binding",
		"a binding shows the documented fields", func(c *client) {
			c.order("1", cardPaid, bindingOrder...)
			a := c.bindings("")
			c.fields(a, "@this", "errorCode", "errorMessage", "bindings")
			c.fields(a, "bindings.0", "bindingId", "maskedPan", "expiryDate", "paymentWay",
				"paymentSystem", "displayLabel", "bindingCategory")
			c.is(a, "errorCode", `"0"`)
			c.is(a, "bindings.0.maskedPan", `"411111**1111"`)
			c.is(a, "bindings.0.expiryDate", `"203012"`)
			c.is(a, "bindings.0.bindingCategory", `"COMMON"`)
		}},
	{"domain facts, Codes",
		"a client without bindings gets errorCode 2", func(c *client) {
			c.is(c.bindings("C"), "errorCode", `"2"`)
		}},
	{"domain facts, Order status",
		"a binding appears only after a successful payment", func(c *client) {
			id := c.register("1", bindingOrder...).get("orderId")
			c.is(c.bindings("C"), "errorCode", `"2"`)
			c.pay(id, cardFunds)
			c.is(c.bindings("C"), "errorCode", `"2"`)
			c.is(c.orderStatus(id), "bindingInfo", "")
		}},
	{"document 3, Transaction initiator indicator",
		"without feature or initial tii nothing is saved", func(c *client) {
			c.order("1", cardPaid, "clientId", "7")
			c.is(c.bindings("C"), "errorCode", `"2"`)
		}},
	{"document 3, Transaction initiator indicator",
		"CI, RI and II save a binding of their type", func(c *client) {
			for tii, category := range map[string]string{
				"CI": "COMMON", "RI": "RECURRENT", "II": "INSTALLMENT",
			} {
				c.pay(c.register(tii, "clientId", "7").get("orderId"), cardPaid, "tii", tii)
				kind := tii[:1]
				c.is(c.bindings(kind), "bindings.#", "1")
				c.same(tii, c.bindings(kind).get("bindings.0.bindingCategory"), category)
			}
		}},
	{"document 3, Bindings, rule 1",
		"jsonParams make the binding recurrent or instalment", func(c *client) {
			for kind, extra := range map[string]string{
				"R": `{"recurringFrequency":"28","recurringExpiry":"20301231"}`,
				"I": `{"installments":"3","totalInstallmentAmount":"4500",` +
					`"recurringFrequency":"28","recurringExpiry":"20301231"}`,
			} {
				id := c.register(kind, bindingOrder...).get("orderId")
				c.pay(id, cardPaid, "jsonParams", extra)
				c.is(c.bindings(kind), "bindings.#", "1")
			}
			c.is(c.bindings("C"), "errorCode", `"2"`)
		}},
	{"document 3, Binding",
		"a card has one ordinary and many instalment bindings", func(c *client) {
			for _, tii := range []string{"CI", "CI", "II", "II"} {
				c.pay(c.register("", "clientId", "7").get("orderId"), cardPaid, "tii", tii)
			}
			c.is(c.bindings("C"), "bindings.#", "1")
			c.is(c.bindings("I"), "bindings.#", "2")
			c.order("other card", cardPaid2, bindingOrder...)
			c.is(c.bindings("C"), "bindings.#", "2")
		}},
	{"document 3, Bindings, rule 1",
		"the feature needs a clientId", func(c *client) {
			c.is(c.register("1", bindingOrder[2:]...), "errorCode", `"4"`)
		}},
	{"document 3, getBindings.do",
		"bindingType is C, R or I", func(c *client) {
			c.is(c.bindings("X"), "errorCode", `"5"`)
		}},
}
