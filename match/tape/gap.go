package tape

import "slices"

// gaps are the numbers of a cassette's exchanges of which the tape knows what they did, ascending. A
// number between two of them that is not there stands for a call that was made, and nobody knows what
// it did: a full disk or kill -9 lost it, somebody cut it out, or its secrets could not be taken out. A
// call that failed, such as one whose client left before it had sent its body, is known to have failed.
type gaps []int

// before returns how many calls are not known that came before one of a number. Numbers begin at 1.
func (g gaps) before(number int) int {
	known, _ := slices.BinarySearch(g, number)
	return number - 1 - known
}
