package slab_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/slab"
)

type point struct {
	name string
	x, y int
}

// TestValuesStandAlone writes to values of one slab: none changes another.
func TestValuesStandAlone(t *testing.T) {
	t.Parallel()
	var points slab.Of[point]
	var all []*point
	for i := range 2000 {
		all = append(all, points.Put(point{x: i}))
	}
	rows := make([][]point, 0, 100)
	for i := range 100 {
		row := points.Make(i % 40)
		row = append(row, point{name: "more"}) // not into what comes behind it
		rows = append(rows, row)
	}
	for i, p := range all {
		p.y = -i
	}
	for i, p := range all {
		if *p != (point{x: i, y: -i}) {
			t.Fatalf("value %d is %v", i, *p)
		}
	}
	for i, row := range rows {
		for _, p := range row[:i%40] {
			if p != (point{}) {
				t.Fatalf("row %d has %v, which nobody wrote", i, p)
			}
		}
	}
}

func TestAppendKeepsNeighbours(t *testing.T) {
	t.Parallel()
	var numbers slab.Of[int]
	var lists [50][]int
	for round := range 5 {
		for i := range lists {
			lists[i] = numbers.Append(lists[i], i*10+round)
		}
	}
	for i, list := range lists {
		if want := []int{i * 10, i*10 + 1, i*10 + 2, i*10 + 3, i*10 + 4}; !slices.Equal(list, want) {
			t.Errorf("list %d is %v", i, list)
		}
	}
	if got := numbers.Clone(nil); got != nil {
		t.Errorf("a copy of nothing is %v", got)
	}
	if got := numbers.Clone(lists[3]); !slices.Equal(got, lists[3]) || &got[0] == &lists[3][0] {
		t.Errorf("%v is no copy of its own", got)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	var texts slab.Texts
	var want, got []string
	for i := range 3000 {
		text := strings.Repeat(string(rune('a'+i%26)), i%700)
		want, got = append(want, text), append(got, texts.Clone(text))
	}
	if !slices.Equal(got, want) {
		t.Error("a copy is not like the text")
	}
}

// TestFewPieces counts the pieces of memory of many small values.
func TestFewPieces(t *testing.T) {
	const n = 4096
	pieces := testing.AllocsPerRun(3, func() {
		var points slab.Of[point]
		var texts slab.Texts
		for range n {
			points.Put(point{name: texts.Clone("0190-aa")})
		}
	})
	if most := float64(n / 64); pieces > most {
		t.Errorf("%d values and texts are %v pieces of memory, want %v at most", n, pieces, most)
	}
}
