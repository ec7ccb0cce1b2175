package match

import (
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// turn is what is counted of the answers that were taken from a group: those about one recorded entity if the live
// one follows it.
type turn struct {
	group   *machine.Group
	assumed bool // the state in which they were recorded is another
	follows *tape.Entity
}

// turns count the answers that were taken. The zero value has counted none.
type turns struct {
	// byGroup has those of nothing but a group, by its number: many groups are asked for once, and a look at each
	// of them in a map takes as long as the choice itself.
	byGroup []*[turnsAtOnce]int
	others  map[turn]int
}

// turnsAtOnce is how many groups a piece of byGroup is for. A session that asks for little has little of it.
const turnsAtOnce = 1 << 6

// take counts an answer, and returns how many there were before.
func (t *turns) take(at turn) int {
	if at == (turn{group: at.group}) {
		n := t.of(int(at.group.Number))
		*n++
		return *n - 1
	}
	if t.others == nil {
		t.others = map[turn]int{}
	}
	t.others[at]++
	return t.others[at] - 1
}

// of returns where the answers of the n-th group are counted.
func (t *turns) of(n int) *int {
	for len(t.byGroup) <= n/turnsAtOnce {
		t.byGroup = append(t.byGroup, nil)
	}
	piece := &t.byGroup[n/turnsAtOnce]
	if *piece == nil {
		*piece = &[turnsAtOnce]int{}
	}
	return &(*piece)[n%turnsAtOnce]
}
