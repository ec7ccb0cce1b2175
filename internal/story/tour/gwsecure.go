package tour

import (
	"context"

	"github.com/paytape/paytape/internal/story"
)

// Secure walks every way through 3-D Secure (document 3, 3-D Secure 2 sequence) as a shop and a
// payer's browser do: a challenge with its method frames, frictionless in both outcomes, a soft
// decline with its second round, version 1, threeDSVer2FinishUrl, acsRedirect.do with a wrong
// password and a payer who gives up, and an ACS that does not answer.
func Secure(t *story.Teller, ctx context.Context) ([]story.Value, error) {
	return t.Run(ctx, "3-D Secure", walk(t, ctx, gwSecure))
}

// What the steps of several runs agree on. The message that a browser carries to the ACS has
// the ids that the answers have outside of it (domain facts, Identifiers).
const (
	asksForMethod  = "is3DSVer2 true"
	methodHasID    = `threeDSMethodDataPacked>threeDSServerTransID "`
	challengeHasID = `packedCReq>threeDSServerTransID "`
	creqHasACSID   = `packedCReq>acsTransID "`
	creqIsCReq     = `packedCReq>messageType "CReq"`
)

var gwSecure = []step{
	{ // a challenge
		call:  "rest/register.do",
		send:  "orderNumber=${order}-c" + gwAmount + "&failUrl=${shop:failed}",
		fresh: []string{"c orderId"},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${c}&%24PAN=" + cardChallenge + gwCard,
		fresh: []string{"cTrans threeDSServerTransId"},
		plain: []string{"cServer threeDSMethodURLServer", "cMethod threeDSMethodURL",
			"cData threeDSMethodDataPacked"},
		agree: []string{"errorCode 0", asksForMethod, methodHasID + `${cTrans}"`,
			`threeDSMethodURLServer?threeDSServerTransID "${cTrans}"`, "redirect ", "acsUrl ",
			"packedCReq "},
	},
	{
		call: gwStatus, send: "orderId=${c}&language=en",
		agree: []string{"orderStatus 5", `attributes.#(name=="mdOrder").value "${c}"`},
	},
	{call: "post ${cServer}"},
	{
		call: "post ${cMethod}", send: "threeDSMethodData=${cData}",
		agree: []string{`form.fields.threeDSMethodData>threeDSServerTransID "${cTrans}"`},
	},
	{call: "press ", agree: []string{"form "}},
	{
		call: "rest/3ds/continue.do", send: "mdOrder=${c}&language=en",
		fresh: []string{"cACS packedCReq>acsTransID"},
		plain: []string{"cURL acsUrl", "cReq packedCReq"},
		agree: []string{"errorCode 0", "is3DSVer2 true", challengeHasID + `${cTrans}"`, creqIsCReq,
			`packedCReq>messageVersion "2.2.0"`, "redirect ", "threeDSServerTransId "},
	},
	{
		call: "post ${cURL}", send: "creq=${cReq}",
		agree: []string{`form.fields.creq "${cReq}"`, `form.fields.password ""`,
			`texts.order "${order}-c"`, `texts.amount "125.00 (978)"`, "texts.error "},
	},
	{
		call: "press confirm", send: "password=00000000",
		agree: []string{`texts.error "Wrong password"`, `form.fields.creq "${cReq}"`},
	},
	{
		call: gwStatus, send: "orderId=${c}&language=en",
		agree: []string{"orderStatus 5", "actionCode -100"},
	},
	{
		call: "press confirm", send: "password=12345678",
		agree: []string{`form.fields.cres>threeDSServerTransID "${cTrans}"`,
			`form.fields.cres>acsTransID "${cACS}"`, `form.fields.cres>transStatus "Y"`},
	},
	{call: "press ", agree: []string{`at "${shop:and}orderId=${c}&lang=en"`, "form "}},
	{
		call: gwStatus, send: "orderId=${c}&language=en",
		fresh: []string{"cRRN authRefNum", "cDate authDateTime"},
		agree: []string{"orderStatus 2", "actionCode 0", "cardAuthInfo.secureAuthInfo.eci 5",
			"paymentAmountInfo.depositedAmount 12500"},
	},

	{ // frictionless
		call: "rest/register.do", send: "orderNumber=${order}-l" + gwAmount,
		fresh: []string{"l orderId"},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${l}&%24PAN=" + cardFrictionless + gwCard,
		fresh: []string{"lTrans threeDSServerTransId"},
		agree: []string{asksForMethod, methodHasID + `${lTrans}"`},
	},
	{
		call: "rest/3ds/continue.do", send: "mdOrder=${l}&language=en",
		agree: []string{"errorCode 0", `redirect "${shop:and}orderId=${l}&lang=en"`, "acsUrl ",
			"packedCReq "},
	},
	{
		call: gwStatus, send: "orderId=${l}&language=en",
		agree: []string{"orderStatus 2", "cardAuthInfo.secureAuthInfo.eci 5"},
	},

	{ // frictionless, and the issuer does not know the payer
		call:  "rest/register.do",
		send:  "orderNumber=${order}-s" + gwAmount + "&failUrl=${shop:failed}",
		fresh: []string{"s orderId"},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${s}&%24PAN=" + cardStranger + gwCard,
		fresh: []string{"sTrans threeDSServerTransId"},
	},
	{
		call: "rest/3ds/continue.do", send: "mdOrder=${s}&language=en",
		agree: []string{"errorCode 0", `redirect "${shop:failed}&orderId=${s}&lang=en"`},
	},
	{
		call: gwStatus, send: "orderId=${s}&language=en",
		agree: []string{"orderStatus 6", "actionCode -2006"},
	},

	{ // soft decline: all of it again, and then the challenge
		call: "rest/register.do", send: "orderNumber=${order}-d" + gwAmount,
		fresh: []string{"d orderId"},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${d}&%24PAN=" + cardSoftDecline + gwCard,
		fresh: []string{"dTrans threeDSServerTransId"},
	},
	{
		call: "rest/3ds/continue.do", send: "mdOrder=${d}&language=en",
		fresh: []string{"dTrans2 threeDSServerTransId"},
		plain: []string{"dMethod threeDSMethodURL", "dData threeDSMethodDataPacked"},
		agree: []string{asksForMethod, methodHasID + `${dTrans2}"`, "acsUrl ", "redirect "},
	},
	{call: "post ${dMethod}", send: "threeDSMethodData=${dData}"},
	{call: "press "},
	{
		call:  "rest/paymentorder.do",
		send:  "MDORDER=${d}&threeDSServerTransId=${dTrans2}&%24PAN=" + cardSoftDecline + gwCard,
		fresh: []string{"dACS packedCReq>acsTransID"},
		plain: []string{"dURL acsUrl", "dReq packedCReq"},
		agree: []string{challengeHasID + `${dTrans2}"`, creqIsCReq},
	},
	{
		call: "post ${dURL}", send: "creq=${dReq}",
		agree: []string{`form.fields.creq "${dReq}"`},
	},
	{call: "press confirm", send: "password=12345678"},
	{call: "press ", agree: []string{`at?orderId "${d}"`}},
	{call: gwStatus, send: "orderId=${d}&language=en", agree: []string{"orderStatus 2"}},

	{ // version 1
		call: "rest/register.do", send: "orderNumber=${order}-v" + gwAmount,
		fresh: []string{"v orderId"},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${v}&%24PAN=" + cardSecure1 + gwCard,
		plain: []string{"vURL acsUrl", "paReq paReq", "termUrl termUrl",
			"xid " + paReqPurchase + ".xid"},
		agree: []string{"errorCode 0", paReqPurchase + `.purchAmount "12500"`, "is3DSVer2 ",
			`paReq>ThreeDSecure.Message.id "PAReq-${v}"`, "redirect "},
	},
	{
		call: "post ${vURL}", send: "PaReq=${paReq}&MD=${v}&TermUrl=${termUrl}",
		agree: []string{`form.fields.MD "${v}"`, `form.fields.PaReq "${paReq}"`,
			`form.fields.TermUrl "${termUrl}"`},
	},
	{
		call: "press confirm", send: "password=12345678",
		agree: []string{`form.action "${termUrl}"`, `form.fields.MD "${v}"`,
			`form.fields.PaRes>ThreeDSecure.Message.id "PARes-${v}"`,
			`form.fields.PaRes>ThreeDSecure.Message.PARes.TX.status "Y"`},
	},
	{call: "press ", agree: []string{`at "${shop:and}orderId=${v}&lang=en"`}},
	{
		call: gwStatus, send: "orderId=${v}&language=en",
		agree: []string{"orderStatus 2", "cardAuthInfo.secureAuthInfo.eci 5"},
	},

	{ // the shop has to finish
		call: "rest/register.do", send: "orderNumber=${order}-e" + gwAmount,
		fresh: []string{"e orderId"},
	},
	{
		call:  "rest/paymentorder.do",
		send:  "MDORDER=${e}&threeDSVer2FinishUrl=${shop:finish}&%24PAN=" + cardChallenge + gwCard,
		fresh: []string{"eTrans threeDSServerTransId"},
	},
	{
		call: "rest/3ds/continue.do", send: "mdOrder=${e}&language=en",
		plain: []string{"eURL acsUrl", "eReq packedCReq"},
		agree: []string{challengeHasID + `${eTrans}"`},
	},
	{call: "post ${eURL}", send: "creq=${eReq}"},
	{call: "press confirm", send: "password=12345678"},
	{call: "press ", agree: []string{`at "${shop:finish}&orderId=${e}&lang=en"`}},
	{call: gwStatus, send: "orderId=${e}&language=en", agree: []string{"orderStatus 5"}},
	{
		call: "rest/finish3dsVer2Payment.do", send: "threeDSServerTransId=${eTrans}&language=en",
		agree: []string{"errorCode 0", "is3DSVer2 true",
			`redirect "${shop:and}orderId=${e}&lang=en"`},
	},
	{call: gwStatus, send: "orderId=${e}&language=en", agree: []string{"orderStatus 2"}},

	{ // the simple way to the ACS, and a payer who gives up
		call:  "rest/register.do",
		send:  "orderNumber=${order}-g" + gwAmount + "&failUrl=${shop:failed}",
		fresh: []string{"g orderId"},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${g}&%24PAN=" + cardChallenge + gwCard,
		fresh: []string{"gTrans threeDSServerTransId"},
	},
	{
		call: "rest/3ds/continue.do", send: "mdOrder=${g}&language=en",
		agree: []string{challengeHasID + `${gTrans}"`},
	},
	{
		call:  "open ${base}/payment/acsRedirect.do?orderId=${g}",
		agree: []string{`form.fields.creq>threeDSServerTransID "${gTrans}"`},
	},
	{call: "press ", agree: []string{`texts.amount "125.00 (978)"`}},
	{
		call: "press cancel",
		agree: []string{`form.fields.cres>threeDSServerTransID "${gTrans}"`,
			`form.fields.cres>transStatus "N"`},
	},
	{call: "press ", agree: []string{`at "${shop:failed}&orderId=${g}&lang=en"`}},
	{
		call: gwStatus, send: "orderId=${g}&language=en",
		agree: []string{"orderStatus 6", "actionCode -2006"},
	},

	{ // an ACS that does not answer
		call: "rest/register.do", send: "orderNumber=${order}-a" + gwAmount,
		fresh: []string{"a orderId"},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${a}&%24PAN=" + cardAbandoned + gwCard,
		fresh: []string{"aTrans threeDSServerTransId"},
	},
	{
		call: "rest/3ds/continue.do", send: "mdOrder=${a}&language=en",
		plain: []string{"aURL acsUrl", "aReq packedCReq"},
		agree: []string{challengeHasID + `${aTrans}"`},
	},
	{
		call: "post ${aURL}", send: "creq=${aReq}",
		agree: []string{"form ", "texts.message \"The bank does not answer. " +
			"The order stays unpaid until its time runs out\""},
	},
	{call: gwStatus, send: "orderId=${a}&language=en", agree: []string{"orderStatus 5"}},
}

const paReqPurchase = "paReq>ThreeDSecure.Message.PAReq.Purchase"
