package gateway

import (
	"cmp"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// payCard is the card of a payment after reading.
type payCard struct {
	number string
	expiry string // YYYYMM
	holder string
}

// paymentOperations are the operations that pay an order with a card.
var paymentOperations = map[string]operation{
	"/payment/rest/paymentorder.do": {run: (*book).pay, numericCode: true},
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
	{name: "threeDSServerTransId", ok: wire.Within(36)},
	{name: "jsonParams", ok: isPaymentParams},
}

func isCVC(s string) bool {
	return wire.IsDigits(s) && (len(s) == 3 || len(s) == 4)
}

// paid answers paymentorder.do, a declined payment included: errorCode is 0 and only the
// order status tells (domain facts, On the wire).
type paid struct {
	ErrorCode int    `json:"errorCode"`
	Info      string `json:"info,omitempty"`
	Redirect  string `json:"redirect,omitempty"` // absent while the payer must authenticate
	demand
}

var textInfo = text{
	"Платёж обработан, возврат в магазин",
	"The payment was processed, returning to the shop",
}

// payment is one attempt to pay an order, whoever starts it: the shop with a card or a
// binding, the payer at the payment page, or a transfer.
type payment struct {
	card     payCard
	tii      string           // transaction initiator indicator, as sent
	bound    *binding         // the binding that is paid with; nil for a card that was entered
	credit   *credit          // the other side of a transfer; nil for a payment to the shop
	extra    []wire.NameValue // jsonParams, which join those of the order
	ip       string           // the payer's
	language string
	base     string // scheme and host that the client called, for addresses in the answer
	now      time.Time

	serverTransID string // of a run of 3-D Secure that goes on; empty begins
	finishURL     string // threeDSVer2FinishUrl; empty: the payer comes to the shop
	methodURL     string // threeDSMethodNotificationUrl; empty: the gateway's
}

// newPayment reads what all calls that pay have in common.
func newPayment(c call) payment {
	return payment{
		tii: c.params["tii"], ip: cmp.Or(c.params["ip"], c.client),
		language: c.language, base: c.base, now: c.now,
		serverTransID: c.params["threeDSServerTransId"],
		finishURL:     c.params["threeDSVer2FinishUrl"],
		methodURL:     c.params["threeDSMethodNotificationUrl"],
	}
}

// pay submits a card for an order.
func (b *book) pay(c call) (any, error) {
	if err := b.openToken(c); err != nil {
		return nil, err
	}
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
	p := newPayment(c)
	p.card, p.extra = card, c.params.jsonParams()
	return b.charge(o, p)
}

// charge is the one way to pay an order. An order gets one attempt: one that was declined
// stays declined.
func (b *book) charge(o *order, p payment) (any, error) {
	if o.status == orderAuthenticating && p.serverTransID != "" {
		return b.resume(o, p)
	}
	if o.status != orderRegistered {
		return nil, errState
	}
	if p.serverTransID != "" {
		return nil, errValue.about("threeDSServerTransId") // no run of this order
	}
	if err := b.fits(o, &p); err != nil {
		return nil, err
	}
	if err := o.plan(p); err != nil {
		return nil, err
	}
	o.params = append(o.params, p.extra...)
	if p.demands() != authNone {
		return b.beginSecure(o, p), nil
	}
	b.authorize(o, p)
	return o.outcome(p.language), nil
}

// demands tells which authentication the card wants. Payments that the merchant starts have
// none (document 3, Transaction initiator indicator), nor has a recipient of money.
func (p payment) demands() authentication {
	card, _ := cardOf(p.card.number)
	if p.credit != nil && p.credit.alone || p.byMerchant() {
		return authNone
	}
	return card.auth
}

// authorize lets the bank decide and moves the order. A finished authentication comes here
// too.
func (b *book) authorize(o *order, p payment) {
	action := b.decide(o, p)
	if action != actionOK {
		b.decline(o, p, action)
		return
	}
	b.accept(o, p)
	b.bind(o, p) // a binding appears only now (domain facts, Order status)
}

// outcome is the answer to a payment that the bank has decided.
func (o *order) outcome(language string) paid {
	back := o.returnURL
	if o.status == orderDeclined {
		back = cmp.Or(o.failURL, o.returnURL)
	}
	return paid{Info: textInfo.in(language), Redirect: redirect(back, o.id, language)}
}

// readCard reads the card's expiry, `$EXPIRY` or YYYY and MM (document 3, paymentorder.do),
// and requires a CVC except of payments that the merchant starts, which have none
// (document 3, Transaction initiator indicator): a shop that sends one has kept it.
func readCard(p params) (payCard, error) {
	merchant := initiators[p["tii"]].merchant
	switch {
	case merchant && p["$CVC"] != "":
		return payCard{}, errValue.about("$CVC")
	case !merchant && p["$CVC"] == "":
		return payCard{}, errMissing.about("$CVC")
	}
	expiry := cmp.Or(p["$EXPIRY"], p["YYYY"]+p["MM"])
	if expiry == "" {
		return payCard{}, errMissing.about("$EXPIRY")
	}
	if !isExpiry(expiry) {
		return payCard{}, errCardData.about("$EXPIRY")
	}
	return payCard{number: p["$PAN"], expiry: expiry, holder: p["TEXT"]}, nil
}

// isExpiry tells whether s is a month, YYYYMM, of the years 2000 to 2200 (document 3,
// verifyP2P.do).
func isExpiry(s string) bool {
	return wire.IsTime(wire.MonthForm, s) && s >= "200001" && s <= "220012"
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
