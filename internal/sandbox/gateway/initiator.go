package gateway

import (
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// initiator is what a transaction initiator indicator (tii) says about a payment.
type initiator struct {
	saves    string // type of the binding that the payment saves; empty: none
	uses     string // type of the binding that the payment is made with; empty: none
	merchant bool   // the shop starts the payment (MIT): one-stage only, no CVC, no 3-D Secure
}

// initiators by tii (document 3, Transaction initiator indicator). The empty one is an
// ordinary payment of the customer.
var initiators = map[string]initiator{
	"":   {},
	"CI": {saves: kindOrdinary},
	"F":  {uses: kindOrdinary},
	"U":  {uses: kindOrdinary, merchant: true},
	"RI": {saves: kindRecurrent},
	"R":  {uses: kindRecurrent, merchant: true},
	"II": {saves: kindInstalment},
	"I":  {uses: kindInstalment, merchant: true},
}

// byMerchant tells whether the shop starts the payment, so that no customer is there to be
// authenticated or asked for a CVC. The document says the latter of U alone; R and I are
// merchant-initiated in the same way (document 3, Transaction initiator indicator).
func (p payment) byMerchant() bool {
	return initiators[p.tii].merchant
}

// fits tells whether the initiator and the binding of a payment fit the order, before
// anything moves.
//
// A clientId is demanded of every payment that uses a binding (document 3, Bindings, rule
// 4), and also of one that is to save a binding: the document gives a binding to a client
// (rule 1) and is silent about a shop that names none. A binding of another client is as
// unknown as one that does not exist, which is our choice too.
func (b *book) fits(o *order, p *payment) error {
	who := initiators[p.tii]
	bindingNeeded := p.bound != nil || who.saves != "" || who.uses != ""
	switch {
	case bindingNeeded && o.clientID == "":
		return errMissing.about("clientId")
	case p.bound != nil && p.bound.clientID != o.clientID:
		return errNoBinding.about("bindingId")
	case who.merchant && o.twoStage:
		return errOneStage.about("tii")
	case p.tii == "F" && p.bound == nil:
		return b.pickSaved(o, p)
	}
	return nil
}

// pickSaved finds the binding behind an entered card: with F the customer picks a card that
// was saved before. Of U, R and I the card data may be the shop's own, so a binding in the
// gateway is not asked for (document 3, Transaction initiator indicator, Card data).
func (b *book) pickSaved(o *order, p *payment) error {
	for _, saved := range b.bindings[o.clientID] {
		if saved.kind == kindOrdinary && saved.active && saved.card.number == p.card.number {
			p.bound = saved
			return nil
		}
	}
	return errNoBinding.about("$PAN")
}

// The entries of jsonParams that make a binding an instalment one (document 3, Bindings,
// rule 1).
const (
	paramInstallments = "installments"
	paramTotal        = "totalInstallmentAmount"
)

// instalment is what is known of an instalment binding's terms and of what was paid since.
// It is kept to be looked at: what the gateway does when more is paid than was agreed the
// document does not say, and so nothing is refused. Nor does it say whether the payment that
// made the binding is an instalment; here it is not counted.
type instalment struct {
	installments int64
	total        int64 // smallest unit
	paid         int64 // instalments
	paidAmount   int64 // smallest unit
}

// newInstalment reads the terms from the parameters of an order; nil if they are not all
// there, as when tii II alone made the binding.
func newInstalment(params []wire.NameValue) *instalment {
	terms := &instalment{}
	for _, nv := range params {
		n, _ := strconv.ParseInt(nv.Value, 10, 64) // 0, if it is no number
		switch nv.Name {
		case paramInstallments:
			terms.installments = n
		case paramTotal:
			terms.total = n
		}
	}
	if terms.installments <= 0 || terms.total <= 0 {
		return nil
	}
	return terms
}

// count enters a payment; a binding without terms has nothing to count.
func (i *instalment) count(amount int64) {
	if i != nil {
		i.paid++
		i.paidAmount += amount
	}
}

// isPaymentParams tells whether s is a JSON object whose terms of an instalment, if given,
// are whole positive numbers. recurringFrequency and recurringExpiry are not verified
// (document 3, Bindings, rule 1).
func isPaymentParams(s string) bool {
	ok := isObject(s)
	gjson.Parse(s).ForEach(func(name, value gjson.Result) bool {
		if name.String() == paramInstallments || name.String() == paramTotal {
			ok = ok && isAmount(value.String())
		}
		return ok
	})
	return ok
}
