package tour

import (
	"context"

	"github.com/paytape/paytape/internal/story"
)

// PaymentPage pays at the page behind formUrl: with wrong card data first, with a card that
// needs no authentication, with one that does, and it looks at orders that are over.
func PaymentPage(t *story.Teller, ctx context.Context) ([]story.Value, error) {
	return t.Run(ctx, "payment page", walk(t, ctx, gwPage))
}

const gwEntered = "&%24CVC=123&MM=12&YYYY=${year}&TEXT=TEST+CARDHOLDER"

var gwPage = []step{
	{
		call:  "rest/register.do",
		send:  "orderNumber=${order}-p" + gwAmount + "&failUrl=${shop:failed}",
		fresh: []string{"p orderId"},
		plain: []string{"pForm formUrl"},
	},
	{
		call: "open ${pForm}",
		agree: []string{`at "${pForm}"`, `form.fields.MM ""`, `texts.order "${order}-p"`,
			`texts.amount "125.00 (978)"`},
	},
	{ // no card number
		call: "press ", send: "%24PAN=4111&TEXT=TEST+CARDHOLDER",
		agree: []string{`texts.error "Wrong card number or expiry"`,
			`form.fields.TEXT "TEST CARDHOLDER"`},
	},
	{call: gwStatus, send: "orderId=${p}&language=en", agree: []string{"orderStatus 0"}},
	{
		call: "press ", send: "%24PAN=${paid}" + gwEntered,
		agree: []string{`at "${shop:and}orderId=${p}&lang=en"`},
	},
	{
		call: gwStatus, send: "orderId=${p}&language=en",
		agree: []string{"orderStatus 2", `cardAuthInfo.maskedPan "${paid:short}"`,
			`cardAuthInfo.expiration "${year}12"`},
	},
	{
		call: "open ${pForm}",
		agree: []string{"form ", `texts.message "The order has been paid already"`,
			`links.0 "${shop:and}orderId=${p}&lang=en"`},
	},

	{
		call:  "rest/register.do",
		send:  "orderNumber=${order}-q" + gwAmount + "&failUrl=${shop:failed}",
		fresh: []string{"q orderId"},
		plain: []string{"qForm formUrl"},
	},
	{call: "open ${qForm}"},
	{ // frames look at the browser
		call: "press ", send: "%24PAN=" + cardChallenge + gwEntered,
		fresh: []string{"qTrans frames.0?threeDSServerTransID"},
		agree: []string{`form.fields.mdOrder "${q}"`, "frames.# 2",
			`frames.1?threeDSServerTransID "${qTrans}"`},
	},
	{
		call: "press ",
		agree: []string{`at "${base}/payment/acsRedirect.do?orderId=${q}"`,
			`form.fields.creq>messageType "CReq"`,
			`form.fields.creq>threeDSServerTransID "${qTrans}"`},
	},
	{call: "press "},
	{call: "press confirm", send: "password=12345678"},
	{call: "press ", agree: []string{`at "${shop:and}orderId=${q}&lang=en"`}},
	{
		call: gwStatus, send: "orderId=${q}&language=en",
		agree: []string{"orderStatus 2", "cardAuthInfo.secureAuthInfo.eci 5"},
	},

	{
		call:  "rest/register.do",
		send:  "orderNumber=${order}-w" + gwAmount + "&failUrl=${shop:failed}",
		fresh: []string{"w orderId"},
		plain: []string{"wForm formUrl"},
	},
	{call: "open ${wForm}"},
	{
		call: "press ", send: "%24PAN=" + cardFunds + gwEntered,
		agree: []string{`at "${shop:failed}&orderId=${w}&lang=en"`},
	},
	{
		call: "open ${wForm}",
		agree: []string{"form ", `texts.message "The order was declined: Insufficient funds"`,
			`links.0 "${shop:failed}&orderId=${w}&lang=en"`},
	},
}
