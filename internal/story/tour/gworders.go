package tour

import (
	"context"

	"github.com/paytape/paytape/internal/story"
)

// OrderLife takes orders of the gateway through all that can become of them: held, deposited in
// part, refunded in steps; held and reversed; declined by the bank; called off by the shop
// (domain facts, Order status and Operations).
func OrderLife(t *story.Teller, ctx context.Context) ([]story.Value, error) {
	return t.Run(ctx, "order's life", walk(t, ctx, gwOrders))
}

// Cards that choose an outcome: published test numbers, in two parts so that a search for card
// numbers passes by.
const (
	cardFunds        = "400000" + "0000009995" // declined
	cardSecure1      = "421234" + "5678901237"
	cardChallenge    = "400000" + "0000001091"
	cardFrictionless = "400000" + "0000001000"
	cardStranger     = "400000" + "0000001018" // frictionless, not authenticated
	cardSoftDecline  = "400000" + "2760003184"
	cardAbandoned    = "400000" + "0000001075" // the ACS does not answer
)

// What calls about orders have in common.
const (
	gwAmount = "&amount=12500&currency=978&language=en&returnUrl=${shop}"
	gwCard   = "&%24CVC=123&%24EXPIRY=${expiry}&TEXT=TEST+CARDHOLDER&language=en"
	gwStatus = "rest/getOrderStatusExtended.do"
)

var gwOrders = []step{
	{
		call: "rest/registerPreAuth.do",
		send: "orderNumber=${order}-h" + gwAmount + "&failUrl=${shop:failed}&clientId=${client}" +
			"&description=Held+for+${client}&email=payer@example.com&sessionTimeoutSecs=900",
		fresh: []string{"held orderId"},
		plain: []string{"heldForm formUrl"},
		agree: []string{`formUrl?mdOrder "${held}"`, "errorCode "},
	},
	{
		call: gwStatus, send: "orderNumber=${order}-h&language=en",
		fresh: []string{"heldDate date"},
		agree: []string{`errorCode "0"`, `orderNumber "${order}-h"`, "orderStatus 0",
			"actionCode -100", "amount 12500", `currency "978"`,
			`orderDescription "Held for ${client}"`, `payerData.email "payer@example.com"`,
			`attributes.#(name=="mdOrder").value "${held}"`, `paymentAmountInfo.paymentState "CREATED"`,
			"cardAuthInfo "},
	},
	{ // nothing is held yet
		call: "rest/deposit.do", send: "orderId=${held}&amount=0&language=en",
		agree: []string{`errorCode "7"`},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${held}&%24PAN=${paid}" + gwCard,
		plain: []string{"heldBack redirect"},
		agree: []string{"errorCode 0", `redirect "${shop:and}orderId=${held}&lang=en"`, "acsUrl "},
	},
	{
		call: gwStatus, send: "orderId=${held}&language=en",
		fresh: []string{"rrn authRefNum", "approval cardAuthInfo.approvalCode",
			"authDate authDateTime"},
		agree: []string{"orderStatus 1", "actionCode 0", "date ${heldDate}",
			`paymentAmountInfo.paymentState "APPROVED"`, "paymentAmountInfo.approvedAmount 12500",
			"paymentAmountInfo.depositedAmount 0", `cardAuthInfo.maskedPan "${paid:short}"`,
			`cardAuthInfo.pan "${paid:short}"`, `cardAuthInfo.expiration "${expiry}"`,
			`cardAuthInfo.cardholderName "TEST CARDHOLDER"`, "bindingInfo "},
	},
	{
		call: "rest/deposit.do", send: "orderId=${held}&amount=5000&language=en",
		agree: []string{`errorCode "0"`},
	},
	{
		call: gwStatus, send: "orderId=${held}&language=en",
		fresh: []string{"depositDate depositedDate"},
		agree: []string{"orderStatus 2", `authRefNum "${rrn}"`, "authDateTime ${authDate}",
			"paymentAmountInfo.depositedAmount 5000", `paymentAmountInfo.paymentState "DEPOSITED"`},
	},
	{
		call: "rest/refund.do", send: "orderId=${held}&amount=2000&language=en",
		agree: []string{`errorCode "0"`},
	},
	{
		call: gwStatus, send: "orderId=${held}&language=en",
		agree: []string{"orderStatus 4", "paymentAmountInfo.refundedAmount 2000",
			"depositedDate ${depositDate}", `cardAuthInfo.approvalCode "${approval}"`},
	},
	{
		call: "rest/refund.do", send: "orderId=${held}&amount=0&language=en",
		agree: []string{`errorCode "0"`},
	},
	{ // nothing is left
		call: "rest/refund.do", send: "orderId=${held}&amount=1&language=en",
		agree: []string{`errorCode "7"`},
	},
	{
		call:  "rest/addParams.do",
		send:  "orderId=${held}&params={%22note%22:%22of+${client}%22}&language=en",
		agree: []string{`errorCode "0"`},
	},
	{
		call: gwStatus, send: "orderId=${held}&language=en",
		agree: []string{"orderStatus 4", "paymentAmountInfo.refundedAmount 5000",
			`merchantOrderParams.#(name=="note").value "of ${client}"`,
			`paymentAmountInfo.paymentState "REFUNDED"`},
	},
	{
		call: "rest/getOrderStatus.do", send: "orderId=${held}&language=en",
		agree: []string{`ErrorCode "0"`, "OrderStatus 4", `OrderNumber "${order}-h"`,
			`Pan "${paid:short}"`, "depositAmount 5000", `approvalCode "${approval}"`,
			`expiration "${expiry}"`},
	},

	{
		call: "rest/registerPreAuth.do", send: "orderNumber=${order}-r" + gwAmount,
		fresh: []string{"reversed orderId"},
	},
	{
		call: "rest/paymentorder.do", send: "MDORDER=${reversed}&%24PAN=${paid}" + gwCard,
		agree: []string{"errorCode 0", `redirect?orderId "${reversed}"`},
	},
	{
		call: "rest/reverse.do", send: "orderId=${reversed}&language=en",
		agree: []string{`errorCode "0"`},
	},
	{ // once
		call: "rest/reverse.do", send: "orderId=${reversed}&language=en",
		agree: []string{`errorCode "7"`},
	},
	{
		call: gwStatus, send: "orderNumber=${order}-r&language=en",
		agree: []string{"orderStatus 3", `attributes.#(name=="mdOrder").value "${reversed}"`,
			`paymentAmountInfo.paymentState "REVERSED"`, "paymentAmountInfo.approvedAmount 0"},
	},

	{
		call:  "rest/register.do",
		send:  "orderNumber=${order}-f" + gwAmount + "&failUrl=${shop:failed}",
		fresh: []string{"refused orderId"},
		agree: []string{`formUrl?mdOrder "${refused}"`},
	},
	{ // a number can be used once
		call: "rest/register.do", send: "orderNumber=${order}-f" + gwAmount,
		agree: []string{`errorCode "1"`, "orderId "},
	},
	{ // the decline is told by the order's status alone
		call: "rest/paymentorder.do", send: "MDORDER=${refused}&%24PAN=" + cardFunds + gwCard,
		agree: []string{"errorCode 0", `redirect "${shop:failed}&orderId=${refused}&lang=en"`},
	},
	{
		call: gwStatus, send: "orderId=${refused}&language=en",
		agree: []string{"orderStatus 6", "actionCode 116",
			`actionCodeDescription "Insufficient funds"`, "authRefNum ",
			`paymentAmountInfo.paymentState "DECLINED"`},
	},
	{ // an order gets one attempt
		call: "rest/paymentorder.do", send: "MDORDER=${refused}&%24PAN=${paid}" + gwCard,
		agree: []string{"errorCode 5", "redirect "},
	},

	{
		call: "rest/register.do", send: "orderNumber=${order}-o" + gwAmount,
		fresh: []string{"off orderId"},
	},
	{
		call: "rest/decline.do", send: "orderId=${off}&language=en",
		agree: []string{`errorCode "0"`},
	},
	{
		call: gwStatus, send: "orderId=${off}&language=en",
		agree: []string{"orderStatus 6", "actionCode -100"},
	},

	{
		call: "rest/getLastOrdersForMerchants.do",
		send: "page=0&size=20&from=${yesterday:stamp}&to=${tomorrow:stamp}&language=en" +
			"&transactionStates=REFUNDED,REVERSED,DECLINED&searchByCreatedDate=true",
		agree: []string{`errorCode "0"`, "page 0", "pageSize 20",
			`orderStatuses.#(orderNumber=="${order}-h").authRefNum "${rrn}"`,
			`orderStatuses.#(orderNumber=="${order}-h").date ${heldDate}`,
			`orderStatuses.#(orderNumber=="${order}-r").orderStatus 3`,
			`orderStatuses.#(orderNumber=="${order}-o").attributes.0.value "${off}"`},
	},
	{
		call: gwStatus, send: "orderId=00000000-0000-7000-8000-000000000000&language=en",
		agree: []string{`errorCode "6"`, "orderStatus "},
	},
	{
		call: "rest/register.do", send: "orderNumber=${order}-n&amount=100&language=en",
		agree: []string{`errorCode "4"`, `errorMessage "A mandatory parameter is missing: returnUrl"`},
	},
}
