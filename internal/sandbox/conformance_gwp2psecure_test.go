package sandbox_test

import (
	"strings"
	"time"
)

var gwP2PSecureClaims = []claim{
	{"document 3, verifyP2P.do, toCard",
		"a seToken stands for card data, of this order and fresh", func(c *client) {
			id := c.registerOCT("1")
			for _, row := range []struct{ stamp, number, expiry, order, want string }{
				{c.stamp(0), cardPayee, "203012", "other", "5"},
				{c.stamp(-60), cardPayee, "203012", id, "5"},
				{c.stamp(0), cardPayee[:15] + "3", "203012", id, "1"},
				{c.stamp(0), cardPayee, "203013", id, "1"},
				{c.stamp(0), cardPayee, "203012", id, "0"},
			} {
				sealed := c.sealed(row.stamp, tokenUUID, row.number, row.expiry, row.order)
				card := object{"toCard": object{"seToken": sealed}}
				c.is(c.p2pFee(id, card), "errorCode", row.want)
				c.is(c.oct(id, "", card), "errorCode", row.want)
			}
			c.same("panMaskedTo", c.p2pStatus(id).get("panMaskedTo"), "424242**4242")
			id = c.registerP2P("2").get("orderId")
			sealed := c.sealed(c.stamp(0), tokenUUID, cardPaid, "123", "203012", id)
			from := object{"fromCard": object{"seToken": sealed}}
			c.is(c.move(id, "", cardPayee, from), "errorCode", "0")
			c.is(c.oct(id, "", object{"toCard": object{"seToken": "x"}}), "errorCode", "5")
		}},
	{"document 3, orderPayerData",
		"3-D Secure requires an e-mail address or a telephone", func(c *client) {
			phone := object{"orderPayerData": object{"mobilePhone": "+4930000000"}}
			mail := object{"email": "payer@shop.example"}
			for number, more := range map[string][2]object{
				"none": {nil, nil}, "phone": {phone, nil}, "email": {nil, mail},
				"late": {nil, phone}, "delivery": {
					{"shippingPayerData": object{"deliveryEmail": "payer@shop.example"}}, nil},
			} {
				id := c.registerP2P(number, more[0]).get("orderId")
				want := "0"
				if number == "none" {
					want = "4"
				}
				c.is(c.move(id, cardSecure, cardPayee, more[1]), "errorCode", want)
			}
		}},
	{"document 3, performP2P.do",
		"3-D Secure answers like paymentorder.do, and continue.do goes on", func(c *client) {
			id, a := c.challengedTransfer("1", object{})
			c.is(a, "errorCode", "0")
			c.is(a, "errorMessage", `"Successful"`)
			c.is(a, "is3DSVer2", "true")
			c.is(a, "redirect", "")
			c.like(a, "threeDSServerTransId", `[0-9a-f-]{36}`)
			c.is(c.p2pStatus(id), "orderStatus", "5")
			c.same("panMaskedTo", c.p2pStatus(id).get("panMaskedTo"), "424242**4242")
			a = c.gateway("3ds/continue.do", "mdOrder", id)
			c.like(a, "acsUrl", ".+")
			c.like(a, "packedCReq", ".+")
		}},
	{"document 3, performP2P.do, threeDSServerTransId",
		"the transfer sent again with it goes on", func(c *client) {
			id := c.registerP2P("1").get("orderId")
			mail := object{"email": "payer@shop.example"}
			a := c.move(id, cardAtACS, cardPayee, mail)
			again := object{"threeDSServerTransId": a.get("threeDSServerTransId")}
			a = c.move(id, cardAtACS, cardPayee, again)
			c.is(a, "errorCode", "0")
			c.like(a, "packedCReq", ".+")
			c.is(a, "errorMessage", `"Successful"`)
		}},
	{"document 3, performP2P.do, threeDSServerTransId",
		"what is sent again with it is the same transfer", func(c *client) {
			id, begun := c.challengedTransfer("1", nil)
			again := object{"threeDSServerTransId": begun.get("threeDSServerTransId")}
			c.is(c.move(id, cardAtACS, cardPaid2, again), "errorCode", "5")
			c.is(c.move(id, cardAtACS, cardPayee, again, object{"amountInput": 1}), "errorCode", "5")
			c.is(c.pay(id, cardAtACS, "threeDSServerTransId", begun.get("threeDSServerTransId")),
				"errorCode", "5")
			c.is(c.move(id, cardAtACS, cardPayee, again), "errorCode", "0")
		}},
	{"document 3, performP2P.do, threeDSMethodNotificationUrl",
		"the end of the hidden frame is told to the shop's own address", func(c *client) {
			const shop = "https://shop.example/method"
			_, a := c.challengedTransfer("1", object{"threeDSMethodNotificationUrl": shop})
			data := c.unpacked(a.get("threeDSMethodDataPacked"))
			c.same("address", data.get("threeDSMethodNotificationURL"), shop)
			c.post(a.get("threeDSMethodURL"), "threeDSMethodData",
				a.get("threeDSMethodDataPacked")).shows(`action="` + shop + `"`)
		}},
	{"document 3, Soft decline",
		"the transfer is sent again with the new threeDSServerTransId", func(c *client) {
			phone := object{"orderPayerData": object{"homePhone": "+4930000000"}}
			id := c.registerP2P("1", phone).get("orderId")
			first := c.move(id, cardSoft, cardPayee).get("threeDSServerTransId")
			second := c.proceed(id).get("threeDSServerTransId")
			c.differ("threeDSServerTransId", first, second)
			a := c.move(id, cardSoft, cardPayee, object{"threeDSServerTransId": second})
			c.post(a.get("acsUrl"), "creq", a.get("packedCReq")).confirm().atShop("/back", id)
			c.is(c.p2pStatus(id), "orderStatus", "2")
		}},
	{"document 3, finishThreeDsVer2.do",
		"the customer is redirected to returnUrl, without JSON", func(c *client) {
			for _, name := range []string{"tDsTransId", "threeDSServerTransId"} {
				id, begun := c.challengedTransfer(name,
					object{"threeDSVer2FinishUrl": "https://shop.example/finish"})
				transaction := begun.get("threeDSServerTransId")
				// Nobody has authenticated yet.
				c.is(c.finishTransfer(name, transaction).answer(), "errorCode", "5")
				c.toACS2(id).confirm().atShop("/finish", id)
				c.is(c.p2pStatus(id), "orderStatus", "5")
				c.finishTransfer(name, transaction).atShop("/back", id)
				c.is(c.p2pStatus(id), "orderStatus", "2")
				c.is(c.p2pStatus(id), "operationList.#.operationType", `["AFT","OCT"]`)
				c.finishTransfer(name, transaction).atShop("/back", id) // it is over
			}
		}},
	{"document 3, finishThreeDsVer2.do",
		"on failure the customer is redirected to failUrl", func(c *client) {
			for number, to := range map[string]string{"refused": cardLostPayee, "no": cardPayee} {
				id := c.registerP2P(number,
					object{"failUrl": "https://shop.example/sorry"}).get("orderId")
				a := c.move(id, cardAtACS, to, object{"email": "payer@shop.example",
					"threeDSVer2FinishUrl": "https://shop.example/finish"})
				want := "208"
				if number == "no" {
					c.toACS2(id).cancel()
					want = "-2006"
				} else {
					c.toACS2(id).confirm()
				}
				c.finishTransfer("tDsTransId", a.get("threeDSServerTransId")).atShop("/sorry", id)
				c.is(c.p2pStatus(id), "resultCode", want)
			}
		}},
	{"document 3, finishThreeDsVer2.do",
		"a customer who comes back too late is redirected to failUrl too", func(c *client) {
			id := c.registerP2P("1", object{"failUrl": "https://shop.example/sorry"}).get("orderId")
			a := c.move(id, cardAtACS, cardPayee, object{"email": "payer@shop.example",
				"threeDSVer2FinishUrl": "https://shop.example/finish"})
			c.toACS2(id).confirm().atShop("/finish", id)
			c.clock.move(1200 * time.Second)
			c.finishTransfer("tDsTransId", a.get("threeDSServerTransId")).atShop("/sorry", id)
			c.is(c.p2pStatus(id), "resultCode", "-2007")
		}},
	{"document 3, finishThreeDsVer2.do",
		"it knows the transfers in authentication only", func(c *client) {
			id, a := c.secured("1", cardAtACS, "threeDSVer2FinishUrl", "https://shop.example/fin")
			c.toACS2(id).confirm().atShop("/fin", id)
			for transaction, want := range map[string]string{"": "4", "none": "5",
				chars(37): "5", a.get("threeDSServerTransId"): "5"} {
				page := c.finishTransfer("tDsTransId", transaction)
				c.is(page.answer(), "errorCode", want)
			}
			c.is(c.orderStatus(id), "orderStatus", "5")
		}},
	{"document 3, Authentication, 1",
		"finishThreeDsVer2.do is called with username", func(c *client) {
			page := c.post(c.base+"/payment/rest/api/p2p/finishThreeDsVer2.do",
				"username", "sandbox-api", "password", "wrong", "tDsTransId", "none")
			c.like(page.answer(), "errorMessage", `\p{Cyrillic}+ \p{Cyrillic}+`) // denied
			c.is(page.answer(), "errorCode", "5")
		}},
	{"domain facts, Order status",
		"a transfer left at the ACS times out", func(c *client) {
			id, _ := c.challengedTransfer("1", object{})
			c.clock.move(1200 * time.Second)
			c.is(c.p2pStatus(id), "orderStatus", "6")
			c.is(c.p2pStatus(id), "resultCode", "-2007")
		}},
	{"document 3, OCT scenario",
		"the page behind formUrl asks an OCT for the destination card alone", func(c *client) {
			t := c.open(c.registerP2P("1", alone).get("formUrl"))
			if strings.Contains(t.page, "$CVC") || strings.Contains(t.page, "toPAN") {
				c.t.Error("the page asks for more than a recipient")
			}
			id := t.at.Query().Get("mdOrder")
			for _, wrong := range []string{"", cardPayee[:15] + "3"} {
				t.send("$PAN", wrong).shows(`id="error"`)
			}
			t.send("$PAN", cardPayee, "MM", "13", "YYYY", "2030").shows(`id="error"`)
			c.is(c.p2pStatus(id), "orderStatus", "0")
			t.send("$PAN", cardPayee).atShop("/back", id)
			c.is(c.p2pStatus(id), "orderStatus", "2")
			c.same("panMaskedTo", c.p2pStatus(id).get("panMaskedTo"), "424242**4242")
		}},
	{"document 3, Card-to-card and OCT",
		"the page behind formUrl asks a transfer for both cards", func(c *client) {
			a := c.registerP2P("1", object{"failUrl": "https://shop.example/sorry"})
			t := c.open(a.get("formUrl")).shows(`name="$CVC"`).shows(`name="toPAN"`)
			t.enter(cardPaid).shows(`id="error"`)
			t.enter(cardPaid, "toPAN", "4242").shows(`id="error"`)
			t.enter(cardPaid, "toPAN", "4242 4242-"+"4242 4242").atShop("/back", a.get("orderId"))
			c.is(c.p2pStatus(a.get("orderId")), "operationList.#", "2")
			a = c.registerP2P("2")
			t = c.open(a.get("formUrl")).enter(cardAtACS, "toPAN", cardPayee)
			t.send().send().confirm().atShop("/back", a.get("orderId"))
			c.is(c.p2pStatus(a.get("orderId")), "orderStatus", "2")
		}},
}
