package sandbox_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"time"
)

// atPage registers an order and opens its payment page.
func (c *client) atPage(number string, pairs ...string) (string, *tab) {
	c.t.Helper()
	a := c.register(number, append([]string{"failUrl", "https://shop.example/sorry"}, pairs...)...)
	return a.get("orderId"), c.open(a.get("formUrl"))
}

// enter fills in the payment page.
func (t *tab) enter(card string, pairs ...string) *tab {
	t.c.t.Helper()
	return t.send(append([]string{"$PAN", card, "$CVC", "123", "MM", "12", "YYYY", "2030",
		"TEXT", "Test Person"}, pairs...)...)
}

var gwPageClaims = []claim{
	{"document 3, OCT scenario",
		"formUrl is a page in the language asked for, with a form", func(c *client) {
			_, t := c.atPage("A-1")
			t.shows(`lang="en"`).shows("A-1").shows("15.00").shows(`name="$PAN"`).shows("Pay")
			c.same("Content-Type", t.header.Get("Content-Type"), "text/html;charset=utf-8")
			_, t = c.atPage("A-2", "language", "ru")
			t.shows(`lang="ru"`).shows("Оплатить")
		}},
	{"document 3, States and transitions",
		"the page pays and the browser comes to returnUrl with orderId and lang", func(c *client) {
			id, t := c.atPage("1")
			t.enter(cardPaid).atShop("/back", id)
			c.ends(id, "2", "0")
			c.is(c.orderStatus(id), "cardAuthInfo.cardholderName", `"Test Person"`)
			c.is(c.orderStatus(id), "cardAuthInfo.expiration", `"203012"`)
		}},
	{"document 3, States and transitions",
		"a declined card brings the browser to failUrl, or to returnUrl without one",
		func(c *client) {
			id, t := c.atPage("1")
			t.enter(cardFunds).atShop("/sorry", id)
			c.ends(id, "6", "116")
			id, t = c.atPage("2", "failUrl", "")
			t.enter(cardFunds).atShop("/back", id)
		}},
	{"domain facts, Codes",
		"wrong card data is told above the form and is no attempt", func(c *client) {
			id, t := c.atPage("1")
			for _, wrong := range [][2]string{
				{"$PAN", cardPaid[:15] + "2"}, {"$PAN", ""}, {"$CVC", "12"}, {"$CVC", ""},
				{"MM", "13"}, {"YYYY", "30"}, {"TEXT", strings.Repeat("x", 27)}, {"tii", ""},
			} {
				t.enter(cardPaid[:15]+"2", wrong[0], wrong[1]).shows(`id="error"`)
				if strings.Contains(t.page, cardPaid[:12]) {
					c.t.Error("the page repeats a card number")
				}
			}
			t.enter(cardPaid, "$CVC", "", "tii", "U").shows(`id="error"`)
			c.ends(id, "0", "-100")
			t.enter("4111 1111-"+"1111 1111 ").atShop("/back", id)
		}},
	{"domain facts, Order status",
		"a paid or dead order says so and cannot be paid", func(c *client) {
			id, t := c.atPage("1")
			form := t.at.String()
			t.enter(cardPaid)
			c.open(form).shows("has been paid").shows(`href="https://shop.example/back?orderId=` + id)
			c.post(form, "$PAN", cardFunds).shows("has been paid")
			c.ends(id, "2", "0")
			_, t = c.atPage("2")
			form = t.at.String()
			t.enter(cardFunds)
			c.open(form).shows("Insufficient funds")
			_, t = c.atPage("3")
			c.clock.move(20 * time.Minute)
			c.open(t.at.String()).shows("has run out")
			t.enter(cardPaid).shows("has run out")
		}},
	{"document 3, States and transitions",
		"the page leads to the ACS and from there to the shop", func(c *client) {
			for card, says := range map[string]string{cardSecure1: "1", cardSecure: "2", cardSoft: "3"} {
				id, t := c.atPage(says)
				t.enter(card)
				for range 2 { // rounds of the hidden frames, and the way to the ACS
					if !strings.Contains(t.page, "stand-in") {
						t.send()
					}
				}
				if card == cardSoft {
					t.send()
				}
				t.shows("stand-in").confirm().atShop("/back", id)
				c.ends(id, "2", "0")
			}
		}},
	{"document 3, 3-D Secure 2 sequence, steps 2 and 3",
		"the page runs the hidden frames itself", func(c *client) {
			id, t := c.atPage("1")
			t.enter(cardFrictionless).shows(`<iframe src="../../3ds/method?`).
				shows(`<iframe src="../../3ds/frame?`)
			_, frame, _ := strings.Cut(t.page, `<iframe src="../../3ds/frame?`)
			frame, _, _ = strings.Cut(frame, `"`)
			if inside := c.open(c.base + "/payment/3ds/frame?" + frame); inside.send().send().status != 200 {
				c.t.Error("the frame does not come to its end")
			}
			c.open(c.base + "/payment/3ds/frame?language=en").shows("no such authentication")
			c.open(t.at.String()).shows("<iframe") // the same after a reload
			t.send().atShop("/back", id)
			c.ends(id, "2", "0")
		}},
	{"document 3, States and transitions",
		"who comes back to the page from the ACS is led there again", func(c *client) {
			id, t := c.atPage("1")
			form := t.at.String()
			t.enter(cardSecure1)
			c.open(form).shows(`href="../../acsRedirect.do?orderId=` + id)
			c.post(form, "$PAN", cardPaid).shows("authenticating")
			c.ends(id, "5", "-100")
		}},
	{"document 3, Resources, Order",
		"what the shop sends is text on the page and not HTML", func(c *client) {
			_, t := c.atPage(`"><script>x()</script>`)
			if strings.Contains(t.page, "<script>x") {
				c.t.Error("an order number is HTML on the page")
			}
			t.enter(cardPaid, "$CVC", "", "TEXT", `"><b>x</b>`)
			if strings.Contains(t.page, "<b>x") {
				c.t.Error("a name is HTML on the page")
			}
		}},
	{"domain facts, Identifiers",
		"pages name no host, load nothing and are kept by nobody", func(c *client) {
			_, form := c.atPage("1")
			_, acs := c.challenged("2", cardSecure)
			for _, t := range []*tab{form, acs} {
				if strings.Contains(t.page, "http://") || strings.Contains(t.page, "src=") {
					c.t.Errorf("the page at %s names an address", t.at.Path)
				}
				c.like(answer{body: `{"v":"` + t.header.Get("Content-Security-Policy") + `"}`}, "v",
					"default-src 'none'; .*script-src 'sha256-[^ ]+'")
				c.same("Cache-Control", t.header.Get("Cache-Control"), "no-store")
			}
		}},
	{"domain facts, Codes",
		"a page for an unknown order, language or merchant is none", func(c *client) {
			c.open(c.base + "/payment/merchants/sandbox-api/payment_en.html?mdOrder=x").
				shows("Unregistered orderId")
			for _, path := range []string{"sandbox-api/payment_de.html", "other/payment_en.html",
				"payment_en.html", "sandbox-api/"} {
				if t := c.open(c.base + "/payment/merchants/" + path); t.status != 404 {
					c.t.Errorf("%s answers %d", path, t.status)
				}
			}
		}},
}

// sealed makes a seToken as SDKs do, with the key that the gateway publishes.
func (c *client) sealed(parts ...string) string {
	c.t.Helper()
	a := c.send("GET", "/payment/se/keys.do", "")
	block, _ := pem.Decode([]byte(a.get("keys.0.keyValue")))
	if block == nil {
		c.t.Fatal("the key is not PEM")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		c.t.Fatal("the key cannot be read")
	}
	plain := []byte(strings.Join(parts, "/"))
	//lint:ignore SA1019 the padding of the SDKs
	raw, err := rsa.EncryptPKCS1v15(rand.Reader, key.(*rsa.PublicKey), plain)
	if err != nil {
		c.t.Fatal("the token cannot be sealed")
	}
	return base64.StdEncoding.EncodeToString(raw)
}

const tokenUUID = "0f8fad5b-d9cb-469f-a165-70867728950e"

// stamp is a time as SDKs write it, some minutes from now.
func (c *client) stamp(minutes int) string {
	at := c.clock.now().Add(time.Duration(minutes) * time.Minute)
	return at.Format("2006-01-02T15:04:05-07:00")
}

func (c *client) payToken(id, token string, pairs ...string) answer {
	c.t.Helper()
	return c.gateway("paymentorder.do", append([]string{"MDORDER", id, "seToken", token,
		"TEXT", "Test Person", "language", "en"}, pairs...)...)
}

var gwTokenClaims = []claim{
	{"document 3, What the service does",
		"a seToken takes the place of the card data", func(c *client) {
			id := c.register("1").get("orderId")
			token := c.sealed(c.stamp(0), tokenUUID, cardPaid, "123", "203012", id)
			c.is(c.payToken(id, token), "errorCode", "0")
			c.ends(id, "2", "0")
			c.is(c.orderStatus(id), "cardAuthInfo.maskedPan", `"411111**1111"`)
			id = c.register("2").get("orderId")
			token = c.sealed(c.stamp(0), tokenUUID, cardFunds, "123", "203012", id)
			c.payToken(id, token, "$PAN", cardPaid)
			c.ends(id, "6", "116")
		}},
	{"domain facts, Signing",
		"a seToken is of one order and of now", func(c *client) {
			id, other := c.register("1").get("orderId"), c.register("2").get("orderId")
			card := []string{cardPaid, "123", "203012"}
			for name, parts := range map[string][]string{
				"another order": {c.stamp(0), tokenUUID, card[0], card[1], card[2], other},
				"too old":       {c.stamp(-20), tokenUUID, card[0], card[1], card[2], id},
				"in the future": {c.stamp(5), tokenUUID, card[0], card[1], card[2], id},
				"no time":       {"now", tokenUUID, card[0], card[1], card[2], id},
				"no uuid":       {c.stamp(0), "1", card[0], card[1], card[2], id},
				"four parts":    {c.stamp(0), tokenUUID, card[0], id},
			} {
				if got := c.payToken(id, c.sealed(parts...)).get("errorCode"); got != "5" {
					c.t.Errorf("%s: errorCode is %s, want 5", name, got)
				}
			}
			for _, token := range []string{"AAAA", "?", strings.Repeat("A", 8196)} {
				c.is(c.payToken(id, token), "errorCode", "5")
			}
			c.ends(id, "0", "-100")
		}},
	{"domain facts, Codes",
		"card data inside a seToken is checked like any", func(c *client) {
			id := c.register("1").get("orderId")
			pay := func(pan, cvc, expiry string) answer {
				return c.payToken(id, c.sealed(c.stamp(0), tokenUUID, pan, cvc, expiry, id))
			}
			c.is(pay("4111", "123", "203012"), "errorCode", "1")
			c.is(pay(cardPaid, "123", "203013"), "errorCode", "1")
			c.is(pay(cardPaid, "", "203012"), "errorCode", "4")
			token := c.sealed(c.stamp(0), tokenUUID, cardPaid, "203012", id)
			c.is(c.payToken(id, token), "errorCode", "4") // without a CVC, as in P2P calls
			c.ends(id, "0", "-100")
		}},
}
