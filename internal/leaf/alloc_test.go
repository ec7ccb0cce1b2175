package leaf_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// Whoever reads into the memory of an earlier message pays for what a message is, and not for each of
// its leaves.
func TestReadingTakesNoMemoryForALeaf(t *testing.T) {
	const n = 16
	for _, row := range []struct {
		name       string
		body       func(leaves int) string
		mayGrowFor int // of 3n leaves
	}{
		{"a form", func(leaves int) string { return listed(leaves, "", "&", "", `k#=value`) }, 0},
		{"JSON members", func(leaves int) string {
			return listed(leaves, "{", ",", "}", `"k#": "value"`)
		}, 0},
		// Of some paths that were kept another has taken the place.
		{"JSON elements", func(leaves int) string { return listed(leaves, `{"a":[`, ",", "]}", "#") }, 2 * n},
	} {
		allocations := func(leaves int) int {
			m := leaf.Message{Body: row.body(leaves)}
			room := make([]leaf.Leaf, 0, 8*n)
			if got := len(leaf.ReadInto(room, m).Leaves); got != leaves {
				t.Fatalf("%s: %d leaves of %d", row.name, got, leaves)
			}
			return int(testing.AllocsPerRun(20, func() { leaf.ReadInto(room, m) }))
		}
		few, many := allocations(n), allocations(4*n)
		if many-few > row.mayGrowFor {
			t.Errorf("%s: %d allocations for %d leaves, %d for %d", row.name, few, n, many, 4*n)
		}
	}
}

// listed writes something a number of times, with the number of each in place of "#".
func listed(n int, before, between, behind, each string) string {
	var items []string
	for i := range n {
		items = append(items, strings.ReplaceAll(each, "#", strconv.Itoa(i)))
	}
	return before + strings.Join(items, between) + behind
}
