package request

import "github.com/paytape/paytape/internal/leaf"

// Choice asks for a branch of the tape, where a call was answered in several ways: for recordings of
// which Takes says so, or for those that led to a decline of a code.
type Choice struct {
	// Takes reports whether a recording is one of those that are wanted. Nil: Declined says it.
	Takes func(Branch) bool
	// Declined is the code of the decline.
	Declined string
	// Found is set when the request was answered by such a recording. Otherwise the answer, if there
	// is one, is that of another branch.
	Found bool
}

// Branch is a recording that may be chosen.
type Branch struct {
	Cassette string
	Number   int // in its cassette
	Code     int
	Answer   *leaf.Message // as it is on tape
}
