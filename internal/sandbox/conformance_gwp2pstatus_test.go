package sandbox_test

import (
	"github.com/tidwall/gjson"
)

var gwP2PStatusClaims = []claim{
	{"document 3, verifyP2P.do",
		"the fee comes in a list, amount and currency", func(c *client) {
			id := c.registerOCT("1", object{"amount": 1501})
			a := c.p2pFee(id)
			c.fields(a, "@this", "errorCode", "errorMessage", "feeDescriptionList")
			c.is(a, "errorCode", "0")
			c.fields(a, "feeDescriptionList.0", "feeAmount", "feeCurrency", "feeDescription")
			c.is(a, "feeDescriptionList.0.feeAmount", "16")
			c.is(a, "feeDescriptionList.0.feeCurrency", `"978"`)
			c.like(a, "feeDescriptionList.0.feeDescription", ".+")
		}},
	{"document 3, verifyP2P.do, amount",
		"the payer may change the amount; asking changes nothing", func(c *client) {
			id := c.registerOCT("1")
			a := c.p2pFee(id, object{"amount": "5000"})
			c.is(a, "feeDescriptionList.0.feeAmount", "50")
			c.is(c.p2pStatus(id), "amount", "1500")
			for _, amount := range []any{"0", "-5", "1.5", "1234567890123", true} {
				c.is(c.p2pFee(id, object{"amount": amount}), "errorCode", "5")
			}
			c.is(c.p2pFee(id, object{"amount": ""}), "errorCode", "0")
		}},
	{"document 3, verifyP2P.do",
		"orderId and toCard are mandatory", func(c *client) {
			id := c.registerOCT("1")
			for _, name := range []string{"orderId", "toCard"} {
				c.is(c.p2pFee(id, object{name: nil}), "errorCode", "4")
			}
			more := object{"billingPayerData": object{"billingCity": chars(51)}}
			c.is(c.p2pFee(id, more), "errorCode", "5")
			c.oct(id, cardPayee)
			c.is(c.p2pFee(id), "errorCode", "5") // it is paid
		}},
	{"document 3, verifyP2PByBinding.do",
		"the fee stands in the answer and, as in the example, in a list", func(c *client) {
			bound := c.storedCard("7", cardPayee)
			id := c.registerOCT("1", object{"clientId": "7"})
			a := c.p2p("verifyP2PByBinding.do", object{"orderId": id,
				"toCard": object{"bindingId": bound}})
			c.is(a, "errorCode", "0")
			c.is(a, "feeAmount", "15")
			c.is(a, "feeCurrency", `"978"`)
			c.same("list", gjson.Get(a.body, "feeDescriptionList.0.feeAmount").Raw, "15")
			a = c.p2p("verifyP2PByBinding.do", object{"orderId": id, "toCard": toCard(cardPayee)})
			c.is(a, "feeAmount", "15")
		}},
	{"domain facts, Order status",
		"the order status shows what the transfer cost beside its amount", func(c *client) {
			id := c.registerP2P("1").get("orderId")
			c.is(c.orderStatus(id), "paymentAmountInfo.feeAmount", "0")
			c.move(id, cardPaid, cardPayee)
			c.is(c.orderStatus(id), "paymentAmountInfo.feeAmount", "15")
			c.is(c.orderStatus(id), "paymentAmountInfo.totalAmount", "1500")
		}},
	{"document 3, getP2PStatus.do",
		"an order is found by either number", func(c *client) {
			id := c.registerP2P("1").get("orderId")
			for _, by := range []object{{"orderId": id}, {"orderNumber": "1"}} {
				c.is(c.p2p("getP2PStatus.do", by), "orderNumber", `"1"`)
			}
			a := c.p2p("getP2PStatus.do", object{})
			c.is(a, "errorCode", "1")
			c.is(a, "resultCode", "-100")
		}},
	{"document 3, getP2PStatus.do",
		"orderStatus is absent if the order is not found, resultCode is not", func(c *client) {
			a := c.p2pStatus("none")
			c.fields(a, "@this", "errorCode", "errorMessage", "resultCode")
			c.is(a, "errorCode", "6")
			for _, a := range []answer{
				c.p2pStatus(chars(37)),
				c.p2pStatus("none", object{"password": "wrong"}),
				c.p2pStatus("none", object{"language": "xx"}),
			} {
				c.fields(a, "@this", "errorCode", "errorMessage", "resultCode")
				c.is(a, "errorCode", "5")
				c.is(a, "resultCode", "-100")
			}
		}},
	{"document 3, getP2PStatus.do",
		"an order shows what is known of it, in the types of the table", p2pStatusFields},
	{"document 3, getP2PStatus.do, operationList",
		"an operation has the types and lengths of the table", p2pOperationFields},
	{"document 3, Versioning",
		"the binding is returned from version 3 on", func(c *client) {
			bound := c.storedCard("7", cardPaid)
			id := c.registerP2P("1", object{"clientId": "7", "bindingId": bound}).get("orderId")
			c.is(c.p2p("performP2PByBinding.do", object{"orderId": id,
				"toCard": toCard(cardPayee)}), "errorCode", "0")
			for version, want := range map[any]string{nil: "", 2: "", 3: bound, "4": bound} {
				a := c.p2pStatus(id, object{"version": version})
				if a.get("binding") != want {
					c.t.Errorf("version %v tells another binding", version)
				}
			}
			c.is(c.p2pStatus(id, object{"version": "x"}), "errorCode", "5")
		}},
}

// p2pFee asks for the fee of a transfer.
func (c *client) p2pFee(id string, more ...object) answer {
	c.t.Helper()
	return c.p2p("verifyP2P.do", object{"orderId": id, "toCard": toCard(cardPayee)}, more...)
}

func p2pStatusFields(c *client) {
	id := c.registerP2P("1", object{"orderDescription": "two words"}).get("orderId")
	a := c.p2pStatus(id)
	c.fields(a, "@this", "errorCode", "errorMessage", "orderStatus", "orderNumber", "amount",
		"currency", "creationDate", "orderDescription", "resultCode", "orderParams",
		"operationList")
	c.is(a, "orderStatus", "0")
	c.is(a, "resultCode", "-100")
	c.move(id, cardPaid, cardPayee, object{"ip": "192.0.2.1"})
	a = c.p2pStatus(id)
	c.fields(a, "@this", "errorCode", "errorMessage", "orderStatus", "orderNumber",
		"panMaskedFrom", "panMaskedTo", "amount", "currency", "creationDate",
		"orderDescription", "ip", "resultCode", "orderParams", "operationList")
	for path, want := range map[string]string{
		"errorCode": "0", "errorMessage": `"Successful"`, "orderStatus": "2",
		"panMaskedFrom": `"411111**1111"`, "panMaskedTo": `"424242**4242"`, "amount": "1500",
		"currency": `"978"`, "orderDescription": `"two words"`, "ip": `"192.0.2.1"`,
		"resultCode": "0", "orderParams": "[]",
	} {
		if got := gjson.Get(a.body, path).Raw; got != want {
			c.t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	c.like(a, "creationDate", `[0-9]{13}`)
	if gjson.Get(a.body, "creationDate").Type != gjson.Number {
		c.t.Error("creationDate is not a number")
	}
}

func p2pOperationFields(c *client) {
	id := c.registerP2P("1").get("orderId")
	c.move(id, cardPaid, cardPayee)
	a := c.p2pStatus(id)
	for i, card := range []string{"411111**1111", "424242**4242"} {
		one := answer{body: gjson.Get(a.body, "operationList").Array()[i].Raw}
		c.fields(one, "@this", "operationType", "amount", "currency", "datetime", "resultCode",
			"maskedPan", "cardholderName", "approvalCode", "refNum")
		c.is(one, "amount", "1500")
		c.is(one, "currency", `"978"`)
		c.is(one, "resultCode", `"0"`)
		c.same("maskedPan", one.get("maskedPan"), card)
		c.like(one, "approvalCode", `[0-9A-Z]{6}`)
		c.like(one, "refNum", `[0-9]{12}`)
		if gjson.Get(one.body, "datetime").Type != gjson.String {
			c.t.Error("datetime is not a text")
		}
	}
	c.same("refNum", a.get("operationList.0.refNum"), c.orderStatus(id).get("authRefNum"))
	c.differ("refNum", a.get("operationList.0.refNum"), a.get("operationList.1.refNum"))
	id = c.registerOCT("2")
	c.oct(id, cardNoPayee)
	a = c.p2pStatus(id)
	c.is(a, "operationList.0.resultCode", `"120"`)
	c.like(a, "operationList.0.resultCodeDescription", ".{1,512}")
	c.is(a, "operationList.0.approvalCode", "")
}
