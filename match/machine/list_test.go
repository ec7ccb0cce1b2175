package machine

import (
	"math/rand/v2"
	"testing"

	"github.com/paytape/paytape/match/tape"
)

// TestListsLearn compares what lists tell of states with what a look at each of their members tells.
func TestListsLearn(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	conflicts := 0
	for range 500 {
		l := &List{items: map[Own]*ItemOf{}}
		want := map[Own]ItemOf{}
		members := r.IntN(12)
		for range 1 + r.IntN(4) {
			states, places := make([]listed, members), make([]int32, members)
			for i := range states {
				states[i].own, places[i] = Own(1+i/3+r.IntN(2)), int32(i)
			}
			of := &Recording{Recording: &tape.Recording{Rest: &tape.Rest{Listing: &tape.Listing{}}}, rare: &rare{}}
			shown := map[int]int{}
			for at := range members {
				if at = members - 1 - at; r.IntN(3) == 0 {
					continue
				}
				shown[at] = len(of.Members)
				of.rare.Members = append(of.rare.Members, at)
				of.Listing.Items = append(of.Listing.Items, tape.Item{Class: uint64(r.IntN(2))})
			}
			of.rare.Members = append(of.rare.Members, -1) // what nobody knew of
			of.Listing.Items = append(of.Listing.Items, tape.Item{})
			if members > 0 { // and one that is shown once more
				shown[members/2] = len(of.Members)
				of.rare.Members = append(of.rare.Members, members/2)
				of.Listing.Items = append(of.Listing.Items, tape.Item{Class: uint64(r.IntN(2))})
			}
			for at, s := range states {
				item := ItemOf{Recording: of, Absent: true}
				if n, ok := shown[at]; ok {
					item = ItemOf{Recording: of, N: n, class: of.Listing.Items[n].Class}
				}
				before, known := want[s.own]
				if !known {
					want[s.own] = item
				} else if before.Absent != item.Absent || before.class != item.class {
					before.Conflict = true
					want[s.own] = before
				}
			}
			l.learn(of, states, places)
		}
		for own, w := range want {
			if got := l.items[own]; got == nil || *got != w {
				t.Fatalf("state %d: %+v, want %+v", own, got, w)
			}
			if w.Conflict {
				conflicts++
			}
		}
		if len(l.items) != len(want) {
			t.Fatalf("%d states, want %d", len(l.items), len(want))
		}
	}
	if conflicts == 0 {
		t.Error("no two lists differed")
	}
}
