package sandbox_test

import (
	"net/url"
	"strings"
)

const uuid7 = `[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{4}00c4a1e5`

var gatewayClaims = []claim{
	{"document 3, register.do",
		"the answer is orderId and formUrl, without an errorCode", func(c *client) {
			c.fields(c.register("1"), "@this", "orderId", "formUrl")
		}},
	{"domain facts, Identifiers",
		"orderId is UUID-shaped, version 7, with a constant end", func(c *client) {
			c.like(c.register("1"), "orderId", uuid7)
			c.like(c.register("2"), "orderId", uuid7)
		}},
	{"domain facts, Identifiers",
		"formUrl carries the orderId as mdOrder, on the host called", func(c *client) {
			a := c.register("1")
			want := c.base + "/payment/merchants/sandbox-api/payment_en.html?mdOrder=" + a.get("orderId")
			c.same("formUrl", a.get("formUrl"), want)
		}},
	{"domain facts, On the wire",
		"answers are 200 text/plain with UTF-8, JSON inside", func(c *client) {
			for _, a := range []answer{c.register("1"), c.register("1"), c.orderStatus("none")} {
				c.code(a, 200)
				c.same("Content-Type", a.header.Get("Content-Type"), "text/plain;charset=UTF-8")
			}
		}},
	{"domain facts, On the wire",
		"an unknown endpoint is 404 with HTML", func(c *client) {
			a := c.gateway("nothing.do")
			c.code(a, 404)
			c.same("Content-Type", a.header.Get("Content-Type"), "text/html;charset=utf-8")
		}},
	{"domain facts, On the wire",
		"endpoint names are case sensitive", func(c *client) {
			c.code(c.gateway("Register.do"), 404)
		}},
	{"domain facts, On the wire",
		"a call comes in five forms", fiveForms},
	{"domain facts, On the wire",
		"a space is + or %20", func(c *client) {
			query := "/payment/rest/register.do?" + form("amount", "1", "returnUrl", "https://a.example")
			for number, text := range map[string]string{"1": "two+words", "2": "two%20words"} {
				id := c.send("GET", query+"&orderNumber="+number+"&description="+text, "").get("orderId")
				c.is(c.orderStatus(id), "orderDescription", `"two words"`)
			}
		}},
	{"document 3, Resources, Order",
		"orderNumber is unique; a second use is errorCode 1, a string", func(c *client) {
			c.register("1")
			a := c.register("1")
			c.is(a, "errorCode", `"1"`)
			c.is(a, "orderId", "")
		}},
	{"domain facts, Codes",
		"a missing parameter is errorCode 4", func(c *client) {
			c.is(c.register("1", "amount", ""), "errorCode", `"4"`)
			c.is(c.register("1", "returnUrl", ""), "errorCode", `"4"`)
			c.is(c.pay("", cardPaid), "errorCode", "4")
			c.is(c.pay("x", ""), "errorCode", "4")
			c.is(c.pay("x", cardPaid, "$CVC", ""), "errorCode", "4")
			c.is(c.pay("x", cardPaid, "$EXPIRY", ""), "errorCode", "4")
			c.is(c.gateway("getBindings.do"), "errorCode", `"4"`)
		}},
	{"domain facts, Codes",
		"wrong or absent credentials are errorCode 5", func(c *client) {
			c.is(c.register("1", "password", "wrong"), "errorCode", `"5"`)
			c.is(c.register("1", "userName", ""), "errorCode", `"5"`)
			c.is(c.pay("x", cardPaid, "password", ""), "errorCode", "5")
			c.is(c.gateway("getBindings.do", "userName", "other"), "errorCode", `"5"`)
		}},
	{"domain facts, Codes",
		"a wrong value is errorCode 5", func(c *client) {
			for _, pair := range [][2]string{
				{"amount", "12.50"}, {"amount", "0"}, {"amount", "-5"}, {"amount", "1234567890123"},
				{"returnUrl", "shop.example/back"}, {"failUrl", "/back"}, {"language", "xx"},
				{"language", "ENG"},
				{"returnUrl", "https://shop.example/" + strings.Repeat("a", 500)},
				{"description", strings.Repeat("a", 601)}, {"jsonParams", "{"},
				{"orderNumber", strings.Repeat("1", 37)},
			} {
				c.is(c.register("1", pair[0], pair[1]), "errorCode", `"5"`)
			}
		}},
	{"domain facts, Codes",
		"an unknown currency is errorCode 3", func(c *client) {
			c.is(c.register("1", "currency", "999"), "errorCode", `"3"`)
			c.is(c.register("1", "currency", "EUR"), "errorCode", `"3"`)
		}},
	{"domain facts, Codes",
		"invalid features are errorCode 14", func(c *client) {
			c.is(c.register("1", "features", "NO_SUCH"), "errorCode", `"14"`)
		}},
	{"domain facts, Codes",
		"an unknown orderId is errorCode 6", func(c *client) {
			c.is(c.orderStatus("none"), "errorCode", `"6"`)
			c.is(c.pay("none", cardPaid), "errorCode", "6")
			c.is(c.gateway("getOrderStatusExtended.do", "orderNumber", "none"), "errorCode", `"6"`)
		}},
	{"domain facts, Codes",
		"a status call without orderId and orderNumber is errorCode 1", func(c *client) {
			c.is(c.gateway("getOrderStatusExtended.do"), "errorCode", `"1"`)
		}},
	{"domain facts, Codes",
		"a bad card number or expiry is errorCode 1", func(c *client) {
			id := c.register("1").get("orderId")
			for _, pair := range [][2]string{
				{"$PAN", cardPaid[:15] + "2"}, {"$PAN", "4111"}, {"$PAN", "card"}, {"$CVC", "12"},
				{"$EXPIRY", "203013"}, {"$EXPIRY", "2030"}, {"$EXPIRY", "190012"},
			} {
				c.is(c.pay(id, cardPaid, pair[0], pair[1]), "errorCode", "1")
			}
			c.is(c.orderStatus(id), "orderStatus", "0")
		}},
	{"domain facts, Codes",
		"paying an order that is paid or declined is errorCode 5", func(c *client) {
			c.is(c.pay(c.order("1", cardPaid), cardPaid), "errorCode", "5")
			c.is(c.pay(c.order("2", cardFunds), cardPaid), "errorCode", "5")
		}},
	{"domain facts, On the wire",
		"errorMessage follows language, and Russian is not ASCII", func(c *client) {
			c.like(c.register("1", "amount", "", "language", "en"), "errorMessage", `[ -~]+`)
			c.like(c.register("1", "amount", "", "language", "EN"), "errorMessage", `[ -~]+`)
			c.like(c.register("1", "amount", "", "language", "ru"), "errorMessage", `\p{Cyrillic}.+`)
			c.like(c.orderStatus(c.register("2").get("orderId")), "errorMessage", "Successful")
		}},
	{"domain facts, On the wire",
		"paymentorder.do answers errorCode as a number, info, redirect", func(c *client) {
			a := c.pay(c.register("1").get("orderId"), cardPaid)
			c.fields(a, "@this", "errorCode", "info", "redirect")
			c.is(a, "errorCode", "0")
		}},
	{"document 3, paymentorder.do",
		"the expiry may be YYYY and MM", func(c *client) {
			id := c.register("1").get("orderId")
			c.is(c.pay(id, cardPaid, "$EXPIRY", "", "YYYY", "2030", "MM", "12"), "errorCode", "0")
			c.is(c.orderStatus(id), "cardAuthInfo.expiration", `"203012"`)
		}},
	{"document 3, Transaction initiator indicator",
		"a merchant-initiated payment has no CVC", func(c *client) {
			id := c.register("1", "clientId", "7").get("orderId")
			c.is(c.pay(id, cardPaid, "tii", "X"), "errorCode", "5")
			c.is(c.pay(id, cardPaid, "tii", "U"), "errorCode", "5")
			c.is(c.pay(id, cardPaid, "$CVC", "", "tii", "U"), "errorCode", "0")
		}},
	{"document 3, States and transitions",
		"the shop's address is opened with orderId and lang", func(c *client) {
			for number, shop := range map[string]string{
				"1": "https://shop.example/back", "2": "https://shop.example/back?a=b#part",
			} {
				id := c.register(number, "returnUrl", shop).get("orderId")
				u, err := url.Parse(c.pay(id, cardPaid).get("redirect"))
				if err != nil {
					c.t.Fatal(err)
				}
				c.same("orderId", u.Query().Get("orderId"), id)
				c.same("lang", u.Query().Get("lang"), "en")
				if number == "2" {
					c.same("query kept", u.Query().Get("a"), "b")
					c.same("fragment kept", u.Fragment, "part")
				}
			}
		}},
	{"domain facts, On the wire",
		"a declined payment answers errorCode 0; only the status tells", func(c *client) {
			id := c.register("1", "failUrl", "https://shop.example/sorry").get("orderId")
			a := c.pay(id, cardFunds)
			c.is(a, "errorCode", "0")
			c.like(a, "redirect", `https://shop\.example/sorry\?orderId=.*`)
			a = c.orderStatus(id)
			c.is(a, "orderStatus", "6")
			c.is(a, "actionCode", "116")
			c.is(a, "paymentAmountInfo.paymentState", `"DECLINED"`)
			c.is(a, "paymentAmountInfo.approvedAmount", "0")
			c.is(a, "authRefNum", "")
			c.is(a, "cardAuthInfo.approvalCode", "")
		}},
	{"domain facts, Codes",
		"the card chooses the outcome", outcomes},
	{"domain facts, Order status",
		"an order never paid is 0, actionCode -100, CREATED", func(c *client) {
			a := c.orderStatus(c.register("1").get("orderId"))
			c.is(a, "orderStatus", "0")
			c.is(a, "actionCode", "-100")
			c.is(a, "paymentAmountInfo.paymentState", `"CREATED"`)
			c.is(a, "cardAuthInfo", "")
			c.is(a, "depositedDate", "")
		}},
	{"domain facts, Order status",
		"a paid order shows the captured fields in their types", paidOrder},
	{"domain facts, Operations",
		"the status is found by orderNumber too", func(c *client) {
			id := c.order("77", cardPaid)
			a := c.gateway("getOrderStatusExtended.do", "orderNumber", "77", "language", "en")
			c.same("mdOrder", a.get("attributes.0.value"), id)
			c.register("78")
			both := c.gateway("getOrderStatusExtended.do", "orderId", id, "orderNumber", "78")
			c.is(both, "orderNumber", `"77"`)
		}},
	{"document 3, paymentorder.do",
		"jsonParams and their values come back in the status", func(c *client) {
			id := c.register("1", "jsonParams", `{"shop":"a"}`).get("orderId")
			c.pay(id, cardPaid, "jsonParams", `{"n":"b"}`)
			c.is(c.orderStatus(id), "merchantOrderParams",
				`[{"name":"shop","value":"a"},{"name":"n","value":"b"}]`)
		}},
	{"document 3, register.do",
		"orderNumber and currency may be left out", func(c *client) {
			a := c.orderStatus(c.register("", "currency", "").get("orderId"))
			c.like(a, "orderNumber", `\d{1,36}`)
			c.is(a, "currency", `"978"`)
		}},
	{"document 3, Limits",
		"an oversized or malformed body is an answer of the API", func(c *client) {
			path := "/payment/rest/paymentorder.do?" + form()
			c.is(c.send("POST", path, strings.Repeat("a", 1<<20+1)), "errorCode", "7")
			c.is(c.send("POST", path, `{"a":`), "errorCode", "7")
			c.code(c.send("DELETE", path, ""), 405)
		}},
}

// fiveForms registers and pays by each form that real clients use.
func fiveForms(c *client) {
	send := []func(op, params string) answer{
		func(op, params string) answer { return c.send("POST", op, params, "Content-Type", formType) },
		func(op, params string) answer {
			return c.send("POST", op+"?"+params, "", "Content-Type", "application/json")
		},
		func(op, params string) answer { return c.send("GET", op+"?"+params, "") },
		func(op, params string) answer { return c.send("GET", op, params, "Content-Type", formType) },
		func(op, params string) answer {
			return c.send("POST", op+"?"+params, "{}", "Content-Type", "application/json")
		},
	}
	for _, call := range send {
		for _, dollar := range []string{"%24", "$"} {
			registered := call("/payment/rest/register.do",
				form("amount", "100", "returnUrl", "https://shop.example"))
			params := form("MDORDER", registered.get("orderId"), "$PAN", cardPaid,
				"$CVC", "123", "$EXPIRY", "203012")
			params = strings.ReplaceAll(params, "%24", dollar)
			c.is(call("/payment/rest/paymentorder.do", params), "errorCode", "0")
			c.is(c.orderStatus(registered.get("orderId")), "orderStatus", "2")
		}
	}
}

func outcomes(c *client) {
	for card, action := range map[string]string{
		"400000" + "1111111118": "0",
		cardPaid:                "0",
		cardPaid2:               "0",
		"401200" + "1038166662": "0",
		cardFunds:               "116",
		"400000" + "0000000069": "101",
		"400000" + "0000000002": "120",
		"400000" + "0000009987": "208",
		"400000" + "0000009979": "209",
		"400000" + "0000000127": "71015",
		cardUnknown:             "111",
	} {
		c.is(c.orderStatus(c.order(card[6:], card)), "actionCode", action)
	}
	id := c.register("past").get("orderId")
	c.is(c.pay(id, cardPaid, "$EXPIRY", "202602"), "errorCode", "0")
	c.is(c.orderStatus(id), "actionCode", "101")
}

func paidOrder(c *client) {
	id := c.order("1", cardPaid, "description", "Socks", "email", "a@shop.example")
	a := c.orderStatus(id)
	c.fields(a, "@this", "errorCode", "errorMessage", "orderNumber", "orderStatus", "actionCode",
		"actionCodeDescription", "amount", "currency", "date", "depositedDate", "orderDescription",
		"ip", "merchantOrderParams", "transactionAttributes", "attributes", "cardAuthInfo",
		"authDateTime", "terminalId", "authRefNum", "paymentAmountInfo", "bankInfo", "payerData",
		"chargeback", "paymentWay")
	c.fields(a, "cardAuthInfo", "maskedPan", "expiration", "cardholderName", "approvalCode",
		"paymentSystem", "product", "secureAuthInfo", "pan")
	c.fields(a, "paymentAmountInfo", "paymentState", "approvedAmount", "depositedAmount",
		"refundedAmount", "feeAmount", "totalAmount")
	for path, raw := range map[string]string{
		"errorCode": `"0"`, "orderStatus": "2", "actionCode": "0", "amount": "1500",
		"currency": `"978"`, "date": "1773472830000", "depositedDate": "1773472830000",
		"authDateTime": "1773472830000", "chargeback": "false", "paymentWay": `"CARD"`,
		"cardAuthInfo.maskedPan": `"411111**1111"`, "cardAuthInfo.pan": `"411111**1111"`,
		"cardAuthInfo.expiration": `"203012"`, "cardAuthInfo.cardholderName": `"Test Person"`,
		"cardAuthInfo.secureAuthInfo.eci": "7", "paymentAmountInfo.paymentState": `"DEPOSITED"`,
		"paymentAmountInfo.approvedAmount": "1500", "paymentAmountInfo.depositedAmount": "1500",
		"attributes.0.name": `"mdOrder"`, "ip": `"127.0.0.1"`,
	} {
		c.is(a, path, raw)
	}
	c.like(a, "authRefNum", `\d{12}`)
	c.like(a, "cardAuthInfo.approvalCode", `\d{6}`)
	c.same("mdOrder", a.get("attributes.0.value"), id)
}
