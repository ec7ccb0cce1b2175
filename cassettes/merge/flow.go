package merge

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
)

// On a stable tape an exchange says nothing of the run in which it was recorded: not when it was, and
// not with which ids. So two flows that begin with the very same call have equal exchanges, whatever
// comes behind these. What is paired there are flows:
//
//	ours    register A-1, paymentorder 4111, status    two flows: the merged tape has both, and the
//	theirs  register A-1, paymentorder 4000, status    ids of theirs are others
//
//	ours    register B-1, paymentorder 4111            one flow: the merged tape has that of theirs
//	theirs  register B-1, paymentorder 4111, status

// findFlows notes the flows of a side.
func (s *side) findFlows(stable Stable) {
	by := map[int]*item{}
	for _, i := range s.items {
		by[i.x.Meta.Number] = i
	}
	for _, numbers := range stable.Flows(s.exchanges()) {
		var f []*item
		for _, n := range numbers {
			if by[n] != nil {
				f = append(f, by[n])
			}
		}
		s.flows = append(s.flows, f)
	}
}

func (s *side) exchanges() []*leaf.Exchange {
	all := make([]*leaf.Exchange, len(s.items))
	for n, i := range s.items {
		all[n] = i.x
	}
	return all
}

// newFlows returns the flows of a side of which the base has nothing.
func (s *side) newFlows() [][]*item {
	var all [][]*item
	for _, f := range s.flows {
		if len(f) > 0 && !slices.ContainsFunc(f, func(i *item) bool { return i.base != nil }) {
			all = append(all, f)
		}
	}
	return all
}

// linkFlows joins the new flows of two stable tapes that are one: all exchanges of one are exchanges of
// the other. Of several such flows the longest counts. All others are kept whole. It returns what the
// sides have added and is of no new flow.
func (m *merging) linkFlows() (ours, theirs []*item) {
	mine, others := m.ours.newFlows(), m.theirs.newFlows()
	if len(mine) == 0 || len(others) == 0 {
		return m.ours.added(), m.theirs.added()
	}
	taken, decided := map[*item]bool{}, map[*item]bool{}
	for _, f := range mine {
		var best []pair
		var with *item // the first of the flow that is joined
		for _, g := range others {
			pairs := equalPairs(f, g)
			if !taken[g[0]] && len(pairs) == min(len(f), len(g)) && len(pairs) > len(best) {
				best, with = pairs, g[0]
			}
		}
		taken[with] = true
		for _, p := range best {
			p.join()
		}
	}
	for _, f := range slices.Concat(mine, others) {
		for _, i := range f {
			decided[i] = true
		}
	}
	m.setApart(others)
	isDecided := func(i *item) bool { return decided[i] }
	return slices.DeleteFunc(m.ours.added(), isDecided), slices.DeleteFunc(m.theirs.added(), isDecided)
}

// setApart gives other ids to the flows of theirs that have exchanges of ours and are other flows.
func (m *merging) setApart(flows [][]*item) {
	said := map[[sha256.Size]byte]bool{}
	for _, o := range m.ours.items {
		said[o.outline] = true
	}
	var numbers []int
	for _, f := range flows {
		if slices.ContainsFunc(f, func(i *item) bool { return i.other != nil }) ||
			!slices.ContainsFunc(f, func(i *item) bool { return said[i.outline] }) {
			continue
		}
		for _, i := range f {
			numbers = append(numbers, i.x.Meta.Number)
		}
	}
	if len(numbers) == 0 {
		return
	}
	all, done := m.stable.Apart(m.theirs.exchanges(), numbers, m.ours.exchanges())
	if !done {
		m.Warnings = append(m.Warnings, fmt.Sprintf("exchange %d of the second tape begins a flow as "+
			"one of the first tape begins, and its ids could not be made others", numbers[0]))
	}
	for n, x := range all {
		m.theirs.items[n].x = x
	}
}
