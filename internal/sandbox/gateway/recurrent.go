package gateway

import (
	"github.com/paytape/paytape/internal/sandbox/wire"
	"github.com/tidwall/gjson"
)

// storedRules are the parameters of recurrentPayment.do and installmentPayment.do (document
// 3, Bindings). None is marked as required there. Without a binding and an amount there is
// nothing to pay; orderNumber is required too, because nothing else tells a payment that is
// sent again from another one.
var storedRules = []paramRule{
	{name: "orderNumber", required: true, ok: wire.Within(36)},
	{name: "bindingId", required: true, ok: wire.Within(255)},
	{name: "amount", required: true, ok: isAmount},
	{name: "currency", ok: isCurrency, refusal: &errCurrency},
	{name: "description", ok: wire.Within(600)},
}

// recurrentPaid answers recurrentPayment.do. success says that the payment was carried out;
// as elsewhere only the order status tells how it ended (domain facts, On the wire).
type recurrentPaid struct {
	Success     bool         `json:"success"`
	Data        recurrentID  `json:"data"`
	OrderStatus statusObject `json:"orderStatus"`
}

type recurrentID struct {
	OrderID string `json:"orderId"`
}

// payRecurrent pays with a recurrent binding (document 3, Bindings, rule 3).
func (b *book) payRecurrent(c call) (any, error) {
	o, err := b.payStored(c, "R")
	if err != nil {
		return nil, err
	}
	return recurrentPaid{
		Success: true, Data: recurrentID{o.id}, OrderStatus: o.statusObject(c.language),
	}, nil
}

// recurrentRefusal is a refusal in the shape of the answer. The document shows none.
func recurrentRefusal(f failure) any {
	return struct {
		Success bool `json:"success"`
		failure
	}{false, f}
}

// instalmentPaid answers installmentPayment.do. error is the opposite of success in the
// other answer.
type instalmentPaid struct {
	ErrorCode    string       `json:"errorCode"`
	ErrorMessage string       `json:"errorMessage"`
	OrderID      string       `json:"orderId"`
	OrderStatus  statusObject `json:"orderStatus"`
	Error        bool         `json:"error"`
}

// payInstalment pays with an instalment binding (document 3, Bindings, rule 3).
func (b *book) payInstalment(c call) (any, error) {
	o, err := b.payStored(c, "I")
	if err != nil {
		return nil, err
	}
	return instalmentPaid{
		ErrorCode: "0", ErrorMessage: textSuccess.in(c.language),
		OrderID: o.id, OrderStatus: o.statusObject(c.language),
	}, nil
}

// instalmentRefusal is a refusal in the shape of the answer. The document shows none.
func instalmentRefusal(f failure) any {
	return struct {
		failure
		Error bool `json:"error"`
	}{f, true}
}

// payStored registers an order of the binding's client and pays it at once, started by the
// shop: one-stage, without CVC and without 3-D Secure (document 3, Transaction initiator
// indicator). Everything is checked before the order is there.
func (b *book) payStored(c call, tii string) (*order, error) {
	if err := c.params.check(storedRules); err != nil {
		return nil, err
	}
	extra, err := additionalParameters(c.body)
	if err != nil {
		return nil, err
	}
	number := c.params["orderNumber"]
	if b.byNumber[number] != nil {
		return nil, errNumberUsed
	}
	bound, err := b.usable(c.params["bindingId"], initiators[tii].uses)
	if err != nil {
		return nil, err
	}
	o := b.newOrder(number, c.toRegister(bound.clientID))
	o.params = extra
	p := newPayment(c)
	p.tii, p.bound, p.card = tii, bound, bound.card
	p.ip = c.client // there is no payer whose address it could be
	_, err = b.charge(o, p)
	return o, err
}

// toRegister is the call that would register the order of a stored payment: what is no
// parameter of the payment does not count, whatever it means to register.do.
func (c call) toRegister(clientID string) call {
	own := params{"clientId": clientID}
	for _, name := range []string{"amount", "currency", "description"} {
		own[name] = c.params[name]
	}
	c.params = own
	return c
}

// additionalParameters reads the object of name-value pairs that is kept with the order. The
// types of the values are not shown; lists and objects are refused.
func additionalParameters(body []byte) ([]wire.NameValue, error) {
	const name = "additionalParameters"
	list := []wire.NameValue{}
	extra := gjson.GetBytes(body, name)
	if !extra.Exists() || extra.Type == gjson.Null {
		return list, nil
	}
	ok := extra.IsObject()
	extra.ForEach(func(key, value gjson.Result) bool {
		ok = ok && value.Type != gjson.JSON
		list = append(list, wire.NameValue{Name: key.String(), Value: value.String()})
		return ok
	})
	if !ok {
		return nil, errValue.about(name)
	}
	return list, nil
}
