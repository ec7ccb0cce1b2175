package pan

import "strings"

// schemes are the names of payment networks as answers of gateways write them, with the beginnings
// of their numbers that a mask shows.
var schemes = []struct {
	name     string
	from, to string // prefixes of one length, inclusive
}{
	{"VISA", "4", "4"},
	{"MASTERCARD", "51", "55"},
	{"MASTERCARD", "2221", "2720"},
	{"MIR", "2200", "2204"},
}

// Scheme returns the name of the network of a card number, or of its mask, in capitals. Empty for
// networks whose name is written in many ways, and for a text that shows too little.
func Scheme(number string) string {
	for _, s := range schemes {
		if len(number) < KeptFirst {
			return ""
		}
		if p := number[:len(s.from)]; p >= s.from && p <= s.to && strings.Trim(p, "0123456789") == "" {
			return s.name
		}
	}
	return ""
}

// SchemeLike returns the name of the network of a card number in the letters of another name; false
// if either is not known.
func SchemeLike(number, like string) (string, bool) {
	name, known := Scheme(number), false
	for _, s := range schemes {
		known = known || strings.EqualFold(s.name, like)
	}
	switch {
	case name == "" || !known:
		return "", false
	case like == strings.ToUpper(like):
		return name, true
	case like == strings.ToLower(like):
		return strings.ToLower(name), true
	}
	return name[:1] + strings.ToLower(name[1:]), true
}
