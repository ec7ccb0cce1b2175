package match

import (
	"testing"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// TestTurns counts turns of groups in several pieces, and apart from them those that are more than turns of a group.
func TestTurns(t *testing.T) {
	var counts turns
	followed := &tape.Entity{}
	var all []turn
	for _, number := range []int32{1, turnsAtOnce - 1, turnsAtOnce, turnsAtOnce + 1, 5 * turnsAtOnce} {
		g := &machine.Group{Number: number}
		all = append(all, turn{group: g}, turn{group: g, assumed: true}, turn{group: g, follows: followed})
	}
	for round := range 3 {
		for i, at := range all {
			if got := counts.take(at); got != round {
				t.Errorf("turn %d: %d were taken before, want %d", i, got, round)
			}
		}
	}
	if pieces := len(counts.byGroup); pieces != 6 || counts.byGroup[3] != nil {
		t.Errorf("%d pieces, the fourth of which nobody needs", pieces)
	}
}
