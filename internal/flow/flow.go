// Package flow takes a tape apart into flows, for whoever removes one, replaces it or shows it by
// itself. The flows are those that "paytape flows" lists, under the same numbers.
//
// A flow is entities that belong together (match.Describe). The exchanges of a flow are those that
// name its entities, bear them or show them, and the callbacks that these caused:
//
//	#1 register.do          order A                    flow 1: #1, #2, #5, and the callback #3
//	#2 paymentorder.do      order A
//	#3   callback           of #2
//	#4 register.do          order B                    flow 2: #4
//	#5 getOrderStatus.do    order A
//
// Whether exchanges can go is another question. An exchange that is about two flows is needed by the
// flow that stays; so is one that bore a value which an exchange that stays brings: a login, a card; and
// so is a write that brought an entity into the state in which an exchange that stays found it. Without
// #2 order A would be paid in #5 although nobody has paid it, and replay would serve that to every client
// that registers an order and asks for it. Without gives the reasons against it, and an empty list is a
// yes.
//
// The package reads descriptions alone: what is a flow, and what was born where, others have decided.
package flow

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// Tape is a tape in flows.
type Tape struct {
	flows  [][]int        // numbers of exchanges, by flow
	steps  [][]match.Step // by entity, in the order of their exchanges
	of     map[int][]int  // flows of an exchange, from 1
	cause  map[int]int    // of a callback: the number of the exchange that caused it
	values []match.Variable
}

// New takes a tape apart. The description is of these exchanges.
func New(d *match.Description, all []*leaf.Exchange) *Tape {
	t := &Tape{flows: make([][]int, len(d.Flows)), of: map[int][]int{}, cause: map[int]int{}}
	for i, f := range d.Flows {
		for _, e := range f.Entities {
			for _, s := range e.Steps {
				t.add(i+1, s.Exchange)
			}
			t.steps = append(t.steps, slices.SortedStableFunc(slices.Values(e.Steps),
				func(a, b match.Step) int { return cmp.Compare(a.Exchange, b.Exchange) }))
		}
		t.values = append(t.values, f.Variables...)
	}
	t.values = append(t.values, d.Variables...)
	for i, x := range all {
		told := x.Meta.Callback
		if told == nil || told.Of == 0 {
			continue
		}
		n := cmp.Or(x.Meta.Number, i+1)
		t.cause[n] = told.Of
		for _, flow := range t.of[told.Of] {
			t.add(flow, n)
		}
	}
	for _, numbers := range t.flows {
		slices.Sort(numbers)
	}
	return t
}

func (t *Tape) add(flow, exchange int) {
	if !slices.Contains(t.of[exchange], flow) {
		t.of[exchange] = append(t.of[exchange], flow)
		t.flows[flow-1] = append(t.flows[flow-1], exchange)
	}
}

// Count returns how many flows there are.
func (t *Tape) Count() int { return len(t.flows) }

// Exchanges returns the numbers of the exchanges of a flow, from 1, in order; nil if there is no such
// flow.
func (t *Tape) Exchanges(flow int) []int {
	if flow < 1 || flow > len(t.flows) {
		return nil
	}
	return t.flows[flow-1]
}

// Callbacks returns the numbers of the callbacks that exchanges caused.
func (t *Tape) Callbacks(of []int) []int {
	var all []int
	for n, cause := range t.cause {
		if slices.Contains(of, cause) {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}

// mostReasons bounds the reasons that are given.
const mostReasons = 10

// Without says what speaks against removing exchanges, a sentence each; nil if nothing does. flows are
// those that are meant to go as a whole.
func (t *Tape) Without(exchanges, flows []int) []string {
	gone := map[int]bool{}
	for _, n := range exchanges {
		gone[n] = true
	}
	var reasons []string
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(reasons, text) {
			reasons = append(reasons, text)
		}
	}
	if len(flows) > 0 {
		for _, n := range slices.Sorted(slices.Values(exchanges)) {
			for _, flow := range t.of[n] {
				if !slices.Contains(flows, flow) && !t.isGone(flow, gone) {
					say("exchange %d is about flow %d too", n, flow)
				}
			}
		}
	}
	for _, v := range t.values {
		if !v.Minted() || !gone[v.Born.Exchange] {
			continue
		}
		for _, u := range v.Used {
			if !gone[u.Exchange] && u.Exchange != v.Born.Exchange && u.InRequest() {
				say("exchange %d needs the %s that exchange %d bore", u.Exchange, v.Name, v.Born.Exchange)
			}
		}
	}
	for _, steps := range t.steps {
		unmoved(steps, gone, say)
	}
	return reasons[:min(len(reasons), mostReasons)]
}

// unmoved says which exchanges that stay found an entity in a state into which an exchange that goes
// brought it. An answer of which nobody knows in which state it was given tells nothing of that.
func unmoved(steps []match.Step, gone map[int]bool, say func(format string, args ...any)) {
	last := match.Step{} // the latest write that goes and has no successor in the state before it
	was := 0             // the state before the first write that goes
	for _, s := range steps {
		switch {
		case gone[s.Exchange]:
			if s.To != 0 && s.To != s.State && s.State != 0 {
				if last.Exchange == 0 {
					was = s.State
				}
				last = s
			}
		case s.State == 0 || s.Overlapped || s.Missed || last.Exchange == 0:
		case s.State == was:
			last = match.Step{}
		default:
			say("exchange %d (%s) found what exchange %d (%s) did", s.Exchange, s.Operation,
				last.Exchange, last.Operation)
		}
	}
}

// isGone reports whether nothing would be left of a flow.
func (t *Tape) isGone(flow int, gone map[int]bool) bool {
	return !slices.ContainsFunc(t.flows[flow-1], func(n int) bool { return !gone[n] })
}
