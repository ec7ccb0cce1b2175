package sandbox_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/xml"
	"io"

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
