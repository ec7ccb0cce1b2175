package sandbox_test

import "fmt"

var v1CardClaims = []claim{
	{"document 1, createVirtualCard",
		"a card has number, mask, id, expiry and product", func(c *client) {
			a := c.virtualCard(c.customer("1").get("accountNumber"))
			c.fields(a, "@this", "virtualCardIdentification")
			c.fields(a, "virtualCardIdentification",
				"cardNumber", "cardNumberMask", "cardId", "expDate", "productType", "barCode")
			number := a.get("virtualCardIdentification.cardNumber")
			c.like(a, "virtualCardIdentification.cardNumber", `427600\d{10}`)
			c.same("mask", a.get("virtualCardIdentification.cardNumberMask"),
				number[:6]+"******"+number[12:])
			c.like(a, "virtualCardIdentification.cardId", `\d{10}`)
			c.is(a, "virtualCardIdentification.expDate", `"203012"`)
			c.is(a, "virtualCardIdentification.productType", `"5C"`)
			c.like(a, "virtualCardIdentification.barCode", `\d{12}`)
		}},
	{"document 1, createVirtualCard",
		"personalData names the card, otherwise the customer does", func(c *client) {
			more := `,"personalData":{"firstName":"Other","lastName":"Name"}}`
			card := c.virtualCardWith(c.customer("1").get("accountNumber"), more)
			a := c.byNumber("getCardData", card.get("virtualCardIdentification.cardNumber"), "")
			c.is(a, "cardData.embossedName", `"Other Name"`)
			c.is(c.byNumber("getCardData", c.card("2"), ""), "cardData.embossedName", `"Person"`)
		}},
	{"document 1, Limits, 2",
		"the sandbox constants hold when a card is created", func(c *client) {
			account := c.customer("1").get("accountNumber")
			for _, args := range [][]any{
				{cardPaid, "203012", "5C", 0, 978, account}, {"", "203012", "5C", 0, 978, account},
				{template, "202603", "5C", 0, 978, account}, {template, "202512", "5C", 0, 978, account},
				{template, "2030", "5C", 0, 978, account}, {template, "", "5C", 0, 978, account},
				{template, "203012", "16", 0, 978, account}, {template, "203012", "", 0, 978, account},
				{template, "203012", "5C", 1, 978, account}, {template, "203012", "5C", 0, 840, account},
				{template, "203012", "5C", 0, 978, "40817978000000000000"},
				{template, "203012", "5C", 0, 978, ""},
			} {
				c.code(c.v1("createVirtualCard", createCard, args...), 500)
			}
			c.code(c.v1("createVirtualCard", createCard, template, "202604", "5C", 0, 978, account), 200)
		}},
	{"document 1, createVirtualCard",
		"HALF_AND_HALF shows a masked number alone", func(c *client) {
			body := createCard[:len(createCard)-1] + `,"deliveryMethod":%q}`
			account := c.customer("1").get("accountNumber")
			by := func(method string) answer {
				args := []any{template, "203012", "5C", 0, 978, account, method}
				return c.v1("createVirtualCard", body, args...)
			}
			half := by("HALF_AND_HALF")
			c.is(half, "virtualCardIdentification.cardNumber", "")
			c.like(half, "virtualCardIdentification.cardNumberMask", `427600\*{6}\d{4}`)
			whole := by("WS")
			c.like(whole, "virtualCardIdentification.cardNumber", `\d{16}`)
			c.code(by("SMS"), 500)
		}},
	{"document 1, General rules, 3",
		"the number of cards is not limited", func(c *client) {
			account := c.customer("1").get("accountNumber")
			for range 30 {
				c.code(c.virtualCard(account), 200)
			}
		}},
	{"document 1, General rules, 4",
		"a new card is active and usable at once", func(c *client) {
			card := c.card("1")
			a := c.byNumber("cardStatusInquiry", card, "")
			c.fields(a, "@this", "hotCardStatus")
			c.is(a, "hotCardStatus", "0")
			c.is(c.credit(card, 1), "responseCode", `"00"`)
		}},
	{"document 1, Card identification object",
		"a card is found by number or by id", func(c *client) {
			made := c.virtualCard(c.customer("1").get("accountNumber"))
			number := made.get("virtualCardIdentification.cardNumber")
			id := made.get("virtualCardIdentification.cardId")
			byID := `{"cardIdentification":{"cardId":%q,"cardNumber":%q}}`
			c.is(c.v1("cardStatusInquiry", byID, id, ""), "hotCardStatus", "0")
			c.is(c.v1("cardStatusInquiry", byID, id, number), "hotCardStatus", "0")
			c.code(c.v1("cardStatusInquiry", byID, id, c.card("2")), 500)
			c.code(c.v1("cardStatusInquiry", byID, "1", number), 500)
			c.code(c.v1("cardStatusInquiry", byID, "1", ""), 500)
			c.code(c.v1("cardStatusInquiry", "{}"), 500)
			c.code(c.v1("cardStatusInquiry", `{"cardIdentification":{"phoneNumber":"1"}}`), 500)
		}},
	{"document 1, States and transitions",
		"blockCard moves an active card from 0 to 6", func(c *client) {
			card := c.card("1")
			a := c.byNumber("blockCard", card, "")
			c.fields(a, "@this", "responseCode", "processingCode", "systemTraceAuditNumber",
				"localTransactionDate")
			c.is(a, "responseCode", `"00"`)
			c.is(c.byNumber("cardStatusInquiry", card, ""), "hotCardStatus", "6")
			c.is(c.byNumber("getCardData", card, ""), "cardData.hotCardStatus", "6")
		}},
	{"document 1, States and transitions",
		"only an active card can be blocked", func(c *client) {
			card := c.card("1")
			c.byNumber("blockCard", card, "")
			c.code(c.byNumber("blockCard", card, ""), 500)
		}},
	{"document 1, States and transitions",
		"changeCardStatus moves a blocked card back to 0", func(c *client) {
			card := c.card("1")
			c.code(c.byNumber("changeCardStatus", card, `,"hotCardStatus":0`), 500)
			c.byNumber("blockCard", card, "")
			c.code(c.byNumber("changeCardStatus", card, `,"hotCardStatus":6`), 500)
			c.code(c.byNumber("changeCardStatus", card, ""), 500)
			a := c.byNumber("changeCardStatus", card, `,"hotCardStatus":0`)
			c.fields(a, "@this", "responseCode", "processingCode", "systemTraceAuditNumber",
				"localTransactionDate")
			c.is(c.byNumber("cardStatusInquiry", card, ""), "hotCardStatus", "0")
		}},
	{"document 1, Transaction record",
		"blocking and status change are records with zero amounts", func(c *client) {
			card := c.card("1")
			c.byNumber("blockCard", card, "")
			c.byNumber("changeCardStatus", card, `,"hotCardStatus":0`)
			list := c.byNumber("getTransactions", card, `,"period":{}`)
			c.is(list, "transactions.#", "2")
			for _, i := range []string{"0", "1"} {
				c.is(list, "transactions."+i+".amount", "0")
				c.is(list, "transactions."+i+".operationDirection", `"NOOP"`)
			}
		}},
	{"domain facts, Codes",
		"a blocked card is declined, in and out, and nothing moves", func(c *client) {
			from, to := c.card("1"), c.card("2")
			c.credit(from, 500)
			c.byNumber("blockCard", to, "")
			c.is(c.transfer(from, to, 5, ""), "responseCode", `"62"`)
			c.is(c.credit(to, 5), "responseCode", `"62"`)
			c.is(c.byNumber("debitCard", from, fmt.Sprintf(euros, 500)), "responseCode", `"00"`)
			c.is(c.byNumber("generatePin", to, ""), "responseCode", `"62"`)
			c.is(c.byNumber("generateCVC2", to, ""), "responseCode", `"62"`)
		}},
	{"document 1, getAccountData",
		"getCardData shows a card by the fields of that example", func(c *client) {
			a := c.byNumber("getCardData", c.card("1"), "")
			c.fields(a, "cardData", "cardNumberMask", "expiryDate", "cardId", "hotCardStatus",
				"cardTypeName", "embossedName", "customerId", "personId", "pinDenialCounter",
				"plasticNumber", "hotCardStatusDescription", "cardIsPrimary", "cardBindToCustomer",
				"customerIsCardholder")
			c.is(a, "cardData.hotCardStatus", "0")
			c.is(a, "cardData.expiryDate", `"203012"`)
			c.is(a, "cardData.customerId", `"1"`)
			c.is(a, "cardData.embossedName", `"Person"`)
		}},
	{"document 1, generateCVC2",
		"the delivery decides what the answer shows", func(c *client) {
			card := c.card("1")
			by := func(method string) answer {
				return c.byNumber("generateCVC2", card, fmt.Sprintf(`,"deliveryMethod":%q`, method))
			}
			c.fields(by("WS"), "@this", "responseCode", "cardNumberMask", "cardNumber", "cvc2")
			c.like(by("WS"), "cvc2", `\d{3}`)
			c.same("without a method", c.byNumber("generateCVC2", card, "").body, by("WS").body)
			c.like(by("HALF_AND_HALF"), "cvc2", `\d{2}`)
			c.like(by("WS_ENCRYPTED"), "cvc2", `[A-Za-z0-9+/]{342}==`)
			c.fields(by("NONE"), "@this", "responseCode", "cardNumberMask")
			c.code(by("POST"), 500)
		}},
	{"document 1, generateCVC2",
		"SMS needs a phone number", func(c *client) {
			card := c.card("1")
			c.code(c.byNumber("generateCVC2", card, `,"deliveryMethod":"SMS"`), 500)
			a := c.v1("generateCVC2", `{"cardIdentification":{"cardNumber":%q,"phoneNumber":"+49"},`+
				`"deliveryMethod":"SMS"}`, card)
			c.is(a, "responseCode", `"00"`)
			c.is(a, "cvc2", "")
		}},
	{"document 1, generatePin",
		"the delivery decides what the answer shows", func(c *client) {
			card := c.card("1")
			by := func(method string) answer {
				return c.byNumber("generatePin", card, fmt.Sprintf(`,"pinDeliveryMethod":%q`, method))
			}
			c.fields(by("WS"), "@this", "responseCode", "pinValue")
			c.like(by("WS"), "pinValue", `\d{4}`)
			c.like(by("HALF_AND_HALF"), "pinValue", `\d{2}`)
			c.fields(by("WS_ENCRYPTED"), "@this", "responseCode", "encryptedPinValue")
			c.like(by("WS_ENCRYPTED"), "encryptedPinValue", `[A-Za-z0-9+/]{342}==`)
			c.fields(by("SMS"), "@this", "responseCode")
			c.fields(by("NONE"), "@this", "responseCode")
			c.code(by("POST"), 500)
		}},
	{"document 1, generatePin",
		"a PIN may be brought along, in clear or encrypted", func(c *client) {
			card := c.card("1")
			c.is(c.byNumber("generatePin", card, `,"pinValue":"4321"`), "pinValue", `"4321"`)
			c.code(c.byNumber("generatePin", card, `,"pinValue":"432"`), 500)
			c.code(c.byNumber("generatePin", card, `,"encryptedPinValue":"*"`), 500)
			brought := `,"encryptedPinValue":"AAAA","pinDeliveryMethod":%q`
			c.fields(c.byNumber("generatePin", card, fmt.Sprintf(brought, "WS")), "@this", "responseCode")
			c.is(c.byNumber("generatePin", card, fmt.Sprintf(brought, "WS_ENCRYPTED")),
				"encryptedPinValue", `"AAAA"`)
		}},
	{"document 1, generatePin",
		"checkCardOnly looks and makes no PIN", func(c *client) {
			card := c.card("1")
			c.fields(c.byNumber("generatePin", card, `,"checkCardOnly":true`), "@this", "responseCode")
			c.byNumber("blockCard", card, "")
			c.is(c.byNumber("generatePin", card, `,"checkCardOnly":true`), "responseCode", `"62"`)
			c.code(c.byNumber("generatePin", cardPaid, `,"checkCardOnly":true`), 500)
		}},
}
