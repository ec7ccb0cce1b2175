package profile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Mistakes are several mistakes of one profile, in the order of their places. Its text is that of the
// first: EachMistake returns all.
type Mistakes []error

// Error tells the first mistake, and how many there are beside it.
func (m Mistakes) Error() string {
	return fmt.Sprintf("%v (and %d more)", m[0], len(m)-1)
}

// Unwrap returns all mistakes.
func (m Mistakes) Unwrap() []error { return m }

// EachMistake returns the mistakes that an error of Parse tells, each with its place; the error itself
// where it is one alone, and nil for nil.
func EachMistake(err error) []error {
	if all, several := errors.AsType[Mistakes](err); several {
		return all
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// mistake is an error with the place at which it is.
type mistake struct {
	error
	at Origin
}

func (m *mistake) Unwrap() error { return m.error }

// mistakes collects what is wrong in the parts of a file: one part that cannot be read does not hide
// another.
type mistakes []error

// add notes what is wrong in a part; nil for nothing.
func (m *mistakes) add(err error) { *m = append(*m, EachMistake(err)...) }

// err returns what is wrong, nil for nothing.
func (m mistakes) err() error {
	switch len(m) {
	case 0:
		return nil
	case 1:
		return m[0]
	}
	all := Mistakes(slices.Clone(m))
	slices.SortStableFunc(all, func(a, b error) int {
		p, placed := errors.AsType[*mistake](a)
		q, also := errors.AsType[*mistake](b)
		if !placed || !also {
			return 0
		}
		return cmp.Or(cmp.Compare(p.at.File, q.at.File), cmp.Compare(p.at.Line, q.at.Line),
			cmp.Compare(p.at.Column, q.at.Column))
	})
	return all
}
