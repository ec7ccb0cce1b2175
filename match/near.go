package match

import (
	"slices"

	"github.com/paytape/paytape/internal/leaf"
)

// idPlace is where in an answer a value of a thread was found.
type idPlace struct {
	path   string
	thread *thread
}

// noun is where in an answer an id stands.
type noun struct {
	path string
	v    *variable
}

// near returns the threads that a leaf of an answer may be about, the likeliest first: that
// of the id which stands in the same object, of a list of orders say; those of the request;
// those tied in; and the others that are connected with them, the latest first. A payment
// with a stored card shows a mask and an expiry that an earlier payment brought.
func (a *answerCompiler) near(l *leaf.Leaf) []*thread {
	var ts []*thread
	if t := a.beside(l.Path); t != nil {
		ts = append(ts, t)
	}
	ts = append(append(ts, a.e.threads...), a.e.tied...)
	kin := a.e.threads[0].flow().members
	for _, t := range slices.Backward(kin[max(0, len(kin)-maxKin):]) {
		ts = append(ts, t)
	}
	return ts
}

// maxKin bounds the threads of a flow that are looked through.
const maxKin = 64

// beside returns the thread of the id whose path has most in common with a path; of several
// the first. Without an id there is none.
func (a *answerCompiler) beside(path string) *thread {
	var best *thread
	most := -1
	for _, p := range a.places {
		if n := inCommon(p.path, path); n > most {
			best, most = p.thread, n
		}
	}
	return best
}

// inCommon returns the length of the names and indexes with which both paths begin.
func inCommon(a, b string) int {
	n := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '.' || a[i] == ']' || a[i] == '>' {
			n = i + 1
		}
	}
	return n
}
