package taint

import (
	"iter"

	"github.com/paytape/paytape/redact/internal/scan"
)

// letterRuns yields the stretches of MinLength letters and digits or more that stand between other
// characters.
func letterRuns(s string) iter.Seq2[int, int] { return longRuns(s, scan.IsLetter) }

// digitRuns yields the stretches of MinLength digits or more that stand between other characters.
func digitRuns(s string) iter.Seq2[int, int] {
	return longRuns(s, func(c byte) bool { return c-'0' <= 9 })
}

// longRuns yields the stretches of MinLength characters of a class or more. Of a shorter stretch it
// looks at no more than the last character.
func longRuns(s string, in func(c byte) bool) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; i+MinLength <= len(s); {
			at := i + MinLength - 1
			for at >= i && in(s[at]) {
				at--
			}
			if at >= i {
				i = at + 1
				continue
			}
			to := i + MinLength
			for to < len(s) && in(s[to]) {
				to++
			}
			if !yield(i, to) {
				return
			}
			i = to + 1
		}
	}
}
