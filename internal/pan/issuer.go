package pan

import "strings"

// issuer is a range of issuer prefixes and the lengths its numbers have.
type issuer struct {
	from, to string // prefixes of one length, inclusive
	lengths  []int
}

// issuers are the ranges of ISO/IEC 7812 that payment networks publish.
var issuers = []issuer{
	{"4", "4", []int{13, 16, 19}},               // Visa
	{"51", "55", []int{16}},                     // Mastercard
	{"2221", "2720", []int{16}},                 // Mastercard, second range
	{"34", "34", []int{15}},                     // American Express
	{"37", "37", []int{15}},                     // American Express
	{"36", "36", []int{14, 15, 16, 17, 18, 19}}, // Diners Club
	{"300", "305", []int{14, 16, 17, 18, 19}},   // Diners Club
	{"3095", "3095", []int{14, 16, 17, 18, 19}}, // Diners Club
	{"38", "39", []int{14, 16, 17, 18, 19}},     // Diners Club
	{"6011", "6011", []int{16, 17, 18, 19}},     // Discover
	{"644", "649", []int{16, 17, 18, 19}},       // Discover
	{"65", "65", []int{16, 17, 18, 19}},         // Discover, RuPay
	{"3528", "3589", []int{16, 17, 18, 19}},     // JCB
	{"2200", "2204", []int{16, 17, 18, 19}},     // Mir
	{"2205", "2205", []int{16}},                 // BC
	{"60", "60", []int{16}},                     // RuPay
	{"81", "82", []int{16, 17, 18, 19}},         // RuPay, UnionPay
	{"508", "508", []int{16}},                   // RuPay
	{"62", "62", []int{16, 17, 18, 19}},         // UnionPay
	{"9792", "9792", []int{16}},                 // Troy
	// Maestro is issued from 12 digits on; below 16 its prefixes say too little.
	{"50", "50", []int{16, 17, 18, 19}},
	{"56", "58", []int{16, 17, 18, 19}},
	{"63", "63", []int{16, 17, 18, 19}},
	{"67", "67", []int{13, 14, 15, 16, 17, 18, 19}},
}

// Issued reports whether digits have a prefix and a length that some network issues.
func Issued(digits string) bool {
	if len(digits) < MinLength || len(digits) > MaxLength {
		return false
	}
	for _, r := range issuers {
		p := digits[:len(r.from)]
		if p < r.from || p > r.to {
			continue
		}
		for _, n := range r.lengths {
			if n == len(digits) {
				return true
			}
		}
	}
	return false
}

// IsCard reports whether a run of digits is a card number by its shape: issuer prefix,
// length and Luhn sum. A template is none.
func IsCard(digits string) bool {
	return Issued(digits) && Residue(digits) == Valid && !IsTemplate(digits)
}

// IsTemplate reports whether digits are the prefix and ten zeros that createVirtualCard takes
// in place of a card number (document 1, Cards).
func IsTemplate(digits string) bool {
	return len(digits) >= MinLength && strings.HasSuffix(digits, "0000000000")
}
