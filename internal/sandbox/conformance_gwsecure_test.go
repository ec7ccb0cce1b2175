package sandbox_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Test cards by their authentication, in two parts like the others.
const (
	cardSecure1      = "421234" + "5678901237"
	cardFrictionless = "400000" + "0000001000"
	cardNobody       = "400000" + "0000001018" // frictionless, not authenticated
	cardSoft         = "400000" + "2760003184"
	cardAfterwards   = "400000" + "8400001629" // declined after the challenge
	cardExhausted    = "400000" + "0000001109"
	cardSilent       = "400000" + "0000001075" // the ACS does not answer
)

const uuid = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

// secured registers an order with a failUrl, pays it and returns id and answer.
func (c *client) secured(number, card string, pairs ...string) (string, answer) {
	c.t.Helper()
	id := c.register(number, "failUrl", "https://shop.example/sorry").get("orderId")
	return id, c.pay(id, card, pairs...)
}

func (c *client) proceed(id string) answer {
	c.t.Helper()
	return c.gateway("3ds/continue.do", "mdOrder", id, "language", "en")
}

// challenged gets an order as far as the page of the ACS in version 2.
func (c *client) challenged(number, card string, pairs ...string) (string, *tab) {
	c.t.Helper()
	id, _ := c.secured(number, card, pairs...)
	a := c.proceed(id)
	return id, c.post(a.get("acsUrl"), "creq", a.get("packedCReq"))
}

// toACS1 posts the browser to the ACS as a shop does in version 1.
func (c *client) toACS1(id string, a answer) *tab {
	c.t.Helper()
	return c.post(a.get("acsUrl"), "PaReq", a.get("paReq"), "MD", id, "TermUrl", a.get("termUrl"))
}

// ends checks orderStatus and actionCode.
func (c *client) ends(id, status, action string) {
	c.t.Helper()
	a := c.orderStatus(id)
	c.is(a, "orderStatus", status)
	c.is(a, "actionCode", action)
}

// unpacked opens a message of version 2.
func (c *client) unpacked(packed string) answer {
	c.t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil || !gjson.ValidBytes(raw) {
		c.t.Error("the message is not base64url of JSON without padding")
	}
	return answer{body: string(raw)}
}

// inflated opens a message of version 1 and returns the text of one element.
func (c *client) inflated(packed, element string) string {
	c.t.Helper()
	raw, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		c.t.Fatal("the message is not base64")
	}
	deflated, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		c.t.Fatal("the message is not deflated")
	}
	tokens := xml.NewDecoder(deflated)
	for {
		token, err := tokens.Token()
		if err == io.EOF {
			return ""
		}
		if err != nil {
			c.t.Fatal("the message is not XML")
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == element {
			var text string
			if err := tokens.DecodeElement(&text, &start); err != nil {
				c.t.Fatal("the element cannot be read")
			}
			return text
		}
	}
}

var gwSecureClaims = []claim{
	{"document 3, paymentorder.do",
		"3-D Secure 1 is acsUrl, paReq and termUrl; the order waits in status 5", func(c *client) {
			id, a := c.secured("1", cardSecure1)
			c.fields(a, "@this", "errorCode", "info", "acsUrl", "paReq", "termUrl")
			c.is(a, "errorCode", "0")
			c.ends(id, "5", "-100")
			c.is(c.orderStatus(id), "cardAuthInfo", "")
		}},
	{"domain facts, Identifiers",
		"addresses of 3-D Secure are on the host called", func(c *client) {
			_, one := c.secured("1", cardSecure1)
			_, two := c.secured("2", cardSecure)
			for _, address := range []string{one.get("acsUrl"), one.get("termUrl"),
				two.get("threeDSMethodURL"), two.get("threeDSMethodURLServer")} {
				if !strings.HasPrefix(address, c.base+"/payment/") {
					c.t.Error("an address is on another host")
				}
			}
			c.like(one, "termUrl", `.*/payment/rest/finish3ds\.do`)
		}},
	{"document 3, paymentorder.do",
		"paReq is deflated XML about this purchase and holds no card number", func(c *client) {
			_, a := c.secured("1", cardSecure1)
			c.same("purchAmount", c.inflated(a.get("paReq"), "purchAmount"), "1500")
			c.same("currency", c.inflated(a.get("paReq"), "currency"), "978")
			c.same("expiry", c.inflated(a.get("paReq"), "expiry"), "3012")
			raw, err := base64.StdEncoding.DecodeString(c.inflated(a.get("paReq"), "xid"))
			if err != nil || len(raw) != 20 {
				c.t.Error("xid is not 20 bytes in base64")
			}
			c.same("no pan", c.inflated(a.get("paReq"), "pan")+"-", "-")
		}},
	{"document 3, States and transitions",
		"after 3-D Secure 1 returnUrl is opened with orderId and lang, and the order is paid",
		func(c *client) {
			id, a := c.secured("1", cardSecure1)
			c.toACS1(id, a).shows("15.00").confirm().atShop("/back", id)
			c.ends(id, "2", "0")
			c.is(c.orderStatus(id), "cardAuthInfo.secureAuthInfo.eci", "5")
			c.like(c.orderStatus(id), "cardAuthInfo.secureAuthInfo.threeDSInfo.cavv", `.{27}=`)
			c.same("xid", c.orderStatus(id).get("cardAuthInfo.secureAuthInfo.threeDSInfo.xid"),
				c.inflated(a.get("paReq"), "xid"))
		}},
	{"domain facts, Codes",
		"a payer who gives up at the ACS is actionCode -2006 and comes to failUrl", func(c *client) {
			id, a := c.secured("1", cardSecure1)
			t := c.toACS1(id, a).send("action", "cancel")
			c.same("status", c.inflated(t.hidden("PaRes"), "status"), "N")
			t.send().atShop("/sorry", id)
			c.ends(id, "6", "-2006")
			id, t = c.challenged("2", cardSecure)
			t.cancel().atShop("/sorry", id)
			c.ends(id, "6", "-2006")
		}},
	{"domain facts, Codes",
		"a wrong password is asked again; the third ends with actionCode -2013", func(c *client) {
			id, t := c.challenged("1", cardSecure)
			t.send("password", "1").shows("Wrong password").send("password", "").shows("Wrong password")
			c.ends(id, "5", "-100")
			t.send("password", "2").send().atShop("/sorry", id)
			c.ends(id, "6", "-2013")
			id, t = c.challenged("2", cardSecure)
			t.send("password", "1").confirm().atShop("/back", id)
			c.ends(id, "2", "0")
		}},
	{"document 3, States and transitions",
		"a PaRes that the ACS did not make is a failed authentication", func(c *client) {
			id, a := c.secured("1", cardSecure1)
			yes := c.toACS1(id, a).send("password", acsPassword).hidden("PaRes")
			other, b := c.secured("2", cardSecure1)
			c.toACS1(other, b)
			c.post(b.get("termUrl"), "MD", other, "PaRes", yes).atShop("/sorry", other)
			c.ends(other, "6", "-2006")
			third, b := c.secured("3", cardSecure1)
			c.post(b.get("termUrl"), "MD", third, "PaRes", "AAAA").atShop("/sorry", third)
			c.ends(third, "6", "-2006")
			c.ends(id, "5", "-100")
		}},
	{"document 3, States and transitions",
		"coming back twice changes nothing", func(c *client) {
			id, a := c.secured("1", cardSecure1)
			t := c.toACS1(id, a).send("password", acsPassword)
			result := t.hidden("PaRes")
			t.send().atShop("/back", id)
			c.post(a.get("termUrl"), "MD", id, "PaRes", result).atShop("/back", id)
			c.post(a.get("termUrl"), "MD", id, "PaRes", "x").atShop("/back", id)
			c.ends(id, "2", "0")
		}},
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
	{"document 3, acsRedirect.do",
		"a page posts the browser to the ACS, in either version", func(c *client) {
			for number, card := range map[string]string{"1": cardSecure1, "2": cardSecure} {
				id, _ := c.secured(number, card)
				if number == "2" {
					c.open(c.base + "/payment/acsRedirect.do?orderId=" + id).shows("Неверное состояние")
					c.proceed(id)
				}
				t := c.open(c.base + "/payment/acsRedirect.do?orderId=" + id)
				t.send().shows("stand-in").confirm().atShop("/back", id)
				c.ends(id, "2", "0")
				c.open(c.base+"/payment/acsRedirect.do?orderId="+id).atShop("/back", id)
			}
		}},
	{"domain facts, Order status",
		"an order that is left at the ACS times out with actionCode -2007", func(c *client) {
			id, t := c.challenged("1", cardSecure)
			silent, quiet := c.challenged("2", cardSilent)
			quiet.shows("does not answer")
			c.clock.move(1199 * time.Second)
			c.ends(id, "5", "-100")
			c.clock.move(time.Second)
			c.ends(id, "6", "-2007")
			t.send("password", acsPassword).shows("run out")
			c.ends(id, "6", "-2007")
			c.ends(silent, "6", "-2007")
		}},
	{"domain facts, Order status",
		"a payer who comes back from the ACS too late is at failUrl", func(c *client) {
			id, t := c.challenged("1", cardSecure)
			t = t.send("password", acsPassword)
			c.clock.move(1200 * time.Second)
			t.send().atShop("/sorry", id)
			c.ends(id, "6", "-2007")
		}},
	{"domain facts, Codes",
		"the bank decides after the challenge", func(c *client) {
			for card, action := range map[string]string{
				cardAfterwards: "120", cardExhausted: "-2013",
			} {
				id, t := c.challenged(action, card)
				t.confirm().atShop("/sorry", id)
				c.ends(id, "6", action)
			}
		}},
	{"document 3, Transaction initiator indicator",
		"merchant-initiated payments have no 3-D Secure", func(c *client) {
			id := c.register("1", "clientId", "7").get("orderId")
			c.is(c.pay(id, cardSecure, "tii", "U", "$CVC", ""), "is3DSVer2", "")
			c.ends(id, "2", "0")
		}},
	{"domain facts, Order status",
		"after registerPreAuth.do 3-D Secure ends in status 1", func(c *client) {
			id := c.gateway("registerPreAuth.do", "amount", "1500", "language", "en",
				"returnUrl", "https://shop.example/back").get("orderId")
			c.pay(id, cardSecure)
			a := c.proceed(id)
			c.post(a.get("acsUrl"), "creq", a.get("packedCReq")).confirm().atShop("/back", id)
			c.ends(id, "1", "0")
		}},
	{"domain facts, Order status",
		"a binding appears only when the authenticated payment has succeeded", func(c *client) {
			id := c.register("1", bindingOrder...).get("orderId")
			c.pay(id, cardSecure)
			a := c.proceed(id)
			c.is(c.bindings("C"), "errorCode", `"2"`)
			c.post(a.get("acsUrl"), "creq", a.get("packedCReq")).confirm()
			c.is(c.bindings("C"), "bindings.#", "1")
		}},
	{"domain facts, Codes",
		"continue.do needs an order that waits for it, and the credentials", func(c *client) {
			c.is(c.proceed("none"), "errorCode", "6")
			c.is(c.proceed(""), "errorCode", "4")
			c.is(c.proceed(c.register("1").get("orderId")), "errorCode", "5")
			c.is(c.proceed(c.order("2", cardPaid)), "errorCode", "5")
			id, _ := c.secured("3", cardSecure1)
			c.is(c.proceed(id), "errorCode", "5")
			id, _ = c.secured("4", cardSecure)
			c.is(c.gateway("3ds/continue.do", "mdOrder", id, "password", "x"), "errorCode", "5")
			c.ends(id, "5", "-100")
		}},
	{"domain facts, On the wire",
		"continue.do comes in any of the forms of a call", func(c *client) {
			const path = "/payment/rest/3ds/continue.do"
			for i, send := range []func(params string) answer{
				func(params string) answer { return c.send("GET", path+"?"+params, "") },
				func(params string) answer { return c.send("GET", path, params) },
				func(params string) answer { return c.send("POST", path+"?"+params, "") },
				func(params string) answer { return c.send("POST", path+"?"+params, "{}") },
			} {
				id, _ := c.secured(strconv.Itoa(i), cardFrictionless)
				c.is(send(form("mdOrder", id)), "errorCode", "0")
				c.ends(id, "2", "0")
			}
		}},
	{"domain facts, Operations",
		"an order that is declined by the shop is dead at the ACS too", func(c *client) {
			id, t := c.challenged("1", cardSecure)
			c.is(c.gateway("decline.do", "orderId", id), "errorCode", `"0"`)
			t.send("password", acsPassword).shows("declined")
			c.ends(id, "6", "-100")
		}},
	{"domain facts, On the wire",
		"an order that waits for 3-D Secure is not paid a second time", func(c *client) {
			id, _ := c.secured("1", cardSecure)
			c.is(c.pay(id, cardPaid), "errorCode", "5")
			c.ends(id, "5", "-100")
		}},
	{"document 3, States and transitions",
		"what the ACS did not hear of is answered by a page", func(c *client) {
			id, a := c.secured("1", cardSecure1)
			for _, t := range []*tab{
				c.post(c.base+"/payment/acs/challenge", "creq", "AAAA"),
				c.post(c.base+"/payment/acs/challenge", "creq", "e30"),
				c.post(c.base+"/payment/acs/challenge", "PaReq", "AAAA"),
				c.post(c.base+"/payment/acs/challenge", "PaReq", a.get("paReq"), "MD", id,
					"TermUrl", "javascript://shop.example/%0aalert(1)"),
				c.post(c.base+"/payment/acs/answer", "creq", ""),
				c.post(c.base+"/payment/acs/method", "threeDSMethodData", "{"),
				c.post(c.base+"/payment/3ds/notification", "cres", "e30"),
				c.post(c.base+"/payment/rest/finish3ds.do", "MD", "none", "PaRes", "x"),
				c.open(c.base + "/payment/acsRedirect.do"),
			} {
				if t.status != 200 || !strings.HasPrefix(t.page, "<!doctype html>") {
					c.t.Errorf("%s answers %d", t.at.Path, t.status)
				}
			}
			c.ends(id, "5", "-100")
		}},
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
