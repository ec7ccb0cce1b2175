package gateway

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
	"github.com/tidwall/gjson"
)

// The cards of a transfer. toCard is shown (document 3, verifyP2P.do). fromCard, the card of
// the payer, is not; it is taken to have the shape of toCard and a cvc besides.
var (
	toCardFields = []fieldRule{
		{name: "pan", ok: mint.IsCardNumber, refusal: &errCardData},
		{name: "expirationYear", kind: kindInteger, ok: isCardYear, refusal: &errCardData},
		{name: "expirationMonth", kind: kindInteger, ok: isCardMonth, refusal: &errCardData},
		{name: "cardholderName", ok: wire.Within(26)},
		{name: "seToken", ok: wire.Within(maxToken)},
		{name: "bindingId", ok: wire.Within(255)},
	}
	fromCardFields = append(slices.Clip(toCardFields),
		fieldRule{name: "cvc", ok: isCVC, refusal: &errCardData})
)

func isCardYear(s string) bool {
	return len(s) == 4 && s >= "2000" && s <= "2200"
}

// isCardMonth allows 01 to 12; a JSON number has no leading zero.
func isCardMonth(s string) bool {
	month, err := strconv.Atoi(s)
	return err == nil && len(s) <= 2 && month >= 1 && month <= 12
}

// namedCard is a card object of a call after reading.
type namedCard struct {
	card  payCard
	bound *binding // the card is that of this binding; nil if it was entered
	cvc   bool     // given
}

// cardReader reads the card objects of one call about an order.
type cardReader struct {
	book      *book
	order     *order
	call      call
	byBinding bool // a bindingId may stand for the card
}

// to reads the recipient's card, which must be there.
func (r cardReader) to(object gjson.Result) (namedCard, error) {
	return r.read("toCard", object, r.order.transfer.to)
}

// from reads the payer's card. It needs an expiry and, unless it is bound, a CVC. Payments that
// the merchant starts have no CVC (document 3, Transaction initiator indicator).
func (r cardReader) from(object gjson.Result) (namedCard, error) {
	read, err := r.read("fromCard", object, r.order.transfer.from)
	merchant := initiators[r.call.params["tii"]].merchant
	switch {
	case err != nil:
		return read, err
	case read.card.expiry == "":
		return read, errMissing.about("expirationYear")
	case merchant && read.cvc:
		return read, errValue.about("cvc")
	case !merchant && !read.cvc && read.bound == nil:
		return read, errMissing.about("cvc")
	}
	return read, nil
}

// read finds out which card is meant: the one of a seToken, of a binding, or of the numbers in
// the object. Without an object the binding that the order was registered with counts.
func (r cardReader) read(name string, object gjson.Result, own *binding) (namedCard, error) {
	given := members(object)
	id := given["bindingId"].String()
	if isBlank(object) && own != nil {
		id = own.id
	}
	switch {
	case r.byBinding && id != "":
		read, err := r.bound(name, id, own)
		read.cvc = !isBlank(given["cvc"])
		return read, err
	case isBlank(object):
		return namedCard{}, errMissing.about(name)
	case !isBlank(given["seToken"]):
		return r.sealed(given)
	case isBlank(given["pan"]):
		return namedCard{}, errMissing.about("pan")
	}
	expiry, err := expiryOf(given)
	return namedCard{
		card: payCard{number: given["pan"].String(), expiry: expiry,
			holder: given["cardholderName"].String()},
		cvc: !isBlank(given["cvc"]),
	}, err
}

// bound finds a card by its binding. An order that was registered with a binding is paid with
// that one (document 3, registerP2P.do, creditBindingId).
func (r cardReader) bound(name, id string, own *binding) (namedCard, error) {
	found, err := r.book.bindingOf(r.order.clientID, id)
	switch {
	case err != nil:
		return namedCard{}, err
	case own != nil && own != found:
		return namedCard{}, errValue.about(name)
	}
	return namedCard{card: found.card, bound: found}, nil
}

// expiryOf reads the two fields of an expiry, which come together or not at all.
func expiryOf(given map[string]gjson.Result) (string, error) {
	year, month := given["expirationYear"], given["expirationMonth"]
	switch {
	case isBlank(year) && isBlank(month):
		return "", nil
	case isBlank(year) || isBlank(month):
		return "", errCardData.about("expirationYear, expirationMonth")
	}
	return fmt.Sprintf("%s%02d", year.String(), month.Int()), nil
}

// sealed opens a seToken, which takes the place of the card's fields (document 3, verifyP2P.do,
// toCard). A token that was made for a P2P call has no CVC.
func (r cardReader) sealed(given map[string]gjson.Result) (namedCard, error) {
	t, ok := unseal(given["seToken"].String())
	switch {
	case !ok || !t.fits(r.order.id, r.call.now):
		return namedCard{}, errValue.about("seToken")
	case !mint.IsCardNumber(t.number), t.expiry != "" && !wire.IsTime(wire.MonthForm, t.expiry):
		return namedCard{}, errCardData.about("seToken")
	case t.cvc != "" && !isCVC(t.cvc):
		return namedCard{}, errCardData.about("seToken")
	}
	return namedCard{
		card: payCard{t.number, t.expiry, given["cardholderName"].String()},
		cvc:  t.cvc != "" || !isBlank(given["cvc"]),
	}, nil
}
