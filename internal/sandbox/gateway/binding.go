package gateway

import (
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// bindingOperations are the operations about stored cards. Where the type of errorCode is
// not shown, they answer like the status; paymentOrderBinding.do takes the place of
// paymentorder.do (document 3, paymentorder.do) and answers like it.
var bindingOperations = map[string]operation{
	"/payment/rest/getBindings.do":         {run: (*book).listBindings},
	"/payment/rest/bindCard.do":            {run: (*book).bindCard},
	"/payment/rest/unBindCard.do":          {run: (*book).unBindCard},
	"/payment/rest/extendBinding.do":       {run: (*book).extendBinding},
	"/payment/rest/paymentOrderBinding.do": {run: (*book).payByBinding, numericCode: true},
	"/payment/recurrentPayment.do": {
		run: (*book).payRecurrent, readJSON: true, refused: recurrentRefusal,
	},
	"/payment/installmentPayment.do": {
		run: (*book).payInstalment, readJSON: true, refused: instalmentRefusal,
	},
}

// The binding types (document 3, Binding).
const (
	kindOrdinary   = "C"
	kindRecurrent  = "R"
	kindInstalment = "I"
)

// categories by binding type (document 3, Binding).
var categories = map[string]string{
	kindOrdinary: "COMMON", kindRecurrent: "RECURRENT", kindInstalment: "INSTALLMENT",
}

// binding is a stored card of a client of the shop (document 3, Binding).
type binding struct {
	id       string
	clientID string
	kind     string // C, R or I
	card     payCard
	active   bool        // switched on; only then can it be seen and paid with
	origin   *order      // whose payment made it
	plan     *instalment // of an instalment binding, if its terms were told; else nil
}

// bind stores the card of an order that was just paid, unless the payment was made with a
// binding or makes none. A card has one ordinary and one recurrent binding per client, which
// a further payment finds again and switches on again, and any number of instalment bindings
// (document 3, Binding).
func (b *book) bind(o *order, p payment) {
	if p.bound != nil {
		o.binding = p.bound
		p.bound.plan.count(o.amount)
		return
	}
	kind := bindingKind(o, p.tii)
	if kind == "" || o.clientID == "" {
		return
	}
	o.binding = b.sameCard(o.clientID, kind, p.card.number)
	if o.binding == nil {
		o.binding = b.newBinding(o, kind)
		b.tell(o, event{operation: eventBindingCreated, at: p.now, bound: o.binding})
	}
	o.binding.card = p.card // the expiry may be a new one
	if !o.binding.active {
		b.turn(o.binding, p.now)
	}
}

// sameCard finds the binding that another payment with the card renews; nil if none.
func (b *book) sameCard(clientID, kind, number string) *binding {
	for _, old := range b.bindings[clientID] {
		if old.kind == kind && old.card.number == number && kind != kindInstalment {
			return old
		}
	}
	return nil
}

func (b *book) newBinding(o *order, kind string) *binding {
	made := &binding{
		id: b.source.GatewayID(), clientID: o.clientID, kind: kind, active: true, origin: o,
	}
	if kind == kindInstalment {
		made.plan = newInstalment(o.params)
	}
	b.bindings[o.clientID] = append(b.bindings[o.clientID], made)
	b.bindingByID[made.id] = made
	return made
}

// bindingKind tells which binding a payment makes; empty means none. An indicator decides
// alone. Without one, the feature of the order makes an ordinary binding, unless jsonParams
// hold what a recurrent or an instalment binding is created by (document 3, Bindings, rule 1).
func bindingKind(o *order, tii string) string {
	if tii != "" {
		return initiators[tii].saves
	}
	given := map[string]bool{}
	for _, nv := range o.params {
		given[nv.Name] = true
	}
	recurrent := given["recurringFrequency"] && given["recurringExpiry"]
	switch {
	case !o.wantBinding:
		return ""
	case recurrent && given[paramInstallments] && given[paramTotal]:
		return kindInstalment
	case recurrent:
		return kindRecurrent
	}
	return kindOrdinary
}

// usable finds a binding to pay with: one of the type that is switched on. An expired card
// is no hindrance here; the bank declines it.
func (b *book) usable(id, kind string) (*binding, error) {
	found := b.bindingByID[id]
	switch {
	case found == nil || !found.active:
		return nil, errNoBinding.about("bindingId")
	case found.kind != kind:
		return nil, errBindingKind.about("bindingId")
	}
	return found, nil
}

// bindingList answers getBindings.do (document 3, Bindings).
type bindingList struct {
	ErrorCode    string        `json:"errorCode"`
	ErrorMessage string        `json:"errorMessage"`
	Bindings     []bindingView `json:"bindings"`
}

type bindingView struct {
	BindingID       string `json:"bindingId"`
	MaskedPan       string `json:"maskedPan"`
	ExpiryDate      string `json:"expiryDate"`
	PaymentWay      string `json:"paymentWay"`
	PaymentSystem   string `json:"paymentSystem"`
	DisplayLabel    string `json:"displayLabel"`
	BindingCategory string `json:"bindingCategory"`
}

// bindingRules are the parameters of getBindings.do (document 3, Bindings); showExpired is
// one that gateways of the family add.
var bindingRules = []paramRule{
	{name: "clientId", required: true, ok: wire.Within(255)},
	{name: "bindingType", ok: wire.OneOf(kindOrdinary, kindRecurrent, kindInstalment)},
	{name: "showExpired", ok: wire.OneOf("true", "false")},
}

// listBindings lists a client's bindings of one type, ordinary ones if none is asked for. A
// client without any gets errorCode 2 (domain facts, Codes). Document 3 is silent about
// bindings that are switched off and about expired ones: the former are not listed, the
// latter only if showExpired asks for them.
func (b *book) listBindings(c call) (any, error) {
	if err := c.params.check(bindingRules); err != nil {
		return nil, err
	}
	kind := c.params["bindingType"]
	if kind == "" {
		kind = kindOrdinary
	}
	answer := bindingList{ErrorCode: "0", ErrorMessage: textSuccess.in(c.language)}
	for _, bound := range b.bindings[c.params["clientId"]] {
		if bound.kind == kind && bound.isListed(c.params["showExpired"] == "true", c.now) {
			answer.Bindings = append(answer.Bindings, bound.view())
		}
	}
	if len(answer.Bindings) == 0 {
		return nil, errNoBinding
	}
	return answer, nil
}

func (b *binding) isListed(expiredToo bool, now time.Time) bool {
	return b.active && (expiredToo || !wire.IsOver(b.card.expiry, now))
}

func (b *binding) view() bindingView {
	number := b.card.number
	return bindingView{
		BindingID:       b.id,
		MaskedPan:       mint.Mask(number, 2),
		ExpiryDate:      b.card.expiry,
		PaymentWay:      "CARD",
		PaymentSystem:   mint.PaymentSystem(number),
		DisplayLabel:    "**** " + number[len(number)-4:],
		BindingCategory: categories[b.kind],
	}
}

// The operations that change a binding answer like those on an order: neither document shows
// an answer (domain facts, Operations).
var switchRules = []paramRule{
	{name: "bindingId", required: true, ok: wire.Within(255)},
}

// bindCard switches a binding on again (domain facts, Operations).
func (b *book) bindCard(c call) (any, error) {
	return b.switchBinding(c, true)
}

// unBindCard switches a binding off (domain facts, Operations). It is kept: bindCard finds it.
func (b *book) unBindCard(c call) (any, error) {
	return b.switchBinding(c, false)
}

// switchBinding refuses to do what is done already. The facts are silent about that; gateways
// of the family use the errorCode of a binding that is not found.
func (b *book) switchBinding(c call, on bool) (any, error) {
	if err := c.params.check(switchRules); err != nil {
		return nil, err
	}
	found := b.bindingByID[c.params["bindingId"]]
	switch {
	case found == nil:
		return nil, errNoBinding.about("bindingId")
	case found.active == on:
		return nil, errBindingState.about("bindingId")
	}
	b.turn(found, c.now)
	return doneIn(c.language), nil
}

// turn switches a binding over and tells the shop (document 3, Events).
func (b *book) turn(bound *binding, now time.Time) {
	bound.active = !bound.active
	b.tell(bound.origin, event{
		operation: eventBindingSwitched, at: now, bound: bound, disabled: !bound.active,
	})
}

var extendRules = []paramRule{
	{name: "bindingId", required: true, ok: wire.Within(255)},
	{name: "newExpiry", required: true, ok: isExpiry},
}

// extendBinding gives the stored card another expiry, YYYYMM, which must not be past. The
// facts name the operation (domain facts, Operations); the parameter is the family's.
func (b *book) extendBinding(c call) (any, error) {
	if err := c.params.check(extendRules); err != nil {
		return nil, err
	}
	if wire.IsOver(c.params["newExpiry"], c.now) {
		return nil, errValue.about("newExpiry")
	}
	found := b.bindingByID[c.params["bindingId"]]
	if found == nil {
		return nil, errNoBinding.about("bindingId")
	}
	found.card.expiry = c.params["newExpiry"]
	return doneIn(c.language), nil
}

// bindingPayRules are the parameters of paymentOrderBinding.do (document 3, Bindings). That
// the order and the binding must be named goes without saying there. cvc is not marked as
// required, and whether a shop's customers are asked for it is a setting of the shop, so a
// customer-initiated payment does with and without.
var bindingPayRules = []paramRule{
	{name: "mdOrder", required: true, ok: wire.Within(36)},
	{name: "bindingId", required: true, ok: wire.Within(255)},
	{name: "tii", ok: wire.OneOf("F", "U")},
	{name: "cvc", ok: isCVC, refusal: &errCardData},
	{name: "ip", ok: wire.Within(39)},
	{name: "threeDSVer2FinishUrl", ok: isFullURL},
}

// payByBinding pays an order with an ordinary binding of its client (document 3, Bindings,
// rule 2). With tii U the shop starts the payment and there is no CVC; with F, or without
// tii, the customer does, and may be asked for 3-D Secure.
func (b *book) payByBinding(c call) (any, error) {
	if err := c.params.check(bindingPayRules); err != nil {
		return nil, err
	}
	p := newPayment(c)
	if p.byMerchant() && c.params["cvc"] != "" {
		return nil, errValue.about("cvc")
	}
	o, err := b.order(c.params["mdOrder"], c.now)
	if err != nil {
		return nil, err
	}
	p.bound, err = b.usable(c.params["bindingId"], kindOrdinary)
	if err != nil {
		return nil, err
	}
	p.card = p.bound.card
	return b.charge(o, p)
}
