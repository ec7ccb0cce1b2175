package match_test

import (
	"regexp"
	"strconv"
	"strings"
)

// oraclePatterns are forms of ids that a client may rely on: what has one at the stand-in has it
// here. A form that shows only in several ids counts if the tape has several.
var oraclePatterns = []struct {
	form    *regexp.Regexp
	several bool
}{
	{regexp.MustCompile(`^[0-9a-f-]{14}7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{4}00c4a1e5$`), false},
	{regexp.MustCompile(`^[0-9a-f-]{14}4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$`), false},
	{regexp.MustCompile(`^427600(\d{6}|\*+)\d{4}$`), false}, // a card of this issuer
	{regexp.MustCompile(`^(cus|pay|job)_[0-9A-Za-z]+$`), false},
	{regexp.MustCompile(`^PO\d+$`), false},
	{regexp.MustCompile(`^40817978\d{12}$`), true}, // an account of this bank in this currency
	{regexp.MustCompile(`^29\d{10}$`), true},       // a bar code
}

// patternsOn returns the patterns that a recording lets one know.
func patternsOn(tapes [][]oracleRecorded) []*regexp.Regexp {
	seen := map[string]bool{}
	for _, tape := range tapes {
		for _, one := range tape {
			if one.number > 0 {
				words, _ := oracleWords(one.answer.body)
				for _, word := range words {
					seen[word] = true
				}
			}
		}
	}
	var known []*regexp.Regexp
	for _, p := range oraclePatterns {
		times := 0
		for word := range seen {
			if p.several && p.form.MatchString(word) {
				times++
			}
		}
		if !p.several || times > 1 {
			known = append(known, p.form)
		}
	}
	return known
}

// shape returns what is wrong with the shape of a value that the API made: its length, its
// alphabet, its punctuation, a form that all of its kind have.
func (b *oracleBijection) shape(got, want, other string) string {
	if len(got) != len(want) && len(got) != len(other) && !(numeric(got) && numeric(want)) {
		return "another length"
	}
	if numeric(want) && (len(got) < len(want)-1 || len(got) > len(want)+1) {
		return "another length"
	}
	if alphabet(got) > max(alphabet(want), alphabet(other)) {
		return "another alphabet"
	}
	if len(got) == len(want) && skeleton(got) != skeleton(want) {
		return "another shape"
	}
	for _, p := range b.patterns {
		if p.MatchString(want) && p.MatchString(other) && !p.MatchString(got) {
			return "not of the form " + p.String()
		}
	}
	if isCardNumber(want) && isCardNumber(other) && !isCardNumber(got) {
		return "no card number"
	}
	return ""
}

// alphabet is the smallest of some alphabets that a value is written in.
func alphabet(s string) int {
	for i, letters := range []string{
		"0123456789*", "0123456789abcdef-*", "0123456789abcdefghijklmnopqrstuvwxyz-_*",
	} {
		if strings.Trim(s, letters) == "" {
			return i
		}
	}
	return 3
}

// skeleton is the punctuation of a value.
func skeleton(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_*:.", r) {
			return r
		}
		return 'x'
	}, s)
}

func numeric(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isCardNumber tells whether a text is a card number of sixteen digits with its check digit.
func isCardNumber(s string) bool {
	if len(s) != 16 || !numeric(s) {
		return false
	}
	sum := 0
	for i := range s {
		d := int(s[i] - '0')
		if i%2 == 0 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return sum%10 == 0
}

// fits tells whether a mask is one of a card number.
func fits(mask, number string) bool {
	first, last := strings.Index(mask, "*"), strings.LastIndex(mask, "*")
	return first >= 0 && strings.HasPrefix(number, mask[:first]) &&
		strings.HasSuffix(number, mask[last+1:])
}

var (
	oracleLongDigits = regexp.MustCompile(`\d{14,19}`)
	oracleCodes      = regexp.MustCompile(`"(cvc2?|cvv2|pinValue)":"\d+"`)
)

// hidden is a text without card numbers and codes, for reports.
func hidden(text string) string {
	text = oracleCodes.ReplaceAllString(text, `"$1":"***"`)
	return oracleLongDigits.ReplaceAllStringFunc(text, func(digits string) string {
		if !isCardNumber(digits) {
			return digits
		}
		return digits[:6] + "******" + digits[12:]
	})
}

func oracleNumber(n int) string { return strconv.Itoa(n) }

func oracleDigits(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && numeric(s)
}
