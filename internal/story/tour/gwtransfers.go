package tour

import (
	"context"

	"github.com/paytape/paytape/internal/story"
)

// GatewayTransfer moves money from card to card and to a card alone (document 3, Card-to-card
// and OCT): with its fee asked for first, by bindings, as the credit that belongs to an earlier
// debit, through 3-D Secure, and at the payment page.
func GatewayTransfer(t *story.Teller, ctx context.Context) ([]story.Value, error) {
	return t.Run(ctx, "gateway transfer", walk(t, ctx, gwTransfers))
}

// Cards of recipients.
const (
	cardPayee     = "424242" + "4242424242"
	cardLostPayee = "400000" + "0000009987"
)

// What calls about transfers have in common.
const (
	p2p      = "rest/api/p2p/"
	p2pOrder = `","amount":1500,"currency":"978","returnUrl":"${shop}","failUrl":"${shop:failed}",` +
		`"language":"en","transactionTypeIndicator":"A"`
	p2pBoth   = `,"features":{}`
	p2pAlone  = `,"features":{"feature":["WITHOUT_FROM_CARD"]}`
	p2pExpiry = `","expirationYear":${year},"expirationMonth":12,"cardholderName":"TEST PERSON"`
	fromPaid  = `,"fromCard":{"pan":"${paid}` + p2pExpiry + `,"cvc":"123"}`
	toPayee   = `,"toCard":{"pan":"` + cardPayee + p2pExpiry + `}`
)

var gwTransfers = []step{
	{
		call: p2p + "registerP2P.do",
		send: `{"orderNumber":"${order}-p1` + p2pOrder + p2pBoth + `,"clientId":"${client}",
 "orderDescription":"Gift of ${client}","sessionTimeoutSecs":900,
 "params":[{"name":"note","value":"of ${client}"}],
 "orderPayerData":{"mobilePhone":"+${phone}","homePhone":"+4930000001"},
 "preOrderPayerData":{"preOrderDate":"${tomorrow:compact}","preOrderPurchaseInd":2},
 "shippingPayerData":{"shippingCity":"Berlin","shippingPostalCode":"10115",
 "deliveryEmail":"payer@example.com","shippingMethodIndicator":1},
 "billingPayerData":{"billingCity":"Berlin","billingCountry":"DE",
 "billingAddressLine1":"Main 7","billingPostalCode":"10115"}}`,
		fresh: []string{"p1 orderId"},
		agree: []string{"errorCode 0", `orderNumber "${order}-p1"`, `formUrl?mdOrder "${p1}"`},
	},
	{
		call: p2p + "verifyP2P.do",
		send: `{"orderId":"${p1}","amount":"2000","language":"en"` + toPayee + `}`,
		agree: []string{"errorCode 0", "feeDescriptionList.0.feeAmount 20",
			`feeDescriptionList.0.feeCurrency "978"`},
	},
	{
		call: p2p + "getP2PStatus.do", send: `{"orderNumber":"${order}-p1","language":"en"}`,
		fresh: []string{"p1Date creationDate"},
		agree: []string{"errorCode 0", "orderStatus 0", "resultCode -100", "amount 1500",
			`orderParams.#(name=="note").value "of ${client}"`, "operationList []",
			`orderDescription "Gift of ${client}"`},
	},
	{
		call: p2p + "performP2P.do",
		send: `{"orderId":"${p1}","language":"en","ip":"192.0.2.7","email":"payer@example.com",
 "amountInput":2000` + fromPaid + toPayee + `}`,
		agree: []string{"errorCode 0", "is3DSVer2 false", `redirect "${shop:and}orderId=${p1}&lang=en"`},
	},
	{
		call: p2p + "getP2PStatus.do", send: `{"orderId":"${p1}","language":"en"}`,
		fresh: []string{"p1RRN operationList.0.refNum", "p1RRN2 operationList.1.refNum",
			"p1Approval operationList.0.approvalCode"},
		agree: []string{"orderStatus 2", "resultCode 0", "amount 2000", "creationDate ${p1Date}",
			`panMaskedFrom "${paid:short}"`, `panMaskedTo "${payee1:short}"`,
			`operationList.0.operationType "AFT"`, `operationList.1.operationType "OCT"`,
			`operationList.0.maskedPan "${paid:short}"`,
			`operationList.1.maskedPan "${payee1:short}"`, "binding "},
	},

	{ // the credit of that debit
		call:  p2p + "registerP2P.do",
		send:  `{"orderNumber":"${order}-p2` + p2pOrder + p2pAlone + `,"debitMdOrder":"${p1}"}`,
		fresh: []string{"p2 orderId"},
		agree: []string{"errorCode 0", `formUrl?mdOrder "${p2}"`},
	},
	{
		call:  p2p + "performP2P.do",
		send:  `{"orderId":"${p2}","type":"WITHOUT_FROM_CARD","language":"en"` + toPayee + `}`,
		agree: []string{"errorCode 0", `redirect?orderId "${p2}"`},
	},
	{
		call: p2p + "getP2PStatus.do", send: `{"orderId":"${p2}","language":"en"}`,
		fresh: []string{"p2RRN operationList.0.refNum"},
		agree: []string{"orderStatus 2", `panMaskedFrom "${paid:short}"`,
			`panMaskedTo "${payee1:short}"`, "operationList.# 1"},
	},

	{ // by bindings
		call: p2p + "registerP2P.do",
		send: `{"orderNumber":"${order}-p3` + p2pOrder + `,"clientId":"${client}",
 "features":{"feature":["FORCE_CREATE_BINDING"]}}`,
		fresh: []string{"p3 orderId"},
	},
	{
		call:  p2p + "performP2P.do",
		send:  `{"orderId":"${p3}","language":"en"` + fromPaid + toPayee + `}`,
		agree: []string{"errorCode 0", `redirect?orderId "${p3}"`},
	},
	{
		call:  p2p + "getP2PStatus.do",
		send:  `{"orderId":"${p3}","version":3,"language":"en"}`,
		fresh: []string{"p3Binding binding"},
		agree: []string{"orderStatus 2"},
	},
	{
		call: p2p + "registerP2P.do",
		send: `{"orderNumber":"${order}-p4` + p2pOrder + p2pAlone + `,"clientId":"${client}",
 "creditBindingId":"${p3Binding}"}`,
		fresh: []string{"p4 orderId"},
	},
	{
		call:  p2p + "verifyP2PByBinding.do",
		send:  `{"orderId":"${p4}","language":"en","toCard":{"bindingId":"${p3Binding}"}}`,
		agree: []string{"errorCode 0", "feeAmount 15", "feeDescriptionList.0.feeAmount 15"},
	},
	{
		call: p2p + "performP2PByBinding.do",
		send: `{"orderId":"${p4}","language":"en","amountInput":1700,"type":"WITHOUT_FROM_CARD",
 "toCard":{"bindingId":"${p3Binding}"}}`,
		agree: []string{"errorCode 0", `redirect?orderId "${p4}"`},
	},
	{
		call: p2p + "getP2PStatus.do",
		send: `{"orderNumber":"${order}-p4","version":3,"language":"en"}`,
		agree: []string{"orderStatus 2", "amount 1700", `panMaskedTo "${paid:short}"`,
			`binding "${p3Binding}"`},
	},

	{ // a challenge, after which the shop has to finish
		call: p2p + "registerP2P.do",
		send: `{"orderNumber":"${order}-p5` + p2pOrder + p2pBoth + `,
 "orderPayerData":{"mobilePhone":"+${phone}"}}`,
		fresh: []string{"p5 orderId"},
	},
	{
		call: p2p + "performP2P.do", send: `{"orderId":"${p5}","language":"en"` + p5Cards,
		fresh: []string{"p5Trans threeDSServerTransId"},
		plain: []string{"p5Method threeDSMethodURL", "p5Data threeDSMethodDataPacked"},
		agree: []string{"errorCode 0", "is3DSVer2 true", methodHasID + `${p5Trans}"`},
	},
	{call: "post ${p5Method}", send: "threeDSMethodData=${p5Data}"},
	{call: "press "},
	{
		call:  p2p + "performP2P.do",
		send:  `{"orderId":"${p5}","language":"en","threeDSServerTransId":"${p5Trans}"` + p5Cards,
		fresh: []string{"p5ACS packedCReq>acsTransID"},
		plain: []string{"p5URL acsUrl", "p5Req packedCReq"},
		agree: []string{"errorCode 0", challengeHasID + `${p5Trans}"`},
	},
	{
		call: p2p + "getP2PStatus.do", send: `{"orderId":"${p5}","language":"en"}`,
		agree: []string{"orderStatus 5"},
	},
	{call: "post ${p5URL}", send: "creq=${p5Req}"},
	{
		call: "press confirm", send: "password=12345678",
		agree: []string{`form.fields.cres>acsTransID "${p5ACS}"`},
	},
	{call: "press ", agree: []string{`at "${shop:finish}&orderId=${p5}&lang=en"`}},
	{
		call: "post ${base}/payment/" + p2p + "finishThreeDsVer2.do",
		send: "username=" + story.GatewayUser + "&password=" + story.GatewayPassword +
			"&language=en&tDsTransId=${p5Trans}",
		agree: []string{`at "${shop:and}orderId=${p5}&lang=en"`},
	},
	{
		call: p2p + "getP2PStatus.do", send: `{"orderId":"${p5}","language":"en"}`,
		agree: []string{"orderStatus 2", "resultCode 0"},
	},

	{ // at the page, to a card alone
		call:  p2p + "registerP2P.do",
		send:  `{"orderNumber":"${order}-p6` + p2pOrder + p2pAlone + `}`,
		fresh: []string{"p6 orderId"},
		plain: []string{"p6Form formUrl"},
	},
	{call: "open ${p6Form}", agree: []string{"form.fields.toPAN "}},
	{
		call: "press ", send: "%24PAN=" + cardPayee + "&TEXT=TEST+PERSON",
		agree: []string{`at "${shop:and}orderId=${p6}&lang=en"`},
	},
	{
		call: p2p + "getP2PStatus.do", send: `{"orderId":"${p6}","language":"en"}`,
		agree: []string{"orderStatus 2", `panMaskedTo "${payee1:short}"`, "panMaskedFrom "},
	},
	{ // and from card to card
		call:  p2p + "registerP2P.do",
		send:  `{"orderNumber":"${order}-p7` + p2pOrder + p2pBoth + `}`,
		fresh: []string{"p7 orderId"},
		plain: []string{"p7Form formUrl"},
	},
	{call: "open ${p7Form}"},
	{
		call: "press ", send: "%24PAN=${paid}&toPAN=" + cardPayee + gwEntered,
		agree: []string{`at "${shop:and}orderId=${p7}&lang=en"`},
	},

	{ // declined for the recipient's card
		call:  p2p + "registerP2P.do",
		send:  `{"orderNumber":"${order}-p8` + p2pOrder + p2pAlone + `}`,
		fresh: []string{"p8 orderId"},
	},
	{
		call: p2p + "performP2P.do",
		send: `{"orderId":"${p8}","type":"WITHOUT_FROM_CARD","language":"en",
 "toCard":{"pan":"` + cardLostPayee + p2pExpiry + `}}`,
		agree: []string{"errorCode 0", `redirect "${shop:failed}&orderId=${p8}&lang=en"`},
	},
	{
		call: p2p + "getP2PStatus.do", send: `{"orderId":"${p8}","language":"en"}`,
		agree: []string{"orderStatus 6", "resultCode 208", `operationList.0.resultCode "208"`,
			"operationList.0.refNum "},
	},
	{
		call:  p2p + "getP2PStatus.do",
		send:  `{"orderId":"00000000-0000-7000-8000-000000000000","language":"en"}`,
		agree: []string{"errorCode 6", "orderStatus "},
	},
}

const p5Cards = `,"email":"payer@example.com","threeDSVer2FinishUrl":"${shop:finish}",
 "fromCard":{"pan":"` + cardChallenge + p2pExpiry + `,"cvc":"123"}` + toPayee + `}`
