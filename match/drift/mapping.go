package drift

import (
	"cmp"
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// variable is a variable of one tape: all places that show a text under a noun.
type variable struct{ noun, text string }

// counterpart says that a variable of the old tape stands where a variable of the new tape does.
type counterpart struct{ was, is variable }

// mapping says which variable of the new tape stands for which of the old tape. Each place that two
// exchanges have in common is a vote. A checkout has three places of its order:
//
//	#1 register.do   answer orderId      0190-aa -> 0195-c4
//	#2 status        request orderId     0190-aa -> 0195-c4
//	                 answer mdOrder      0190-aa -> 77ff-01
//
// 0195-c4 stands for 0190-aa by two votes, so mdOrder of #2 shows another order. No variable stands for
// two. Of equal votes the first counts.
type mapping struct {
	votes   map[counterpart]int
	order   []counterpart // as they were first seen
	newOf   map[variable]variable
	oldOf   map[variable]variable
	settled bool // newOf and oldOf are those of the votes
}

// vote notes that two variables stand in one place.
func (m *mapping) vote(c counterpart) {
	if m.votes == nil {
		m.votes = map[counterpart]int{}
	}
	if m.votes[c] == 0 {
		m.order = append(m.order, c)
	}
	m.votes[c]++
	m.settled = false
}

// settle counts the votes.
func (m *mapping) settle() {
	if m.settled {
		return
	}
	m.newOf, m.oldOf, m.settled = map[variable]variable{}, map[variable]variable{}, true
	all := slices.Clone(m.order)
	slices.SortStableFunc(all, func(a, b counterpart) int { return cmp.Compare(m.votes[b], m.votes[a]) })
	for _, c := range all {
		_, wasTaken := m.newOf[c.was]
		_, isTaken := m.oldOf[c.is]
		if !wasTaken && !isTaken {
			m.newOf[c.was], m.oldOf[c.is] = c.is, c.was
		}
	}
}

// against reports whether another variable stands for one of two.
func (m *mapping) against(c counterpart) bool {
	m.settle()
	is, known := m.newOf[c.was]
	was, also := m.oldOf[c.is]
	return known && is != c.is || also && was != c.was
}

// counterparts returns which variables of two values that are folded alike stand in one place. Dates,
// renderings, and what every answer has anew, are left out: their texts name nothing.
func counterparts(a, b *value) []counterpart {
	if a.loose || b.loose || len(a.parts) != len(b.parts) {
		return nil
	}
	var all []counterpart
	for i := range a.parts {
		if was, is := &a.parts[i], &b.parts[i]; was.names() && is.names() {
			all = append(all, counterpart{variable{was.noun, was.text}, variable{is.noun, is.text}})
		}
	}
	return all
}

// names reports whether the text of a variable tells it from others.
func (p *part) names() bool {
	return p.noun != "" && p.noun != nounDate && p.form == profile.NoForm && p.text != "" && !p.once && manners[p.how] == ""
}

// Learn takes from two exchanges which variables of the new tape stand for those of the old tape. What
// differs is told by what has been learned before: so a caller gives all pairs of exchanges first, and
// compares them then. What is in one Comparison is about the same things; of flows that are paired
// because they said the same it is not known that they are about one client.
func (c *Comparison) Learn(was, is *Exchange) {
	for _, side := range []string{SideRequest, was.says()} {
		p := c.pair(was, is, side)
		p.learns = true
		p.messages()
	}
}

// learn takes from two values what stands for what. A literal that is made anew each time has no noun.
func (p *pair) learn(a, b *value) {
	switch {
	case a.kind != b.kind:
	case a.fold == b.fold && p.reshaped(a, b) == "":
		for _, c := range counterparts(a, b) {
			p.mapping.vote(c)
		}
	case a.open && b.open && a.literal() && b.literal() && p.volatile(a, b):
		p.mapping.vote(counterpart{variable{text: a.raw}, variable{text: b.raw}})
	}
}

// another names a variable of two values that are folded alike that is not the one it was: "another
// order". It is empty if there is none. What the request of an answer has named is what the answer is
// about, and the request has been told already.
func (p *pair) another(a, b *value) string {
	for _, c := range counterparts(a, b) {
		if !p.asked[c] && p.mapping.against(c) {
			return "another " + c.was.noun
		}
	}
	return ""
}

// displaced reports whether one of two values is a variable, and the other one is a text of which its tape
// does not know that it is a variable, and which stands for another variable or is not the one that
// stands for this.
func (p *pair) displaced(a, b *value) bool {
	was, is := a.whole(), b.whole()
	switch {
	case was != nil && was.names():
		return p.mapping.against(counterpart{variable{was.noun, was.text}, variable{was.noun, b.raw}})
	case is != nil && is.names():
		return p.mapping.against(counterpart{variable{is.noun, a.raw}, variable{is.noun, is.text}})
	}
	return false
}

// askedIn returns what stands for what in two requests.
func askedIn(was, is *Exchange) map[counterpart]bool {
	by := map[string]*value{}
	for _, v := range is.asked {
		by[v.place.String()+v.path] = v
	}
	all := map[counterpart]bool{}
	for _, v := range was.asked {
		if o := by[v.place.String()+v.path]; o != nil && v.fold == o.fold {
			for _, c := range counterparts(v, o) {
				all[c] = true
			}
		}
	}
	return all
}
