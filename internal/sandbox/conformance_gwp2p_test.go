package sandbox_test

import (
	"strings"
	"time"
)

var gwP2PClaims = []claim{
	{"document 3, registerP2P.do",
		"the answer is errorCode, a number, errorMessage, formUrl and the two numbers",
		func(c *client) {
			a := c.registerP2P("1")
			c.fields(a, "@this", "errorCode", "errorMessage", "formUrl", "orderId", "orderNumber")
			c.is(a, "errorCode", "0")
			c.is(a, "errorMessage", `"Successful"`)
			c.is(a, "orderNumber", `"1"`)
			c.like(a, "orderId", uuid7)
			c.same("mdOrder of formUrl", a.get("formUrl"), c.base+
				"/payment/merchants/sandbox-api/payment_en.html?mdOrder="+a.get("orderId"))
		}},
	{"document 3, registerP2P.do",
		"formUrl is absent on registration errors, errorCode is a number", func(c *client) {
			a := c.registerP2P("1", object{"amount": nil})
			c.fields(a, "@this", "errorCode", "errorMessage")
			c.is(a, "errorCode", "4")
		}},
	{"document 3, registerP2P.do",
		"errorMessage follows language", func(c *client) {
			a := c.registerP2P("1", object{"language": "ru"})
			c.like(a, "errorMessage", `\p{Cyrillic}+`)
			c.is(c.registerP2P("2", object{"language": "xx"}), "errorCode", "5")
		}},
	{"document 3, registerP2P.do",
		"the mandatory fields are mandatory", func(c *client) {
			for _, name := range []string{"orderNumber", "amount", "currency", "returnUrl",
				"transactionTypeIndicator", "features"} {
				c.is(c.registerP2P("1", object{name: nil}), "errorCode", "4")
			}
			c.is(c.registerP2P("1", object{"orderNumber": ""}), "errorCode", "4")
		}},
	{"document 3, Card-to-card and OCT",
		"calls are JSON; what is none is errorCode 7", func(c *client) {
			for _, body := range []string{form("orderNumber", "1"), "", "[]", `{"amount":`} {
				a := c.send("POST", "/payment/rest/api/p2p/registerP2P.do", body)
				c.is(a, "errorCode", "7")
			}
		}},
	{"document 3, Authentication, 1",
		"username and password travel in the JSON", func(c *client) {
			for _, wrong := range []object{{"username": nil}, {"username": "other"},
				{"password": nil}, {"password": "wrong"}} {
				c.is(c.registerP2P("1", wrong), "errorCode", "5")
			}
		}},
	{"document 3, registerP2P.do",
		"orderNumber is unique, also among orders of register.do", func(c *client) {
			c.registerP2P("1")
			c.is(c.registerP2P("1"), "errorCode", "1")
			c.is(c.register("1"), "errorCode", `"1"`)
		}},
	{"document 3, registerP2P.do", "lengths and formats are kept", p2pFormats},
	{"document 3, registerP2P.do", "the longest values are taken", p2pLongest},
	{"document 3, registerP2P.do, shippingPayerData and others",
		"the objects about the payer have lengths and formats", p2pPayer},
	{"domain facts, Codes",
		"currency is digits that are known, else errorCode 3", func(c *client) {
			for _, currency := range []any{"EUR", "999", "97", "0978"} {
				c.is(c.registerP2P("1", object{"currency": currency}), "errorCode", "3")
			}
		}},
	{"domain facts, Codes",
		"features that are unknown or no {feature: list} are errorCode 14", func(c *client) {
			for _, features := range []any{"WITHOUT_FROM_CARD", []string{"WITHOUT_FROM_CARD"},
				object{"feature": "WITHOUT_FROM_CARD"}, object{"feature": []string{"NO_SUCH"}}} {
				c.is(c.registerP2P("1", object{"features": features}), "errorCode", "14")
			}
		}},
	{"document 3, registerP2P.do, merchantLogin",
		"only a merchant with a permission registers for another", func(c *client) {
			c.is(c.registerP2P("1", object{"merchantLogin": "sandbox-api"}), "errorCode", "0")
			c.is(c.registerP2P("2", object{"merchantLogin": "other"}), "errorCode", "5")
		}},
	{"document 3, registerP2P.do, sessionTimeoutSecs",
		"the order lives so long, 1200 s by default", func(c *client) {
			for _, life := range []struct {
				more    object
				seconds time.Duration
			}{
				{object{}, 1200},
				{object{"sessionTimeoutSecs": 60}, 60},
				{c.until(1350 * time.Second), 90}, // the others have taken 1260
			} {
				id := c.registerOCT(life.seconds.String(), life.more)
				c.clock.move((life.seconds - 1) * time.Second)
				c.is(c.p2pStatus(id), "orderStatus", "0")
				c.clock.move(time.Second)
				c.is(c.p2pStatus(id), "orderStatus", "6")
				c.is(c.p2pStatus(id), "resultCode", "-2007")
				c.is(c.oct(id, cardPayee), "errorCode", "5")
			}
		}},
	{"document 3, registerP2P.do, sessionTimeoutSecs",
		"it is ignored when an explicit expiry date is sent", func(c *client) {
			more := c.until(time.Hour)
			more["sessionTimeoutSecs"] = 1
			id := c.registerOCT("1", more)
			c.clock.move(time.Hour - time.Second)
			c.is(c.p2pStatus(id), "orderStatus", "0")
			c.is(c.registerP2P("2", c.until(-time.Second)), "errorCode", "5")
		}},
	{"document 3, registerP2P.do, dynamicCallbackUrl",
		"the payment of this order is told there", func(c *client) {
			c, static := c.callingBack(nil)
			own := newListener(c.t)
			id := c.registerOCT("1", object{"dynamicCallbackUrl": own.url})
			c.oct(id, cardPayee)
			c.same("mdOrder", own.next().get("mdOrder"), id)
			c.registerOCT("2", object{"sessionTimeoutSecs": 60})
			c.clock.move(time.Minute)
			c.p2p("getP2PStatus.do", object{"orderNumber": "2"})
			c.same("operation", static.next().get("operation"), "declinedByTimeout")
		}},
	{"document 3, registerP2P.do, params",
		"the pairs are stored with the order", func(c *client) {
			id := c.registerOCT("1", object{"params": []object{{"name": "a", "value": "1"}}})
			c.is(c.p2pStatus(id), "orderParams", `[{"name":"a","value":"1"}]`)
			c.oct(id, cardPayee, object{"params": []object{{"name": "b", "value": "2"}}})
			c.is(c.p2pStatus(id), "orderParams.#.name", `["a","b"]`)
			c.is(c.registerP2P("2", object{"params": []any{"a"}}), "errorCode", "5")
			c.is(c.registerP2P("2", object{"params": []object{{"value": "1"}}}), "errorCode", "4")
		}},
}

// until is a registration whose order expires after a while.
func (c *client) until(d time.Duration) object {
	return object{"sessionExpiredDate": c.clock.now().Add(d).Format("2006-01-02T15:04:05")}
}

func p2pFormats(c *client) {
	long := "https://shop.example/" + chars(500)
	for name, values := range map[string][]any{
		"orderNumber":        {chars(37), true, object{}, []any{}},
		"amount":             {0, -1, 1.5, "12.50", "x", 1234567890123, true, object{"a": 1}},
		"returnUrl":          {"shop.example/back", "/back", long},
		"failUrl":            {"/back", long},
		"orderDescription":   {chars(601), []any{}},
		"clientId":           {chars(256)},
		"merchantLogin":      {chars(256)},
		"dynamicCallbackUrl": {"/back", long},
		"sessionTimeoutSecs": {0, -1, 1.5, "x", 1234567890},
		"sessionExpiredDate": {"2030-01-01", "2030-01-01T10:00:00Z", "2030-02-30T10:00:00"},
		"bindingId":          {chars(256)},
		"creditBindingId":    {chars(256)},
		"debitMdOrder":       {chars(37)},
		"params":             {"a", object{}},
		"billingAndShippingAddressMatchIndicator": {"YN"},
		"shippingPayerData":                       {"a", []any{}},
	} {
		for _, value := range values {
			a := c.registerP2P("1", object{name: value})
			if code := a.get("errorCode"); code != "5" {
				c.t.Errorf("a wrong %s is errorCode %s", name, code)
			}
		}
	}
	c.is(c.registerP2P("1"), "errorCode", "0") // nothing of it was registered
}

func p2pLongest(c *client) {
	page := "https://shop.example/" + chars(512-len("https://shop.example/"))
	c.is(c.registerP2P(chars(36), object{
		"amount": "999999999999", "returnUrl": page, "failUrl": page, "dynamicCallbackUrl": page,
		"orderDescription": strings.Repeat("\u0416", 600), "clientId": chars(255),
		"transactionTypeIndicator": "W", "sessionTimeoutSecs": 999999999,
		"billingAndShippingAddressMatchIndicator": "Y",
	}), "errorCode", "0")
	// What may be empty counts as absent then.
	c.is(c.registerP2P("2", object{"clientId": "", "creditBindingId": "",
		"billingPayerData": object{"billingCity": "", "billingPostalCode": ""}}), "errorCode", "0")
}

func p2pPayer(c *client) {
	good := object{
		"shippingPayerData": object{"shippingCity": chars(50), "shippingPostalCode": chars(16),
			"shippingMethodIndicator": 1, "deliveryTimeframe": 99, "deliveryEmail": chars(254)},
		"preOrderPayerData": object{"preOrderDate": "20301231", "preOrderPurchaseInd": 1},
		"orderPayerData": object{"homePhone": "1234567", "workPhone": "+123456789012345",
			"mobilePhone": "00123456789012345"},
		"billingPayerData": object{"billingCountry": "DE", "billingState": "Nordrhein-Westfalen",
			"billingAddressLine1": chars(50), "billingPostalCode": chars(9)},
	}
	c.is(c.registerP2P("good", good), "errorCode", "0")
	for name, fields := range map[string]object{
		"shippingPayerData": {"shippingCity": chars(51), "shippingCountry": chars(51),
			"shippingAddressLine1": chars(51), "shippingAddressLine2": chars(51),
			"shippingAddressLine3": chars(51), "shippingPostalCode": chars(17),
			"shippingState": chars(51), "shippingMethodIndicator": 100,
			"deliveryTimeframe": "x", "deliveryEmail": chars(255)},
		"preOrderPayerData": {"preOrderDate": "2030-12-31", "preOrderPurchaseInd": 100,
			"reorderItemsInd": 1.5},
		"orderPayerData": {"homePhone": "123456", "workPhone": "+1234567890123456",
			"mobilePhone": "12-34-56-78"},
		"billingPayerData": {"billingCity": chars(51), "billingCountry": chars(51),
			"billingAddressLine1": chars(51), "billingAddressLine2": chars(51),
			"billingAddressLine3": chars(51), "billingPostalCode": chars(10),
			"billingState": "\u041c\u043e\u0441\u043a\u0432\u0430"},
	} {
		for field, value := range fields {
			a := c.registerP2P("1", object{name: object{field: value}})
			if a.get("errorCode") != "5" || !strings.HasSuffix(a.get("errorMessage"), field) {
				c.t.Errorf("a wrong %s is errorCode %s", field, a.get("errorCode"))
			}
		}
	}
}
