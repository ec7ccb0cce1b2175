package sandbox_test

import (
	"fmt"
	"strings"
	"time"
)

// buy is a debit at a terminal of a merchant.
func (c *client) buy(card, merchant, terminal string, amount int) answer {
	c.t.Helper()
	place := strings.NewReplacer("M0000001", merchant, "T0000001", terminal).Replace(where)
	return c.byNumber("debitCard", card, fmt.Sprintf(euros, amount)+place)
}

// rich is a card with money on it.
func (c *client) rich(customer string) string {
	c.t.Helper()
	card := c.card(customer)
	c.credit(card, 10_000)
	return card
}

// sales calls getMerchantTransactions of the first merchant of the table.
func (c *client) sales(more string) answer {
	c.t.Helper()
	return c.v1("getMerchantTransactions", `{"merchantId":"M0000001","institutionId":"1001"%s}`, more)
}

func (c *client) payOrders(merchant, period string) answer {
	c.t.Helper()
	return c.v1("getPaymentOrders", `{"merchantNumber":%q,"institutionId":"1001","period":%s}`,
		merchant, period)
}

var v1MerchantClaims = []claim{
	{"document 1, getMerchantTransactions",
		"an item has the documented fields, and they are those of the debit", func(c *client) {
			card := c.rich("1")
			bought := c.buy(card, "M0000001", "T0000001", 70)
			a := c.sales(`,"period":{"start":"2026-03-14","end":"2026-03-14"}`)
			c.fields(a, "@this", "transactions")
			c.is(a, "transactions.#", "1")
			c.fields(a, "transactions.0", "utrnno", "reversal", "merchantId", "terminalId",
				"transactionDate", "cardNumberMask", "cardNumber", "transactionAmount",
				"transactionCurrency", "submittedAmount", "submittedCurrency", "responseCode",
				"authorizationCode", "cashbackAmount", "transactionType", "networkType", "cardType",
				"orderNumber", "orderId")
			for path, want := range map[string]string{"reversal": "false", "merchantId": `"M0000001"`,
				"terminalId": `"T0000001"`, "transactionAmount": "70", "transactionCurrency": "978",
				"submittedAmount": "70", "responseCode": "0", "networkType": `"VISA"`,
				"utrnno": strings.TrimLeft(bought.get("rrn"), "0")} {
				c.is(a, "transactions.0."+path, want)
			}
			c.same("cardNumber", a.get("transactions.0.cardNumber"), card)
			c.same("mask", a.get("transactions.0.cardNumberMask"), card[:6]+"******"+card[12:])
			c.same("authorization", a.get("transactions.0.authorizationCode"),
				bought.get("authorizationIdResponse"))
			c.like(a, "transactions.0.transactionDate", zoned)
			c.like(a, "transactions.0.orderId", `\d+`)
		}},
	{"document 1, getMerchantTransactions",
		"the terminal, the merchant and the period choose", func(c *client) {
			card := c.rich("1")
			c.buy(card, "M0000001", "T0000001", 1)
			c.buy(card, "M0000001", "T0000002", 2)
			c.buy(card, "M0000002", "T0000003", 4)
			c.clock.move(24 * time.Hour)
			c.buy(card, "M0000001", "T0000001", 8)
			for more, want := range map[string]string{
				`,"period":{}`:                                          "[1,2,8]",
				`,"period":{},"terminalId":"T0000001"`:                  "[1,8]",
				`,"period":{"end":"2026-03-14"}`:                        "[1,2]",
				`,"period":{"start":"2026-03-15"}`:                      "[8]",
				`,"period":{"start":"2026-03-16"}`:                      "[]",
				`,"period":{},"terminalId":"T0000009"`:                  "[]",
				`,"merchantId":"","merchantIdn":"M0000002","period":{}`: "[4]",
			} {
				c.is(c.sales(more), "transactions.#.transactionAmount", want)
			}
		}},
	{"document 1, getMerchantTransactions",
		"mandatory fields are checked, unknown merchants are faults", func(c *client) {
			for body, code := range map[string]string{
				`{"merchantId":"M0000001","institutionId":"1001"}`:                          "30",
				`{"merchantId":"M0000001","period":{}}`:                                     "30",
				`{"institutionId":"1001","period":{}}`:                                      "30",
				`{"merchantId":"M0000009","institutionId":"1001","period":{}}`:              "25",
				`{"merchantId":"M0000001","institutionId":"1002","period":{}}`:              "25",
				`{"merchantId":"M0000001","institutionId":"1001","period":{"end":"march"}}`: "30",
				`{"merchantId":"M0000001","institutionId":"1001","period":"march"}`:         "30",
			} {
				c.code1(c.v1("getMerchantTransactions", "%s", body), code)
				named := strings.Replace(body, "merchantId", "merchantNumber", 1)
				c.code1(c.v1("getPaymentOrders", "%s", named), code)
			}
			c.is(c.sales(`,"period":{}`), "transactions", "[]")
			c.is(c.payOrders("M0000001", "{}"), "orderList", "[]")
		}},
	{"document 1, getPaymentOrders",
		"an order collects the debits of a merchant and day", func(c *client) {
			card := c.rich("1")
			c.buy(card, "M0000001", "T0000001", 30)
			c.buy(card, "M0000001", "T0000002", 12)
			a := c.payOrders("M0000001", "{}")
			c.fields(a, "@this", "orderList")
			c.is(a, "orderList.#", "1")
			c.fields(a, "orderList.0", "id", "eventDate", "purpose", "currency", "amount", "status",
				"orderNumber")
			c.like(a, "orderList.0.id", `\d{7}`)
			c.is(a, "orderList.0.id", a.get("orderList.0.id"))
			c.like(a, "orderList.0.eventDate", zoned)
			c.is(a, "orderList.0.amount", "42")
			c.is(a, "orderList.0.currency", "978")
			c.is(a, "orderList.0.status", `"NEW"`)
			c.clock.move(24 * time.Hour)
			c.buy(card, "M0000001", "T0000001", 5)
			a = c.payOrders("M0000001", "{}")
			c.is(a, "orderList.#.amount", "[42,5]")
			c.is(a, "orderList.#.status", `["PAID","NEW"]`)
			c.is(c.payOrders("M0000001", `{"start":"2026-03-15"}`), "orderList.#.amount", "[5]")
			c.is(c.payOrders("M0000002", "{}"), "orderList", "[]")
		}},
	{"document 1, getOrderDetails",
		"an order lists its transactions", func(c *client) {
			card := c.rich("1")
			c.buy(card, "M0000001", "T0000001", 30)
			c.buy(card, "M0000001", "T0000002", 12)
			order := c.payOrders("M0000001", "{}")
			a := c.v1("getOrderDetails", `{"orderId":%s}`, order.get("orderList.0.id"))
			c.fields(a, "@this", "transactionList")
			c.is(a, "transactionList.#.transactionAmount", "[30,12]")
			c.is(a, "transactionList.#.terminalId", `["T0000001","T0000002"]`)
			c.fields(a, "transactionList.0", "merchantId", "terminalId", "transactionDate",
				"cardNumber", "transactionAmount", "transactionCurrency", "submittedAmount",
				"submittedCurrency", "authorizationCode", "cashbackAmount", "transactionType",
				"networkType", "cardType", "orderNumber")
			c.same("cardNumber", a.get("transactionList.0.cardNumber"), card)
			c.same("orderNumber", a.get("transactionList.0.orderNumber"),
				order.get("orderList.0.orderNumber"))
			sold := c.sales(`,"period":{}`)
			c.same("orderId", sold.get("transactions.1.orderId"), order.get("orderList.0.id"))
			c.code1(c.v1("getOrderDetails", `{"orderId":1}`), "25")
			c.code1(c.v1("getOrderDetails", `{"orderId":"1"}`), "30")
		}},
	{"document 1, getPaymentOrders",
		"only paid debits are a merchant's, and any merchant may have some", func(c *client) {
			card := c.card("1")
			c.code1(c.buy(card, "M0000001", "T0000001", 1), "51")
			c.is(c.payOrders("M0000001", "{}"), "orderList", "[]")
			c.credit(card, 100)
			c.byNumber("creditCard", card, fmt.Sprintf(euros+where, 5))
			c.is(c.payOrders("M0000001", "{}"), "orderList", "[]")
			c.code1(c.buy(card, "my shop", "my till", 9), "00")
			c.is(c.payOrders("my shop", "{}"), "orderList.#.amount", "[9]")
		}},
	{"document 1, debitCard",
		"a fee is the card's affair and no part of the order", func(c *client) {
			account := c.customer("1").get("accountNumber")
			card := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			c.credit(card, 100)
			a := c.byNumber("debitCard", card,
				fmt.Sprintf(euros, 30)+`,"fee":{"feeType":"A","feeValue":7}`+where)
			c.is(a, "issuerFeeAmount", "7")
			c.is(c.payOrders("M0000001", "{}"), "orderList.#.amount", "[30]")
			c.is(c.accountData(account, ""), "accountData.balance", "63")
			list := c.byNumber("getTransactions", card, `,"period":{}`)
			c.is(list, "transactions.1.feeDirection", `"DEBIT"`)
			c.is(list, "transactions.1.feIssuerFeeAmount", "7")
		}},
	{"document 1, changeMerchantStatus",
		"all fields are mandatory and those of one contract", func(c *client) {
			body := `{` + contract + `,"terminalNumber":"T0000001","status":"CLOSED"}`
			for op, fields := range map[string][]string{
				"changeMerchantStatus": {"merchantNumber", "institutionId", "agentId", "customerNumber",
					"contractNumber", "status"},
				"changeTerminalStatus": {"merchantNumber", "institutionId", "agentId", "customerNumber",
					"contractNumber", "status", "terminalNumber"},
			} {
				a := c.v1(op, "%s", body)
				c.fields(a, "@this", "responseCode")
				c.code1(a, "00")
				for _, field := range fields {
					c.code1(c.v1(op, "%s", strings.Replace(body, `"`+field+`"`, `"x"`, 1)), "30")
					wrong := with(body, fmt.Sprintf(`,%q:"other"`, field))
					if a := c.v1(op, "%s", wrong); field != "status" {
						c.code1(a, "25")
					}
				}
			}
		}},
	{"document 1, changeTerminalStatus",
		"a status is any text, and a terminal is one of the merchant's", func(c *client) {
			set := `{` + contract + `,"terminalNumber":%q,"status":%q}`
			c.code1(c.v1("changeTerminalStatus", set, "T0000002", "whatever"), "00")
			c.code1(c.v1("changeTerminalStatus", set, "T0000003", "whatever"), "25")
			state := c.control("GET", "/state")
			c.is(state, "v1.merchants.0.terminals.#.status", `["ACTIVE","whatever"]`)
			c.is(state, "v1.merchants.#.status", `["ACTIVE","ACTIVE"]`)
		}},
}
