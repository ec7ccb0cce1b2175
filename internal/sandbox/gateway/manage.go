package gateway

import (
	"slices"
	"strconv"

	"github.com/paytape/paytape/internal/sandbox/wire"
	"github.com/tidwall/gjson"
)

// manageOperations are the operations of a shop on an order that it has registered. None of
// them is in document 3; clients of the family call them beside those that are (domain facts,
// Operations). Their errorCode exists both as a text and as a number; here it is a text.
var manageOperations = map[string]operation{
	"/payment/rest/deposit.do":   {run: (*book).doDeposit},
	"/payment/rest/reverse.do":   {run: (*book).doReverse},
	"/payment/rest/refund.do":    {run: (*book).doRefund},
	"/payment/rest/decline.do":   {run: (*book).doDecline},
	"/payment/rest/addParams.do": {run: (*book).addParams},
}

// done answers an operation that has nothing to tell but that it was done.
type done struct {
	ErrorCode    string `json:"errorCode"`
	ErrorMessage string `json:"errorMessage"`
}

func doneIn(language string) done {
	return done{ErrorCode: "0", ErrorMessage: textSuccess.in(language)}
}

// sumRules ask for the sum of a deposit or a refund; the order is asked for elsewhere. That
// the sum must be given is chosen, since the whole has a value of its own, 0.
var sumRules = []paramRule{{name: "amount", required: true, ok: isSum}}

// isSum tells whether s is an amount or 0.
func isSum(s string) bool {
	return wire.IsDigits(s) && len(s) <= 12
}

// sum is the amount of a call that sumRules have passed.
func (c call) sum() int64 {
	n, _ := strconv.ParseInt(c.params["amount"], 10, 64) // 12 digits at most
	return n
}

func (b *book) doDeposit(c call) (any, error) {
	if err := c.params.check(sumRules); err != nil {
		return nil, err
	}
	return b.manage(c, func(o *order) error { return b.deposit(o, c.sum(), c.now) })
}

func (b *book) doRefund(c call) (any, error) {
	if err := c.params.check(sumRules); err != nil {
		return nil, err
	}
	return b.manage(c, func(o *order) error { return b.refund(o, c.sum(), c.now) })
}

func (b *book) doReverse(c call) (any, error) {
	return b.manage(c, func(o *order) error { return b.reverse(o, c.now) })
}

// doDecline takes a merchantLogin like register.do.
func (b *book) doDecline(c call) (any, error) {
	if err := c.ownMerchant(); err != nil {
		return nil, err
	}
	return b.manage(c, (*order).callOff)
}

// manage does something to the order that a call asks for, by either number.
func (b *book) manage(c call, do func(*order) error) (any, error) {
	o, err := b.asked(c)
	if err != nil {
		return nil, err
	}
	if err := do(o); err != nil {
		return nil, err
	}
	return doneIn(c.language), nil
}

var addedRules = []paramRule{{name: "params", required: true, ok: isObject}}

// addParams stores pairs with an order in any of its states. A name that the order has
// already gets the new value.
func (b *book) addParams(c call) (any, error) {
	if err := c.params.check(addedRules); err != nil {
		return nil, err
	}
	return b.manage(c, func(o *order) error {
		gjson.Parse(c.params["params"]).ForEach(func(name, value gjson.Result) bool {
			o.setParam(wire.NameValue{Name: name.String(), Value: value.String()})
			return true
		})
		return nil
	})
}

// setParam works on a copy: answers that show the pairs are written when the book is let go.
func (o *order) setParam(pair wire.NameValue) {
	i := slices.IndexFunc(o.params, func(old wire.NameValue) bool { return old.Name == pair.Name })
	o.params = slices.Clone(o.params)
	if i < 0 {
		o.params = append(o.params, pair)
		return
	}
	o.params[i] = pair
}
