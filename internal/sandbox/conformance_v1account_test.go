package sandbox_test

import "fmt"

var v1AccountClaims = []claim{
	{"document 1, getCustomerInfo",
		"a customer has name, limits and the account with its balance", func(c *client) {
			account := c.v1("registerCustomer", `{"productName":"CRCU1001","parameters":[`+
				`{"name":"customer_number","value":"C-1"},{"name":"surname","value":"Person"},`+
				`{"name":"firstName","value":"Test"},{"name":"product_id","value":"7001"}]}`)
			a := c.v1("getCustomerInfo", `{"customerNumber":"C-1"}`)
			c.fields(a, "@this", "customerNumber", "customerName", "limits", "accounts")
			c.is(a, "customerNumber", `"C-1"`)
			c.is(a, "customerName", `"Person Test"`)
			c.fields(a, "limits.0", "limitName", "limitType", "value", "currentValue")
			c.is(a, "limits.0.limitName", `"LMTTC01"`)
			c.is(a, "accounts.#", "1")
			c.fields(a, "accounts.0", "accountNumber", "accountType", "product", "balances")
			c.same("account", a.get("accounts.0.accountNumber"), account.get("accountNumber"))
			c.is(a, "accounts.0.product", `{"productNumber":"7001","productName":"CRCU1001"}`)
			c.is(a, "accounts.0.balances", `[{"type":"AVAILABLE","value":0}]`)
		}},
	{"document 1, getCustomerInfo",
		"an account that is named must be the customer's", func(c *client) {
			one, two := c.customer("1").get("accountNumber"), c.customer("2").get("accountNumber")
			ask := `{"customerNumber":%q,"accountNumber":%q}`
			c.code(c.v1("getCustomerInfo", ask, "1", one), 200)
			c.is(c.v1("getCustomerInfo", ask, "1", two), "responseCode", `"25"`)
			c.is(c.v1("getCustomerInfo", ask, "3", one), "responseCode", `"25"`)
		}},
	{"document 1, isCustomerExist",
		"the result is a boolean, of the institution if one is given", func(c *client) {
			c.customer("1")
			c.v1("registerCustomer", `{"productName":"CRCU1001","parameters":[{"name":"customer_number",`+
				`"value":"2"},{"name":"institutionId","value":"1001"},{"name":"agent_number","value":"1001"}]}`)
			c.fields(c.v1("isCustomerExist", `{"customerNumber":"1"}`), "@this", "result")
			for body, want := range map[string]string{
				`{"customerNumber":"1"}`:                      "true",
				`{"customerNumber":"3"}`:                      "false",
				`{"customerNumber":"1","institutionId":1001}`: "true",
				`{"customerNumber":"2","institutionId":1001}`: "true",
				`{"customerNumber":"2","institutionId":1002}`: "false",
				`{"customerNumber":"3","institutionId":1001}`: "false",
			} {
				c.is(c.v1("isCustomerExist", "%s", body), "result", want)
			}
			c.code(c.v1("isCustomerExist", `{"customerNumber":"1","institutionId":"1001"}`), 500)
		}},
	{"document 1, General rules, 3",
		"the number of customers is not limited", func(c *client) {
			for i := range 30 {
				c.code(c.customer(fmt.Sprint(i)), 200)
			}
		}},
	{"document 1, getAccountData",
		"an account has the documented fields", func(c *client) {
			account := c.customer("1").get("accountNumber")
			card := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			c.credit(card, 500)
			a := c.accountData(account, "")
			c.fields(a, "@this", "accountData")
			c.fields(a, "accountData", "number", "currency", "currencyAlphaCode", "balance",
				"creditLimit", "customerId", "defaultAccount", "cards")
			c.same("number", a.get("accountData.number"), account)
			for path, want := range map[string]string{"currency": "978", "currencyAlphaCode": `"EUR"`,
				"balance": "500", "creditLimit": "0", "customerId": `"1"`, "defaultAccount": "true",
				"cards.#": "1"} {
				c.is(a, "accountData."+path, want)
			}
		}},
	{"document 1, getAccountData",
		"cards have the fields of the example; the full number comes when asked", func(c *client) {
			account := c.customer("1").get("accountNumber")
			card := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			example := []string{"cardNumberMask", "expiryDate", "cardId", "hotCardStatus",
				"cardTypeName", "embossedName", "customerId", "personId", "pinDenialCounter",
				"plasticNumber", "hotCardStatusDescription", "cardIsPrimary", "cardBindToCustomer",
				"customerIsCardholder"}
			for _, more := range []string{"", `,"returnCardNumber":false`} {
				a := c.accountData(account, more)
				c.fields(a, "accountData.cards.0", append(example, "accountStatus", "productId")...)
				c.is(a, "accountData.cards.0.productId", `"5C"`)
			}
			a := c.accountData(account, `,"returnCardNumber":true`)
			c.fields(a, "accountData.cards.0",
				append(example, "cardNumber", "accountStatus", "productId")...)
			c.same("cardNumber", a.get("accountData.cards.0.cardNumber"), card)
		}},
	{"document 1, changeAccountStatus",
		"the back office keeps its status and declines nothing", func(c *client) {
			account := c.customer("1").get("accountNumber")
			card := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			a := c.v1("changeAccountStatus", `{"accountNumber":%q,"accountStatus":5}`, account)
			c.fields(a, "@this", "responseCode")
			c.is(c.accountData(account, ""), "accountData.cards.0.accountStatus", `"5"`)
			c.is(c.credit(card, 5), "responseCode", `"00"`)
		}},
	{"document 1, changeAccountStatusInFe",
		"the front end has a status of its own, and declines payments", func(c *client) {
			account := c.customer("1").get("accountNumber")
			card := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			set := func(status int) answer {
				return c.v1("changeAccountStatusInFe", `{"accountNumber":%q,"accountStatus":%d}`,
					account, status)
			}
			a := set(5)
			c.fields(a, "@this", "responseCode", "processingCode", "systemTraceAuditNumber",
				"localTransactionDate")
			c.like(a, "localTransactionDate", zoned)
			c.is(c.accountData(account, ""), "accountData.cards.0.accountStatus", `"0"`)
			c.is(c.credit(card, 5), "responseCode", `"62"`)
			c.is(c.transfer(card, c.card("2"), 5, ""), "responseCode", `"62"`)
			set(0)
			c.is(c.credit(card, 5), "responseCode", `"00"`)
		}},
	{"document 1, Accounts",
		"an unknown account and a malformed status are faults", func(c *client) {
			account := c.customer("1").get("accountNumber")
			for _, op := range []string{"changeAccountStatus", "changeAccountStatusInFe"} {
				c.is(c.v1(op, `{"accountNumber":"1","accountStatus":0}`), "responseCode", `"25"`)
				for _, status := range []string{"-1", "100", "null", `"0"`, "1.5"} {
					body := `{"accountNumber":%q,"accountStatus":%s}`
					c.is(c.v1(op, body, account, status), "responseCode", `"30"`)
				}
			}
			c.is(c.accountData("1", ""), "responseCode", `"25"`)
			c.is(c.v1("getAccountLimits", `{"accountNumber":"1"}`), "responseCode", `"25"`)
		}},
	{"document 1, setAllowedBeneficiaries",
		"a list is set and read, of a card or of an account", func(c *client) {
			account := c.customer("1").get("accountNumber")
			card := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
			ofAccount := fmt.Sprintf(`"accountNumber":%q`, account)
			ofCard := fmt.Sprintf(`"cardIdentification":{"cardNumber":%q}`, card)
			ask := func(op, who, more string) answer { return c.v1(op, "{%s%s}", who, more) }
			for _, row := range []struct{ set, get, field, first, second string }{
				{"setAllowedBeneficiaries", "getAllowedBeneficiaries", "beneficiaries",
					`["B1","B2"]`, `["B3"]`},
				{"setAllowedMccList", "getAllowedMccList", "mccList", `[5411,742]`, `[]`},
			} {
				c.is(ask(row.get, ofAccount, ""), row.field, "[]")
				c.fields(ask(row.set, ofAccount, `,"`+row.field+`":`+row.first), "@this", "responseCode")
				c.is(ask(row.get, ofAccount, ""), row.field, row.first)
				c.fields(ask(row.get, ofAccount, ""), "@this", row.field)
				c.is(ask(row.get, ofCard, ""), row.field, "[]")
				c.is(ask(row.set, ofCard+","+ofAccount, `,"`+row.field+`":`+row.second),
					"responseCode", `"00"`)
				c.is(ask(row.get, ofCard, ""), row.field, row.second)
				c.is(ask(row.get, ofAccount, ""), row.field, row.first)
			}
		}},
	{"document 1, setAllowedMccList",
		"a list that is missing or malformed is a fault", func(c *client) {
			account := c.customer("1").get("accountNumber")
			card, other := c.card("2"), c.customer("3").get("accountNumber")
			for op, lists := range map[string][]string{
				"setAllowedMccList":       {"", `,"mccList":[10000]`, `,"mccList":[-1]`, `,"mccList":["1"]`},
				"setAllowedBeneficiaries": {"", `,"beneficiaries":[""]`, `,"beneficiaries":[1]`},
			} {
				for _, list := range lists {
					c.is(c.v1(op, `{"accountNumber":%q%s}`, account, list), "responseCode", `"30"`)
				}
			}
			c.is(c.v1("getAllowedMccList", `{"cardIdentification":{"cardNumber":%q},"accountNumber":%q}`,
				card, other), "responseCode", `"25"`)
		}},
}

// accountData calls getAccountData with perhaps more fields.
func (c *client) accountData(account, more string) answer {
	c.t.Helper()
	return c.v1("getAccountData", `{"accountNumber":%q%s}`, account, more)
}
