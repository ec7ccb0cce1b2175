package sandbox_test

var gwP2PBindClaims = []claim{
	{"document 3, registerP2P.do, creditBindingId",
		"it goes with clientId and comes back as bindingId in toCard", func(c *client) {
			bound := c.storedCard("7", cardPayee)
			other := c.storedCard("7", cardPaid)
			both := object{"clientId": "7", "creditBindingId": bound}
			for name, want := range map[string]string{"clientId": "4", "": "0"} {
				c.is(c.registerP2P("a"+name, alone, both, object{name: nil}), "errorCode", want)
			}
			id := c.registerOCT("1", both)
			pay := func(bindingID string) answer {
				return c.p2p("performP2PByBinding.do", object{"orderId": id,
					"type": "WITHOUT_FROM_CARD", "toCard": object{"bindingId": bindingID}})
			}
			c.is(pay(other), "errorCode", "5") // another than was registered
			c.is(pay("none"), "errorCode", "2")
			c.is(pay(bound), "errorCode", "0")
			c.same("panMaskedTo", c.p2pStatus(id).get("panMaskedTo"), "424242**4242")
			id = c.registerP2P("2", both).get("orderId") // toCard may then be left out
			c.is(c.p2p("performP2PByBinding.do", object{"orderId": id,
				"fromCard": fromCard(cardPaid2)}), "errorCode", "0")
			a := c.p2pStatus(id, object{"version": 3})
			c.same("binding", a.get("binding"), bound)
		}},
	{"document 3, Bindings, rule 4",
		"a binding is good for its client alone", func(c *client) {
			bound := c.storedCard("7", cardPayee)
			c.is(c.registerP2P("1", object{"clientId": "8", "bindingId": bound}), "errorCode", "2")
			for client, want := range map[any]string{nil: "4", "8": "2", "7": "0"} {
				id := c.registerOCT("2"+want, object{"clientId": client})
				a := c.p2p("performP2PByBinding.do", object{"orderId": id,
					"toCard": object{"bindingId": bound}})
				c.is(a, "errorCode", want)
			}
		}},
	{"document 3, performP2P.do",
		"a card that is entered is no binding", func(c *client) {
			bound := c.storedCard("7", cardPayee)
			id := c.registerOCT("1", object{"clientId": "7"})
			c.is(c.oct(id, "", object{"toCard": object{"bindingId": bound}}), "errorCode", "4")
			a := c.p2p("performP2PByBinding.do", object{"orderId": id, "amountInput": 100,
				"type": "WITHOUT_FROM_CARD", "toCard": toCard(cardPayee)})
			c.fields(a, "@this", "errorCode", "errorMessage", "info", "redirect", "is3DSVer2")
			c.is(a, "errorCode", "0")
		}},
	{"document 3, performP2P.do, originalPaymentNetRefNum",
		"it is required for binding operations with tii R, U or F", func(c *client) {
			bound := c.storedCard("7", cardPaid)
			id := c.registerP2P("1", object{"clientId": "7"}).get("orderId")
			pay := func(more object) answer {
				return c.p2p("performP2PByBinding.do", object{"orderId": id,
					"fromCard": object{"bindingId": bound}, "toCard": toCard(cardPayee)}, more)
			}
			for _, tii := range []string{"R", "U", "F"} {
				c.is(pay(object{"tii": tii}), "errorCode", "4")
			}
			c.is(pay(object{"tii": "F", "originalPaymentNetRefNum": "1"}), "errorCode", "0")
			c.same("panMaskedFrom", c.p2pStatus(id).get("panMaskedFrom"), "411111**1111")
		}},
	{"document 3, Binding",
		"FORCE_CREATE_BINDING stores the card, unless bindingNotNeeded", func(c *client) {
			feature := object{"clientId": "7",
				"features": object{"feature": []string{"FORCE_CREATE_BINDING"}}}
			c.is(c.registerP2P("0", feature, object{"clientId": nil}), "errorCode", "4")
			id := c.registerP2P("1", feature).get("orderId")
			c.move(id, cardPaid, cardPayee, object{"bindingNotNeeded": true})
			c.is(c.bindings("C"), "errorCode", `"2"`)
			oct := c.registerOCT("oct", object{"clientId": "7", "features": object{
				"feature": []string{"FORCE_CREATE_BINDING", "WITHOUT_FROM_CARD"}}})
			c.is(c.oct(oct, "", object{"toCard": object{"pan": cardPayee}}), "errorCode", "0")
			c.is(c.bindings("C"), "errorCode", `"2"`) // the expiry is not known
			id = c.registerP2P("2", feature).get("orderId")
			c.move(id, cardPaid, cardPayee)
			a := c.p2pStatus(id, object{"version": 3})
			c.same("binding", a.get("binding"), c.bindings("C").get("bindings.0.bindingId"))
		}},
	{"document 3, Transaction initiator indicator",
		"CI stores the recipient of an OCT, whose expiry must be known", func(c *client) {
			id := c.registerOCT("1", object{"clientId": "7"})
			a := c.oct(id, "", object{"tii": "CI", "toCard": object{"pan": cardPayee}})
			c.is(a, "errorCode", "4")
			c.is(c.oct(id, cardPayee, object{"tii": "CI"}), "errorCode", "0")
			a = c.p2pStatus(id, object{"version": 3})
			c.same("binding", a.get("binding"), c.bindings("C").get("bindings.0.bindingId"))
		}},
	{"document 3, registerP2P.do, debitMdOrder",
		"an OCT may follow an earlier debit", func(c *client) {
			aft := c.order("aft", cardPaid)
			id := c.registerOCT("oct", object{"debitMdOrder": aft})
			c.is(c.oct(id, cardPayee), "errorCode", "0")
			a := c.p2pStatus(id)
			c.same("panMaskedFrom", a.get("panMaskedFrom"), "411111**1111")
			c.same("panMaskedTo", a.get("panMaskedTo"), "424242**4242")
		}},
	{"document 3, registerP2P.do, debitMdOrder",
		"an order that did not debit is none", func(c *client) {
			debit := func(id string) answer {
				return c.registerP2P("x", alone, object{"debitMdOrder": id})
			}
			c.is(debit("none"), "errorCode", "6")
			c.is(debit(c.register("1").get("orderId")), "errorCode", "5")
			c.is(debit(c.order("2", cardFunds)), "errorCode", "5")
			oct := c.registerOCT("3")
			c.oct(oct, cardPayee)
			c.is(debit(oct), "errorCode", "5")
		}},
	{"domain facts, Operations",
		"a transfer can be given back like a payment", func(c *client) {
			id := c.registerP2P("1").get("orderId")
			c.move(id, cardPaid, cardPayee)
			c.is(c.gateway("refund.do", "orderId", id, "amount", "0"), "errorCode", `"0"`)
			c.is(c.p2pStatus(id), "orderStatus", "4")
		}},
	{"domain facts, Operations",
		"a binding that was switched off is unknown", func(c *client) {
			bound := c.storedCard("7", cardPayee)
			id := c.registerOCT("1", object{"clientId": "7", "creditBindingId": bound})
			c.gateway("unBindCard.do", "bindingId", bound)
			a := c.p2p("performP2PByBinding.do", object{"orderId": id,
				"toCard": object{"bindingId": bound}})
			c.is(a, "errorCode", "2")
			more := object{"clientId": "7", "bindingId": bound}
			c.is(c.registerP2P("2", more), "errorCode", "2")
		}},
	{"document 3, Transaction initiator indicator",
		"a transfer that the merchant starts has no CVC and no 3-D Secure", func(c *client) {
			id := c.registerP2P("1", object{"clientId": "7"}).get("orderId")
			more := object{"tii": "U", "originalPaymentNetRefNum": "1"}
			c.is(c.move(id, cardSecure, cardPayee, more), "errorCode", "5")
			more["fromCard"] = toCard(cardSecure)
			c.is(c.move(id, "", cardPayee, more), "is3DSVer2", "false")
			c.is(c.p2pStatus(id), "orderStatus", "2")
		}},
}
