package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// Tapes are what is merged. Each is in the order of its exchanges.
type Tapes struct {
	Base         []redact.Clean // what both come from; nil if nobody knows
	Ours, Theirs []redact.Clean
	// Stable tells of stable tapes what exchanges by themselves do not tell. Nil: nobody knows.
	Stable Stable
}

// Stable is what a merge needs to know of stable tapes (package match/stable).
type Stable interface {
	// Flows returns the flows of a tape as the numbers of their exchanges; nil of a tape that is not
	// stable.
	Flows(all []*leaf.Exchange) [][]int
	// Apart returns a tape with other ids in flows, whose exchanges are given by their numbers: none of
	// them is an id of others. It returns false where that cannot be done, and the tape as it is.
	Apart(all []*leaf.Exchange, numbers []int, others []*leaf.Exchange) ([]*leaf.Exchange, bool)
}

// Merged is what a merge has come to.
type Merged struct {
	// Pieces are the exchanges in their order, numbered from 1, with the conflicts among them. Both
	// sides of a conflict have its number.
	Pieces []cassettes.Piece
	// Conflicts say what is in conflict, a sentence each. Nil: nothing is.
	Conflicts []string
	// Warnings are sentences for whoever merges.
	Warnings []string
	// Both counts exchanges that both sides have and that stand once; the others count what only one
	// side has, and what a side has changed or removed.
	Both, OursOnly, TheirsOnly, Changed, Removed int
	// OursGone are the numbers of the exchanges of ours that theirs has removed, and TheirsGone those of
	// theirs that ours has removed.
	OursGone, TheirsGone []int
	// Renumbered counts surrogates of theirs that got another number.
	Renumbered int
}

// Exchanges returns the exchanges of a merge without conflicts.
func (m *Merged) Exchanges() []redact.Clean {
	all := make([]redact.Clean, 0, len(m.Pieces))
	for _, p := range m.Pieces {
		all = append(all, p.Exchange)
	}
	return all
}

// Merge merges tapes. newRedactor returns a redactor that has learned nothing: what is returned has
// been cleaned by one.
func Merge(t Tapes, newRedactor func() *redact.Redactor) *Merged {
	reads := newRedactor()
	base, ours, theirs := newSide(reads, t.Base), newSide(reads, t.Ours), newSide(reads, t.Theirs)
	m := merging{Merged: &Merged{}, ours: ours, theirs: theirs, hasBase: t.Base != nil, gone: map[int]int{}}
	ours.keepFrom(base)
	theirs.keepFrom(base)
	if t.Stable != nil {
		m.stable = t.Stable
		ours.findFlows(t.Stable)
		theirs.findFlows(t.Stable)
	}
	m.timed = ours.flows == nil && theirs.flows == nil && timed(base, ours, theirs)
	ours.changeFrom(base, m.timed)
	theirs.changeFrom(base, m.timed)
	m.link()
	numbers := numbering(ours, theirs, sameValues(ours, theirs))
	m.Renumbered = len(numbers)
	for _, i := range theirs.items {
		i.x = theirs.tape.Apply(i.x, numbers)
	}
	for _, i := range ours.items {
		x := *i.x
		i.x = &x
	}
	m.decide(base)
	m.number()
	m.clean(newRedactor())
	return m.Merged
}

// merging is a merge under way.
type merging struct {
	*Merged
	ours, theirs *side
	stable       Stable // nil for none
	hasBase      bool
	timed        bool // times order exchanges
	placed       []*placed
	gone         map[int]int // how many exchanges were removed before a place
}

// placed is a place on the merged tape: one exchange, or a conflict.
type placed struct {
	ours, theirs *item // one of them may be nil
	take         *item // the one that stays; nil in a conflict
}

// link notes which exchanges of the two sides are one.
func (m *merging) link() {
	base := m.theirs.byBase()
	for _, o := range m.ours.items {
		if i := base[o.base]; o.base != nil && i != nil {
			o.other, i.other = i, o
		}
	}
	ours, theirs := m.linkFlows()
	for _, p := range equalPairs(ours, theirs) {
		p.join()
	}
	if !m.hasBase && m.timed {
		m.findVersions()
	}
}

// findVersions looks for exchanges of two tapes that began at the very same moment and differ, in tapes
// of which nobody knows what they come from. They are versions of one exchange, or the times are not
// those of recordings: two stable tapes of a flow each begin alike.
func (m *merging) findVersions() {
	seen := map[string]*item{}
	for _, o := range m.ours.items {
		if o.other == nil && !o.x.Meta.At.IsZero() {
			seen[o.identity(0, true)] = o
		}
	}
	for _, i := range m.theirs.items {
		o := seen[i.identity(0, true)]
		if o == nil || i.other != nil || i.x.Meta.At.IsZero() {
			continue
		}
		m.timed = false
		m.Warnings = append(m.Warnings, fmt.Sprintf("exchange %d of the first tape and %d of the second "+
			"began at the same moment and differ; both are kept", o.x.Meta.Number, i.x.Meta.Number))
	}
}

// decide puts the exchanges in their order, and says of each whether it stays.
func (m *merging) decide(base *side) {
	runs := map[*item][]*item{} // of theirs, by the item of ours behind which they stand
	var after *item
	for _, i := range m.theirs.items {
		if i.other != nil {
			after = i.other
			continue
		}
		runs[after] = append(runs[after], i)
	}
	var run []*item
	flush := func(behind *item) {
		m.placeRuns(run, runs[behind])
		run = nil
	}
	var behind *item
	for _, o := range m.ours.items {
		if o.other == nil {
			run = append(run, o)
			continue
		}
		flush(behind)
		behind = o
		m.placeBoth(o)
	}
	flush(behind)
	ours, theirs := m.ours.byBase(), m.theirs.byBase()
	for _, b := range base.items {
		if ours[b] == nil && theirs[b] == nil {
			m.Removed++
		}
	}
}

// placeBoth places an exchange that both sides have.
func (m *merging) placeBoth(o *item) {
	t := o.other
	p := &placed{ours: o, theirs: t, take: o}
	switch {
	case o.outline == t.outline:
		m.Both++
	case !o.changed():
		p.take = t
		m.Changed++
	case !t.changed():
		m.Changed++
	default:
		p.take = nil
		m.conflict("exchange %d (%s) was changed on both sides, in two ways", o.base, o)
	}
	m.placed = append(m.placed, p)
}

// placeRuns places what only one side has, by time.
func (m *merging) placeRuns(ours, theirs []*item) {
	for len(ours) > 0 || len(theirs) > 0 {
		if len(ours) > 0 && (len(theirs) == 0 || !m.timed || !before(theirs[0], ours[0])) {
			m.placeOne(ours[0], &placed{ours: ours[0]}, &m.OursOnly)
			ours = ours[1:]
			continue
		}
		m.placeOne(theirs[0], &placed{theirs: theirs[0]}, &m.TheirsOnly)
		theirs = theirs[1:]
	}
}

// before reports whether the request of an item began before that of another.
func before(a, b *item) bool {
	s, t := a.x.Meta.At, b.x.Meta.At
	return !s.IsZero() && !t.IsZero() && s.Before(t)
}

// placeOne places what only one side has: it was added, or the other side has removed it.
func (m *merging) placeOne(i *item, p *placed, count *int) {
	switch {
	case i.base == nil:
		p.take = i
		*count++
	case !i.changed():
		m.Removed++
		gone := &m.TheirsGone
		if p.ours != nil {
			gone = &m.OursGone
		}
		*gone = append(*gone, i.x.Meta.Number)
		m.gone[len(m.placed)]++
		return
	default:
		m.conflict("exchange %d (%s) was changed on one side and removed on the other", i.base, i)
	}
	m.placed = append(m.placed, p)
}

// conflict notes a conflict. The path of a request tells which exchange it is; it is clean.
func (m *merging) conflict(format string, base, i *item) {
	what := i.x.Meta.Operation
	if what == "" {
		target, _, _ := strings.Cut(i.x.Target(), "?")
		what = i.x.Method + " " + target
	}
	m.Conflicts = append(m.Conflicts, fmt.Sprintf(format, base.x.Meta.Number, what))
}

// number numbers the exchanges, and has callbacks name their causes by the new numbers.
func (m *merging) number() {
	ours, theirs := map[int]int{}, map[int]int{}
	n := 0
	for at, p := range m.placed {
		n += m.gone[at] + p.missing() + 1
		for _, i := range []*item{p.ours, p.theirs} {
			if i != nil {
				i.number = n
			}
		}
	}
	for _, i := range m.ours.items {
		ours[i.x.Meta.Number] = i.number
	}
	for _, i := range m.theirs.items {
		theirs[i.x.Meta.Number] = i.number
	}
	for _, p := range m.placed {
		renumberItem(p.ours, ours)
		renumberItem(p.theirs, theirs)
	}
}

// missing returns how many calls before a place no tape has. What one tape lacks the other may have.
func (p *placed) missing() int {
	switch {
	case p.ours == nil:
		return p.theirs.missing
	case p.theirs == nil:
		return p.ours.missing
	}
	return min(p.ours.missing, p.theirs.missing)
}

func renumberItem(i *item, numbers map[int]int) {
	if i == nil {
		return
	}
	i.x.Meta.Number = i.number
	if told := i.x.Meta.Callback; told != nil && told.Of > 0 {
		i.x.Meta.Callback = Caused(*told, numbers[told.Of])
	}
}

// Caused returns what is known of a callback whose cause has another number; 0 if the cause is on the
// tape no more.
func Caused(told leaf.Callback, of int) *leaf.Callback {
	if told.Of = of; of == 0 {
		told.Gap = 0
	}
	return &told
}

// clean cleans all that stays, and all that is in conflict.
func (m *merging) clean(r *redact.Redactor) {
	var all []*leaf.Exchange
	for _, p := range m.placed {
		for _, i := range p.stays() {
			all = append(all, i.x)
		}
	}
	cleaned := r.RecleanAll(all)
	for _, p := range m.placed {
		n := len(p.stays())
		piece := cassettes.Piece{}
		switch {
		case p.take != nil:
			piece.Exchange = cleaned[0]
		default:
			split := 0
			if p.ours != nil {
				split = 1
			}
			piece.Ours, piece.Theirs = slices.Clip(cleaned[:split]), cleaned[split:n]
		}
		m.Pieces = append(m.Pieces, piece)
		cleaned = cleaned[n:]
	}
}

// stays returns the items of a place that are written.
func (p *placed) stays() []*item {
	if p.take != nil {
		return []*item{p.take}
	}
	return slices.DeleteFunc([]*item{p.ours, p.theirs}, func(i *item) bool { return i == nil })
}
