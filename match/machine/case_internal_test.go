package machine

import (
	"fmt"
	"testing"

	"github.com/paytape/paytape/match/tape"
)

// casesOf returns a row with a case of each of the deciding values.
func casesOf(deciding ...string) *Cases {
	c, s := &Cases{}, &slabs{}
	for _, d := range deciding {
		c.add(d, s)
	}
	return c
}

// cardOf returns the deciding values of a card of an issuer.
func cardOf(issuer, n int) string { return fmt.Sprintf("card=%06d%010d\x00", issuer, n) }

// The nearest case is the first of the same issuer, else the first of any card, else the first: in a row of
// many cases as in a row of a few.
func TestNearest(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, few, few + 1, 100} {
		row := []string{""}
		for i := range n {
			row = append(row, cardOf(400000+i%3, i))
		}
		for _, test := range []struct{ asked, want string }{
			{cardOf(400000, 77), row[1]},
			{cardOf(400000+(n-1)%3, 77), row[1+min(n-1, (n-1)%3)]},
			{cardOf(500000, 77), row[1]},
			{"", row[1]},
		} {
			if got := casesOf(row...).Nearest(test.asked); got.deciding != test.want {
				t.Errorf("%d cards: the nearest to %q is %q, want %q", n, test.asked, got.deciding, test.want)
			}
		}
	}
	if got := casesOf("").Nearest(cardOf(400000, 1)); got.deciding != "" {
		t.Errorf("without cards the nearest is %q", got.deciding)
	}
}

// A card of an issuer that the tape does not have is answered after a few allocations, in a row of 4,000
// cards as in one of 1,000: an issuer is made out once for a request. Making out one costs at least one
// allocation, so the issuers of a whole row are thousands of them. What else the process does meanwhile is
// counted too.
func TestNearestLooksAtFew(t *testing.T) {
	work := func(n int) float64 {
		row := make([]string, n)
		for i := range row {
			row[i] = cardOf(400000+i, i)
		}
		cases := casesOf(row...)
		return testing.AllocsPerRun(10, func() { cases.Nearest(cardOf(500000, 1)) })
	}
	if one, four := work(1000), work(4000); max(one, four) > 50 {
		t.Errorf("%v allocations with 1000 cards, %v with 4000", one, four)
	}
}

// TestGroupNumbers gives each group of some cases a number of its own, whatever the views.
func TestGroupNumbers(t *testing.T) {
	s, seen := &slabs{}, map[int32]bool{}
	for range 3 {
		c := &Case{rareCase: commonCase}
		for view := range View(few + 2) {
			r := &Recording{Recording: &tape.Recording{}}
			c.All.add(r, s)
			c.addView(view, s).add(r, s)
		}
		groups := []*Group{&c.All}
		for _, v := range c.views {
			groups = append(groups, v.group)
		}
		for _, g := range groups {
			if g.Number == 0 || seen[g.Number] {
				t.Errorf("number %d is none, or that of another group", g.Number)
			}
			seen[g.Number] = true
		}
	}
}
