package match

import "slices"

// concern notes the keys of the exchanges that carry or show values of a thread.
func (e *exchange) concern() {
	for _, ts := range [][]*thread{e.threads, e.tied} {
		for _, t := range ts {
			t.concerns = append(t.concerns, e.key)
		}
	}
}

// settle sorts the keys that concern a thread, once they are all noted.
func (t *thread) settle() {
	slices.Sort(t.concerns)
	t.concerns = slices.Clone(slices.Compact(t.concerns))
}

// concerned returns the flows that could have a part in an answer: some exchange with the key
// of the request belongs to a thread that they play, or is tied to it. With the others a set
// of flows can do no more than without them.
func concerned(q *query, flows []*flow) []*flow {
	var out []*flow
	for _, f := range flows {
		if f.concerned(q) {
			out = append(out, f)
		}
	}
	return out
}

func (f *flow) concerned(q *query) bool {
	for _, c := range f.cands {
		for i := range c.slots {
			for _, key := range q.keys {
				if _, found := slices.BinarySearch(c.slots[i].thread.concerns, key); found {
					return true
				}
			}
		}
	}
	return false
}
