package gateway

import (
	"strconv"

	"github.com/paytape/paytape/internal/sandbox/wire"
	"github.com/tidwall/gjson"
)

// The tables of the two operations that tell the fee (document 3, verifyP2P.do and
// verifyP2PByBinding.do). The payer may have another amount in mind than was registered.
var (
	verifyP2PFields = []fieldRule{
		{name: "orderId", required: true, ok: wire.Within(36)},
		{name: "amount", ok: isAmount},
		{name: "billingPayerData", kind: kindObject, fields: billingFields},
		{name: "toCard", kind: kindObject, required: true, fields: toCardFields},
	}
	verifyP2PByBindingFields = []fieldRule{
		{name: "orderId", required: true, ok: wire.Within(36)},
		{name: "toCard", kind: kindObject, required: true, fields: toCardFields},
	}
)

// fee is an item of feeDescriptionList.
type fee struct {
	Amount      int64  `json:"feeAmount"`
	Currency    string `json:"feeCurrency"`
	Description string `json:"feeDescription"`
}

var textFee = text{"Комиссия за перевод", "Fee for the transfer"}

// verified answers verifyP2P.do.
type verified struct {
	ErrorCode          int    `json:"errorCode"`
	ErrorMessage       string `json:"errorMessage"`
	FeeDescriptionList []fee  `json:"feeDescriptionList"`
}

// verifiedByBinding answers verifyP2PByBinding.do: its table has the fee in the answer itself
// and its example in a list, and so here it stands in both.
type verifiedByBinding struct {
	verified
	fee
}

// verifyP2P tells the fee of a transfer to a card that is entered.
func (b *book) verifyP2P(c call) (any, error) {
	charged, err := b.quote(c, verifyP2PFields, false)
	if err != nil {
		return nil, err
	}
	return verified{0, textSuccess.in(c.language), []fee{charged}}, nil
}

// verifyP2PByBinding tells the fee of a transfer to a card that may be stored.
func (b *book) verifyP2PByBinding(c call) (any, error) {
	charged, err := b.quote(c, verifyP2PByBindingFields, true)
	if err != nil {
		return nil, err
	}
	return verifiedByBinding{
		verified{0, textSuccess.in(c.language), []fee{charged}}, charged,
	}, nil
}

// quote makes out the fee; it changes nothing. An order that was paid or has died has none.
func (b *book) quote(c call, rules []fieldRule, byBinding bool) (fee, error) {
	body := gjson.ParseBytes(c.body)
	if err := checkFields(body, rules); err != nil {
		return fee{}, err
	}
	o, err := b.transferOrder(c)
	if err != nil {
		return fee{}, err
	}
	if !o.awaitsPayment() {
		return fee{}, errState
	}
	reader := cardReader{book: b, order: o, call: c, byBinding: byBinding}
	if _, err := reader.to(members(body)["toCard"]); err != nil {
		return fee{}, err
	}
	amount := o.amount
	if asked := c.params["amount"]; asked != "" && !byBinding {
		amount, _ = strconv.ParseInt(asked, 10, 64) // isAmount has parsed it
	}
	return fee{feeOf(amount), o.currency, textFee.in(c.language)}, nil
}
