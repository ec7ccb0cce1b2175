package redact

import (
	"slices"

	"github.com/paytape/paytape/internal/pan"
)

// verdict is what a run of digits turns out to be.
type verdict uint8

const (
	nothing verdict = iota
	card            // a number that must not be stored
	own             // a surrogate of ours
)

// judge says what digits are.
type judge struct {
	// exact knows single numbers: those learned, and surrogates given out. They are
	// recognised whatever their grouping. It is asked about 12 to 19 digits, which it
	// must not keep: it is asked about every stretch of every run.
	exact func(digits []byte) verdict
	// shape goes by arithmetic, and is asked about 13 to 19 digits.
	shape func(digits string) verdict
}

// sighting is a number found in a text.
type sighting struct {
	from, to int
	digits   string // ASCII, whatever stood in the text
	verdict  verdict
}

// minKnown is the length of the shortest number that exact is asked about: twelve digits
// are a card only where a field said so.
const minKnown = pan.MinLength - 1

// group is a stretch of digits; a run is groups with one separator between each two.
type group struct {
	from, to int
	n        int // digits in it
	used     bool
}

// tooLong marks a group that can be part of no number.
const tooLong = pan.MaxLength + 1

// scanner finds numbers in one text.
//
// Which groups of a run belong together is decided in this order: numbers that are known;
// surrogates; numbers that are one group or are grouped as cards are printed; and, if none
// of these is in the run, the whole run. So a CVC or an amount beside a number does not hide
// it, and a list of short numbers is not read as one card after the other.
type scanner struct {
	s      string
	dots   bool // a dot separates too
	judge  judge
	groups []group // of the run at hand
	found  []sighting
	buf    [pan.MaxLength]byte // digits on trial
}

// scan returns the numbers in s in their order. With dots, a dot between digits is a
// separator; without, it is a decimal point, and digits after it are a fraction. After a
// lone zero they are one in any case.
func scan(s string, dots bool, j judge) []sighting {
	sc := scanner{s: s, dots: dots, judge: j}
	for i := 0; i < len(s); {
		c := s[i]
		// Letters, marks, and the first bytes of scripts that have no digits.
		if c < '0' || c > '9' && c < firstDigitLead {
			i++
			continue
		}
		n := 1
		if c > '9' {
			if _, n = digitAt(s, i); n == 0 {
				i++
				continue
			}
		}
		i = sc.run(i, n)
	}
	return sc.found
}

// run reads the run that begins with the digit of size n at offset i, judges it, and
// returns where it ends.
func (sc *scanner) run(i, n int) int {
	sc.groups = sc.groups[:0]
	total := 0
	for {
		g := group{from: i}
		for n > 0 {
			i += n
			g.n++
			if i < len(sc.s) && sc.s[i]-'0' <= 9 {
				n = 1
			} else {
				_, n = digitAt(sc.s, i)
			}
		}
		g.to = i
		if fraction(sc.s, g.from, sc.dots) {
			g.n = tooLong
		}
		total += g.n
		sc.groups = append(sc.groups, g)
		gap := separatorAt(sc.s, i, sc.dots)
		if gap == 0 {
			break
		}
		if _, n = digitAt(sc.s, i+gap); n == 0 {
			break
		}
		i += gap
	}
	if total >= minKnown {
		sc.decide(total)
	}
	return i
}

// fraction reports whether the digits at s[i:] follow a decimal point. Where a dot may be a
// separator too, it is one unless a lone zero stands before it.
func fraction(s string, i int, dots bool) bool {
	if i < 2 || s[i-1] != '.' || s[i-2]-'0' > 9 {
		return false
	}
	return !dots || s[i-2] == '0' && (i == 2 || s[i-3]-'0' > 9)
}

// decide finds the numbers of the run at hand.
func (sc *scanner) decide(total int) {
	before := len(sc.found)
	sc.take(nothing)
	sc.take(own)
	sc.take(card)
	if len(sc.found) > before {
		slices.SortFunc(sc.found[before:], func(a, b sighting) int { return a.from - b.from })
		return
	}
	last := len(sc.groups) - 1
	if total <= pan.MaxLength && last > 0 {
		sc.accept(0, last, sc.shape(0, last, sc.digits(0, last)))
	}
}

// take claims the groups of every number that the judge gives the verdict, from the left,
// the shortest first. The verdict nothing stands for whatever exact says.
func (sc *scanner) take(want verdict) {
	for i := range sc.groups {
		digits := sc.buf[:0]
		for j := i; j < len(sc.groups) && !sc.groups[j].used; j++ {
			if len(digits)+sc.groups[j].n > pan.MaxLength {
				break
			}
			digits = sc.groupDigits(digits, j)
			if sc.accept(i, j, sc.verdict(i, j, digits, want)) {
				break
			}
		}
	}
}

// verdict judges the digits of the groups from i to j, and drops a verdict that is not
// wanted.
func (sc *scanner) verdict(i, j int, digits []byte, want verdict) verdict {
	switch {
	case len(digits) < minKnown:
	case want == nothing:
		v := sc.judge.exact(digits)
		if v == card && i < j && identifier(sc.s, sc.groups[i].from, sc.groups[j].to) {
			return nothing
		}
		return v
	case len(digits) >= pan.MinLength && printed(sc.groups[i:j+1]):
		if v := sc.shape(i, j, sc.digits(i, j)); v == want {
			return v
		}
	}
	return nothing
}

// shape asks the judge about the digits of the groups from i to j, unless they belong to an
// identifier.
func (sc *scanner) shape(i, j int, digits string) verdict {
	n := len(digits)
	if n < pan.MinLength || n > pan.MaxLength || digits[0] == '1' && n == pan.MinLength {
		return nothing // thirteen digits from 1 are milliseconds since 1970
	}
	v := sc.judge.shape(digits)
	if v == card && identifier(sc.s, sc.groups[i].from, sc.groups[j].to) {
		return nothing
	}
	return v
}

// accept notes a number and claims its groups.
func (sc *scanner) accept(i, j int, v verdict) bool {
	if v == nothing {
		return false
	}
	for k := i; k <= j; k++ {
		sc.groups[k].used = true
	}
	sc.found = append(sc.found, sighting{
		from: sc.groups[i].from, to: sc.groups[j].to, digits: sc.digits(i, j), verdict: v,
	})
	return true
}

// digits returns the digits of the groups from i to j.
func (sc *scanner) digits(i, j int) string {
	from, to := sc.groups[i].from, sc.groups[j].to
	if i == j && to-from == sc.groups[i].n {
		return sc.s[from:to]
	}
	return asciiDigits(sc.s[from:to])
}

// groupDigits appends the digits of a group.
func (sc *scanner) groupDigits(b []byte, at int) []byte {
	g := sc.groups[at]
	if g.to-g.from == g.n {
		return append(b, sc.s[g.from:g.to]...)
	}
	return append(b, asciiDigits(sc.s[g.from:g.to])...)
}
