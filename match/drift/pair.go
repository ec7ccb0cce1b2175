package drift

import (
	"slices"
	"strings"
)

// Two flows are of one kind if most that was done in them is the same. Flows are paired in three steps,
// each of which takes what the steps before have left: those that say the same in question and answer;
// those that ask the same; and of the others those that have the most operations in common, if these
// are half of all.

// Signature is equal for flows in which the same was said, with variables folded.
func (f *Flow) Signature() string { return f.join(func(x *Exchange) string { return x.said }) }

// questions is what was asked in a flow.
func (f *Flow) questions() string { return f.join(func(x *Exchange) string { return x.question }) }

func (f *Flow) join(text func(*Exchange) string) string {
	var b strings.Builder
	for _, x := range f.Exchanges {
		b.WriteString(text(x))
		b.WriteByte(0)
	}
	return b.String()
}

// flowPair are two flows; one may be nil.
type flowPair struct{ was, is *Flow }

// pairFlows pairs the flows of two tapes, in the order of the old tape; new flows come last.
func pairFlows(was, is []*Flow) []flowPair {
	partner := map[*Flow]*Flow{}
	taken := map[*Flow]bool{}
	for _, key := range []func(*Flow) string{(*Flow).Signature, (*Flow).questions} {
		by := map[string][]*Flow{}
		for _, f := range is {
			if !taken[f] {
				k := key(f)
				by[k] = append(by[k], f)
			}
		}
		for _, f := range was {
			if partner[f] != nil {
				continue
			}
			if k := key(f); len(by[k]) > 0 {
				partner[f] = by[k][0]
				taken[by[k][0]] = true
				by[k] = by[k][1:]
			}
		}
	}
	pairSimilar(was, is, partner, taken)
	var pairs []flowPair
	for _, f := range was {
		pairs = append(pairs, flowPair{f, partner[f]})
	}
	for _, f := range is {
		if !taken[f] {
			pairs = append(pairs, flowPair{nil, f})
		}
	}
	return pairs
}

// maxSimilar bounds the flows of each tape that are compared with each other.
const maxSimilar = 400

// pairSimilar pairs flows that have half of their exchanges in common, the most similar first.
func pairSimilar(was, is []*Flow, partner map[*Flow]*Flow, taken map[*Flow]bool) {
	rest := func(all []*Flow, has func(*Flow) bool) (left []*Flow) {
		for _, f := range all {
			if !has(f) && len(left) < maxSimilar {
				left = append(left, f)
			}
		}
		return left
	}
	type candidate struct {
		flowPair
		score int
	}
	var all []candidate
	for _, f := range rest(was, func(f *Flow) bool { return partner[f] != nil }) {
		for _, g := range rest(is, func(g *Flow) bool { return taken[g] }) {
			if score := similarity(f, g); score > 0 {
				all = append(all, candidate{flowPair{f, g}, score})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.score - a.score })
	for _, c := range all {
		if partner[c.was] == nil && !taken[c.is] {
			partner[c.was] = c.is
			taken[c.is] = true
		}
	}
}

// similarity says how much two flows have in common, in thousandths; 0 for too little. Operations weigh
// as much as questions, and questions as much as answers.
func similarity(a, b *Flow) int {
	left := map[string]int{}
	keys := func(x *Exchange) [3]string { return [3]string{x.Op, x.question, x.said} }
	for _, x := range b.Exchanges {
		for i, k := range keys(x) {
			left[string(rune('0'+i))+k]++
		}
	}
	ops, points := 0, 0
	for _, x := range a.Exchanges {
		for i, k := range keys(x) {
			k = string(rune('0'+i)) + k
			if left[k] == 0 {
				continue
			}
			left[k]--
			points++
			if i == 0 {
				ops++
			}
		}
	}
	longest := max(len(a.Exchanges), len(b.Exchanges))
	if 2*ops < longest {
		return 0
	}
	return 1000 * points / (3 * longest)
}

// exchangePair are two exchanges; one may be nil.
type exchangePair struct{ was, is *Exchange }

// maxCells bounds the table of pairExchanges. Longer flows are paired in their order.
const maxCells = 1 << 22

// pairExchanges pairs the exchanges of two flows so that none crosses another and as much as can be is
// the same: first operations, of these questions, of these answers.
func pairExchanges(was, is []*Exchange) []exchangePair {
	var head, tail []exchangePair
	for len(was) > 0 && len(is) > 0 && was[0].said == is[0].said {
		head = append(head, exchangePair{was[0], is[0]})
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && len(is) > 0 && was[len(was)-1].said == is[len(is)-1].said {
		tail = append(tail, exchangePair{was[len(was)-1], is[len(is)-1]})
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	slices.Reverse(tail)
	if (len(was)+1)*(len(is)+1) > maxCells {
		return slices.Concat(head, inOrder(was, is), tail)
	}
	return slices.Concat(head, aligned(was, is), tail)
}

// aligned finds the best pairs by a table of what the rests of both have in common.
func aligned(was, is []*Exchange) []exchangePair {
	best := make([][]int, len(was)+1)
	for i := range best {
		best[i] = make([]int, len(is)+1)
	}
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(is) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if w := weight(was[i], is[j]); w > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+w)
			}
		}
	}
	var pairs []exchangePair
	i, j := 0, 0
	for i < len(was) && j < len(is) {
		w := weight(was[i], is[j])
		switch {
		case w > 0 && best[i][j] == best[i+1][j+1]+w:
			pairs = append(pairs, exchangePair{was[i], is[j]})
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			pairs = append(pairs, exchangePair{was: was[i]})
			i++
		default:
			pairs = append(pairs, exchangePair{is: is[j]})
			j++
		}
	}
	return append(pairs, alone(was[i:], is[j:])...)
}

// weight says how much two exchanges have in common; 0 for two that are no pair.
func weight(a, b *Exchange) int {
	w := 0
	switch {
	case a.Op != b.Op:
		return 0
	case a.said == b.said:
		w = 4
	case a.question == b.question:
		w = 3
	default:
		w = 2
	}
	if a.Code == b.Code && a.Failed == b.Failed {
		w += 2
	}
	return w
}

// inOrder pairs exchanges one after the other.
func inOrder(was, is []*Exchange) []exchangePair {
	var pairs []exchangePair
	for len(was) > 0 && len(is) > 0 {
		if was[0].Op == is[0].Op {
			pairs = append(pairs, exchangePair{was[0], is[0]})
		} else {
			pairs = append(pairs, exchangePair{was: was[0]}, exchangePair{is: is[0]})
		}
		was, is = was[1:], is[1:]
	}
	return append(pairs, alone(was, is)...)
}

// alone returns exchanges without partners.
func alone(was, is []*Exchange) []exchangePair {
	var pairs []exchangePair
	for _, x := range was {
		pairs = append(pairs, exchangePair{was: x})
	}
	for _, x := range is {
		pairs = append(pairs, exchangePair{is: x})
	}
	return pairs
}
