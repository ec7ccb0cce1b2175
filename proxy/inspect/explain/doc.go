// Package explain says in full what a list shows in a line: why a request was answered as it was (Why),
// what stands in its messages beside what is on tape (Exchange), and where a value was born and is
// used (Value).
//
// Package match tells what it knows as match.Trace: words, values of the tape, and values of the client
// as match.Live. Here all of it becomes redact.Safe. A live value is looked up in the exchange that
// was cleaned, at the place where the client sent it; where the exchange has no such place it is
// cleaned as a value of its field. Everything else is cleaned as text: a value of the tape was
// cleaned when it was recorded, and stays as it is.
//
// Messages may have any size, so what is shown is bounded: MaxFields fields of a message, MaxBody bytes
// of a body, MaxText bytes of a value.
package explain

// The bounds of what is shown of a message.
const (
	MaxFields = 500
	MaxBody   = 1 << 20 // bytes
	MaxText   = 4 << 10 // bytes of a field
)
