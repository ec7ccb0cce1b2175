package sandbox_test

import (
	"fmt"
	"strings"
)

// where is a terminal of the published table.
const where = `,"cardAcceptorParameters":{"terminalIdentification":"T0000001",` +
	`"merchantIdentification":"M0000001","merchantType":"5411","nameAndLocation":"Here"}`

// contract is what names a merchant of the table, but for its status.
const contract = `"merchantNumber":"M0000001","institutionId":"1001","agentId":"1001",` +
	`"customerNumber":"900001","contractNumber":"800001"`

// call is one operation with a body that it accepts.
type call struct{ op, body string }

// everything lists the 38 operations in the order of document 1 (Endpoints), each with a
// body that succeeds on a fresh card with money on it.
func (c *client) everything(customer string) []call {
	c.t.Helper()
	made := c.customer(customer)
	account := made.get("accountNumber")
	card := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
	other := c.card("other " + customer)
	c.credit(card, 1000)
	sold := c.byNumber("debitCard", card, fmt.Sprintf(euros+where, 10))
	orders := c.v1("getPaymentOrders",
		`{"merchantNumber":"M0000001","institutionId":"1001","period":{}}`)
	byAccount := fmt.Sprintf(`{"accountNumber":%q`, account)
	byCard := fmt.Sprintf(`{"cardIdentification":{"cardNumber":%q,"expDate":"203012"}`, card)
	period := `,"institutionId":"1001","period":{"start":"2026-03-01","end":"2026-03-31"}}`
	return []call{
		{"registerCustomer", `{"productName":"CRCU1001","parameters":[` +
			`{"name":"customer_number","value":"new ` + customer + `"}]}`},
		{"getCustomerInfo", fmt.Sprintf(`{"customerNumber":%q}`, customer)},
		{"isCustomerExist", fmt.Sprintf(`{"customerNumber":%q}`, customer)},
		{"changeAccountLimit", byAccount + `,"limit":{"name":"LMTTC01","value":5000}` + where + `}`},
		{"getAccountLimits", byAccount + `}`},
		{"changeAccountStatus", byAccount + `,"accountStatus":1}`},
		{"changeAccountStatusInFe", byAccount + `,"accountStatus":0` + where + `}`},
		{"getAccountData", byAccount + `,"returnCardNumber":true}`},
		{"setAllowedBeneficiaries", byAccount + `,"beneficiaries":["B1","B2"]}`},
		{"getAllowedBeneficiaries", byAccount + `}`},
		{"setAllowedMccList", byAccount + `,"mccList":[5411,5812]}`},
		{"getAllowedMccList", byAccount + `}`},
		{"changeMerchantStatus", `{` + contract + `,"status":"CLOSED"}`},
		{"changeTerminalStatus", `{` + contract + `,"terminalNumber":"T0000001","status":"CLOSED"}`},
		{"getMerchantTransactions", `{"merchantIdn":"M0000001","terminalId":"T0000001"` + period},
		{"generateKey", `{"terminalId":7001,"hostId":1,"keyType":"ENKTTMKA","keyLength":"ENKL_0032",` +
			`"keySerialNumber":"FFFF9876543210E0","dukptId":"1"}`},
		{"setKey", `{"terminalNumber":"T0000001","hostId":1,"keyType":"ENKTTAK",` +
			`"key":"00000000000000000000000000000000","newKeyPrefix":"U"}`},
		{"serviceAction", byCard + `,"serviceIdentification":{"serviceType":"SMS","serviceId":"1",` +
			`"serviceObjectType":"SERVICE_OBJECT_CARD"},"actionCode":"ACTION_CODE_ADD"` + where + `}`},
		{"createVirtualCard", fmt.Sprintf(createCard, template, "203012", "5C", 0, 978, account)},
		{"getCardLimits", byCard + `}`},
		{"changeCardLimit", byCard + `,"limit":{"name":"LMTP0101","value":5000}` + where + `}`},
		{"getCardData", byCard + `}`},
		{"blockCard", byCard + `}`},
		{"changeCardStatus", byCard + `,"hotCardStatus":0` + where + `}`},
		{"cardStatusInquiry", byCard + where + `}`},
		{"generatePin", byCard + `,"pinDeliveryMethod":"WS_ENCRYPTED"` + where + `}`},
		{"changePin", byCard + `,"newPinData":"4321"` + where + `}`},
		{"resetPinCounter", byCard + where + `}`},
		{"generateCVC2", byCard + `,"deliveryMethod":"WS"` + where + `}`},
		{"setGeoRestrictions", byCard + `,"restrictions":{"restriction":[{"countryId":276,` +
			`"regionId":1,"transactionGroupId":2,"status":"ENABLED"}]}}`},
		{"getGeoRestrictions", byCard + `}`},
		{"creditCard", byCard + `,"amount":5,"currency":978` + where + `}`},
		{"debitCard", byCard + `,"amount":5,"currency":978` + where + `}`},
		{"p2PTransfer", byCard + `,"destinationCardIdentification":{"cardNumber":"` + other +
			`"},"amount":5,"currency":978,"pointOfServiceConditionCode":"any","senderReceiverInfo":` +
			`{"senderName":"Person, Test","senderAddress":"1 Test Street"}` + where + `}`},
		{"getOrderDetails", `{"orderId":` + orders.get("orderList.0.id") + `}`},
		{"getPaymentOrders", `{"merchantNumber":"M0000001"` + period},
		{"getTransactionDetails", `{"utrnno":` + strings.TrimLeft(sold.get("rrn"), "0") + `}`},
		{"getTransactions", byCard + period},
	}
}

// takeTerminal are the operations that document 1 gives cardAcceptorParameters.
var takeTerminal = []string{"changeAccountLimit", "changeAccountStatusInFe", "serviceAction",
	"createVirtualCard", "changeCardLimit", "changeCardStatus", "cardStatusInquiry", "generatePin",
	"changePin", "resetPinCounter", "generateCVC2", "creditCard", "debitCard", "p2PTransfer"}

// with puts more at the end of an object.
func with(body, more string) string { return body[:len(body)-1] + more + "}" }

var v1AllClaims = []claim{
	{"document 1, General rules, 5",
		"all 38 operations succeed on a card just created", func(c *client) {
			calls := c.everything("1")
			seen := map[string]bool{}
			for _, call := range calls {
				a := c.v1(call.op, "%s", call.body)
				if code := a.get("responseCode"); a.status != 200 || code != "" && code != "00" {
					c.t.Errorf("%s answers %d with responseCode %q", call.op, a.status, code)
				}
				seen[call.op] = true
			}
			if len(seen) != 38 {
				c.t.Errorf("%d operations, want 38", len(seen))
			}
		}},
	{"document 1, General rules, 2",
		"an operation has one address", func(c *client) {
			for _, path := range []string{"/v1/registerCustomer", "/v1/apigate/ws/registerCustomer",
				"/v1/apigate/ws/rest/registercustomer", "/v1/apigate/ws/rest/registerCustomer/",
				"/v1/apigate/ws/rest/p2pTransfer"} {
				c.code(c.send("POST", path, "{}", "Authorization", c.basic), 404)
			}
		}},
	{"document 1, Authentication, 1",
		"every operation needs the header", func(c *client) {
			calls := c.everything("1")
			c.basic = ""
			for _, call := range calls {
				c.code(c.v1(call.op, "%s", call.body), 401)
			}
		}},
	{"document 1, Endpoints",
		"an empty object is a fault wherever a field is mandatory", func(c *client) {
			for _, call := range c.everything("1") {
				a := c.v1(call.op, "{}")
				c.code(a, 500)
				c.fields(a, "@this", "responseCode", "message")
			}
		}},
	{"document 1, Terminal parameters object",
		"three fields are mandatory in every operation that takes it", func(c *client) {
			bodies := map[string]string{}
			for _, call := range c.everything("1") {
				bodies[call.op] = call.body
			}
			for _, op := range takeTerminal {
				for _, field := range []string{"terminalIdentification", "merchantIdentification",
					"merchantType"} {
					body := with(bodies[op], strings.Replace(where, field, "x", 1))
					if strings.Contains(bodies[op], "cardAcceptorParameters") {
						body = strings.Replace(bodies[op], `"`+field+`"`, `"x"`, 1)
					}
					a := c.v1(op, "%s", body)
					c.code(a, 500)
					c.is(a, "responseCode", `"30"`)
				}
			}
		}},
	{"document 1, Limits, 4",
		"a text or a list that is plainly oversized is a fault", func(c *client) {
			long := strings.Repeat("x", 256)
			for _, call := range c.everything("1") {
				a := c.v1(call.op, "%s", with(call.body, fmt.Sprintf(`,"unknown":[{"a":%q}]`, long)))
				c.code(a, 500)
				c.is(a, "message", `"field a is too long"`)
			}
			c.is(c.v1("isCustomerExist", `{"customerNumber":%q}`, long[1:]), "result", "false")
			c.code(c.v1("isCustomerExist", `{"customerNumber":%q}`, long), 500)
			account := c.customer("2").get("accountNumber")
			set := `{"accountNumber":%q,"mccList":[1%s]}`
			c.code(c.v1("setAllowedMccList", set, account, strings.Repeat(",1", 999)), 200)
			c.code(c.v1("setAllowedMccList", set, account, strings.Repeat(",1", 1000)), 500)
		}},
	{"document 1, Notation",
		"a field of another type is a fault", func(c *client) {
			for _, call := range c.everything("1") {
				for from, to := range map[string]string{
					`"cardNumber":"`:    `"plasticNumber":"1","cardNumber":"`,
					`"accountNumber":"`: `"accountNumber":1,"x":"`,
					`"amount":5`:        `"amount":"5"`,
				} {
					if body := strings.Replace(call.body, from, to, 1); body != call.body {
						c.code(c.v1(call.op, "%s", body), 500)
					}
				}
			}
		}},
}
