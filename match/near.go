package match

import (
	"slices"

	"github.com/paytape/paytape/internal/leaf"
)

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
	near := a.places.nearest(path)
	if len(near) == 0 {
		return nil
	}
	return near[0]
}
