package gateway

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// payCard is the card of a payment after reading.
type payCard struct {
	number string
	expiry string // YYYYMM
	holder string
}

// paymentRules are the parameters of paymentorder.do (document 3); the card's expiry has
// two forms and is read apart. Wrong card data is errorCode 1 (domain facts, Codes).
var paymentRules = []paramRule{
	{name: "MDORDER", required: true, ok: wire.Within(36)},
	{name: "tii", ok: wire.OneOf("CI", "F", "U", "RI", "R", "II", "I")},
	{name: "$PAN", required: true, ok: mint.IsCardNumber, refusal: &errCardData},
	{name: "$CVC", ok: isCVC, refusal: &errCardData},
	{name: "TEXT", ok: wire.Within(26)},
	{name: "ip", ok: wire.Within(39)},
	{name: "threeDSVer2FinishUrl", ok: isFullURL},
	{name: "jsonParams", ok: isObject},
}

func isCVC(s string) bool {
	return wire.IsDigits(s) && (len(s) == 3 || len(s) == 4)
}

// paid answers paymentorder.do, a declined payment included: errorCode is 0 and only the
// order status tells (domain facts, On the wire).
type paid struct {
	ErrorCode int    `json:"errorCode"`
	Info      string `json:"info"`
	Redirect  string `json:"redirect"`
}

var textInfo = text{
	"Платёж обработан, возврат в магазин",
	"The payment was processed, returning to the shop",
}

// pay submits a card for an order. It gets one attempt: a declined order stays declined.
func (b *orderBook) pay(c call) (any, error) {
	if err := c.params.check(paymentRules); err != nil {
		return nil, err
	}
	card, err := readCard(c.params)
	if err != nil {
		return nil, err
	}
	o, err := b.order(c.params["MDORDER"], c.now)
	if err != nil {
		return nil, err
	}
	if o.status != orderRegistered {
		return nil, errState
	}
	b.settle(o, card, c)
	back := o.returnURL
	if o.status == orderDeclined {
		back = cmp.Or(o.failURL, o.returnURL)
	}
	return paid{Info: textInfo.in(c.language), Redirect: redirect(back, o.id, c.language)}, nil
}

// settle lets the bank decide and moves the order from 0 to 2 or 6.
func (b *orderBook) settle(o *order, card payCard, c call) {
	o.params = append(o.params, c.params.jsonParams()...)
	o.attempt = &attempt{card: card, ip: cmp.Or(c.params["ip"], c.client), at: c.now}
	o.action = tryCard(card.number, card.expiry, c.now)
	if o.action != actionOK {
		o.status = orderDeclined
		return
	}
	o.status = orderPaid
	o.deposited = c.now
	o.attempt.approval = b.source.DigitsNotZero(6)
	o.attempt.refNum = strconv.FormatInt(b.refNums.Next(), 10)
	o.binding = b.bind(o, c.params) // a binding appears only now (domain facts, Order status)
}

// readCard reads the card's expiry, `$EXPIRY` or YYYY and MM (document 3, paymentorder.do),
// and requires a CVC except of payments that the merchant starts, which have none
// (document 3, Transaction initiator indicator).
func readCard(p params) (payCard, error) {
	if p["$CVC"] == "" && !wire.OneOf("U", "R", "I")(p["tii"]) {
		return payCard{}, errMissing.about("$CVC")
	}
	expiry := cmp.Or(p["$EXPIRY"], p["YYYY"]+p["MM"])
	if expiry == "" {
		return payCard{}, errMissing.about("$EXPIRY")
	}
	if !wire.IsTime(wire.MonthForm, expiry) || expiry < "200001" || expiry > "220012" {
		return payCard{}, errCardData.about("$EXPIRY")
	}
	return payCard{number: p["$PAN"], expiry: expiry, holder: p["TEXT"]}, nil
}

// redirect appends orderId and lang to the shop's address, which may already have a query
// or a fragment; nothing else of it changes.
func redirect(shop, orderID, language string) string {
	page, fragment, hasFragment := strings.Cut(shop, "#")
	joint := "?"
	if strings.Contains(page, "?") {
		joint = "&"
	}
	page += joint + "orderId=" + orderID + "&lang=" + cmp.Or(language, "ru")
	if hasFragment {
		page += "#" + fragment
	}
	return page
}
