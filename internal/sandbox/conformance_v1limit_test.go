package sandbox_test

import (
	"fmt"
	"time"
)

// limitCard changes a card's limit.
func (c *client) limitCard(card, limit string) answer {
	c.t.Helper()
	return c.byNumber("changeCardLimit", card, `,"limit":`+limit)
}

func (c *client) debit(card string, amount int) answer {
	c.t.Helper()
	return c.byNumber("debitCard", card, fmt.Sprintf(euros, amount))
}

// code1 checks the responseCode.
func (c *client) code1(a answer, want string) {
	c.t.Helper()
	c.is(a, "responseCode", `"`+want+`"`)
}

var v1LimitClaims = []claim{
	{"document 1, getCardLimits",
		"limits are predefined by the product and inherited by a new card", func(c *client) {
			one := c.byNumber("getCardLimits", c.card("1"), "")
			two := c.byNumber("getCardLimits", c.card("2"), "")
			c.same("the limits of two cards", one.body, two.body)
			c.fields(one, "@this", "limits")
			c.is(one, "limits.#", "2")
			for i := range 2 {
				path := fmt.Sprint("limits.", i)
				c.fields(one, path, "name", "value", "cycleType", "cycleLength", "currency",
					"currentValue", "limitExceptions")
				c.like(one, path+".name", `LMTP\d{4}`)
				c.is(one, path+".currency", "978")
				c.is(one, path+".currentValue", "0")
				c.is(one, path+".limitExceptions", "[]")
			}
		}},
	{"document 1, changeCardLimit",
		"a limit is changed for this card alone, and stays as it was set", func(c *client) {
			card, other := c.card("1"), c.card("2")
			before := c.byNumber("getCardLimits", other, "").body
			a := c.limitCard(card, `{"name":"LMTP0101","startDate":"2026-03-01",`+
				`"endDate":"2026-12-31T23:59:59","value":700,"cycleType":3,"cycleLength":2,`+
				`"currency":978,"currentValue":100}`)
			c.fields(a, "@this", "responseCode", "processingCode", "systemTraceAuditNumber",
				"localTransactionDate")
			c.code1(a, "00")
			list := c.byNumber("getCardLimits", card, "")
			c.is(list, "limits.0", `{"name":"LMTP0101","startDate":"2026-03-01",`+
				`"endDate":"2026-12-31T23:59:59","value":700,"cycleType":3,"cycleLength":2,`+
				`"currency":978,"currentValue":100,"limitExceptions":[]}`)
			c.same("the other card", c.byNumber("getCardLimits", other, "").body, before)
			c.limitCard(card, `{"name":"LMTP0101","value":800}`)
			list = c.byNumber("getCardLimits", card, "")
			c.is(list, "limits.0.value", "800")
			c.is(list, "limits.0.cycleLength", "2")
			c.is(list, "limits.0.currentValue", "100")
		}},
	{"document 1, Transaction record",
		"a limit change is a record with zero amounts", func(c *client) {
			card := c.card("1")
			c.limitCard(card, `{"name":"LMTP0101","value":1}`)
			list := c.byNumber("getTransactions", card, `,"period":{}`)
			c.is(list, "transactions.#", "1")
			c.is(list, "transactions.0.amount", "0")
			c.is(list, "transactions.0.operationDirection", `"NOOP"`)
		}},
	{"document 1, Limit object",
		"value bounds what is spent, currentValue is what was", func(c *client) {
			card, other := c.card("1"), c.card("2")
			c.credit(card, 5000)
			c.limitCard(card, `{"name":"LMTP0101","value":100}`)
			c.code1(c.debit(card, 101), "61")
			c.code1(c.debit(card, 60), "00")
			c.code1(c.transfer(card, other, 41, ""), "61")
			c.code1(c.transfer(card, other, 40, ""), "00")
			c.code1(c.debit(card, 1), "61")
			c.is(c.byNumber("getCardLimits", card, ""), "limits.0.currentValue", "100")
			c.code1(c.credit(card, 5000), "00")
			c.code1(c.debit(other, 40), "00")
			c.limitCard(card, `{"name":"LMTP0101","value":101}`)
			c.code1(c.debit(card, 1), "00")
			c.limitCard(card, `{"name":"LMTP0101","cycleLength":2}`) // another cycle, nothing spent
			c.is(c.byNumber("getCardLimits", card, ""), "limits.0.currentValue", "0")
		}},
	{"document 1, Limit object",
		"a limit begins anew in the next cycle", func(c *client) {
			card := c.card("1")
			c.credit(card, 5000)
			for _, row := range []struct {
				cycleType, length int
				still, next       string // days, after Saturday, 14 March
			}{
				{1, 1, "2026-03-14", "2026-03-15"}, {2, 1, "2026-03-15", "2026-03-16"},
				{3, 1, "2026-03-31", "2026-04-01"}, {3, 2, "2026-04-30", "2026-05-01"},
			} {
				c.clock.set("2026-03-14")
				c.limitCard(card, fmt.Sprintf(`{"name":"LMTP0101","value":10,"cycleType":%d,`+
					`"cycleLength":%d,"currentValue":0}`, row.cycleType, row.length))
				c.code1(c.debit(card, 10), "00")
				c.clock.set(row.still)
				c.code1(c.debit(card, 1), "61")
				c.clock.set(row.next)
				c.is(c.byNumber("getCardLimits", card, ""), "limits.0.currentValue", "0")
				c.code1(c.debit(card, 1), "00")
			}
			c.clock.set("2026-03-14")
			c.limitCard(card, `{"name":"LMTP0101","cycleType":0,"currentValue":10}`)
			c.clock.set("2030-12-31")
			c.code1(c.debit(card, 1), "61")
		}},
	{"document 1, Limit object",
		"a limit binds from startDate to endDate", func(c *client) {
			card := c.card("1")
			c.credit(card, 5000)
			c.limitCard(card, `{"name":"LMTP0101","value":0,"startDate":"2026-03-15",`+
				`"endDate":"2026-03-15"}`)
			for _, code := range []string{"00", "61", "00"} {
				c.code1(c.debit(card, 1), code)
				c.clock.move(24 * time.Hour)
			}
		}},
	{"document 1, changeCardLimit",
		"a malformed limit is a fault and changes nothing", func(c *client) {
			card := c.card("1")
			before := c.byNumber("getCardLimits", card, "").body
			for limit, code := range map[string]string{
				`{"name":"LMTP9999","value":1}`:                          "25",
				`{"name":"LMTTC01","value":1}`:                           "25",
				`{"value":1}`:                                            "30",
				`null`:                                                   "30",
				`{"name":"LMTP0101","value":-1}`:                         "13",
				`{"name":"LMTP0101","value":1000000000000}`:              "13",
				`{"name":"LMTP0101","value":"1"}`:                        "30",
				`{"name":"LMTP0101","currentValue":-1}`:                  "13",
				`{"name":"LMTP0101","value":1,"cycleType":4}`:            "30",
				`{"name":"LMTP0101","value":1,"cycleLength":0}`:          "30",
				`{"name":"LMTP0101","value":1,"currency":840}`:           "12",
				`{"name":"LMTP0101","value":1,"startDate":"01.03.2026"}`: "30",
				`{"name":"LMTP0101","value":1,"startDate":"2026-03-02","endDate":"2026-03-01"}`: "30",
			} {
				c.code1(c.limitCard(card, limit), code)
			}
			c.code(c.byNumber("changeCardLimit", card, ""), 500)
			c.same("the limits", c.byNumber("getCardLimits", card, "").body, before)
		}},
	{"document 1, getAccountLimits",
		"an account has limits in the fields of the example", func(c *client) {
			a := c.v1("getAccountLimits", `{"accountNumber":%q}`, c.customer("1").get("accountNumber"))
			c.fields(a, "@this", "limits")
			c.is(a, "limits.#", "1")
			c.fields(a, "limits.0", "name", "value", "cycleType", "cycleLength", "currency",
				"currentValue", "limitExceptions")
			c.is(a, "limits.0.name", `"LMTTC01"`)
		}},
	{"document 1, changeAccountLimit",
		"an account's limit binds its cards together", func(c *client) {
			account := c.customer("1").get("accountNumber")
			one := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			two := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			c.credit(one, 5000)
			body := `{"accountNumber":%q,"limit":{"name":"LMTTC01","value":%d,"startDate":"2026-03-14"}}`
			a := c.v1("changeAccountLimit", body, account, 100)
			c.fields(a, "@this", "responseCode")
			c.code1(a, "00")
			c.code1(c.debit(one, 60), "00")
			c.code1(c.debit(two, 41), "61")
			c.code1(c.debit(two, 40), "00")
			list := c.v1("getAccountLimits", `{"accountNumber":%q}`, account)
			c.is(list, "limits.0.currentValue", "100")
			c.is(list, "limits.0.startDate", "")
			info := c.v1("getCustomerInfo", `{"customerNumber":"1"}`)
			c.is(info, "limits.0.value", "100")
			c.is(info, "limits.0.currentValue", "100")
			c.code(c.v1("changeAccountLimit", body, account, -1), 500)
			c.code(c.v1("changeAccountLimit", `{"accountNumber":%q}`, account), 500)
		}},
}
