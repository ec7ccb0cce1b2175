package filter

import "fmt"

// Error is what is wrong with a filter.
type Error struct {
	// Column is where, in bytes from the beginning of the text as Masked returns it.
	Column int
	// Text says it, in lower case and without a full stop.
	Text string
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// wrong returns an error at a column.
func wrong(column int, format string, args ...any) error {
	return &Error{column, fmt.Sprintf(format, args...)}
}
