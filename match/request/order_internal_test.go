package request

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// Parameters are sorted by path, and those of one path stay in the order in which they were sent.
func TestSortByPath(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 80 {
		var got []Param
		for i := range n {
			got = append(got, Param{Path: strconv.Itoa(random.IntN(n)), Text: strconv.Itoa(i)})
		}
		want := slices.Clone(got)
		slices.SortStableFunc(want, func(a, b Param) int { return cmp.Compare(a.Path, b.Path) })
		if sortByPath(got); !slices.Equal(got, want) {
			t.Fatalf("%d parameters are in another order", n)
		}
	}
}

func TestPathEnd(t *testing.T) {
	for target, want := range map[string]string{
		"/a/b?c=d?e": "?c=d?e", "/a/b": "", "": "", "http://h/a?b": "?b", "http://h?b": "?b",
		"/a#f?b": "?b", "/a?b=http://c/?d": "?b=http://c/?d",
	} {
		if got := target[pathEnd(target):]; got != want {
			t.Errorf("%s: the query is %q, want %q", target, got, want)
		}
	}
}
