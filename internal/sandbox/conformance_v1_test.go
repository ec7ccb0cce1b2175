package sandbox_test

import (
	"encoding/base64"
	"fmt"
	"strings"
)

const zoned = `2026-03-14T10:20:30\+03:00`

var v1Claims = []claim{
	{"document 1, General rules, 1",
		"every operation is POST, answered in JSON", func(c *client) {
			path := "/v1/apigate/ws/rest/registerCustomer"
			c.code(c.send("GET", path, "", "Authorization", c.basic), 405)
			c.same("Content-Type", c.customer("1").header.Get("Content-Type"), "application/json")
		}},
	{"document 1, Authentication, 1 and 2",
		"Basic takes a pair in base64 or the bare token", func(c *client) {
			c.code(c.customer("1"), 200)
			c.basic = "Basic sandbox-token"
			c.code(c.customer("2"), 200)
			pair := func(s string) string {
				return "Basic " + base64.StdEncoding.EncodeToString([]byte(s))
			}
			for _, wrong := range []string{"", "Basic", "Bearer sandbox-token", "Basic other",
				pair("sandbox:other"), pair("other:sandbox-token")} {
				c.basic = wrong
				a := c.customer("3")
				c.code(a, 401)
				c.fields(a, "@this", "responseCode", "message")
			}
		}},
	{"domain facts, Codes",
		"a fault is responseCode and message with status 500", func(c *client) {
			a := c.byNumber("blockCard", cardPaid, "")
			c.code(a, 500)
			c.fields(a, "@this", "responseCode", "message")
			c.like(a, "responseCode", `\d\d`)
			if a.get("responseCode") == "00" {
				c.t.Error("a fault has the code of success")
			}
		}},
	{"document 1, Limits, 4",
		"odd calls are faults too", func(c *client) {
			c.code(c.v1("noSuchOperation", "{}"), 404)
			c.code(c.v1("registerCustomer", "{"), 500)
			c.code(c.v1("registerCustomer", "[]"), 500)
			c.code(c.v1("registerCustomer", ""), 500)
			c.code(c.v1("registerCustomer", "null"), 500)
			c.code(c.v1("registerCustomer", "%s", strings.Repeat("[", 1<<20)), 500)
			c.code(c.v1("registerCustomer", "%s", strings.Repeat(" ", 1<<20+1)), 413)
		}},
	{"document 1, registerCustomer",
		"the requested number is echoed beside a new account", func(c *client) {
			a := c.customer("C-1")
			c.fields(a, "@this", "customerNumber", "accountNumber")
			c.is(a, "customerNumber", `"C-1"`)
			c.like(a, "accountNumber", `\d{20}`)
		}},
	{"document 1, General rules, 3",
		"a customer has one account, so a number registers once", func(c *client) {
			c.customer("1")
			c.code(c.customer("1"), 500)
			c.differ("accounts", c.customer("2").get("accountNumber"), c.customer("3").get("accountNumber"))
		}},
	{"document 1, registerCustomer",
		"the template is CRCU1001 and the parameter forms hold", func(c *client) {
			body := `{"productName":%q,"parameters":[{"name":"customer_number","value":%q},` +
				`{"name":%q,"value":%q},{"name":"institutionId","value":"1"},` +
				`{"name":"agent_number","value":%q}],"unknown":1}`
			c.code(c.v1("registerCustomer", body, "CRCU1001", "9", "start_date", "2026-03-14", "1"), 200)
			for _, args := range [][]any{
				{"OTHER", "1", "city", "a", "1"}, {"", "1", "city", "a", "1"},
				{"CRCU1001", "", "city", "a", "1"}, {"CRCU1001", "1", "city", "a", "2"},
				{"CRCU1001", "1", "start_date", "14.03.2026", "1"},
				{"CRCU1001", "1", "country_code", "DE", "1"},
			} {
				c.code(c.v1("registerCustomer", body, args...), 500)
			}
		}},
	{"document 1, creditCard",
		"the answer has the documented fields in their types", func(c *client) {
			a := c.credit(c.card("1"), 500)
			c.fields(a, "@this", "responseCode", "processingCode", "systemTraceAuditNumber",
				"localTransactionDate", "rrn", "authorizationIdResponse")
			c.is(a, "responseCode", `"00"`)
			c.like(a, "processingCode", `[1-9]\d*`)
			c.like(a, "localTransactionDate", zoned)
			c.like(a, "rrn", `\d{12}`)
			c.is(a, "systemTraceAuditNumber", a.get("systemTraceAuditNumber"))
			c.like(a, "systemTraceAuditNumber", `[1-9]\d{0,5}`)
		}},
	{"domain facts, Identifiers",
		"rrn pads the transaction number; authorizationIdResponse is its end", func(c *client) {
			card := c.card("1")
			a := c.credit(card, 500)
			c.same("authorizationIdResponse", a.get("authorizationIdResponse"), a.get("rrn")[6:])
			list := c.byNumber("getTransactions", card, `,"period":{}`)
			c.is(list, "transactions.0.utrnno", strings.TrimLeft(a.get("rrn"), "0"))
		}},
	{"document 1, Money movement",
		"balances move, and what is not there cannot be spent", func(c *client) {
			card := c.card("1")
			c.is(c.byNumber("debitCard", card, fmt.Sprintf(euros, 1)), "responseCode", `"51"`)
			c.credit(card, 500)
			c.is(c.byNumber("debitCard", card, fmt.Sprintf(euros, 300)), "responseCode", `"00"`)
			declined := c.byNumber("debitCard", card, fmt.Sprintf(euros, 201))
			c.code(declined, 200)
			c.is(declined, "responseCode", `"51"`)
			c.is(declined, "authorizationIdResponse", "")
			c.like(declined, "rrn", `\d{12}`)
			c.is(c.byNumber("debitCard", card, fmt.Sprintf(euros, 200)), "responseCode", `"00"`)
		}},
	{"document 1, debitCard",
		"a fee is taken too, as feeValue or feeAmount", func(c *client) {
			card := c.card("1")
			c.credit(card, 500)
			for _, name := range []string{"feeValue", "feeAmount"} {
				fee := fmt.Sprintf(euros+`,"fee":{"feeType":"A","%s":50}`, 200, name)
				c.is(c.byNumber("debitCard", card, fee), "issuerFeeAmount", "50")
				c.is(c.byNumber("debitCard", card, fee+`,"amount":250`), "responseCode", `"51"`)
			}
			c.is(c.byNumber("debitCard", card, fmt.Sprintf(euros, 1)), "responseCode", `"51"`)
			c.code(c.byNumber("debitCard", card, fmt.Sprintf(euros+`,"fee":{"feeValue":1}`, 1)), 500)
			c.code(c.byNumber("debitCard", card, fmt.Sprintf(euros+`,"fee":{"feeType":"A"}`, 1)), 500)
		}},
	{"document 1, Limits, 2",
		"the currency is 978, the amount an integer", func(c *client) {
			card := c.card("1")
			for _, more := range []string{
				`,"amount":1,"currency":840`, `,"amount":1`, `,"currency":978`,
				`,"amount":0,"currency":978`, `,"amount":-1,"currency":978`,
				`,"amount":"1","currency":978`, `,"amount":1.5,"currency":978`,
				`,"amount":1000000000000,"currency":978`,
			} {
				c.code(c.byNumber("creditCard", card, more), 500)
			}
			c.is(c.byNumber("getTransactions", card, `,"period":{}`), "transactions", "[]")
		}},
	{"document 1, Terminal parameters object",
		"three fields are mandatory when it is present", func(c *client) {
			card := c.card("1")
			place := `,"cardAcceptorParameters":{"terminalIdentification":"T1",` +
				`"merchantIdentification":"M1","merchantType":%q,"nameAndLocation":"Here"}`
			c.is(c.byNumber("creditCard", card, fmt.Sprintf(euros+place, 5, "5411")), "responseCode", `"00"`)
			c.code(c.byNumber("creditCard", card, fmt.Sprintf(euros+place, 5, "")), 500)
			list := c.byNumber("getTransactions", card, `,"period":{}`)
			c.is(list, "transactions.0.mcc", "5411")
			c.is(list, "transactions.0.merchantId", `"M1"`)
			c.is(list, "transactions.0.terminalId", `"T1"`)
			c.is(list, "transactions.0.terminalAddress", `"Here"`)
		}},
	{"document 1, p2pTransfer",
		"money moves from one card to another under one number", func(c *client) {
			from, to := c.card("1"), c.card("2")
			c.credit(from, 500)
			a := c.transfer(from, to, 400, "")
			c.is(a, "responseCode", `"00"`)
			c.is(c.transfer(from, to, 400, ""), "responseCode", `"51"`)
			c.is(c.byNumber("debitCard", to, fmt.Sprintf(euros, 400)), "responseCode", `"00"`)
			out := c.byNumber("getTransactions", from, `,"period":{}`)
			in := c.byNumber("getTransactions", to, `,"period":{}`)
			c.is(out, "transactions.1.operationDirection", `"DEBIT"`)
			c.is(in, "transactions.0.operationDirection", `"CREDIT"`)
			c.same("utrnno", out.get("transactions.1.utrnno"), in.get("transactions.0.utrnno"))
		}},
	{"document 1, p2pTransfer",
		"the source may be named cardIdentification, as in the example", func(c *client) {
			from, to := c.card("1"), c.card("2")
			c.credit(from, 5)
			a := c.v1("p2PTransfer", `{"cardIdentification":{"cardNumber":%q,"expDate":"203012"},`+
				`"destinationCardIdentification":{"cardNumber":%q},"amount":5,"currency":978,`+
				`"senderReceiverInfo":{"senderName":"Person, Test","senderAddress":"1 Test Street"},`+
				`"pointOfServiceConditionCode":"any"}`, from, to)
			c.is(a, "responseCode", `"00"`)
		}},
	{"document 1, p2pTransfer",
		"mandatory fields, the sender's form and the expiry are checked", func(c *client) {
			from, to := c.card("1"), c.card("2")
			c.credit(from, 500)
			c.code(c.transfer(from, from, 5, ""), 500)
			c.code(c.transfer(from, cardPaid, 5, ""), 500)
			c.code(c.transfer(from, to, 5, `,"sourceAccountNumber":"1"`), 500)
			for _, later := range []string{ // of a repeated key the last counts
				`"senderReceiverInfo":{"senderName":"Test Person"}`,
				`"senderReceiverInfo":{"senderName":""}`,
				`"senderReceiverInfo":{"senderAddress":""}`, `"pointOfServiceConditionCode":""`,
				`"sourceCardIdentification":{"expDate":"203011"}`,
				`"sourceCardIdentification":{"expDate":""}`,
			} {
				c.code(c.transfer(from, to, 5, ","+later), 500)
			}
		}},
	{"document 1, p2pTransfer",
		"originalTransactionParameters ask about an earlier transfer", func(c *client) {
			from, to := c.card("1"), c.card("2")
			c.credit(from, 500)
			first := c.transfer(from, to, 500, "")
			ask := `,"originalTransactionParameters":{"systemTraceAuditNumber":%s,` +
				`"localTransactionDate":%q,"rrn":%q}`
			stan, date, rrn := first.get("systemTraceAuditNumber"), first.get("localTransactionDate"),
				first.get("rrn")
			again := c.transfer(from, to, 500, fmt.Sprintf(ask, stan, date, rrn))
			c.same("the answer", again.body, first.body)
			c.is(c.transfer(from, to, 1, ""), "responseCode", `"51"`)
			c.code(c.transfer(from, to, 500, fmt.Sprintf(ask, "0", date, "none")), 500)
			c.code(c.transfer(from, to, 500, fmt.Sprintf(ask, "1", "2000-01-01", rrn)), 500)
		}},
	{"document 1, Transaction record",
		"records have the mandatory fields in their types", func(c *client) {
			card := c.card("1")
			c.credit(card, 500)
			today := `,"period":{"start":"2026-03-14","end":"2026-03-14"}`
			list := c.byNumber("getTransactions", card, today)
			for path, form := range map[string]string{
				"authorizationDate": zoned, "transactionType": `\d+`, "operationDirection": "CREDIT",
				"amount": "500", "currency": "978", "amountInAccountCurrency": "500", "utrnno": `\d+`,
			} {
				c.like(list, "transactions.0."+path, form)
			}
			c.is(list, "transactions.0.amount", "500")
			c.is(list, "transactions.0.currency", "978")
			c.is(list, "transactions.0.internalResponseCode", "0")
		}},
	{"document 1, getTransactions",
		"the period is mandatory, its days are YYYY-MM-DD", func(c *client) {
			card := c.card("1")
			for _, more := range []string{"", `,"period":{"start":"14.03.2026"}`,
				`,"period":{"start":"2026-03-15","end":"2026-03-14"}`} {
				c.code(c.byNumber("getTransactions", card, more), 500)
			}
		}},
}
