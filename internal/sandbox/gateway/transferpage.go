package gateway

import (
	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// recipientPAN is the field of the payment page for the card that a transfer goes to. Cards are
// asked for there also if the order was registered with bindings: what the real page does then
// is not shown.
const recipientPAN = "toPAN"

var recipientRules = []paramRule{
	{name: recipientPAN, required: true, ok: mint.IsCardNumber, refusal: &errCardData},
}

// loneRecipientRules are for an OCT, whose one card is the recipient's (document 3, OCT
// scenario).
var loneRecipientRules = []paramRule{
	{name: "$PAN", required: true, ok: mint.IsCardNumber, refusal: &errCardData},
	{name: "TEXT", ok: wire.Within(26)},
}

// enteredRecipient reads the card of an OCT. Its expiry may be left out, as in toCard.
func enteredRecipient(p params) (payCard, error) {
	if err := p.check(loneRecipientRules); err != nil {
		return payCard{}, err
	}
	expiry := p["YYYY"] + p["MM"]
	if expiry != "" && !wire.IsTime(wire.MonthForm, expiry) {
		return payCard{}, errCardData.about("MM, YYYY")
	}
	return payCard{number: p["$PAN"], expiry: expiry, holder: p["TEXT"]}, nil
}
