package drift

import (
	"strconv"
	"strings"
)

// spread is what the answers of an operation have in one place, of an API that no profile knows. It tells
// whether a value there is made anew each time, or is a constant.
type spread struct {
	seen  map[string]bool
	again bool // two answers have one value

	flows  []string       // what each flow has there, in the order of the flows
	last   int            // the flow that was last added to flows, from 1
	byFlow map[string]int // which flow has a value, from 1
	mixed  bool           // a flow has two values, or two flows have one
}

// add notes a value that an answer of a flow has, which is given by its index from 1.
func (s *spread) add(text string, flow int) {
	s.again = s.again || s.seen[text]
	s.seen[text] = true
	had := s.byFlow[text]
	switch {
	case had == flow:
	case had != 0 || s.last == flow:
		s.mixed = true
	default:
		s.byFlow[text], s.last = flow, flow
		s.flows = append(s.flows, text)
	}
}

// anew reports whether two tapes show that values of a place are made anew, for each answer or for each
// flow: no value is there for two, and one tape at least has two values.
func anew(a, b *spread) bool {
	const several = 2
	return !a.again && !b.again && max(len(a.seen), len(b.seen)) >= several ||
		!a.mixed && !b.mixed && max(len(a.flows), len(b.flows)) >= several
}

// shares reports whether two tapes have a value in common.
func (s *spread) shares(o *spread) bool {
	for text := range s.seen {
		if o.seen[text] {
			return true
		}
	}
	return false
}

// counted reports whether both tapes show a count: each flow has a number that is greater by one than that
// of the flow before. Where a count begins is chance, and two tapes may have some numbers in common:
// invoices 10023 and 10024 in spring, 10024 and 10025 in autumn.
func counted(a, b *spread) bool {
	return !a.mixed && !b.mixed && a.counts() && b.counts() && beforeCount(a.flows[0]) == beforeCount(b.flows[0])
}

func (s *spread) counts() bool {
	for i := 1; i < len(s.flows); i++ {
		was, ok := countOf(s.flows[i-1])
		is, also := countOf(s.flows[i])
		if !ok || !also || is != was+1 || beforeCount(s.flows[i]) != beforeCount(s.flows[0]) {
			return false
		}
	}
	return len(s.flows) > 1
}

// beforeCount returns what stands before the number in which a text ends: "INV-" of "INV-10023".
func beforeCount(text string) string { return strings.TrimRight(text, "0123456789") }

// countOf returns the number in which a text ends.
func countOf(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text[len(beforeCount(text)):], 10, 64)
	return n, err == nil
}
