package rules

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/paytape/paytape/internal/pan"
)

// test is what must hold of the values of a field; of a list of tests one is enough.
type test []comparison

// comparison is one test. The zero comparison holds for a field that is there and empty.
type comparison struct {
	how    relation
	text   string
	number *big.Rat       // of the four that compare numbers
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
	c := comparison{text: text}
	for _, r := range relations {
		if rest, found := strings.CutPrefix(text, r.sign); found {
			c.how, c.text = r.how, strings.TrimSpace(rest)
			break
		}
	}
	switch c.how {
	case above, atLeast, below, atMost:
		if c.number = number(c.text); c.number == nil {
			return c, fmt.Errorf("expected a number, found %q", c.text)
		}
	case matching:
		var err error
		if c.match, err = regexp.Compile(c.text); err != nil {
			return c, errors.New("expected a regular expression: " +
				strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	}
	return c, nil
}

// longestNumber bounds the numbers that are compared, in characters.
const longestNumber = 64

// number returns the number that a text is, exactly; nil if it is none. A number has no exponent.
func number(text string) *big.Rat {
	if text == "" || len(text) > longestNumber || strings.Trim(text, "+-.0123456789") != "" {
		return nil
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return n
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
	text string
	card bool // it is a card number: its digits alone count
}

func (c *comparison) holds(values []found) bool {
	switch c.how {
	case absent:
		return len(values) == 0
	case unequal:
		for _, v := range values {
			if c.equals(v) {
				return false
			}
		}
		return len(values) > 0
	}
	for _, v := range values {
		if c.holdsOf(v) {
			return true
		}
	}
	return false
}

func (c *comparison) holdsOf(v found) bool {
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
	n := number(v.text)
	if n == nil {
		return false
	}
	order := n.Cmp(c.number)
	return order > 0 && (c.how == above || c.how == atLeast) ||
		order < 0 && (c.how == below || c.how == atMost) ||
		order == 0 && (c.how == atLeast || c.how == atMost)
}

// equals compares a text in which a star stands for any text. Of a card number the digits count.
func (c *comparison) equals(v found) bool {
	text := v.text
	if digits := pan.Digits(text); v.card && len(digits) >= pan.MinLength-1 {
		text = digits // and not the spaces between them
	}
	return glob(c.text, text)
}

// glob reports whether a text is as a pattern, in which a star stands for any text.
func glob(pattern, text string) bool {
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
