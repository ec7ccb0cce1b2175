package scan

import (
	"slices"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
)

// Verdict is what a run of digits turns out to be.
type Verdict uint8

const (
	Nothing   Verdict = iota // no number that matters
	Card                     // a number that must not be stored
	Surrogate                // a surrogate of ours
)

// Judge says what digits are.
type Judge struct {
	// Exact knows single numbers: numbers learned, and surrogates given out. They are recognised
	// whatever their grouping. It is asked about 12 to 19 digits, which it must not keep: it is
	// asked about every stretch of every run. Nil: none is known.
	Exact func(digits []byte) Verdict
	// Shape goes by arithmetic, and is asked about 13 to 19 digits.
	Shape func(digits string) Verdict
}

// Occurrence is a number found in a text, and where it is.
type Occurrence struct {
	leaf.Unprinted
	From, To int     // where it is, in bytes
	Digits   string  // ASCII, whatever stood in the text
	Verdict  Verdict // of the judge
}

// MinDigits is the length of the shortest number that Judge.Exact is asked about: twelve digits
// are a card number only where a field said so.
const MinDigits = pan.MinLength - 1

// group is a stretch of digits; a run is groups with a gap between each two.
type group struct {
	from, to int
	n        int  // digits in it
	decimals bool // stands behind a decimal point
	used     bool
}

// scanner finds numbers in one text.
//
// Which groups of a run belong together is decided in this order: numbers that are known;
// surrogates; numbers that are one group or are grouped as cards are printed; and, if none
// of these is in the run, the whole run. So a CVC or an amount beside a number does not hide
// it, and a list of short numbers is not read as a list of cards.
//
// Text is read up to three times, once for each spacing, because a dot is a decimal point
// too and a line end mostly separates numbers. The two rarer spacings count only in the
// layouts of a printed card.
type scanner struct {
	leaf.Unprinted
	s       string
	between spacing
	judge   Judge
	groups  []group // of the run at hand
	found   []Occurrence
	buf     [pan.MaxLength]byte // digits on trial
	room    [6]group            // for most runs

	dots, gaps bool // the other spacings are in the text too
	grouped    bool // see Grouped
}

// scanners lends the memory of scanners, which is more than that of most texts.
var scanners = sync.Pool{New: func() any { return &scanner{} }}

// Numbers returns the numbers in s, those of one spacing in their order. In the text of a JSON
// number there is one spacing, and a dot in it is a decimal point.
func Numbers(s string, text bool, j Judge) []Occurrence {
	found, _ := Grouped(s, text, j)
	return found
}

// Grouped is Numbers. It also reports whether there are digits enough for a number that do not stand
// in one row of ASCII digits.
func Grouped(s string, text bool, j Judge) (found []Occurrence, grouped bool) {
	if !enoughDigits(s) {
		return nil, false
	}
	sc := scanners.Get().(*scanner)
	sc.s, sc.judge = s, j
	sc.groups = sc.room[:0]
	sc.scanSpacing(tight)
	if text && sc.dots {
		sc.scanSpacing(dotted)
	}
	if text && sc.gaps {
		sc.scanSpacing(loose)
	}
	found, grouped = sc.found, sc.grouped
	*sc = scanner{} // it held the text
	scanners.Put(sc)
	return found, grouped
}

// HasNumber reports whether a text has digits that a judge would be asked about.
func HasNumber(s string) bool {
	found, grouped := Grouped(s, true, allNumbers)
	return grouped || len(found) > 0
}

// allNumbers finds whatever it is asked about.
var allNumbers = Judge{
	Exact: func([]byte) Verdict { return Surrogate },
	Shape: func(string) Verdict { return Surrogate },
}

// scanSpacing finds the numbers of one spacing.
func (sc *scanner) scanSpacing(between spacing) {
	sc.between = between
	s := sc.s
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
		} else if end := isolatedDigits(s, i); end > 0 {
			i = end
			continue
		}
		i = sc.readRun(i, n)
	}
}

// readRun reads the run that begins with the digit of size n at offset i, judges it, and
// returns where it ends.
func (sc *scanner) readRun(i, n int) int {
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
		total += g.n
		sc.groups = append(sc.groups, g)
		gap := gapAt(sc.s, i, sc.between)
		if gap > 0 {
			_, n = digitAt(sc.s, i+gap)
		}
		if gap == 0 || n == 0 {
			break
		}
		i += gap
	}
	if sc.between == tight {
		sc.noteSpacings(i, total)
	}
	if total >= MinDigits {
		sc.grouped = sc.grouped || i-sc.groups[0].from > total
		sc.judgeRun(total)
	}
	return i
}

// judgeRun finds the numbers of the run at hand.
func (sc *scanner) judgeRun(total int) {
	if len(sc.groups) == 1 {
		sc.judgeSingle(total)
		return
	}
	for i := range sc.groups {
		sc.groups[i].decimals = behindDecimalPoint(sc.s, sc.groups[i].from, sc.between)
	}
	last := len(sc.groups) - 1
	if sc.between == dotted && last == 1 && sc.groups[0].n < pan.MinLength {
		sc.groups[1].decimals = true // one dot between two groups is a decimal point
	}
	before := len(sc.found)
	sc.claim(Nothing)
	sc.claim(Surrogate)
	sc.claim(Card)
	if len(sc.found) > before {
		slices.SortFunc(sc.found[before:], func(a, b Occurrence) int { return a.From - b.From })
		return
	}
	if sc.between == tight && total <= pan.MaxLength && last > 0 && !sc.groups[0].decimals {
		sc.accept(0, last, sc.shape(0, last, sc.digits(0, last)))
	}
}

// judgeSingle is decide for a run of one group, as nearly all are.
func (sc *scanner) judgeSingle(total int) {
	g := &sc.groups[0]
	if total > pan.MaxLength {
		return
	}
	g.decimals = behindDecimalPoint(sc.s, g.from, sc.between)
	v := Nothing
	if sc.judge.Exact != nil {
		v = sc.judge.Exact(sc.groupDigits(sc.buf[:0], 0))
	}
	if v == Nothing && total >= pan.MinLength && sc.hasCardLayout(0, 0) {
		v = sc.shape(0, 0, sc.digits(0, 0))
	}
	sc.accept(0, 0, v)
}

// shortestGroup is how many digits the first group of a number has at least, in any layout.
const shortestGroup = 4

// claim claims the groups of every number that the judge gives the verdict, from the left,
// the shortest first. The verdict Nothing stands for whatever Judge.Exact says.
func (sc *scanner) claim(want Verdict) {
	if want == Nothing && sc.judge.Exact == nil {
		return
	}
	for i := range sc.groups {
		if want != Nothing && sc.groups[i].n < shortestGroup {
			continue
		}
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

// Verdict judges the digits of the groups from i to j, and drops a verdict that is not
// wanted.
func (sc *scanner) verdict(i, j int, digits []byte, want Verdict) Verdict {
	switch {
	case len(digits) < MinDigits:
	case want == Nothing:
		v := sc.judge.Exact(digits)
		if v == Card && i < j && inHexID(sc.s, sc.groups[i].from, sc.groups[j].to) {
			return Nothing
		}
		return v
	case len(digits) >= pan.MinLength && sc.hasCardLayout(i, j):
		if v := sc.shape(i, j, sc.digits(i, j)); v == want {
			return v
		}
	}
	return Nothing
}

// hasCardLayout reports whether the groups from i to j stand as a card number may in this spacing.
func (sc *scanner) hasCardLayout(i, j int) bool {
	groups := sc.groups[i : j+1]
	alone, behindDot := i == j, behindDecimalPoint(sc.s, groups[0].from, tight)
	switch sc.between {
	case tight:
		return alone && !behindDot || !alone && groupedAsPrinted(groups)
	case dotted:
		return alone && behindDot && !groups[0].decimals || len(groups) > 2 && groupedAsPrinted(groups)
	}
	return groupedAsEmbossed(groups) && !sc.inList(i, j)
}

// inList reports whether the groups from i to j go on like a list of such groups.
func (sc *scanner) inList(i, j int) bool {
	same := func(a, b int) bool {
		return a >= 0 && b < len(sc.groups) && sc.groups[a].n == sc.groups[b].n &&
			sc.gap(a) == sc.gap(i)
	}
	return same(i-1, i) || same(j, j+1)
}

// gap returns what separates a group from the next.
func (sc *scanner) gap(at int) string { return sc.s[sc.groups[at].to:sc.groups[at+1].from] }

// Shape asks the judge about the digits of the groups from i to j, unless they belong to an
// identifier.
func (sc *scanner) shape(i, j int, digits string) Verdict {
	n := len(digits)
	if n < pan.MinLength || n > pan.MaxLength || digits[0] == '1' && n == pan.MinLength {
		return Nothing // thirteen digits from 1 are milliseconds since 1970
	}
	v := sc.judge.Shape(digits)
	if v == Card && inHexID(sc.s, sc.groups[i].from, sc.groups[j].to) {
		return Nothing
	}
	return v
}

// accept notes a number and claims its groups.
func (sc *scanner) accept(i, j int, v Verdict) bool {
	if v == Nothing {
		return false
	}
	for k := i; k <= j; k++ {
		sc.groups[k].used = true
	}
	sc.found = append(sc.found, Occurrence{
		From: sc.groups[i].from, To: sc.groups[j].to, Digits: sc.digits(i, j), Verdict: v,
	})
	return true
}

// Digits returns the digits of the groups from i to j.
func (sc *scanner) digits(i, j int) string {
	from, to := sc.groups[i].from, sc.groups[j].to
	if i == j && to-from == sc.groups[i].n {
		return sc.s[from:to]
	}
	return Digits(sc.s[from:to])
}

// groupDigits appends the digits of a group.
func (sc *scanner) groupDigits(b []byte, at int) []byte {
	g := sc.groups[at]
	if g.to-g.from == g.n {
		return append(b, sc.s[g.from:g.to]...)
	}
	return append(b, Digits(sc.s[g.from:g.to])...)
}
