package merge

import (
	"cmp"
	"slices"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/renumber"
)

// table says which surrogate of one tape stands for the same value as which of another.
type table map[renumber.Surrogate]renumber.Surrogate

// addPair notes that the surrogates of two equal items stand for the same values, place by place.
func (t table) addPair(from, to *item) {
	if from.outline != to.outline {
		return
	}
	// What was taken out and is seen no more, such as a part of a longer secret, has a note all the same.
	for _, lists := range [][2][]renumber.Surrogate{{from.found, to.found}, {from.noted(), to.noted()}} {
		if len(lists[0]) != len(lists[1]) {
			continue
		}
		for i, s := range lists[0] {
			if _, known := t[s]; !known && s.Kind == lists[1][i].Kind {
				t[s] = lists[1][i]
			}
		}
	}
}

// addKept notes that surrogates which stand in both versions of a changed exchange have kept their
// numbers, unless something better is known of them.
func (t table) addKept(from, to *item) {
	for _, s := range from.found {
		if _, known := t[s]; !known && slices.Contains(to.found, s) {
			t[s] = s
		}
	}
}

// sameValues returns which surrogates of theirs stand for the same values as which of ours.
func sameValues(ours, theirs *side) table {
	same, toBase, fromBase := table{}, table{}, table{}
	for _, i := range theirs.items {
		if i.other != nil {
			same.addPair(i, i.other)
		}
		if i.base != nil {
			toBase.addPair(i, i.base)
		}
	}
	for _, i := range ours.items {
		if i.base != nil {
			fromBase.addPair(i.base, i)
		}
	}
	for _, i := range theirs.items {
		if i.changed() {
			toBase.addKept(i, i.base)
		}
	}
	for _, i := range ours.items {
		if i.changed() {
			fromBase.addKept(i.base, i)
		}
	}
	for from, base := range toBase {
		to, known := fromBase[base]
		if _, better := same[from]; known && !better {
			same[from] = to
		}
	}
	return same
}

// numbering returns the numbers that the surrogates of theirs have among those of ours, as far as they
// are others. Same says which stand for the same values.
func numbering(ours, theirs *side, same table) map[renumber.Surrogate]int {
	numbers := map[renumber.Surrogate]int{}
	next := map[profile.Sensitivity]int{}
	all := slices.SortedFunc(theirs.tape.All, func(a, b renumber.Surrogate) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.N, b.N))
	})
	for _, s := range all {
		to, known := same[s]
		switch {
		case known:
		case !ours.tape.Uses(s), s.Kind == profile.IP:
			continue
		default:
			highest := max(ours.tape.Highest(s.Kind), theirs.tape.Highest(s.Kind))
			to.N = max(highest, next[s.Kind]) + 1
			for tries := 0; !theirs.tape.Fits(s, to.N) && tries < mostSkipped; tries++ {
				to.N++
			}
			next[s.Kind] = to.N
		}
		if to.N != s.N {
			numbers[s] = to.N
		}
	}
	return numbers
}

// mostSkipped is how many numbers are tried for a card number of which no surrogate may hold a shorter
// one. Where none will do the surrogate is the gate's.
const mostSkipped = 30
