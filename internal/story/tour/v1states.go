package tour

var v1Secrets = []step{
	{
		call:  "generatePin",
		send:  byCard + `,"pinDeliveryMethod":"WS","parameters":[{"name":"a","value":"b"}]}`,
		plain: []string{"pinValue pinValue"},
		agree: []string{`responseCode "00"`, "encryptedPinValue "},
	},
	{
		call:  "generatePin",
		send:  byCard + `,"pinDeliveryMethod":"WS_ENCRYPTED"` + atTerminal + `}`,
		plain: []string{"encryptedPin encryptedPinValue"},
		agree: []string{`responseCode "00"`, "pinValue "},
	},
	{
		call:  "generatePin",
		send:  byCard + `,"checkCardOnly":true}`,
		agree: []string{`responseCode "00"`, "pinValue "},
	},
	{
		call:  "changePin",
		send:  byCard + `,"newPinData":"${encryptedPin}"}`,
		agree: []string{`responseCode "00"`},
	},
	{
		call:  "resetPinCounter",
		send:  byCard + atTerminal + `}`,
		fresh: []string{"counterRrn rrn"},
		agree: []string{`responseCode "00"`, `authorizationIdResponse "${counterRrn:six}"`},
	},
	{
		call:  "generateCVC2",
		send:  byCard + `,"deliveryMethod":"WS"}`,
		plain: []string{"cvc2 cvc2"},
		agree: []string{`responseCode "00"`, `cardNumber "${card}"`, `cardNumberMask "${card:mask}"`},
	},
	{
		call: "generateCVC2",
		send: `{"cardIdentification":{"cardNumberMask":"${card:mask}","phoneNumber":"${phone}"},` +
			`"deliveryMethod":"SMS"}`,
		agree: []string{`responseCode "00"`, `cardNumberMask "${card:mask}"`, "cvc2 "},
	},
}

var v1States = []step{
	{
		call:  "blockCard",
		send:  byCard + `}`,
		fresh: []string{"blockDate localTransactionDate"},
		agree: []string{`responseCode "00"`},
	},
	{call: "blockCard", send: byCard + `}`, code: 500, agree: []string{`responseCode "12"`}},
	{
		call: "cardStatusInquiry",
		send: `{"cardIdentification":{"cardNumberMask":"${card:mask}",` +
			`"cardholderId":"${customer}"}}`,
		agree: []string{"hotCardStatus 6"},
	},
	{
		call:  "debitCard",
		send:  byCard + `,"amount":700,"currency":978}`,
		agree: []string{`responseCode "62"`},
	},
	{
		call:  "changeCardStatus",
		send:  byCard + `,"hotCardStatus":0}`,
		fresh: []string{"freeDate localTransactionDate"},
		agree: []string{`responseCode "00"`},
	},
	{
		call:  "cardStatusInquiry",
		send:  `{"cardIdentification":{"barCode":"${barCode}"}` + atTerminal + `}`,
		agree: []string{"hotCardStatus 0"},
	},
	{
		call:  "changeAccountStatusInFe",
		send:  `{"accountNumber":"${account}","accountStatus":1` + atTerminal + `}`,
		fresh: []string{"statusDate localTransactionDate"},
		agree: []string{`responseCode "00"`},
	},
	{
		call:  "creditCard",
		send:  byCard + `,"amount":800,"currency":978}`,
		agree: []string{`responseCode "62"`},
	},
	{
		call:  "changeAccountStatus",
		send:  `{"accountNumber":"${account}","accountStatus":5}`,
		agree: []string{`responseCode "00"`},
	},
	{
		call: "getAccountData",
		send: `{"accountNumber":"${account}","returnCardNumber":true}`,
		agree: []string{`accountData.number "${account}"`, "accountData.balance 35350",
			`accountData.cards.0.cardNumber "${card}"`, `accountData.cards.0.cardId "${cardId}"`,
			`accountData.cards.0.cardNumberMask "${card:mask}"`,
			`accountData.cards.0.accountStatus "5"`, `accountData.customerId "${customer}"`,
			`accountData.cards.0.personId "${customer}"`},
	},
	{
		call: "serviceAction",
		send: serviceV1 + `,"actionCode":"ACTION_CODE_ADD","serviceParameters":` +
			`{"phoneNumber":"${phone}","email":"alex@example.com"}}`,
		agree: []string{`responseCode "00"`},
	},
	{
		call: "serviceAction", send: serviceV1 + `,"actionCode":"ACTION_CODE_ADD"}`,
		code: 500, agree: []string{`responseCode "94"`},
	},
	{
		call:  "serviceAction",
		send:  serviceV1 + `,"actionCode":"ACTION_CODE_DELETE","accountNumber":"${account}"}`,
		agree: []string{`responseCode "00"`},
	},
}

const serviceV1 = `{"cardIdentification":{"cardNumber":"${card}","expDate":"${expiry}"},
 "serviceIdentification":{"serviceType":"SMS","serviceId":"8",
 "serviceObjectType":"SERVICE_OBJECT_CARD"}`

// The merchants of these are published; nothing that a client chooses is in them.
var v1Merchants = []step{
	{
		call:  "changeMerchantStatus",
		send:  `{` + contractV1 + `,"status":"ACTIVE"}`,
		agree: []string{`responseCode "00"`},
	},
	{
		call:  "changeTerminalStatus",
		send:  `{` + contractV1 + `,"terminalNumber":"T0000001","status":"ACTIVE"}`,
		agree: []string{`responseCode "00"`},
	},
	{
		call: "generateKey",
		send: `{"terminalId":7001,"merchantNumber":"M0000001","hostId":1,"keyType":"ENKTTMKA",` +
			`"keyLength":"ENKL_0032","keySerialNumber":"FFFF9876543210E0","dukptId":"1"}`,
		plain: []string{"key keyValue", "checkValue checkValue", "hsmKey lmkHsmKeyValue"},
	},
	{
		call: "setKey",
		send: `{"terminalNumber":"T0000002","hostId":1,"keyType":"ENKTTAK","inputKeyPrefix":"X",` +
			`"key":"${key}","keyCheckValue":"${checkValue}","newKeyPrefix":"U"}`,
		agree: []string{"@this {}"},
	},
}

const contractV1 = `"merchantNumber":"M0000001","institutionId":"1001","agentId":"1001",` +
	`"customerNumber":"900001","contractNumber":"800001"`
