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

// underWay is a read that may be under way, in the list of its family.
type underWay struct {
	place int32 // of the recording
	next  int32 // the number of the next read in the list, from 1; 0: there is none
}

// pending is what may be under way of the calls about a family.
type pending struct {
	end   int64 // when the last of its writes is answered, in nanoseconds since 1970
	wrote bool  // there was such a write
	reads int32 // the number of the first read in the list, from 1; 0: there is none
}

// overlaps finds the reads that a write to the same family was under way with.
func overlaps(t *tape.Tape, root roots) []bool {
	out := make([]bool, len(t.Recordings))
	families := make([]pending, len(t.Entities)) // by the number of the entity that stands for the family
	var reads []underWay
	for _, r := range t.Recordings {
		began, answered := r.Began(), r.Answered()
		if began.IsZero() || !r.Reads && !r.Writes() {
			continue
		}
		for _, e := range r.Roles {
			if e.Scope {
				continue
			}
			f := &families[root[e.ID].ID]
			if r.Reads {
				out[r.Place] = out[r.Place] || f.wrote && f.end > began.UnixNano()
				f.forget(reads, t, began)
				reads = append(reads, underWay{int32(r.Place), f.reads})
				f.reads = int32(len(reads))
				continue
			}
			for n := f.reads; n > 0; n = reads[n-1].next {
				if o := t.Recordings[reads[n-1].place]; o.Answered().After(began) {
					out[o.Place] = true
				}
			}
			if !answered.IsZero() && !(f.wrote && f.end >= answered.UnixNano()) {
				f.end, f.wrote = answered.UnixNano(), true
			}
		}
	}
	return out
}

// forget lets go of the reads that are answered when a call begins.
func (f *pending) forget(reads []underWay, t *tape.Tape, began time.Time) {
	for at := &f.reads; *at > 0; {
		read := &reads[*at-1]
		if t.Recordings[read.place].Answered().After(began) {
			at = &read.next
		} else {
			*at = read.next
		}
	}
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
