package wire

import (
	"slices"
	"strings"
)

// MaxAmount is the largest amount of one request, 12 digits as in document 3.
const MaxAmount = 999_999_999_999

// IsDigits tells whether s is a run of decimal digits and not empty.
func IsDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Within makes a rule of a length limit, in characters.
func Within(limit int) func(string) bool {
	return func(s string) bool { return len([]rune(s)) <= limit }
}

// OneOf makes a rule of a list of values.
func OneOf(values ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(values, s) }
}

// FirstError is the first of several checks that failed.
func FirstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
