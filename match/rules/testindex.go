package rules

import (
	"slices"
	"strings"
)

// testIndex finds the rules of a plan whose first test may hold of the values at one place, without
// a look at each of them: of a hundred rules for the order numbers B-0 to B-99, a request about B-7
// finds one. The index may find a rule whose test does not hold, and never leaves out a rule whose
// test does.
type testIndex struct {
	texts   map[string][]int // rules with a test "x", by the text
	heads   map[string][]int // rules with a test "x*y", by the text before the first star
	lengths []int            // of the keys of heads, each once
	least   []bound          // rules with a test "> 1" or ">= 1", the least number first
	most    []bound          // rules with a test "< 1" or "<= 1", the greatest number first
	others  []int            // rules whose test may hold of any value
	absence []int            // rules whose test holds if there is no value
	used    bool             // there is a rule in it
}

// bound is a number that a rule compares a value with.
type bound struct {
	number decimal
	rule   int
}

// add puts a rule into the index under each of the comparisons of a test.
func (x *testIndex) add(rule int, t test) {
	if !x.used {
		x.used, x.texts, x.heads = true, map[string][]int{}, map[string][]int{}
	}
	for i := range t {
		c := &t[i]
		switch {
		case c.how == absent:
			x.absence = append(x.absence, rule)
		case c.how == exactly, c.how == equal && !c.star:
			x.texts[c.text] = append(x.texts[c.text], rule)
		case c.how == equal && c.head != "":
			x.heads[c.head] = append(x.heads[c.head], rule)
			if !slices.Contains(x.lengths, len(c.head)) {
				x.lengths = append(x.lengths, len(c.head))
			}
		case c.how == above, c.how == atLeast:
			at, _ := slices.BinarySearchFunc(x.least, c, func(b bound, c *comparison) int {
				return b.number.compare(&c.number)
			})
			x.least = slices.Insert(x.least, at, bound{c.number, rule})
		case c.how == below, c.how == atMost:
			at, _ := slices.BinarySearchFunc(x.most, c, func(b bound, c *comparison) int {
				return c.number.compare(&b.number)
			})
			x.most = slices.Insert(x.most, at, bound{c.number, rule})
		default:
			x.others = append(x.others, rule)
		}
	}
}

// globTest is a test that holds of what is as one of several patterns.
func globTest(patterns []string) test {
	var t test
	for _, p := range patterns {
		c := comparison{how: equal, text: p}
		c.head, _, c.star = strings.Cut(p, "*")
		t = append(t, c)
	}
	return t
}

// pathTest is a test that holds of the paths that patterns may mean. It does not tell what an
// operation's name means.
func pathTest(ops []opPattern) test {
	var t test
	for i := range ops {
		c := comparison{how: equal, text: ops[i].head + "*", head: ops[i].head, star: true}
		t = append(t, c)
	}
	return t
}

// find appends the rules whose test may hold of the values. A rule may come more than once.
func (x *testIndex) find(rules []int, values []found) []int {
	if len(values) == 0 {
		return append(rules, x.absence...)
	}
	rules = append(rules, x.others...)
	for i := range values {
		v := &values[i]
		rules = x.findText(rules, v.text)
		if v.digits != "" {
			rules = x.findText(rules, v.digits)
		}
		if len(x.least)+len(x.most) > 0 {
			rules = x.findNumber(rules, v)
		}
	}
	return rules
}

func (x *testIndex) findText(rules []int, text string) []int {
	rules = append(rules, x.texts[text]...)
	for _, n := range x.lengths {
		if n <= len(text) {
			rules = append(rules, x.heads[text[:n]]...)
		}
	}
	return rules
}

func (x *testIndex) findNumber(rules []int, v *found) []int {
	n, ok := v.decimal()
	if !ok {
		return rules
	}
	for i := range x.least {
		if n.compare(&x.least[i].number) < 0 {
			break
		}
		rules = append(rules, x.least[i].rule)
	}
	for i := range x.most {
		if n.compare(&x.most[i].number) > 0 {
			break
		}
		rules = append(rules, x.most[i].rule)
	}
	return rules
}
