package sandbox_test

import (
	"strings"
	"time"
)

// statusObject are the fields of the order status object of a payment with a description.
var statusObject = []string{"errorCode", "orderNumber", "orderStatus", "actionCode",
	"actionCodeDescription", "amount", "currency", "date", "orderDescription",
	"merchantOrderParams", "transactionAttributes", "attributes", "cardAuthInfo", "bindingInfo",
	"authDateTime", "authRefNum", "paymentAmountInfo", "bankInfo", "chargeback", "operations"}

var gwRecurrentClaims = []claim{
	{"document 3, recurrentPayment.do",
		"the answer is success, data with orderId, and the order status", func(c *client) {
			bound := c.bind("R")
			a := c.recurrent(bound, "1", "")
			c.fields(a, "@this", "success", "data", "orderStatus")
			c.fields(a, "data", "orderId")
			c.is(a, "success", "true")
			c.like(a, "data.orderId", uuid7)
			c.paidStatus(a)
			c.same("mdOrder", a.get("orderStatus.attributes.0.value"), a.get("data.orderId"))
			c.same("bindingId", a.get("orderStatus.bindingInfo.bindingId"), bound)
		}},
	{"document 3, installmentPayment.do",
		"the answer is errorCode, errorMessage, orderId, order status, error", func(c *client) {
			bound := c.bind("I")
			a := c.instalment(bound, "1", "")
			c.fields(a, "@this", "errorCode", "errorMessage", "orderId", "orderStatus", "error")
			c.is(a, "errorCode", `"0"`)
			c.is(a, "errorMessage", `"Successful"`)
			c.is(a, "error", "false")
			c.like(a, "orderId", uuid7)
			c.paidStatus(a)
			c.same("mdOrder", a.get("orderStatus.attributes.0.value"), a.get("orderId"))
			c.same("bindingId", a.get("orderStatus.bindingInfo.bindingId"), bound)
		}},
	{"document 3, Resources, Order",
		"the order is an order like others", func(c *client) {
			a := c.recurrent(c.bind("R"), "77", "")
			status := c.orderStatus(a.get("data.orderId"))
			c.is(status, "orderNumber", `"77"`)
			c.is(status, "orderStatus", "2")
			c.same("authRefNum", status.get("authRefNum"), a.get("orderStatus.authRefNum"))
			c.is(c.register("77"), "errorCode", `"1"`)
		}},
	{"document 3, Bindings, rule 3",
		"each operation takes bindings of its own type", func(c *client) {
			ordinary, recurrent, instalment := c.bind("C"), c.bind("R"), c.bind("I")
			c.is(c.recurrent(ordinary, "1", ""), "errorCode", `"5"`)
			c.is(c.recurrent(instalment, "1", ""), "errorCode", `"5"`)
			c.is(c.instalment(ordinary, "1", ""), "errorCode", `"5"`)
			c.is(c.instalment(recurrent, "1", ""), "errorCode", `"5"`)
			c.is(c.gateway("getOrderStatusExtended.do", "orderNumber", "1"), "errorCode", `"6"`)
			c.is(c.recurrent(recurrent, "1", ""), "success", "true")
			c.is(c.instalment(instalment, "2", ""), "error", "false")
		}},
	{"domain facts, Codes",
		"a refusal is not success, with errorCode as a string", func(c *client) {
			a := c.recurrent("none", "1", "")
			c.fields(a, "@this", "success", "errorCode", "errorMessage")
			c.is(a, "success", "false")
			c.is(a, "errorCode", `"2"`)
			a = c.instalment("none", "1", "")
			c.fields(a, "@this", "errorCode", "errorMessage", "error")
			c.is(a, "error", "true")
			c.is(a, "errorCode", `"2"`)
		}},
	{"domain facts, Codes",
		"wrong parameters of a stored payment have their errorCode", func(c *client) {
			bound := c.bind("R")
			for more, code := range map[string]string{
				`,"password":"wrong"`:              `"5"`,
				`,"orderNumber":""`:                `"4"`,
				`,"bindingId":null,"bindingId":""`: `"4"`,
				`,"amount":""`:                     `"4"`,
				`,"amount":0`:                      `"5"`,
				`,"amount":12.5`:                   `"5"`,
				`,"amount":-1`:                     `"5"`,
				`,"amount":"1e3"`:                  `"5"`,
				`,"amount":true`:                   `"5"`,
				`,"currency":"999"`:                `"3"`,
				`,"language":"xx"`:                 `"5"`,
				`,"orderNumber":"` + strings.Repeat("1", 37) + `"`:  `"5"`,
				`,"description":"` + strings.Repeat("a", 601) + `"`: `"5"`,
				`,"additionalParameters":"a"`:                       `"5"`,
				`,"additionalParameters":[]`:                        `"5"`,
				`,"additionalParameters":{"a":{}}`:                  `"5"`,
				`,`:                                                 `"7"`,
			} {
				c.is(c.recurrent(bound, "1", more), "errorCode", code)
			}
			c.is(c.gateway("getOrderStatusExtended.do", "orderNumber", "1"), "errorCode", `"6"`)
		}},
	{"domain facts, Codes",
		"a stored payment that is sent again is errorCode 1", func(c *client) {
			bound := c.bind("R")
			c.recurrent(bound, "1", "")
			c.is(c.recurrent(bound, "1", ""), "errorCode", `"1"`)
		}},
	{"document 3, recurrentPayment.do",
		"additionalParameters are pairs that stay with the order", func(c *client) {
			a := c.recurrent(c.bind("R"), "1",
				`,"amount":"1500","additionalParameters":{"flat":"7","month":3},"features":"x"`)
			c.is(a, "orderStatus.merchantOrderParams",
				`[{"name":"flat","value":"7"},{"name":"month","value":"3"}]`)
			c.is(c.recurrent(c.bind("R"), "2", `,"additionalParameters":null`),
				"orderStatus.merchantOrderParams", "[]")
		}},
	{"document 3, recurrentPayment.do",
		"what is no parameter of a stored payment does not count", func(c *client) {
			a := c.recurrent(c.bind("R"), "1", `,"ip":"192.0.2.7","clientId":"8","tii":"CI",`+
				`"features":"FORCE_CREATE_BINDING","email":"a@shop.example"`)
			status := c.orderStatus(a.get("data.orderId"))
			c.is(status, "ip", `"127.0.0.1"`)
			c.is(status, "bindingInfo.clientId", `"7"`)
			c.is(status, "payerData", "")
			c.is(c.bindings("C"), "errorCode", `"2"`)
		}},
	{"document 3, Authentication, 1",
		"the credentials travel in the JSON body", func(c *client) {
			body := `{"bindingId":"x","orderNumber":"1","amount":1}`
			a := c.send("POST", "/payment/recurrentPayment.do?"+form(), body)
			c.is(a, "errorCode", `"5"`)
			c.is(a, "success", "false")
		}},
	{"domain facts, On the wire",
		"a declined stored payment is told by the order status alone", func(c *client) {
			bound := c.bind("R", "$EXPIRY", "202604")
			c.clock.move(60 * 24 * time.Hour)
			a := c.recurrent(bound, "1", "")
			c.is(a, "success", "true")
			c.is(a, "orderStatus.orderStatus", "6")
			c.is(a, "orderStatus.actionCode", "101")
			c.is(a, "orderStatus.paymentAmountInfo.paymentState", `"DECLINED"`)
			c.is(a, "orderStatus.operations", "[]")
		}},
	{"domain facts, Operations",
		"a binding that is switched off pays nothing", func(c *client) {
			for kind, pay := range map[string]func(id, number, more string) answer{
				"R": c.recurrent, "I": c.instalment,
			} {
				bound := c.bind(kind)
				c.gateway("unBindCard.do", "bindingId", bound)
				c.is(pay(bound, kind, ""), "errorCode", `"2"`)
			}
		}},
	{"document 3, Bindings, rule 1",
		"the terms of an instalment binding are kept and its payments counted", func(c *client) {
			bound := c.bind("I")
			c.bind("C")
			for _, number := range []string{"1", "2"} {
				c.is(c.instalment(bound, number, ""), "error", "false")
			}
			state := c.control("GET", "/state")
			c.is(state, "gateway.bindings.0.instalments.installments", "3")
			c.is(state, "gateway.bindings.0.instalments.totalInstallmentAmount", "4500")
			c.is(state, "gateway.bindings.0.instalments.paid", "2")
			c.is(state, "gateway.bindings.0.instalments.paidAmount", "3000")
			c.is(state, "gateway.bindings.0.active", "true")
			c.is(state, "gateway.bindings.1.instalments", "")
		}},
}

// paidStatus checks the order status object of a paid order of client 7.
func (c *client) paidStatus(a answer) {
	c.t.Helper()
	c.fields(a, "orderStatus", statusObject...)
	c.fields(a, "orderStatus.paymentAmountInfo", "paymentState", "approvedAmount",
		"depositedAmount", "refundedAmount", "totalAmount")
	c.fields(a, "orderStatus.operations.0", "amount", "cardHolder", "authCode")
	for path, raw := range map[string]string{
		"errorCode": `"0"`, "orderNumber": `"1"`, "orderStatus": "2", "actionCode": "0",
		"amount": "1500", "currency": `"978"`, "date": "1773472830000",
		"orderDescription": `"rent"`, "authDateTime": "1773472830000", "chargeback": "false",
		"cardAuthInfo.maskedPan": `"411111**1111"`, "cardAuthInfo.secureAuthInfo.eci": "7",
		"bindingInfo.clientId": `"7"`, "paymentAmountInfo.paymentState": `"DEPOSITED"`,
		"paymentAmountInfo.depositedAmount": "1500", "operations.#": "1",
		"operations.0.amount": "1500", "operations.0.cardHolder": `"Test Person"`,
	} {
		c.is(a, "orderStatus."+path, raw)
	}
	c.same("authCode", a.get("orderStatus.operations.0.authCode"),
		a.get("orderStatus.cardAuthInfo.approvalCode"))
}
