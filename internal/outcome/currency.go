package outcome

import "strings"

// currency is one of ISO 4217.
type currency struct {
	Code     string // "EUR"
	numeric  string // "978"
	decimals int    // digits of the smallest unit
}

// currencyOf returns the currency of a numeric or alphabetic code. One that is not in the table is the
// zero currency.
func currencyOf(code string) currency {
	for _, c := range currencies {
		if c.numeric == code || strings.EqualFold(c.Code, code) && code != "" {
			return c
		}
	}
	return currency{}
}

// currencies are those that shops and sandboxes use, the first two of the documents (978 and EUR) and
// of the built-in sandbox. Not all 160 of the standard: an amount in another one is shown in its
// smallest unit.
var currencies = []currency{
	{"EUR", "978", 2}, {"USD", "840", 2}, {"GBP", "826", 2}, {"CHF", "756", 2}, {"RUB", "643", 2},
	{"RUR", "810", 2}, // the rouble before 1998, which gateways still send
	{"CNY", "156", 2}, {"CZK", "203", 2}, {"DKK", "208", 2}, {"HKD", "344", 2}, {"HUF", "348", 2},
	{"INR", "356", 2}, {"JPY", "392", 0}, {"KZT", "398", 2}, {"KGS", "417", 2}, {"NOK", "578", 2},
	{"AED", "784", 2}, {"AMD", "051", 2}, {"ARS", "032", 2}, {"AUD", "036", 2}, {"AZN", "944", 2},
	{"BAM", "977", 2}, {"BGN", "975", 2}, {"BHD", "048", 3}, {"BRL", "986", 2}, {"BYN", "933", 2},
	{"CAD", "124", 2}, {"CLP", "152", 0}, {"COP", "170", 2}, {"EGP", "818", 2}, {"GEL", "981", 2},
	{"IDR", "360", 2}, {"ILS", "376", 2}, {"ISK", "352", 0}, {"JOD", "400", 3}, {"KRW", "410", 0},
	{"KWD", "414", 3}, {"MDL", "498", 2}, {"MXN", "484", 2}, {"MYR", "458", 2}, {"NGN", "566", 2},
	{"NZD", "554", 2}, {"OMR", "512", 3}, {"PEN", "604", 2}, {"PHP", "608", 2}, {"PKR", "586", 2},
	{"PLN", "985", 2}, {"PYG", "600", 0}, {"QAR", "634", 2}, {"RON", "946", 2}, {"RSD", "941", 2},
	{"SAR", "682", 2}, {"SEK", "752", 2}, {"SGD", "702", 2}, {"THB", "764", 2}, {"TJS", "972", 2},
	{"TND", "788", 3}, {"TRY", "949", 2}, {"TWD", "901", 2}, {"UAH", "980", 2}, {"UZS", "860", 2},
	{"VND", "704", 0}, {"ZAR", "710", 2},
}
