package tour

import (
	"context"

	"github.com/paytape/paytape/internal/story"
)

// BindingLife stores cards of a client in bindings of the three kinds and pays with them
// (document 3, Bindings, rules 1 to 3), switches a binding off and on, gives it another expiry,
// and tries what is refused.
func BindingLife(t *story.Teller, ctx context.Context) ([]story.Value, error) {
	return t.Run(ctx, "binding's life", walk(t, ctx, gwBindings))
}

const (
	gwBound = gwAmount + "&clientId=${client}&features=FORCE_CREATE_BINDING"
	gwTerms = "%22recurringFrequency%22:%2230%22,%22recurringExpiry%22:%22${expiry}01%22}"
	byR     = `","bindingId":"${r}","amount":900,"currency":"978","language":"en",` +
		`"description":"Renewal of ${client}","additionalParameters":{"note":"of ${client}"}}`
	byI = `","bindingId":"${i}","amount":400,"currency":"978","language":"en"}`
)

var gwBindings = []step{
	{
		call: "rest/getBindings.do", send: "clientId=${client}&bindingType=C&language=en",
		agree: []string{`errorCode "2"`, "bindings "},
	},
	{
		call: "rest/register.do", send: "orderNumber=${order}-b1" + gwBound,
		fresh: []string{"b1 orderId"},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${b1}&%24PAN=${paid}" + gwCard,
		agree: []string{"errorCode 0", `redirect?orderId "${b1}"`},
	},
	{
		call: gwStatus, send: "orderId=${b1}&language=en",
		fresh: []string{"c bindingInfo.bindingId"},
		agree: []string{"orderStatus 2", `bindingInfo.clientId "${client}"`},
	},
	{
		call: "rest/getBindings.do", send: "clientId=${client}&bindingType=C&language=en",
		agree: []string{`errorCode "0"`, "bindings.# 1", `bindings.0.bindingId "${c}"`,
			`bindings.0.maskedPan "${paid:short}"`, `bindings.0.expiryDate "${expiry}"`,
			`bindings.0.bindingCategory "COMMON"`},
	},
	{ // the customer picks the card
		call:  "rest/register.do",
		send:  "orderNumber=${order}-b2" + gwAmount + "&clientId=${client}",
		fresh: []string{"b2 orderId"},
	},
	{
		call:  "rest/paymentOrderBinding.do",
		send:  "mdOrder=${b2}&bindingId=${c}&cvc=123&tii=F&ip=192.0.2.7&language=en",
		agree: []string{"errorCode 0", `redirect "${shop:and}orderId=${b2}&lang=en"`},
	},
	{
		call: gwStatus, send: "orderId=${b2}&language=en",
		fresh: []string{"b2RRN authRefNum"},
		agree: []string{"orderStatus 2", `cardAuthInfo.maskedPan "${paid:short}"`,
			`bindingInfo.bindingId "${c}"`},
	},
	{ // the shop takes it
		call:  "rest/register.do",
		send:  "orderNumber=${order}-b3" + gwAmount + "&clientId=${client}",
		fresh: []string{"b3 orderId"},
	},
	{
		call: "rest/paymentOrderBinding.do", send: "mdOrder=${b3}&bindingId=${c}&tii=U&language=en",
		agree: []string{"errorCode 0", `redirect?orderId "${b3}"`},
	},
	{
		call: gwStatus, send: "orderNumber=${order}-b3&language=en",
		agree: []string{"orderStatus 2", `bindingInfo.bindingId "${c}"`,
			`attributes.#(name=="mdOrder").value "${b3}"`},
	},
	{ // another client's binding
		call:  "rest/register.do",
		send:  "orderNumber=${order}-b4" + gwAmount + "&clientId=${client}2",
		fresh: []string{"b4 orderId"},
	},
	{
		call: "rest/paymentOrderBinding.do", send: "mdOrder=${b4}&bindingId=${c}&tii=F&language=en",
		agree: []string{"errorCode 2"},
	},

	{
		call: "rest/extendBinding.do", send: "bindingId=${c}&newExpiry=${later}&language=en",
		agree: []string{`errorCode "0"`},
	},
	{
		call: "rest/getBindings.do", send: "clientId=${client}&bindingType=C&language=en",
		agree: []string{`bindings.0.bindingId "${c}"`, `bindings.0.expiryDate "${later}"`},
	},
	{
		call: "rest/unBindCard.do", send: "bindingId=${c}&language=en",
		agree: []string{`errorCode "0"`},
	},
	{
		call: "rest/getBindings.do", send: "clientId=${client}&bindingType=C&language=en",
		agree: []string{`errorCode "2"`},
	},
	{ // it is off already
		call: "rest/unBindCard.do", send: "bindingId=${c}&language=en",
		agree: []string{`errorCode "2"`},
	},
	{
		call: "rest/bindCard.do", send: "bindingId=${c}&language=en",
		agree: []string{`errorCode "0"`},
	},
	{
		call: "rest/getBindings.do", send: "clientId=${client}&bindingType=C&language=en",
		agree: []string{"bindings.# 1", `bindings.0.bindingId "${c}"`},
	},

	{ // a recurrent binding
		call: "rest/register.do", send: "orderNumber=${order}-b5" + gwBound,
		fresh: []string{"b5 orderId"},
	},
	{
		call:  "rest/paymentorder.do",
		send:  "MDORDER=${b5}&jsonParams={" + gwTerms + "&%24PAN=${paid}" + gwCard,
		agree: []string{"errorCode 0", `redirect?orderId "${b5}"`},
	},
	{
		call: "rest/getBindings.do", send: "clientId=${client}&bindingType=R&language=en",
		fresh: []string{"r bindings.0.bindingId"},
		agree: []string{"bindings.# 1", `bindings.0.bindingCategory "RECURRENT"`},
	},
	{
		call: "recurrentPayment.do", send: `{"orderNumber":"${order}-b6` + byR,
		fresh: []string{"b6 data.orderId", "b6RRN orderStatus.authRefNum",
			"b6Date orderStatus.date"},
		agree: []string{"success true", `orderStatus.orderNumber "${order}-b6"`,
			"orderStatus.orderStatus 2", "orderStatus.amount 900",
			`orderStatus.attributes.#(name=="mdOrder").value "${b6}"`,
			`orderStatus.orderDescription "Renewal of ${client}"`,
			`orderStatus.merchantOrderParams.#(name=="note").value "of ${client}"`,
			`orderStatus.bindingInfo.bindingId "${r}"`,
			`orderStatus.cardAuthInfo.maskedPan "${paid:short}"`},
	},
	{
		call: gwStatus, send: "orderId=${b6}&language=en",
		agree: []string{"orderStatus 2", `authRefNum "${b6RRN}"`, "date ${b6Date}"},
	},
	{ // an order number can be used once
		call: "recurrentPayment.do", send: `{"orderNumber":"${order}-b6` + byR,
		agree: []string{"success false", `errorCode "1"`},
	},

	{ // an instalment binding, after a challenge
		call: "rest/register.do", send: "orderNumber=${order}-b7" + gwBound,
		fresh: []string{"b7 orderId"},
	},
	{
		call: "rest/paymentorder.do",
		send: "MDORDER=${b7}&jsonParams={%22installments%22:%223%22," +
			"%22totalInstallmentAmount%22:%221200%22," + gwTerms + "&%24PAN=" + cardChallenge + gwCard,
		fresh: []string{"b7Trans threeDSServerTransId"},
		plain: []string{"b7Direct threeDSMethodURLServerDirect"},
		agree: []string{`threeDSMethodURLServerDirect?threeDSServerTransID "${b7Trans}"`,
			methodHasID + `${b7Trans}"`},
	},
	{call: "post ${b7Direct}"},
	{
		call: "rest/3ds/continue.do", send: "mdOrder=${b7}&language=en",
		plain: []string{"b7URL acsUrl", "b7Req packedCReq"},
		agree: []string{challengeHasID + `${b7Trans}"`},
	},
	{ // there is no binding before it is paid
		call: "rest/getBindings.do", send: "clientId=${client}&bindingType=I&language=en",
		agree: []string{`errorCode "2"`},
	},
	{call: "post ${b7URL}", send: "creq=${b7Req}"},
	{call: "press confirm", send: "password=12345678"},
	{call: "press ", agree: []string{`at?orderId "${b7}"`}},
	{
		call: "rest/getBindings.do", send: "clientId=${client}&bindingType=I&language=en",
		fresh: []string{"i bindings.0.bindingId"},
		agree: []string{"bindings.# 1", `bindings.0.bindingCategory "INSTALLMENT"`},
	},
	{
		call: "installmentPayment.do", send: `{"orderNumber":"${order}-b8` + byI,
		fresh: []string{"b8 orderId", "b8RRN orderStatus.authRefNum"},
		agree: []string{`errorCode "0"`, "error false", "orderStatus.amount 400",
			`orderStatus.orderNumber "${order}-b8"`, `orderStatus.bindingInfo.bindingId "${i}"`},
	},
	{
		call: "installmentPayment.do", send: `{"orderNumber":"${order}-b9` + byI,
		fresh: []string{"b9 orderId"},
		agree: []string{`errorCode "0"`, `orderStatus.bindingInfo.bindingId "${i}"`},
	},
}
