package match

import (
	"iter"
	"slices"
)

// try is one set of flows that could own a request, or the opening of a new thread.
type try struct {
	flows     []*flow
	opens     bool
	ambiguous bool
}

// tries yields who could own a request, best first: the flows whose minted values it
// carries, else those whose unique values; a new thread; those whose shared values it
// carries. An exchange that ties a flow to another one may name the other by a shared value
// alone, so such pairs come last.
func (p *Player) tries(q *query, rel related) iter.Seq[try] {
	if len(rel.minted) > 0 {
		return p.triesOfMinted(q, rel)
	}
	declared := q.r.call.Operation != nil && q.r.call.Operation.Opens != ""
	return func(yield func(try) bool) {
		for _, f := range rel.unique {
			if !yield(try{flows: []*flow{f}}) {
				return
			}
		}
		if declared && !yield(try{opens: true}) {
			return
		}
		if !p.triesOfShared(q, yield) {
			return
		}
		if !declared {
			yield(try{opens: true})
		}
	}
}

func (p *Player) triesOfMinted(q *query, rel related) iter.Seq[try] {
	return func(yield func(try) bool) {
		if !yield(try{flows: rel.minted}) || !yield(try{flows: rel.minted, opens: true}) {
			return
		}
		shared, _ := p.owners.sharing(q.r)
		for _, f := range append(rel.unique, shared...) {
			if slices.Contains(rel.minted, f) {
				continue
			}
			if !yield(try{flows: append(slices.Clip(rel.minted), f)}) {
				return
			}
		}
	}
}

func (p *Player) triesOfShared(q *query, yield func(try) bool) bool {
	shared, alike := p.owners.sharing(q.r)
	for _, f := range shared {
		if !yield(try{flows: []*flow{f}, ambiguous: alike}) {
			return false
		}
	}
	for i, f := range shared {
		for _, g := range shared[i+1:] {
			if !yield(try{flows: []*flow{f, g}, ambiguous: alike}) {
				return false
			}
		}
	}
	return true
}
