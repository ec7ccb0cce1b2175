package sandbox_test

import "encoding/base64"

// gwSecure2Claims are about version 2.
var gwSecure2Claims = []claim{
	{"document 3, paymentorder.do",
		"3-D Secure 2 is is3DSVer2 and the parameters of steps 2 and 3", func(c *client) {
			id, a := c.secured("1", cardSecure)
			c.fields(a, "@this", "errorCode", "info", "is3DSVer2", "threeDSServerTransId",
				"threeDSMethodURL", "threeDSMethodURLServer", "threeDSMethodDataPacked")
			c.is(a, "is3DSVer2", "true")
			c.like(a, "threeDSServerTransId", uuid)
			c.like(a, "threeDSMethodURLServer", ".*"+a.get("threeDSServerTransId"))
			c.ends(id, "5", "-100")
		}},
	{"document 3, 3-D Secure 2 sequence, step 1",
		"without a 3-D Secure 2 parameter the steps are skipped", func(c *client) {
			_, a := c.secured("1", cardPaid)
			c.fields(a, "@this", "errorCode", "info", "redirect")
		}},
	{"document 3, paymentorder.do",
		"threeDSMethodURLServerDirect comes when an instalment binding is made", func(c *client) {
			id := c.register("1", "clientId", "7").get("orderId")
			a := c.pay(id, cardSecure, "tii", "II")
			c.like(a, "threeDSMethodURLServerDirect", "https?://.*"+a.get("threeDSServerTransId")+".*")
			id = c.register("2", "clientId", "7").get("orderId")
			c.is(c.pay(id, cardSecure, "tii", "CI"), "threeDSMethodURLServerDirect", "")
		}},
	{"domain facts, Identifiers",
		"the ids inside the packed messages are those outside", func(c *client) {
			id, a := c.secured("1", cardSecure)
			packed := c.unpacked(a.get("threeDSMethodDataPacked"))
			c.fields(packed, "@this", "threeDSServerTransID", "threeDSMethodNotificationURL")
			c.same("threeDSServerTransID", packed.get("threeDSServerTransID"),
				a.get("threeDSServerTransId"))
			creq := c.unpacked(c.proceed(id).get("packedCReq"))
			c.fields(creq, "@this", "threeDSServerTransID", "acsTransID", "messageType",
				"messageVersion", "challengeWindowSize")
			c.same("creq", creq.get("threeDSServerTransID"), a.get("threeDSServerTransId"))
			c.is(creq, "messageType", `"CReq"`)
			c.like(creq, "acsTransID", uuid)
		}},
	{"document 3, 3-D Secure 2 sequence, steps 2 and 3",
		"the two hidden frames take a POST and tell the address of the message", func(c *client) {
			_, a := c.secured("1", cardSecure)
			t := c.post(a.get("threeDSMethodURLServer"), "screen", "800x600")
			c.same("server", t.header.Get("Content-Type"), "text/html;charset=utf-8")
			t = c.post(a.get("threeDSMethodURL"),
				"threeDSMethodData", a.get("threeDSMethodDataPacked"))
			back := c.unpacked(t.hidden("threeDSMethodData"))
			c.fields(back, "@this", "threeDSServerTransID")
			c.same("id", back.get("threeDSServerTransID"), a.get("threeDSServerTransId"))
			if t.send().status != 200 {
				t.c.t.Error("the gateway does not hear of the end of the frame")
			}
		}},
	{"document 3, 3ds/continue.do",
		"frictionless is a success response of the payment", func(c *client) {
			id, _ := c.secured("1", cardFrictionless)
			a := c.proceed(id)
			c.fields(a, "@this", "errorCode", "info", "redirect", "is3DSVer2")
			c.is(a, "is3DSVer2", "true")
			c.like(a, "redirect", `https://shop\.example/back\?orderId=.*&lang=en`)
			c.ends(id, "2", "0")
			c.is(c.orderStatus(id), "cardAuthInfo.secureAuthInfo.eci", "5")
		}},
	{"domain facts, On the wire",
		"a failed 3-D Secure payment answers errorCode 0 too", func(c *client) {
			id, _ := c.secured("1", cardNobody)
			a := c.proceed(id)
			c.is(a, "errorCode", "0")
			c.like(a, "redirect", `https://shop\.example/sorry\?.*`)
			c.ends(id, "6", "-2006")
			c.is(c.orderStatus(id), "cardAuthInfo.secureAuthInfo", `{"eci":7}`)
		}},
	{"document 3, 3ds/continue.do",
		"a challenge is info, errorCode, is3DSVer2, acsUrl and packedCReq", func(c *client) {
			id, _ := c.secured("1", cardSecure)
			a := c.proceed(id)
			c.fields(a, "@this", "errorCode", "info", "is3DSVer2", "acsUrl", "packedCReq")
			c.same("the same once more", c.proceed(id).body, a.body)
			c.ends(id, "5", "-100")
		}},
	{"document 3, 3-D Secure 2 sequence, step 5",
		"after the challenge the payer is back at the shop", func(c *client) {
			id, t := c.challenged("1", cardSecure)
			t = t.send("password", acsPassword, "action", "confirm")
			cres := c.unpacked(t.hidden("cres"))
			c.is(cres, "messageType", `"CRes"`)
			c.is(cres, "transStatus", `"Y"`)
			t.send().atShop("/back", id)
			c.ends(id, "2", "0")
			c.is(c.orderStatus(id), "cardAuthInfo.secureAuthInfo.eci", "2")
		}},
	{"document 3, 3-D Secure 2 sequence, step 6",
		"with threeDSVer2FinishUrl the payer goes there and the shop finishes", finishedByShop},
	{"document 3, finish3dsVer2Payment.do",
		"there is nothing to finish before the challenge, or of an unknown id", func(c *client) {
			_, a := c.secured("1", cardSecure, "threeDSVer2FinishUrl", "https://shop.example/fin")
			finish := func(id string) answer {
				return c.gateway("finish3dsVer2Payment.do", "threeDSServerTransId", id)
			}
			c.is(finish(a.get("threeDSServerTransId")), "errorCode", "5")
			c.is(finish("00000000-0000-4000-8000-000000000000"), "errorCode", "5")
			c.is(finish(""), "errorCode", "4")
		}},
	{"document 3, Soft decline",
		"the sequence runs again with a new threeDSServerTransId and ends in a challenge", softDecline},
	{"document 3, Soft decline",
		"a payment that comes again must name the new id and the same card", func(c *client) {
			id, first := c.secured("1", cardSoft)
			second := c.proceed(id)
			c.is(c.pay(id, cardSoft), "errorCode", "5")
			again := func(card string, a answer) answer {
				return c.pay(id, card, "threeDSServerTransId", a.get("threeDSServerTransId"))
			}
			c.is(again(cardSoft, first), "errorCode", "5")
			c.is(again(cardPaid, second), "errorCode", "1")
			c.is(again(cardSoft, second), "errorCode", "0")
			other := c.register("2").get("orderId")
			c.is(c.pay(other, cardSoft, "threeDSServerTransId", "x"), "errorCode", "5")
		}},
	{"document 3, Versioning",
		"the messages of version 2 move no run of version 1", crossedVersions},
	{"document 3, 3-D Secure 2 sequence, step 4",
		"the ACS asks nobody before continue.do", func(c *client) {
			_, a := c.secured("1", cardSecure)
			creq := messageOf(a.get("threeDSServerTransId"))
			c.post(c.base+"/payment/acs/challenge", "creq", creq).shows(unknownRun)
		}},
}

// unknownRun is what a browser reads whose message is about no run.
const unknownRun = "Такой аутентификации нет"

// messageOf is a message of version 2 about a run, as somebody would make it up.
func messageOf(transID string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"threeDSServerTransID":"` + transID + `"}`))
}

// crossedVersions tries to get round the PaRes, before the ACS has decided and after.
func crossedVersions(c *client) {
	id, a := c.secured("1", cardSecure1)
	xid := c.inflated(a.get("paReq"), "xid")
	forged := messageOf(xid)
	try := func() {
		c.post(c.base+"/payment/acs/answer", "creq", forged, "password", acsPassword).shows(unknownRun)
		c.post(c.base+"/payment/3ds/notification", "cres", forged).shows(unknownRun)
		c.is(c.gateway("finish3dsVer2Payment.do", "threeDSServerTransId", xid), "errorCode", "5")
		c.ends(id, "5", "-100")
	}
	try()
	t := c.toACS1(id, a).send("password", acsPassword)
	try()
	t.send().atShop("/back", id)
	c.ends(id, "2", "0")
}

// finishedByShop walks to the shop's own address and lets the shop finish.
func finishedByShop(c *client) {
	for number, want := range map[string]string{"yes": "/back", "no": "/sorry"} {
		id, t := c.challenged(number, cardSecure, "threeDSVer2FinishUrl", "https://shop.example/fin")
		transID := c.unpacked(t.hidden("creq")).get("threeDSServerTransID")
		status := "2"
		if number == "yes" {
			t.confirm().atShop("/fin", id)
		} else {
			t.cancel().atShop("/fin", id)
			status = "6"
		}
		c.is(c.orderStatus(id), "orderStatus", "5")
		for range 2 { // the second time nothing is left to do
			a := c.gateway("finish3dsVer2Payment.do", "threeDSServerTransId", transID,
				"language", "en")
			c.fields(a, "@this", "errorCode", "redirect", "is3DSVer2")
			c.is(a, "errorCode", "0")
			c.same("redirect", a.get("redirect"),
				"https://shop.example"+want+"?orderId="+id+"&lang=en")
			c.is(c.orderStatus(id), "orderStatus", status)
		}
	}
}

// softDecline goes through both rounds.
func softDecline(c *client) {
	id, first := c.secured("1", cardSoft, "jsonParams", `{"a":"b"}`)
	second := c.proceed(id)
	c.fields(second, "@this", "errorCode", "info", "is3DSVer2", "threeDSServerTransId",
		"threeDSMethodURL", "threeDSMethodURLServer", "threeDSMethodDataPacked")
	c.differ("threeDSServerTransId", first.get("threeDSServerTransId"),
		second.get("threeDSServerTransId"))
	c.ends(id, "5", "-100")
	third := c.pay(id, cardSoft, "jsonParams", `{"a":"b"}`,
		"threeDSServerTransId", second.get("threeDSServerTransId"))
	c.fields(third, "@this", "errorCode", "info", "is3DSVer2", "acsUrl", "packedCReq")
	c.post(third.get("acsUrl"), "creq", third.get("packedCReq")).confirm().atShop("/back", id)
	c.ends(id, "2", "0")
	c.is(c.orderStatus(id), "merchantOrderParams", `[{"name":"a","value":"b"}]`)
}
