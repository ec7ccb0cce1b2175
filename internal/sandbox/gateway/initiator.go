package gateway

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
