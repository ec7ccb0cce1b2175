package gateway

import (
	"strconv"

	"github.com/paytape/paytape/internal/sandbox/wire"
	"github.com/tidwall/gjson"
)

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
