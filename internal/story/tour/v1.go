package tour

import (
	"context"
	"slices"

	"github.com/paytape/paytape/internal/story"
)

// V1 calls every operation of version 1 (document 1, Endpoints) for one customer with a
// card, and a second one to whom money is sent: in an order in which each has something to
// do, with some calls that the bank declines and some that are faults. The second customer's
// number is the first's with a 2 behind it.
func V1(t *story.Teller, ctx context.Context) ([]story.Value, error) {
	return t.Run(ctx, "v1 tour", walk(t, ctx, slices.Concat(
		v1Customers, v1Accounts, v1Cards, v1Money, v1Histories, v1Secrets, v1States, v1Merchants)))
}

// What most documents of version 1 have in common.
const (
	byCard     = `{"cardIdentification":{"cardNumber":"${card}"}`
	atTerminal = `,"cardAcceptorParameters":{"terminalIdentification":"T-1",` +
		`"merchantIdentification":"${merchant}","merchantType":"5411","nameAndLocation":"Main 7"}`
	inPeriod = `"period":{"start":"${yesterday}","end":"${tomorrow}"}}`
)

var v1Customers = []step{
	{
		call: "registerCustomer",
		send: `{"productName":"CRCU1001","parameters":[
 {"name":"institutionId","value":"1001"},{"name":"agent_number","value":"1001"},
 {"name":"customer_number","value":"${customer}"},{"name":"product_id","value":"7001"},
 {"name":"start_date","value":"${today}"},{"name":"service_id_acc","value":"8001"},
 {"name":"surname","value":"${surname}"},{"name":"firstName","value":"Alex"},
 {"name":"secondName","value":"Robin"},{"name":"email","value":"alex@example.com"},
 {"name":"mobile_phone","value":"${phone}"},{"name":"country_code","value":"276"},
 {"name":"region","value":"Brandenburg"},{"name":"city","value":"Berlin"},
 {"name":"street","value":"Main"},{"name":"house","value":"7"},
 {"name":"apartament","value":"12"},{"name":"postal_code","value":"10115"}]}`,
		fresh: []string{"account accountNumber"},
		agree: []string{`customerNumber "${customer}"`},
	},
	{ // a number can be registered once
		call: "registerCustomer",
		send: `{"productName":"CRCU1001","parameters":[
 {"name":"customer_number","value":"${customer}"}]}`,
		code: 500, agree: []string{`responseCode "94"`},
	},
	{
		call: "registerCustomer",
		send: `{"productName":"CRCU1001","parameters":[
 {"name":"customer_number","value":"${customer}2"}]}`,
		fresh: []string{"account2 accountNumber"},
		agree: []string{`customerNumber "${customer}2"`},
	},
	{
		call:  "isCustomerExist",
		send:  `{"customerNumber":"${customer}","institutionId":1001}`,
		agree: []string{"result true"},
	},
	{
		call: "getCustomerInfo",
		send: `{"customerNumber":"${customer}","accountNumber":"${account}"}`,
		agree: []string{`customerNumber "${customer}"`, `accounts.0.accountNumber "${account}"`,
			"accounts.0.balances.0.value 0"},
	},
}

var v1Accounts = []step{
	{
		call: "changeAccountLimit",
		send: `{"accountNumber":"${account}","limit":{"name":"LMTTC01","value":500000,` +
			`"startDate":"${today}","cycleType":3,"cycleLength":2,"currency":978}` + atTerminal + `}`,
		agree: []string{`responseCode "00"`},
	},
	{
		call:  "getAccountLimits",
		send:  `{"accountNumber":"${account}"}`,
		agree: []string{`limits.0.name "LMTTC01"`, "limits.0.value 500000", "limits.0.cycleLength 2"},
	},
	{
		call:  "setAllowedBeneficiaries",
		send:  `{"accountNumber":"${account}","beneficiaries":["B-${customer}","B2"]}`,
		agree: []string{`responseCode "00"`},
	},
	{
		call:  "getAllowedBeneficiaries",
		send:  `{"accountNumber":"${account}"}`,
		agree: []string{`beneficiaries ["B-${customer}","B2"]`},
	},
	{
		call:  "setAllowedMccList",
		send:  `{"accountNumber":"${account}","mccList":[5411,5812]}`,
		agree: []string{`responseCode "00"`},
	},
	{
		call:  "getAllowedMccList",
		send:  `{"accountNumber":"${account}"}`,
		agree: []string{"mccList [5411,5812]"},
	},
}

var v1Cards = []step{
	{
		call: "createVirtualCard",
		send: `{"cardIdentification":{"cardNumber":"4276000000000000","phoneNumber":"${phone}"},
 "virtualCardIdentification":{"expDate":"${expiry}","productType":"5C"},"amount":0,"currency":978,
 "accountNumber":"${account}","deliveryMethod":"WS",
 "personalData":{"firstName":"Alex","lastName":"${surname}"}` + atTerminal + `}`,
		fresh: []string{"card virtualCardIdentification.cardNumber",
			"cardId virtualCardIdentification.cardId", "barCode virtualCardIdentification.barCode"},
		agree: []string{`virtualCardIdentification.cardNumberMask "${card:mask}"`,
			`virtualCardIdentification.expDate "${expiry}"`},
	},
	{ // of which the answer shows a mask, and getAccountData the number
		call: "createVirtualCard",
		send: `{"cardIdentification":{"cardNumber":"4276000000000000"},
 "virtualCardIdentification":{"expDate":"203012","productType":"5C"},"amount":0,"currency":978,
 "accountNumber":"${account2}","deliveryMethod":"HALF_AND_HALF"}`,
		fresh: []string{"cardId2 virtualCardIdentification.cardId"},
		plain: []string{"mask2 virtualCardIdentification.cardNumberMask"},
		agree: []string{"virtualCardIdentification.cardNumber "},
	},
	{
		call:  "getAccountData",
		send:  `{"accountNumber":"${account2}","returnCardNumber":true}`,
		fresh: []string{"card2 accountData.cards.0.cardNumber"},
		agree: []string{`accountData.number "${account2}"`, `accountData.cards.0.cardId "${cardId2}"`,
			`accountData.cards.0.cardNumberMask "${mask2}"`},
	},
	{
		call: "getCardData",
		send: byCard + `}`,
		agree: []string{`cardData.cardId "${cardId}"`, `cardData.cardNumberMask "${card:mask}"`,
			`cardData.expiryDate "${expiry}"`, "cardData.hotCardStatus 0",
			`cardData.customerId "${customer}"`},
	},
	{
		call:  "getCardLimits",
		send:  `{"cardIdentification":{"cardId":"${cardId}"}}`,
		plain: []string{"limit limits.0.name"},
		agree: []string{"limits.0.currentValue 0", "limits.0.limitExceptions []"},
	},
	{
		call: "changeCardLimit",
		send: byCard + `,"limit":{"name":"${limit}","value":30000,"endDate":"${tomorrow}"}` +
			atTerminal + `}`,
		fresh: []string{"limitDate localTransactionDate"},
		agree: []string{`responseCode "00"`},
	},
	{
		call:  "getCardLimits",
		send:  byCard + `}`,
		agree: []string{"limits.0.value 30000", `limits.0.endDate "${tomorrow}"`},
	},
	{
		call: "setGeoRestrictions",
		send: byCard + `,"restrictions":{"restriction":[{"countryId":276,"regionId":1,` +
			`"transactionGroupId":2,"status":"ENABLED","startDate":"${today}"}]}}`,
		agree: []string{`responseCode "00"`},
	},
	{
		call:  "getGeoRestrictions",
		send:  byCard + `}`,
		agree: []string{"restrictions.0.countryId 276", `restrictions.0.startDate "${today}"`},
	},
}
