package request

import "github.com/paytape/paytape/internal/leaf"

// Choice asks for a branch of the tape, where a call was answered in several ways: for recordings of
// which Takes says so, or for those that led to a decline of a code.
type Choice struct {
	// Takes reports whether a recording is one of those that are wanted. Without such a recording
	// the call is a miss. Nil: Declined says which are wanted.
	Takes func(Branch) bool
	// Declined is the code of the decline. Without such a recording the call is answered like one
	// that was good, and changes nothing.
	Declined string
	// Found is set when the request was answered by such a recording.
	Found bool
}

// Branch is a recording that may be chosen, and what it led to.
type Branch struct {
	Cassette string
	Number   int // in its cassette
	Code     int
	Answer   *leaf.Message // as it is on tape
	// Later returns the answers to questions about the same thing before it was changed again, in
	// the order in which they were recorded.
	Later func() []*leaf.Message
}
