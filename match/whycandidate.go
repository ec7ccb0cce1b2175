package match

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/machine"
)

// Candidate is a recording of the same call.
type Candidate struct {
	Recorded
	// State tells what was done before to what the recording names; Equal says that the request came
	// in the same state.
	State string
	Equal bool
	Diffs []Diff // in which the request differs from the recording
	// Served says that the answer was made of the recording.
	Served bool
	// Code is the status that the recording answers with, and Answer its answer as it is on tape.
	Code   int
	Answer *leaf.Message
	// Cards are the card numbers that the recording brings, without the digits that no tape has.
	Cards string

	recording *machine.Recording
}

// maxCandidates bounds the recordings that an explanation lists.
const maxCandidates = 8

// candidates are the recordings that came nearest: the one that was served, then those in the same
// state, then those that differ least.
func (t *Trace) candidates() []Candidate {
	pool := t.tape.nearest(t.asking())
	pool = slices.DeleteFunc(slices.Clone(pool), func(r *machine.Recording) bool { return r.Lost })
	if t.miss != nil {
		for _, n := range t.miss.Near {
			if r := n.recording; r != nil && !slices.Contains(pool, r) {
				pool = append(pool, r)
			}
		}
	}
	if t.recording != nil && !slices.Contains(pool, t.recording) {
		pool = append(pool, t.recording)
	}
	all := make([]Candidate, 0, len(pool))
	for _, r := range pool {
		all = append(all, t.candidate(r))
	}
	slices.SortStableFunc(all, func(a, b Candidate) int {
		return cmp.Or(order(a.Served, b.Served), order(a.Equal, b.Equal),
			cmp.Compare(len(a.Diffs), len(b.Diffs)), order(t.inSameCase(a), t.inSameCase(b)))
	})
	all = all[:min(maxCandidates, len(all))]
	for i := range all {
		all[i].Answer = recordedAnswer(all[i].recording)
	}
	return all
}

// order puts what is true first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// inSameCase reports whether a candidate has the card of the request.
func (t *Trace) inSameCase(c Candidate) bool {
	return c.recording.Deciding == machine.Deciding(t.asked())
}

func (t *Trace) candidate(r *machine.Recording) Candidate {
	c := Candidate{
		Recorded: r.Reference(), State: t.stateThere(r), Equal: t.sameState(r),
		Diffs:  t.tape.differences(t.asking(), r, t.whose),
		Served: t.miss == nil && r == t.recording, Code: r.Code, Cards: r.Cards(), recording: r,
	}
	return c
}

// stateThere tells in words the state in which a recording was made, beside that of the request.
func (t *Trace) stateThere(r *machine.Recording) string {
	own, found := ownIn(r)
	if !found {
		if len(r.Owns) == 0 {
			return ""
		}
		own = r.Owns[0]
	}
	if s := t.first(); s != nil {
		return t.tape.named(own, t.tape.machine.WordsBeside(own, s.before))
	}
	return t.words(own)
}

// whose says why nothing live has an id. The miss says what was known at the time.
func (t *Trace) whose(text string) Problem {
	if near := t.missNear(); near != nil {
		for _, d := range near.Diffs {
			if string(d.Got) == text && d.Problem.ofID() {
				return d.Problem
			}
		}
	}
	return UnknownID
}

// Exchange returns the recording as an exchange of which the tape knows the answer whole, and of the
// request the line.
func (c *Candidate) Exchange() *leaf.Exchange {
	r := c.recording
	x := &leaf.Exchange{}
	x.Method, x.URL = r.Method, r.Target
	x.Code, x.Response.Status = r.Code, r.Status
	x.Response.Headers = http.Header(r.Header(asRecorded))
	x.Response.Body = r.Body().Text(asRecorded)
	return x
}
