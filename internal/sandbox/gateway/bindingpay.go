package gateway

import "github.com/paytape/paytape/internal/sandbox/wire"

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
