package machine

import (
	"slices"
	"time"

	"github.com/paytape/paytape/match/tape"
)

// doubts are the recordings that tell of no state: they make no silent edge, and serve only where
// nothing else does. A status that was asked for while the payment was under way may be that of before
// or of after; and if a call between register and status is missing on tape, it may have been the
// payment.
type doubts struct {
	overlapped, missed []bool // by the place of the recording
}

func doubtsOf(t *tape.Tape) doubts {
	root := families(t)
	return doubts{overlaps(t, root), missed(t, root)}
}

// missed finds the recordings that may tell of a call that is missing: all behind it but those about
// families that were born later. A scope, and what no recording bore, was there from the start.
func missed(t *tape.Tape, root roots) []bool {
	out := make([]bool, len(t.Recordings))
	if !slices.ContainsFunc(t.Recordings, func(r *tape.Recording) bool { return r.Missing > 0 }) {
		return out
	}
	born := map[*tape.Entity]int{} // how many calls were missing when a family was born
	for _, r := range t.Recordings {
		older := len(r.Roles) == 0
		for _, e := range r.Roles {
			older = older || e.Scope || len(e.Scopes()) > 0 || born[root[e.ID]] < int(r.Missing)
		}
		out[r.Place] = older && r.Missing > 0
		for _, e := range r.Births {
			if _, earlier := born[root[e.ID]]; !earlier {
				born[root[e.ID]] = int(r.Missing)
			}
		}
	}
	return out
}

// overlaps finds the reads that a write to the same family was under way with.
func overlaps(t *tape.Tape, root roots) []bool {
	out := make([]bool, len(t.Recordings))
	// By the number of the entity that stands for the family.
	ends := make([]time.Time, len(t.Entities))
	open := make([][]*tape.Recording, len(t.Entities))
	for _, r := range t.Recordings {
		if r.Began().IsZero() {
			continue
		}
		for _, e := range r.Roles {
			if e.Scope {
				continue
			}
			f := root[e.ID].ID
			if r.Reads {
				if ends[f].After(r.Began()) {
					out[r.Place] = true
				}
				open[f] = append(slices.DeleteFunc(open[f], func(o *tape.Recording) bool {
					return !o.Answered().After(r.Began())
				}), r)
				continue
			}
			if r.Failed || r.Denied {
				continue
			}
			for _, o := range open[f] {
				if o.Answered().After(r.Began()) {
					out[o.Place] = true
				}
			}
			if r.Answered().After(ends[f]) {
				ends[f] = r.Answered()
			}
		}
	}
	return out
}

// roots are, by the number of an entity on tape, the entity that stands for its family.
type roots []*tape.Entity

// families returns one entity that stands for each family.
func families(t *tape.Tape) roots {
	root := make(roots, len(t.Entities))
	for _, e := range t.Entities {
		if root[e.ID] != nil {
			continue
		}
		if len(e.Wholes()) == 0 && len(e.Parts()) == 0 {
			root[e.ID] = e // the family of most
			continue
		}
		for _, o := range e.Family() {
			root[o.ID] = e
		}
	}
	return root
}
