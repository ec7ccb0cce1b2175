package outcome

import (
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// amount returns the first of some amounts that the exchange has: of the answer first, which tells
// what was done, then of the request. Zero counts only if there is no other.
func (r *reading) amount(keys []string) *Amount {
	var zero *Amount
	for _, h := range []*half{&r.answered, &r.asked} {
		for _, key := range keys {
			l := h.find(key)
			if l == nil || r.listed(h, l) {
				continue
			}
			a, ok := r.money(key, l.Value)
			switch {
			case ok && a.Minor != 0:
				return a
			case ok && zero == nil:
				zero = a
			}
		}
	}
	return zero
}

// money reads an amount of a field.
func (r *reading) money(key, value string) (*Amount, bool) {
	minor, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return nil, false
	}
	currency := r.known.Currency
	of := r.outcome.Amounts[key].Currency
	if of != "" {
		for _, h := range []*half{&r.answered, &r.asked} {
			if code, found := h.text(of); found && code != "" {
				currency = code
				break
			}
		}
	}
	c := currencyOf(or(currency, r.outcome.Currency))
	return &Amount{Minor: minor, Currency: c.Code, Text: c.write(minor)}, true
}

// FormatAmount writes an amount in the smallest unit of a currency, which is numeric or alphabetic
// (ISO 4217): 4900 and "978" as "49.00 EUR". Of a currency that is not known it cannot tell the
// number of decimals: then it writes "4900 minor units".
func FormatAmount(minor int64, currency string) string { return currencyOf(currency).write(minor) }

func (c currency) write(minor int64) string {
	if c.Code == "" {
		return strconv.FormatInt(minor, 10) + " minor units"
	}
	digits, sign := strconv.FormatInt(minor, 10), ""
	if strings.HasPrefix(digits, "-") {
		digits, sign = digits[1:], "-"
	}
	if missing := c.decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole := len(digits) - c.decimals
	if c.decimals > 0 {
		digits = digits[:whole] + "." + digits[whole:]
	}
	return sign + digits + " " + c.Code
}

// moneyWords returns an amount of a field with its currency; around finds a field beside it.
func moneyWords(o *profile.Outcome, key, text string, around func(string) (string, bool)) string {
	money, known := o.Amounts[key]
	minor, err := strconv.ParseInt(text, 10, 64)
	if !known || err != nil {
		return ""
	}
	code := o.Currency
	if money.Currency != "" && around != nil {
		if beside, found := around(money.Currency); found && beside != "" {
			code = beside
		}
	}
	if code == "" {
		return ""
	}
	return FormatAmount(minor, code)
}
