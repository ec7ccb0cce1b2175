package gateway

import (
	"slices"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// bindingOperations are the operations about stored cards. For getBindings.do the type of
// errorCode is not shown; it answers like the status.
var bindingOperations = map[string]operation{
	"/payment/rest/getBindings.do": {run: (*book).listBindings},
}

// binding is a stored card of a client of the shop (document 3, Binding).
type binding struct {
	id       string
	clientID string
	kind     string // C, R or I
	card     payCard
}

// categories by binding type (document 3, Binding).
var categories = map[string]string{"C": "COMMON", "R": "RECURRENT", "I": "INSTALLMENT"}

// savingTii are the initiator indicators that save a binding, and the type of binding
// (document 3, Transaction initiator indicator).
var savingTii = map[string]string{"CI": "C", "RI": "R", "II": "I"}

// bindingKind tells which binding a payment makes; empty means none. The feature of the
// order makes an ordinary one, unless jsonParams ask for a recurrent or an instalment
// binding (document 3, Bindings, rule 1). Their values are not verified.
func bindingKind(o *order, tii string) string {
	if kind := savingTii[tii]; kind != "" {
		return kind
	}
	given := func(name string) bool {
		return slices.ContainsFunc(o.params,
			func(nv wire.NameValue) bool { return nv.Name == name })
	}
	switch {
	case !o.wantBinding:
		return ""
	case given("installments"):
		return "I"
	case given("recurringFrequency") && given("recurringExpiry"):
		return "R"
	}
	return "C"
}

// bind stores the card of a paid order and returns the binding; nil if the order makes
// none. A card has one ordinary and one recurrent binding per client, which a further
// payment finds again, and any number of instalment bindings (document 3, Binding).
func (b *book) bind(o *order, tii string) *binding {
	kind := bindingKind(o, tii)
	if kind == "" || o.clientID == "" {
		return nil
	}
	card := o.attempt.card
	for _, old := range b.bindings[o.clientID] {
		if old.kind == kind && old.card.number == card.number && kind != "I" {
			old.card = card // the expiry may be a new one
			return old
		}
	}
	made := &binding{id: b.source.GatewayID(), clientID: o.clientID, kind: kind, card: card}
	b.bindings[o.clientID] = append(b.bindings[o.clientID], made)
	return made
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

var bindingRules = []paramRule{
	{name: "clientId", required: true, ok: wire.Within(255)},
	{name: "bindingType", ok: wire.OneOf("C", "R", "I")},
}

// listBindings lists a client's bindings of one type, ordinary ones if none is asked for.
// A client without any gets errorCode 2 (domain facts, Codes).
func (b *book) listBindings(c call) (any, error) {
	if err := c.params.check(bindingRules); err != nil {
		return nil, err
	}
	kind := c.params["bindingType"]
	if kind == "" {
		kind = "C"
	}
	answer := bindingList{ErrorCode: "0", ErrorMessage: textSuccess.in(c.language)}
	for _, bound := range b.bindings[c.params["clientId"]] {
		if bound.kind == kind {
			answer.Bindings = append(answer.Bindings, bound.view())
		}
	}
	if len(answer.Bindings) == 0 {
		return nil, errNoBinding
	}
	return answer, nil
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
