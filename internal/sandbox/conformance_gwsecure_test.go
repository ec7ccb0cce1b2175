package sandbox_test

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// gwSecureClaims are about version 1 and about what the versions have in common.
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
