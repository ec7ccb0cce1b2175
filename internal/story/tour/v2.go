package tour

import (
	"context"
	"slices"

	"github.com/paytape/paytape/internal/story"
)

// V2 calls every operation of version 2 (document 2, Endpoints) for a payer and a payee
// with a card each: every parameter that a PATCH can have, transfers that are declined for
// each reason, and calls that are refused.
func V2(t *story.Teller, ctx context.Context) ([]story.Value, error) {
	return t.Run(ctx, "v2 tour", walk(t, ctx, slices.Concat(v2Holders, v2Cards, v2Moves, v2Losses)))
}

var v2Holders = []step{
	{
		call: "POST /cardholders",
		send: `{"firstName":"Alex","lastName":"${surname}","phoneNumber":"${phone}",
 "email":"alex@example.com","dateOfBirth":"1990-05-17",
 "verification":{"idType":"passport","documentId":"X1234567"},
 "billingAddress":{"city":"Berlin","country":"DE","line1":"Main 1","line2":"Rear",
 "postalCode":"10115"}}`,
		fresh: []string{"payerId id"},
		agree: []string{`lastName "${surname}"`, `phoneNumber "${phone}"`, `status "active"`},
	},
	{
		call: "POST /cardholders",
		send: `{"firstName":"${payee}","lastName":"${surname}","phoneNumber":"491700000002",` +
			`"billingAddress":{"country":"DE","postalCode":"10117"}}`,
		fresh: []string{"payeeId id"},
		agree: []string{`firstName "${payee}"`, "email "},
	},
	{ // without a country
		call: "POST /cardholders",
		send: `{"firstName":"Alex","lastName":"${surname}","phoneNumber":"${phone}",` +
			`"billingAddress":{"postalCode":"10117"}}`,
		code: 400, agree: []string{`code "invalid_request"`},
	},
	{
		call: "GET /cardholders/${payerId}",
		agree: []string{`id "${payerId}"`, `lastName "${surname}"`, `phoneNumber "${phone}"`,
			`dateOfBirth "1990-05-17"`},
	},
	{
		call: "GET /cardholders/00000000-0000-4000-8000-000000000000",
		code: 404, agree: []string{`code "not_found"`},
	},
}

var v2Cards = []step{
	{
		call:  "POST /cards",
		send:  `{"productName":"VISA Classic","cardholder":"${payerId}"}`,
		fresh: []string{"payer id", "payerAccount account.accountNumber", "payerDate creationDate"},
		plain: []string{"payerExpiry expiryDate"},
		agree: []string{`cardholder "${payerId}"`, "account.balance 0", "number ", "cvc ",
			"spendingLimits.0.amount 100000"},
	},
	{
		call:  "POST /cards",
		send:  `{"productName":"VISA","cardholder":"${payeeId}"}`,
		fresh: []string{"payeeCard id"},
		agree: []string{`cardholder "${payeeId}"`},
	},
	{ // there is one card for a cardholder
		call: "POST /cards",
		send: `{"productName":"VISA","cardholder":"${payeeId}"}`,
		code: 409, agree: []string{`code "conflict"`},
	},
	{
		call:  "GET /cards/${payer}",
		fresh: []string{"payerNumber number"},
		plain: []string{"cvc cvc"},
		agree: []string{`id "${payer}"`, `numberMask "${payerNumber:mask}"`,
			`account.accountNumber "${payerAccount}"`, `creationDate "${payerDate}"`,
			`expiryDate "${payerExpiry}"`},
	},
	{
		call:  "GET /cards/${payeeCard}",
		fresh: []string{"payeeNumber number"},
		agree: []string{`numberMask "${payeeNumber:mask}"`},
	},
	{
		call: "PATCH /cards/${payer}",
		send: `{"spendingLimits":[{"amount":5000,"interval":"daily"},` +
			`{"amount":20000,"interval":"monthly"}]}`,
		agree: []string{`spendingLimits [{"amount":5000,"interval":"daily"},` +
			`{"amount":20000,"interval":"monthly"}]`},
	},
	{
		call:  "PATCH /cards/${payer}",
		send:  `{"pin":"ZW5jcnlwdGVkIHBpbiBibG9jaw=="}`,
		agree: []string{`id "${payer}"`, "pin "},
	},
	{
		call:  "PATCH /cards/${payer}",
		send:  `{"resetPinCounter":true}`,
		agree: []string{`id "${payer}"`, `pinDenialCounter "0"`},
	},
	{ // one parameter alone
		call: "PATCH /cards/${payer}",
		send: `{"status":"blocked","resetPinCounter":true}`,
		code: 400, agree: []string{`code "invalid_request"`},
	},
}

var v2Moves = []step{
	{
		call:  "POST /topups",
		send:  `{"amount":8000,"currency":"EUR","destinationCard":{"cardNumber":"${payerNumber}"}}`,
		fresh: []string{"topupId id", "topupRrn rrn", "topupDate creationDate"},
		agree: []string{`destinationCard.cardNumber "${payerNumber}"`, "amount 8000",
			`status "approved"`},
	},
	{
		call: "POST /topups",
		send: `{"amount":8000,"currency":"USD","destinationCard":{"cardNumber":"${payerNumber}"}}`,
		code: 400, agree: []string{`code "invalid_request"`},
	},
	{
		call:  "POST /transfers",
		send:  `{"amount":3000` + fromPayer,
		fresh: []string{"transferId id", "transferRrn rrn", "transferDate creationDate"},
		agree: []string{"amount 3000", `sourceCard.cardNumber "${payerNumber}"`,
			`sourceCard.expiryDate "${payerExpiry}"`, `destinationCard.cardNumber "${payeeNumber}"`,
			`status "approved"`},
	},
	{
		call:  "POST /transfers",
		send:  `{"amount":2500` + fromPayer,
		fresh: []string{"limitedId id"},
		agree: []string{`status "declined"`, `statusMessage "the daily spending limit is exceeded"`},
	},
	{
		call:  "POST /transfers",
		send:  `{"amount":5001` + fromPayer,
		fresh: []string{"poorId id"},
		agree: []string{`status "declined"`, `statusMessage "insufficient funds"`},
	},
	{
		call:  "PATCH /cards/${payer}",
		send:  `{"status":"blocked"}`,
		fresh: []string{"blockingDate blockingDate"},
		agree: []string{`status "blocked"`},
	},
	{
		call:  "POST /transfers",
		send:  `{"amount":100` + fromPayer,
		fresh: []string{"blockedId id"},
		agree: []string{`status "declined"`, `statusMessage "the card is blocked"`},
	},
	{
		call: "GET /cards/${payer}",
		agree: []string{`status "blocked"`, `blockingDate "${blockingDate}"`, "account.balance 5000",
			`number "${payerNumber}"`},
	},
	{
		call:  "PATCH /cards/${payer}",
		send:  `{"status":"active"}`,
		agree: []string{`status "active"`, `blockingDate ""`},
	},
	{
		call: "GET /transfers?cardNumberFltr=${payeeNumber}",
		agree: []string{"transfers.# 4", `transfers.0.id "${transferId}"`,
			`transfers.0.rrn "${transferRrn}"`, `transfers.3.id "${blockedId}"`},
	},
	{
		call: "GET /transfers?cardNumberFltr=${payerNumber}&periodStartFltr=${yesterday}" +
			"&periodEndFltr=${tomorrow}&statusFltr=declined",
		agree: []string{`transfers.#.id ["${limitedId}","${poorId}","${blockedId}"]`},
	},
	{call: "GET /transfers", code: 400, agree: []string{`code "invalid_request"`}},
}

const fromPayer = `,"currency":"EUR",
 "sourceCard":{"cardNumber":"${payerNumber}","expiryDate":"${payerExpiry}"},
 "destinationCard":{"cardNumber":"${payeeNumber}"}}`

var v2Losses = []step{
	{call: "PATCH /cards/${payer}", send: `{"status":"lost"}`, agree: []string{`status "lost"`}},
	{
		call: "PATCH /cards/${payer}", send: `{"status":"active"}`,
		code: 409, agree: []string{`code "conflict"`},
	},
	{
		call:  "POST /topups",
		send:  `{"amount":900,"currency":"EUR","destinationCard":{"cardNumber":"${payerNumber}"}}`,
		agree: []string{`status "declined"`, `statusMessage "the card is lost"`},
	},
	{
		call:  "PATCH /cards/${payer}",
		send:  `{"reissueCard":{"reason":"lost"}}`,
		agree: []string{`id "${payer}"`, `status "active"`, "number "},
	},
	{ // another number on the same account
		call:  "GET /cards/${payer}",
		fresh: []string{"newNumber number"},
		agree: []string{"account.balance 5000", `account.accountNumber "${payerAccount}"`,
			`numberMask "${newNumber:mask}"`},
	},
	{ // from the number that is no more
		call: "POST /transfers", send: `{"amount":100` + fromPayer,
		code: 404, agree: []string{`code "not_found"`},
	},
	{
		call:  "PATCH /cards/${payeeCard}",
		send:  `{"status":"stolen"}`,
		agree: []string{`status "stolen"`},
	},
	{
		call: "PATCH /cards/${payeeCard}", send: `{"status":"blocked"}`,
		code: 409, agree: []string{`code "conflict"`},
	},
	{
		call:  "PATCH /cards/${payeeCard}",
		send:  `{"reissueCard":"stolen"}`,
		agree: []string{`status "active"`},
	},
	{
		call:  "GET /cards/${payeeCard}",
		fresh: []string{"payeeNewNumber number"},
		agree: []string{"account.balance 3000", `numberMask "${payeeNewNumber:mask}"`},
	},
	{ // damage leaves the number
		call:  "PATCH /cards/${payeeCard}",
		send:  `{"reissueCard":{"reason":"damaged"}}`,
		agree: []string{`numberMask "${payeeNewNumber:mask}"`},
	},
	{
		call: "PATCH /cards/${payeeCard}", send: `{"reissueCard":{"reason":"bent"}}`,
		code: 400, agree: []string{`code "invalid_request"`},
	},
	{
		call: "POST /transfers",
		send: `{"amount":400,"currency":"EUR",
 "sourceCard":{"cardNumber":"${newNumber}","expiryDate":"${payerExpiry}"},
 "destinationCard":{"cardNumber":"${payeeNewNumber}"}}`,
		fresh: []string{"lastId id", "lastRrn rrn"},
		agree: []string{`status "approved"`, `sourceCard.cardNumber "${newNumber}"`},
	},
}
