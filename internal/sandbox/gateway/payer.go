package gateway

import (
	"strings"

	"github.com/paytape/paytape/internal/sandbox/wire"
	"github.com/tidwall/gjson"
)

// The objects about the payer that P2P calls carry (document 3, registerP2P.do). The value
// sets of the indicators are not shown: any number of their length will do.
var (
	shippingFields = []fieldRule{
		{name: "shippingCity", ok: wire.Within(50)},
		{name: "shippingCountry", ok: wire.Within(50)},
		{name: "shippingAddressLine1", ok: wire.Within(50)},
		{name: "shippingAddressLine2", ok: wire.Within(50)},
		{name: "shippingAddressLine3", ok: wire.Within(50)},
		{name: "shippingPostalCode", ok: wire.Within(16)},
		{name: "shippingState", ok: wire.Within(50)},
		{name: "shippingMethodIndicator", kind: kindInteger, ok: wire.Within(2)},
		{name: "deliveryTimeframe", kind: kindInteger, ok: wire.Within(2)},
		{name: "deliveryEmail", ok: wire.Within(254)},
	}
	preOrderFields = []fieldRule{
		{name: "preOrderDate", ok: isCompactDay},
		{name: "preOrderPurchaseInd", kind: kindInteger, ok: wire.Within(2)},
		{name: "reorderItemsInd", kind: kindInteger, ok: wire.Within(2)},
	}
	phoneFields = []fieldRule{
		{name: "homePhone", ok: isPhone},
		{name: "workPhone", ok: isPhone},
		{name: "mobilePhone", ok: isPhone},
	}
	billingFields = []fieldRule{
		{name: "billingCity", ok: wire.Within(50)},
		{name: "billingCountry", ok: wire.Within(50)},
		{name: "billingAddressLine1", ok: wire.Within(50)},
		{name: "billingAddressLine2", ok: wire.Within(50)},
		{name: "billingAddressLine3", ok: wire.Within(50)},
		{name: "billingPostalCode", ok: wire.Within(9)},
		{name: "billingState", ok: isState},
	}
	pairFields = []fieldRule{{name: "name", required: true}, {name: "value"}}
)

// isCompactDay tells whether s is a day as YYYYMMDD; the [10] of the table is a bound.
func isCompactDay(s string) bool {
	return wire.IsTime("20060102", s)
}

// isPhone tells whether s is 7 to 15 digits after the prefix + or 00, if there is one.
func isPhone(s string) bool {
	number, plus := strings.CutPrefix(s, "+")
	if !plus {
		number = strings.TrimPrefix(s, "00")
	}
	return wire.IsDigits(number) && len(number) >= 7 && len(number) <= 15
}

// isState tells whether s is an ISO 3166-2 code, a part of one, or a name in Latin letters.
// What a name has between its letters is not shown; anything of ASCII will do.
func isState(s string) bool {
	beyond := func(r rune) bool { return r < ' ' || r > '~' }
	return wire.Within(50)(s) && !strings.ContainsFunc(s, beyond)
}

// hasContact tells whether the call names an e-mail address or a telephone of the payer.
func hasContact(body gjson.Result) bool {
	given := members(body)
	phones := members(given["orderPayerData"])
	for _, phone := range phoneFields {
		if !isBlank(phones[phone.name]) {
			return true
		}
	}
	return !isBlank(members(given["shippingPayerData"])["deliveryEmail"])
}
