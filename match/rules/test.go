package rules

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/pan"
)

// test is what must hold of the values of a field; of a list of tests one is enough.
type test []comparison

// comparison is one test. The zero comparison holds for a field that is there and empty.
type comparison struct {
	how    relation
	star   bool // there is a star in the text, which stands for any text
	text   string
	head   string         // of the text, before the first star
	number decimal        // of the four that compare numbers
	match  *regexp.Regexp // of matching
}

type relation uint8

const (
	equal    relation = iota // "x": the text; "a*": a star is any text
	unequal                  // "!= x": the field is there, and no value of it equals
	above                    // "> 1"
	atLeast                  // ">= 1"
	below                    // "< 1"
	atMost                   // "<= 1"
	matching                 // "~ ^4": a regular expression in the syntax of RE2
	exactly                  // "= a*": the text, and a star is a star
	present                  // the field is there, whatever its value
	absent
)

// relations are the signs that a test may begin with, the longer before the shorter.
var relations = []struct {
	sign string
	how  relation
}{
	{">=", atLeast}, {"<=", atMost}, {"!=", unequal}, {">", above}, {"<", below}, {"=", exactly},
	{"~", matching},
}

// parseComparison reads one test.
func parseComparison(text string) (comparison, error) {
	switch text {
	case "present":
		return comparison{how: present}, nil
	case "absent":
		return comparison{how: absent}, nil
	}
	c, sign := comparison{text: text}, ""
	for _, r := range relations {
		if rest, found := strings.CutPrefix(text, r.sign); found {
			c.how, c.text, sign = r.how, strings.TrimSpace(rest), r.sign
			break
		}
	}
	c.head, _, c.star = strings.Cut(c.text, "*")
	switch c.how {
	case above, atLeast, below, atMost:
		number, ok := parseDecimal(c.text)
		if !ok {
			return c, fmt.Errorf("expected a number after %q, found %s", sign, quote(c.text))
		}
		c.number = number
	case matching:
		var err error
		if c.match, err = regexp.Compile(c.text); err != nil {
			return c, notRegexp(err)
		}
	}
	return c, nil
}

// notRegexp tells what is wrong with a regular expression, without repeating more of it than a few
// characters.
func notRegexp(err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return errors.New("expected a regular expression")
	}
	return fmt.Errorf("expected a regular expression: %s: %s", bad.Code, quote(bad.Expr))
}

// decimal is a number as it was written, without zeros that say nothing: numbers of any length are
// compared exactly, and without a copy.
type decimal struct {
	negative        bool
	whole, fraction string
}

// parseDecimal returns the number that a text is; false if it is none. A number has no exponent.
func parseDecimal(text string) (decimal, bool) {
	var d decimal
	if text != "" && (text[0] == '-' || text[0] == '+') {
		d.negative, text = text[0] == '-', text[1:]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" && fraction == "" || !areDigits(whole) || !areDigits(fraction) {
		return decimal{}, false
	}
	d.whole, d.fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if d.whole == "" && d.fraction == "" {
		d.negative = false // -0 is 0
	}
	return d, true
}

func areDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// compare returns -1, 0 or 1 for a number that is less than another, equal or greater.
func (d *decimal) compare(o *decimal) int {
	if d.negative != o.negative {
		if d.negative {
			return -1
		}
		return 1
	}
	order := cmp.Or(cmp.Compare(len(d.whole), len(o.whole)), cmp.Compare(d.whole, o.whole),
		cmp.Compare(d.fraction, o.fraction))
	if d.negative {
		return -order
	}
	return order
}

// holds reports whether the test holds of the values of a field; none: the field is not there.
func (t test) holds(values []found) bool {
	for i := range t {
		if t[i].holds(values) {
			return true
		}
	}
	return false
}

// found is a value of a field.
type found struct {
	text   string
	digits string // of a card number, of which they alone count; "" for other values
	// The number that the text is, once a test has asked: of many rules with one field each asks.
	number decimal
	parsed parsed
}

type parsed uint8

const (
	notParsed parsed = iota
	noNumber
	aNumber
)

// decimal returns the number that the value is; false if it is none.
func (v *found) decimal() (*decimal, bool) {
	if v.parsed == notParsed {
		number, ok := parseDecimal(v.text)
		if v.number, v.parsed = number, noNumber; ok {
			v.parsed = aNumber
		}
	}
	return &v.number, v.parsed == aNumber
}

// cardFound returns a value that a profile calls a card number.
func cardFound(text string) found {
	if digits := pan.Digits(text); len(digits) >= pan.MinLength-1 {
		return found{text: text, digits: digits} // without the spaces between them
	}
	return found{text: text} // a mask
}

func (c *comparison) holds(values []found) bool {
	if len(values) == 0 {
		return c.how == absent
	}
	switch c.how {
	case absent:
		return false
	case unequal:
		for i := range values {
			if c.equals(&values[i]) {
				return false
			}
		}
		return true
	}
	for i := range values {
		if c.holdsOf(&values[i]) {
			return true
		}
	}
	return false
}

func (c *comparison) holdsOf(v *found) bool {
	switch c.how {
	case present:
		return true
	case equal:
		return c.equals(v)
	case exactly:
		return v.text == c.text
	case matching:
		return c.match.MatchString(v.text)
	}
	n, ok := v.decimal()
	if !ok {
		return false
	}
	order := n.compare(&c.number)
	return order > 0 && (c.how == above || c.how == atLeast) ||
		order < 0 && (c.how == below || c.how == atMost) ||
		order == 0 && (c.how == atLeast || c.how == atMost)
}

// equals compares a text in which a star stands for any text. Of a card number the digits count.
func (c *comparison) equals(v *found) bool {
	text := v.text
	if v.digits != "" {
		text = v.digits
	}
	if !c.star {
		return text == c.text
	}
	return strings.HasPrefix(text, c.head) && Glob(c.text, text)
}

// globs reports whether a text is as one of several patterns.
func globs(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Glob(p, text) })
}

// Glob reports whether a text is as a pattern, in which a star stands for any text.
func Glob(pattern, text string) bool {
	first, rest, found := strings.Cut(pattern, "*")
	if !found {
		return text == pattern
	}
	text, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for {
		middle, after, found := strings.Cut(rest, "*")
		if !found {
			return strings.HasSuffix(text, middle)
		}
		at := strings.Index(text, middle)
		if at < 0 {
			return false
		}
		text, rest = text[at+len(middle):], after
	}
}
