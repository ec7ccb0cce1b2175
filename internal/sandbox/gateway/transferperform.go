package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/netip"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// performP2PFields is the table of performP2P.do (document 3), of which the rest is not shown:
// fromCard, tii and the objects about the payer are taken to be as elsewhere.
// threeDSVer2MdOrder is for instant payments alone, which are none of ours; captcha is asked
// of nobody. performP2PByBinding.do has the same style, so it has the same table.
var performP2PFields = []fieldRule{
	{name: "orderId", required: true, ok: wire.Within(36)},
	{name: "ip", ok: isAddress},
	{name: "email", ok: wire.Within(40)},
	{name: "amount", ok: isAmount},
	{name: "type", ok: wire.OneOf(withoutFromCard)},
	{name: "amountInput", kind: kindInteger, ok: isAmount},
	{name: "captcha"},
	{name: "tii", ok: wire.OneOf("CI", "F", "U", "RI", "R", "II", "I")},
	{name: "threeDSSDK", kind: kindBoolean},
	{name: "threeDSSDKEncData"},
	{name: "threeDSSDKReferenceNumber"},
	{name: "threeDSSDKEphemPubKey"},
	{name: "threeDSSDKAppId"},
	{name: "threeDSSDKTransId"},
	{name: "threeDSMethodNotificationUrl", ok: isFullURL},
	{name: "threeDSServerTransId", ok: wire.Within(36)},
	{name: "threeDSVer2FinishUrl", ok: isFullURL},
	{name: "threeDSVer2MdOrder", ok: wire.Within(36)},
	{name: "bindingNotNeeded", kind: kindBoolean},
	{name: "originalPaymentNetRefNum"},
	{name: "params", kind: kindList, fields: pairFields},
	{name: "shippingPayerData", kind: kindObject, fields: shippingFields},
	{name: "preOrderPayerData", kind: kindObject, fields: preOrderFields},
	{name: "orderPayerData", kind: kindObject, fields: phoneFields},
	{name: "billingPayerData", kind: kindObject, fields: billingFields},
	{name: "fromCard", kind: kindObject, fields: fromCardFields},
	{name: "toCard", kind: kindObject, fields: toCardFields},
}

// sdkFields are required of a payment from a 3-D Secure SDK (document 3, performP2P.do).
var sdkFields = []fieldRule{
	{name: "threeDSSDKEncData", required: true},
	{name: "threeDSSDKReferenceNumber", required: true},
	{name: "threeDSSDKEphemPubKey", required: true},
	{name: "threeDSSDKAppId", required: true},
	{name: "threeDSSDKTransId", required: true},
}

// isAddress tells whether s is an IP address, of version 6 too.
func isAddress(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil && wire.Within(39)(s)
}

// performP2P moves money to a card that is entered.
func (b *book) performP2P(c call) (any, error) {
	return b.perform(c, false)
}

// performP2PByBinding moves money between cards of which one or both may be stored. Its
// example sends a card all the same, so it takes both.
func (b *book) performP2PByBinding(c call) (any, error) {
	return b.perform(c, true)
}

func (b *book) perform(c call, byBinding bool) (any, error) {
	body := gjson.ParseBytes(c.body)
	if err := checkFields(body, performP2PFields); err != nil {
		return nil, err
	}
	if c.params["threeDSSDK"] == "true" {
		if err := checkFields(body, sdkFields); err != nil {
			return nil, err
		}
	}
	o, err := b.transferOrder(c)
	if err != nil {
		return nil, err
	}
	reader := cardReader{book: b, order: o, call: c, byBinding: byBinding}
	p, err := reader.payment(members(body))
	if err != nil {
		return nil, err
	}
	if err := o.reachable(p, c); err != nil {
		return nil, err
	}
	answer, err := b.charge(o, p)
	if err != nil {
		return nil, err
	}
	return performed{answer, textSuccess.in(c.language)}, nil
}

// payment reads the two sides of a transfer, or the one of an OCT.
func (r cardReader) payment(given map[string]gjson.Result) (payment, error) {
	p := newPayment(r.call)
	alone := r.order.transfer.credits
	switch {
	case alone && !isBlank(given["fromCard"]):
		return p, errValue.about("fromCard")
	case !alone && r.call.params["type"] != "":
		return p, errValue.about("type")
	}
	to, err := r.to(given["toCard"])
	if err != nil {
		return p, err
	}
	from := to
	if !alone {
		if from, err = r.from(given["fromCard"]); err != nil {
			return p, err
		}
	}
	if initiators[p.tii].saves != "" && from.card.expiry == "" {
		return p, errMissing.about("expirationYear") // of a card that is to be stored
	}
	// A network knows a payment with a binding by the one before (document 3, performP2P.do).
	repeats := wire.OneOf("R", "U", "F")(p.tii)
	if repeats && r.call.params["originalPaymentNetRefNum"] == "" {
		return p, errMissing.about("originalPaymentNetRefNum")
	}
	p.card, p.bound, p.extra = from.card, from.bound, pairs(given["params"])
	p.credit = &credit{card: to.card, bound: to.bound, amount: r.amount(), alone: alone,
		unbound: r.call.params["bindingNotNeeded"] == "true"}
	return p, nil
}

// amount is the sum that the payer has chosen, or the registered one. amountInput overrides
// (document 3, performP2P.do); of amount it is said where the fee is asked for.
func (r cardReader) amount() int64 {
	chosen := cmp.Or(r.call.params["amountInput"], r.call.params["amount"])
	if chosen == "" {
		return r.order.amount
	}
	amount, _ := strconv.ParseInt(chosen, 10, 64) // isAmount has parsed it
	return amount
}

// reachable demands an e-mail address or a telephone where 3-D Secure begins (document 3,
// registerP2P.do, orderPayerData).
func (o *order) reachable(p payment, c call) error {
	known := o.transfer.contact || c.params["email"] != "" || hasContact(gjson.ParseBytes(c.body))
	if known || o.status != orderRegistered || p.demands() == authNone {
		return nil
	}
	return errMissing.about("email")
}

// performed answers performP2P.do and performP2PByBinding.do: what a payment answers, with
// errorMessage beside errorCode and is3DSVer2 always there, as in the examples.
type performed struct {
	answer  any
	message string // errorMessage
}

// MarshalJSON writes the answer of the payment with the two fields, each once.
func (p performed) MarshalJSON() ([]byte, error) {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false) // of an address
	if err := enc.Encode(p.answer); err != nil {
		return nil, err
	}
	message, err := json.Marshal(p.message)
	if err != nil {
		return nil, err
	}
	given := gjson.ParseBytes(raw.Bytes())
	out := []byte(`{"errorCode":` + given.Get("errorCode").Raw + `,"errorMessage":`)
	out = append(out, message...)
	given.ForEach(func(name, value gjson.Result) bool {
		if name.Str != "errorCode" && name.Str != "errorMessage" {
			out = append(out, ","+name.Raw+":"+value.Raw...)
		}
		return true
	})
	if !given.Get("is3DSVer2").Exists() {
		out = append(out, `,"is3DSVer2":false`...)
	}
	return append(out, '}'), nil
}

// finishTransferRules is the table of finishThreeDsVer2.do (document 3); its example writes
// threeDSServerTransId for tDsTransId, so both are read.
var finishTransferRules = []paramRule{
	{name: "tDsTransId", ok: wire.Within(36)},
	{name: "threeDSServerTransId", ok: wire.Within(36)},
}

// finishTransfer ends the authentication of a transfer and sends the customer to returnUrl or
// failUrl with orderId and lang, without any JSON (document 3, finishThreeDsVer2.do). What is
// no transfer in authentication is refused as in the other calls, since nobody can be sent
// anywhere.
func (b *book) finishTransfer(c call) (any, error) {
	if err := c.params.check(finishTransferRules); err != nil {
		return nil, err
	}
	id := cmp.Or(c.params["tDsTransId"], c.params["threeDSServerTransId"])
	if id == "" {
		return nil, errMissing.about("tDsTransId")
	}
	if o := b.secured[id]; o == nil || o.transfer == nil {
		return nil, errValue.about("tDsTransId")
	}
	o, err := b.finishSecure(id, c.now)
	if err != nil {
		return nil, err
	}
	return seeOther(o.outcome(cmp.Or(c.language, o.secure.payment.language)).Redirect), nil
}
