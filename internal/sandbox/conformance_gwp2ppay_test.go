package sandbox_test

import (
	"fmt"
	"net/url"
)

var gwP2PPayClaims = []claim{
	{"document 3, Card-to-card and OCT",
		"an OCT has the destination card alone", func(c *client) {
			id := c.registerOCT("1")
			c.is(c.oct(id, cardPayee, object{"fromCard": fromCard(cardPaid)}), "errorCode", "5")
			a := c.oct(id, cardPayee)
			c.fields(a, "@this", "errorCode", "errorMessage", "info", "redirect", "is3DSVer2")
			c.is(a, "errorCode", "0")
			c.is(a, "errorMessage", `"Successful"`)
			c.is(a, "is3DSVer2", "false")
			c.is(c.p2pStatus(id), "orderStatus", "2")
		}},
	{"document 3, Card-to-card and OCT",
		"the browser goes to returnUrl or failUrl with orderId and lang", func(c *client) {
			for to, page := range map[string]string{cardPayee: "back", cardLostPayee: "sorry"} {
				id := c.registerOCT(page, object{"failUrl": "https://shop.example/sorry"})
				u, err := url.Parse(c.oct(id, to).get("redirect"))
				if err != nil {
					c.t.Fatal(err)
				}
				c.same("page", u.Path, "/"+page)
				c.same("orderId", u.Query().Get("orderId"), id)
				c.same("lang", u.Query().Get("lang"), "en")
			}
		}},
	{"document 3, performP2P.do, type",
		"WITHOUT_FROM_CARD is for orders with one card, and may be left out", func(c *client) {
			two := c.registerP2P("1").get("orderId")
			c.is(c.oct(two, cardPayee), "errorCode", "5")
			one := c.registerOCT("2")
			c.is(c.oct(one, cardPayee, object{"type": "NO_SUCH"}), "errorCode", "5")
			c.is(c.oct(one, cardPayee, object{"type": nil}), "errorCode", "0")
		}},
	{"document 3, Card-to-card and OCT",
		"a transfer between two cards needs both", func(c *client) {
			id := c.registerP2P("1").get("orderId")
			c.is(c.move(id, cardPaid, cardPayee, object{"fromCard": nil}), "errorCode", "4")
			c.is(c.move(id, cardPaid, cardPayee, object{"toCard": nil}), "errorCode", "4")
			card := fromCard(cardPaid)
			delete(card, "cvc")
			c.is(c.move(id, "", cardPayee, object{"fromCard": card}), "errorCode", "4")
			card = object{"pan": cardPaid, "cvc": "123"}
			c.is(c.move(id, "", cardPayee, object{"fromCard": card}), "errorCode", "4")
			c.is(c.move(id, cardPaid, cardPayee), "errorCode", "0")
			c.is(c.move(id, cardPaid, cardPayee), "errorCode", "5")
		}},
	{"document 3, verifyP2P.do, toCard", "a card has lengths and formats", p2pCards},
	{"domain facts, Codes",
		"an unknown orderId is errorCode 6, and so is an order that is no transfer",
		func(c *client) {
			for _, id := range []string{"none", c.register("1").get("orderId")} {
				c.is(c.oct(id, cardPayee), "errorCode", "6")
				c.is(c.p2pFee(id), "errorCode", "6")
				c.is(c.p2pStatus(id), "errorCode", "6")
			}
		}},
	{"document 3, Card-to-card and OCT",
		"an order for a transfer is paid by a transfer", func(c *client) {
			id := c.registerP2P("1").get("orderId")
			c.is(c.pay(id, cardPaid), "errorCode", "5")
			c.is(c.p2pStatus(id), "orderStatus", "0")
		}},
	{"domain facts, Codes",
		"both cards choose the outcome", func(c *client) {
			for n, row := range []struct{ from, to, status, code, operations string }{
				{cardPaid, cardPayee, "2", "0", `["AFT","OCT"]`},
				{cardFunds, cardPayee, "6", "116", `["AFT"]`},
				{cardUnknown, cardPayee, "6", "111", `["AFT"]`},
				{cardPaid, cardLostPayee, "6", "208", `["AFT","OCT"]`},
				{cardPaid, cardOldPayee, "6", "101", `["AFT","OCT"]`},
				{cardPaid, cardFunds, "2", "0", `["AFT","OCT"]`}, // receiving takes no funds
				{"", cardPayee, "2", "0", `["OCT"]`},
				{"", cardNoPayee, "6", "120", `["OCT"]`},
				{"", cardUnknown, "6", "111", `["OCT"]`},
				{"", cardSecure, "2", "0", `["OCT"]`}, // nobody authenticates
			} {
				number := fmt.Sprint(n)
				if row.from == "" {
					c.is(c.oct(c.registerOCT(number), row.to), "errorCode", "0")
				} else {
					id := c.registerP2P(number).get("orderId")
					c.is(c.move(id, row.from, row.to), "errorCode", "0")
				}
				a := c.p2p("getP2PStatus.do", object{"orderNumber": number})
				c.is(a, "orderStatus", row.status)
				c.is(a, "resultCode", row.code)
				c.is(a, "operationList.#.operationType", row.operations)
			}
		}},
	{"document 3, performP2P.do, ip and others", "lengths and formats are kept", p2pPerform},
	{"document 3, performP2P.do, threeDSSDK",
		"the fields of an SDK are required for an SDK", func(c *client) {
			sdk := object{"threeDSSDK": true}
			id := c.registerOCT("1")
			for _, name := range []string{"EncData", "ReferenceNumber", "EphemPubKey", "AppId",
				"TransId"} {
				c.is(c.oct(id, cardPayee, sdk), "errorCode", "4")
				sdk["threeDSSDK"+name] = "x"
			}
			c.is(c.oct(id, cardPayee, sdk), "errorCode", "0")
		}},
	{"document 3, performP2P.do, amountInput",
		"it overrides the registered amount, and a number or a text will do", func(c *client) {
			for number, row := range map[string]struct {
				more object
				want string
			}{
				"none":   {object{}, "1500"},
				"empty":  {object{"amount": "", "amountInput": ""}, "1500"},
				"amount": {object{"amount": "700"}, "700"},
				"input":  {object{"amountInput": 800}, "800"},
				"both":   {object{"amount": "700", "amountInput": 800}, "800"},
				"text":   {object{"amountInput": "900"}, "900"},
			} {
				id := c.registerOCT(number)
				c.is(c.oct(id, cardPayee, row.more), "errorCode", "0")
				c.is(c.p2pStatus(id), "amount", row.want)
				c.is(c.p2pStatus(id), "operationList.0.amount", row.want)
				c.is(c.orderStatus(id), "paymentAmountInfo.depositedAmount", row.want)
			}
		}},
	{"document 3, performP2P.do, amountInput",
		"a transfer that is refused leaves the amount alone", func(c *client) {
			id := c.registerOCT("1")
			c.oct(id, cardPayee)
			c.is(c.oct(id, cardPayee, object{"amountInput": 1}), "errorCode", "5")
			c.is(c.p2pStatus(id), "amount", "1500")
		}},
}

func p2pCards(c *client) {
	id := c.registerOCT("1")
	for field, values := range map[string][]any{
		"pan":             {cardPayee[:15] + "3", "4242", "card", cardPayee + "0000"},
		"expirationYear":  {1999, 2201, 30, "x"},
		"expirationMonth": {0, 13, "x", 1.5},
		"cardholderName":  {chars(27)},
	} {
		for _, value := range values {
			card := toCard(cardPayee)
			card[field] = value
			want := "1" // domain facts, Codes: bad card number or expiry
			if field == "cardholderName" {
				want = "5"
			}
			for _, op := range []string{"verifyP2P.do", "verifyP2PByBinding.do", "performP2P.do",
				"performP2PByBinding.do"} {
				a := c.p2p(op, object{"orderId": id, "toCard": card})
				c.is(a, "errorCode", want)
			}
		}
	}
	// All but the number is optional; the two halves of an expiry come together.
	c.is(c.oct(id, "", object{"toCard": object{"expirationYear": 2030}}), "errorCode", "4")
	c.is(c.oct(id, "", object{"toCard": object{"pan": cardPayee, "expirationYear": 2030}}),
		"errorCode", "1")
	c.is(c.oct(id, "", object{"toCard": object{"pan": cardPayee}}), "errorCode", "0")
}

func p2pPerform(c *client) {
	id := c.registerOCT("1")
	long := "https://shop.example/" + chars(500)
	for name, values := range map[string][]any{
		"orderId":                      {chars(37)},
		"ip":                           {chars(40), "not an address", object{}},
		"email":                        {chars(41)},
		"amount":                       {"0", "-1", "1.5", "1234567890123"},
		"amountInput":                  {0, -1, 1.5, 1234567890123, "x"},
		"tii":                          {"X"},
		"threeDSSDK":                   {"yes", 1},
		"bindingNotNeeded":             {"yes", 1},
		"threeDSMethodNotificationUrl": {"/back", long},
		"threeDSServerTransId":         {chars(37)},
		"threeDSVer2FinishUrl":         {"/back", long},
		"threeDSVer2MdOrder":           {chars(37)},
		"params":                       {"a"},
		"shippingPayerData":            {object{"shippingCity": chars(51)}},
		"toCard":                       {"a", []any{}},
	} {
		for _, value := range values {
			a := c.oct(id, cardPayee, object{name: value})
			if code := a.get("errorCode"); code != "5" {
				c.t.Errorf("a wrong %s is errorCode %s", name, code)
			}
		}
	}
	c.is(c.oct(id, cardPayee, object{"orderId": nil}), "errorCode", "4")
	c.is(c.oct(id, cardPayee, object{"ip": "2001:db8::1", "email": "a@b.example"}),
		"errorCode", "0")
	c.is(c.p2pStatus(id), "ip", `"2001:db8::1"`)
}
