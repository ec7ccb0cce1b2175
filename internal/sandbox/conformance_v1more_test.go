package sandbox_test

import (
	"fmt"
	"strings"
	"time"
)

const service = `{"cardIdentification":{"cardNumber":%q,"expDate":"203012"},"actionCode":%q,` +
	`"serviceIdentification":{"serviceType":"SMS","serviceId":"1","serviceObjectType":%q}%s}`

func (c *client) serve(card, action, object, more string) answer {
	c.t.Helper()
	return c.v1("serviceAction", service, card, "ACTION_CODE_"+action, "SERVICE_OBJECT_"+object, more)
}

var v1MoreClaims = []claim{
	{"document 1, serviceAction",
		"a service is added once, used and deleted", func(c *client) {
			card := c.card("1")
			others := []string{"UPDATE", "DELETE", "CHECK", "CHANGE_ACCESS", "CHECK_PARAMETERS",
				"RESTORE_PARAMETERS", "INQUIRE", "ACTION"}
			for _, action := range others {
				c.code1(c.serve(card, action, "CARD", ""), "25")
			}
			a := c.serve(card, "ADD", "CARD",
				`,"serviceParameters":{"phoneNumber":"1","email":"a@b.example"}`)
			c.fields(a, "@this", "responseCode")
			c.code1(a, "00")
			c.code1(c.serve(card, "ADD", "CARD", ""), "94")
			for _, action := range append(others[2:], "UPDATE", "DELETE") {
				c.code1(c.serve(card, action, "CARD", ""), "00")
			}
			c.code1(c.serve(card, "CHECK", "CARD", ""), "25")
		}},
	{"document 1, serviceAction",
		"card and account have services of their own", func(c *client) {
			account := c.customer("1").get("accountNumber")
			one := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			two := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			named := fmt.Sprintf(`,"accountNumber":%q`, account)
			c.code1(c.serve(one, "ADD", "ACCOUNT", named), "00")
			c.code1(c.serve(two, "CHECK", "ACCOUNT", ""), "00")
			c.code1(c.serve(one, "CHECK", "CARD", ""), "25")
			c.code1(c.serve(one, "CHECK", "ACCOUNT", `,"accountNumber":"1"`), "25")
		}},
	{"document 1, serviceAction",
		"actions and objects are those of the lists", func(c *client) {
			card := c.card("1")
			c.code1(c.serve(card, "OTHER", "CARD", ""), "30")
			c.code1(c.serve(card, "ADD", "OTHER", ""), "30")
			for _, field := range []string{"serviceType", "serviceId", "serviceObjectType", "actionCode"} {
				body := fmt.Sprintf(service, card, "ACTION_CODE_ADD", "SERVICE_OBJECT_CARD", "")
				c.code1(c.v1("serviceAction", "%s", strings.Replace(body, field, "x", 1)), "30")
			}
		}},
	{"document 1, changePin",
		"newPinData is a PIN or an encrypted block", func(c *client) {
			card := c.card("1")
			set := func(data string) answer {
				return c.byNumber("changePin", card, fmt.Sprintf(`,"newPinData":%q`, data))
			}
			c.fields(set("4321"), "@this", "responseCode")
			for data, code := range map[string]string{
				"4321":             "00",
				"0123456789ABCDEF": "00", "c2VjcmV0IGJsb2Nr": "00", "": "30", "432": "30",
				"43215": "30", "four": "30", "123456789012": "30", "0123456789012345": "00",
				"AAAA": "30", strings.Repeat("AB", 3000): "30",
			} {
				c.code1(set(data), code)
			}
			c.byNumber("blockCard", card, "")
			c.code1(set("4321"), "62")
		}},
	{"document 1, resetPinCounter",
		"the answer has an rrn and an approval, and the reset a record", func(c *client) {
			card := c.card("1")
			a := c.byNumber("resetPinCounter", card, "")
			c.fields(a, "@this", "responseCode", "processingCode", "systemTraceAuditNumber",
				"localTransactionDate", "rrn", "authorizationIdResponse")
			c.like(a, "rrn", `\d{12}`)
			c.same("approval", a.get("authorizationIdResponse"), a.get("rrn")[6:])
			list := c.byNumber("getTransactions", card, `,"period":{}`)
			c.is(list, "transactions.0.utrnno", strings.TrimLeft(a.get("rrn"), "0"))
			c.is(list, "transactions.0.amount", "0")
			c.is(c.byNumber("getCardData", card, ""), "cardData.pinDenialCounter", "0")
			c.byNumber("blockCard", card, "")
			a = c.byNumber("resetPinCounter", card, "")
			c.code1(a, "62")
			c.is(a, "authorizationIdResponse", "")
		}},
	{"document 1, setGeoRestrictions",
		"a rule comes alone, in a list, or in a wrapped list", func(c *client) {
			rule := `{"countryId":%d,"regionId":1,"transactionGroupId":2,"status":"ENABLED",` +
				`"startDate":"2026-03-14","endDate":"2026-03-20"}`
			for i, form := range []string{"%s", "[%s]", `{"restriction":[%s]}`} {
				card := c.card(fmt.Sprint(i))
				one := fmt.Sprintf(rule, 276)
				a := c.byNumber("setGeoRestrictions", card, `,"restrictions":`+fmt.Sprintf(form, one))
				c.fields(a, "@this", "responseCode")
				c.code1(a, "00")
				c.is(c.byNumber("getGeoRestrictions", card, ""), "restrictions", "["+one+"]")
			}
			card := c.card("several")
			both := fmt.Sprintf(rule, 276) + "," + fmt.Sprintf(rule, 250)
			c.byNumber("setGeoRestrictions", card, `,"restrictions":[`+both+`]`)
			c.is(c.byNumber("getGeoRestrictions", card, ""), "restrictions", "["+both+"]")
		}},
	{"document 1, getGeoRestrictions",
		"places and groups are listed, and every listed id can be used", func(c *client) {
			card := c.card("1")
			a := c.byNumber("getGeoRestrictions", card, "")
			c.fields(a, "@this", "regions", "countries", "transactionGroups", "restrictions")
			c.is(a, "restrictions", "[]")
			for list, field := range map[string]string{"regions": `"countryId":276,"regionId"`,
				"countries": `"countryId"`, "transactionGroups": `"countryId":276,"transactionGroupId"`} {
				c.fields(a, list+".0", "id", "description")
				for _, id := range strings.Split(strings.Trim(a.get(list+".#.id"), "[]"), ",") {
					rule := fmt.Sprintf(`,"restrictions":{%s:%s,"status":"ENABLED"}`, field, id)
					c.code1(c.byNumber("setGeoRestrictions", card, rule), "00")
				}
			}
		}},
	{"document 1, getGeoRestrictions",
		"only rules that restrict the card are shown", func(c *client) {
			card := c.card("1")
			set := func(rule string) {
				c.code1(c.byNumber("setGeoRestrictions", card, `,"restrictions":`+rule), "00")
			}
			shown := func(want string) {
				c.is(c.byNumber("getGeoRestrictions", card, ""), "restrictions.#.countryId", want)
			}
			set(`[{"countryId":276,"status":"ENABLED"},{"countryId":250,"status":"DISABLED"},` +
				`{"countryId":380,"status":"ENABLED","endDate":"2026-03-15"}]`)
			shown("[276,380]")
			set(`{"countryId":276,"status":"DISABLED"}`)
			shown("[380]")
			c.clock.move(24 * time.Hour)
			shown("[380]")
			c.clock.move(24 * time.Hour)
			shown("[]")
			set(`{"countryId":250,"status":"ENABLED"}`)
			shown("[250]")
		}},
	{"document 1, Geographic restriction",
		"a malformed rule is a fault, and none of its list is set", func(c *client) {
			card := c.card("1")
			for rule, code := range map[string]string{
				`{"status":"ENABLED"}`:                                             "30",
				`{"countryId":276}`:                                                "30",
				`{"countryId":276,"status":"ON"}`:                                  "30",
				`{"countryId":1,"status":"ENABLED"}`:                               "25",
				`{"regionId":99,"status":"ENABLED"}`:                               "25",
				`{"countryId":276,"transactionGroupId":99,"status":"ENABLED"}`:     "25",
				`{"countryId":"276","status":"ENABLED"}`:                           "30",
				`{"countryId":276,"status":"ENABLED","startDate":"14.03.2026"}`:    "30",
				`{"countryId":276,"status":"ENABLED","startDate":"2026-03-15T00"}`: "30",
				`{"countryId":276,"status":"ENABLED","startDate":"2026-03-15",` +
					`"endDate":"2026-03-14"}`: "30",
				`[]`: "30", `{"restriction":[]}`: "30", `null`: "30", `7`: "30", `{}`: "30",
				`[{"countryId":276,"status":"ENABLED"},{"countryId":1,"status":"ENABLED"}]`: "25",
			} {
				c.code1(c.byNumber("setGeoRestrictions", card, `,"restrictions":`+rule), code)
			}
			c.code1(c.byNumber("setGeoRestrictions", card, ""), "30")
			c.is(c.byNumber("getGeoRestrictions", card, ""), "restrictions", "[]")
		}},
	{"document 1, getTransactionDetails",
		"a transaction is found by utrnno, with directions in lower case", func(c *client) {
			from, to := c.rich("1"), c.card("2")
			fee := `,"fee":{"feeType":"A","feeValue":7}`
			bought := c.byNumber("debitCard", from, fmt.Sprintf(euros, 30)+fee+where)
			details := func(a answer) answer {
				return c.v1("getTransactionDetails", `{"utrnno":%s}`, strings.TrimLeft(a.get("rrn"), "0"))
			}
			a := details(bought)
			c.fields(a, "@this", "transaction")
			c.is(a, "transaction.operationDirection", `"debit"`)
			c.is(a, "transaction.feeDirection", `"debit"`)
			list := c.byNumber("getTransactions", from, `,"period":{}`)
			c.same("the record", strings.ReplaceAll(a.get("transaction"), "debit", "DEBIT"),
				list.get("transactions.1"))
			c.is(details(c.credit(to, 5)), "transaction.operationDirection", `"credit"`)
			c.is(details(c.transfer(from, to, 5, "")), "transaction.operationDirection", `"debit"`)
			c.is(details(c.byNumber("resetPinCounter", to, "")), "transaction.operationDirection", `"noop"`)
		}},
	{"document 1, getTransactionDetails",
		"unknown transactions and reversals, which nothing makes, are faults", func(c *client) {
			bought := c.credit(c.card("1"), 5)
			utrnno := strings.TrimLeft(bought.get("rrn"), "0")
			c.code(c.v1("getTransactionDetails", `{"utrnno":%s,"reversal":false}`, utrnno), 200)
			c.code1(c.v1("getTransactionDetails", `{"utrnno":%s,"reversal":true}`, utrnno), "25")
			c.code1(c.v1("getTransactionDetails", `{"utrnno":1}`), "25")
			c.code1(c.v1("getTransactionDetails", `{"utrnno":%q}`, utrnno), "30")
			declined := c.byNumber("debitCard", c.card("2"), fmt.Sprintf(euros, 5))
			c.code1(c.v1("getTransactionDetails", `{"utrnno":%s}`,
				strings.TrimLeft(declined.get("rrn"), "0")), "25")
		}},
	{"document 1, 3-D Secure object",
		"the indicator is one of the list, and the object does nothing", func(c *client) {
			card, to := c.card("1"), c.card("2")
			tds := `,"tds":{"xid":"1","cavv":"2","ucaf":"3","authenticationIndicator":%q}`
			for indicator, code := range map[string]string{"NOT_PERFORMED": "00",
				"TDS_MERCHANT_ONLY": "00", "TDS_PERFORMED": "00", "ADDITIONAL_PROTOCOL_USED": "00",
				"RECURRENT_PAYMENT_AUTH": "00", "": "00", "OTHER": "30"} {
				more := fmt.Sprintf(euros+tds, 5, indicator)
				c.code1(c.byNumber("creditCard", card, more), code)
				c.code1(c.byNumber("debitCard", card, more), code)
				c.credit(card, 5)
				c.code1(c.transfer(card, to, 5, fmt.Sprintf(tds, indicator)), code)
			}
		}},
	{"document 1, creditCard",
		"a preAuthorization is a boolean and moves money at once", func(c *client) {
			account := c.customer("1").get("accountNumber")
			card := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			c.code1(c.byNumber("creditCard", card, fmt.Sprintf(euros, 5)+`,"preAuthorization":true`), "00")
			c.is(c.accountData(account, ""), "accountData.balance", "5")
			c.code1(c.byNumber("creditCard", card, fmt.Sprintf(euros, 5)+`,"preAuthorization":1`), "30")
		}},
}
