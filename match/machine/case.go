package machine

import (
	"cmp"
	"iter"
	"slices"

	"github.com/paytape/paytape/match/tape"
)

// Cases are the recordings of one row, by deciding values. Most rows have one case, most cases one view,
// and most views one recording. These lie in the memory of the row, so that whoever has found the row has
// the recording.
type Cases struct {
	all   []*Case    // in the order in which they were recorded
	index *caseIndex // nil of a few cases
	kept  bool       // some recording tells of no failure
	room  [1]*Case   // of all
	one   Case       // the first of all
}

// caseIndex finds one of many cases.
type caseIndex struct {
	by       map[string]*Case // by deciding values
	ofIssuer map[string]*Case // the first for each issuer
	card     *Case            // the first that a card decides; nil if there is none
}

func (x *caseIndex) add(c *Case) {
	x.by[c.deciding] = c
	if c.deciding == "" {
		return
	}
	if x.card == nil {
		x.card = c
	}
	if issuer := Issuer(c.deciding); x.ofIssuer[issuer] == nil {
		x.ofIssuer[issuer] = c
	}
}

// Case returns the case of deciding values, or nil.
func (c *Cases) Case(deciding string) *Case {
	if c.index != nil {
		return c.index.by[deciding]
	}
	for _, one := range c.all {
		if one.deciding == deciding {
			return one
		}
	}
	return nil
}

// add adds a case of deciding values.
func (c *Cases) add(deciding string, s *slabs) *Case {
	one := &c.one
	if len(c.all) == 0 {
		c.all = c.room[:0]
	} else {
		one = s.cases.Put(Case{})
	}
	one.deciding, one.rareCase = deciding, commonCase
	c.all = append(c.all, one)
	switch {
	case c.index != nil:
		c.index.add(one)
	case len(c.all) > few:
		c.index = &caseIndex{by: make(map[string]*Case, 2*few), ofIssuer: map[string]*Case{}}
		for _, one := range c.all {
			c.index.add(one)
		}
	}
	return one
}

// few is how many cases of a row, views of a case and recordings of a group are looked through. More of
// them have an index.
const few = 8

// Recordings yields all recordings of the row with their cases, in the order of the cases.
func (c *Cases) Recordings() iter.Seq2[*Case, *Recording] {
	return func(yield func(*Case, *Recording) bool) {
		for _, one := range c.all {
			for _, r := range one.All.Recordings {
				if !yield(one, r) {
					return
				}
			}
		}
	}
}

// Refuse reports whether all recordings of the row tell of a failure.
func (c *Cases) Refuse() bool { return !c.kept }

// Nearest returns a case for a card that the tape does not have: the first case of a card of the
// same issuer, else the first case.
func (c *Cases) Nearest(deciding string) *Case {
	if x := c.index; x != nil {
		return cmp.Or(x.ofIssuer[Issuer(deciding)], x.card, c.all[0])
	}
	issuer, card := Issuer(deciding), (*Case)(nil)
	for _, one := range c.all {
		switch {
		case one.deciding == "":
		case Issuer(one.deciding) == issuer:
			return one
		case card == nil:
			card = one
		}
	}
	return cmp.Or(card, c.all[0])
}

// Case are the recordings of one row and card.
type Case struct {
	deciding  string
	views     []viewed
	room      [1]viewed // of views
	All       Group     // that of the one view too, where there is one
	*rareCase           // never nil; it is changed by way of rarely
	secret    uint64    // digest of the secrets of the first request that had some; 0: none had
	said      uint64    // the class of its answer
	several   bool      // other requests had other secrets
	hidden    bool      // answers differ with secrets that cleaning has taken out
	parts     bool      // some recording is about an entity with parts
	torn      bool      // all that are there are in doubt
	strict    int32     // how many are not loose
}

// rareCase is what few cases have.
type rareCase struct {
	byView map[View]*Group // nil of a few views
	loose  []*Recording    // in doubt, and disturbances: for want of others
	// otherwise comes after a missing call, and says what no recording of the case does.
	otherwise *Recording
}

// commonCase is what cases share that have nothing of what few have.
var commonCase = &rareCase{}

// rarely returns what few cases have, to be changed.
func (c *Case) rarely() *rareCase {
	if c.rareCase == commonCase {
		c.rareCase = &rareCase{}
	}
	return c.rareCase
}

// viewed are the recordings of a case that have one view.
type viewed struct {
	view  View
	group *Group
}

// In returns the recordings of a view, or nil.
func (c *Case) In(v View) *Group {
	if c.byView != nil {
		return c.byView[v]
	}
	for i := range c.views {
		if c.views[i].view == v {
			return c.views[i].group
		}
	}
	return nil
}

// addView adds a view without recordings. The first has the group of all.
func (c *Case) addView(view View, s *slabs) *Group {
	v := viewed{view, &c.All}
	switch len(c.views) {
	case 0:
		c.views = c.room[:0]
	case 1:
		c.views[0].group = s.groups.Put(Group{})
		for _, r := range c.All.Recordings {
			c.views[0].group.add(r, s)
		}
		fallthrough
	default:
		v.group = s.groups.Put(Group{})
	}
	c.views = append(c.views, v)
	switch {
	case c.byView != nil:
		c.byView[v.view] = v.group
	case len(c.views) > few:
		c.rarely().byView = make(map[View]*Group, 2*few)
		for _, v := range c.views {
			c.byView[v.view] = v.group
		}
	}
	return v.group
}

// Indifferent reports whether the tape shows that the view does not matter: it has two or more, and
// one answer.
func (c *Case) Indifferent() bool { return c.All.Alike && len(c.views) > 1 }

// HasParts reports whether some recording is about an entity that had parts.
func (c *Case) HasParts() bool { return c.parts }

// Hidden reports whether a secret that is not on tape decides which recording of the case answers.
func (c *Case) Hidden() bool { return c.hidden }

// Doubtful returns a recording that tells why nobody can be sure of a case: all recordings of the
// case were overlapped by writes or come after a missing call, or a recording that comes after a
// missing call says something else than the sure recordings. It returns nil where there is no
// doubt.
func (c *Case) Doubtful() *Recording {
	if c.torn {
		return c.loose[0]
	}
	return c.otherwise
}

// Group are recordings that answer one request.
type Group struct {
	Recordings []*Recording
	// Alike says that the recordings are interchangeable: they say the same, and lead to the same
	// states.
	Alike bool
	mixed bool         // they are about several recorded entities,
	about *tape.Entity // or all about this entity; nil if they name none
	named int32        // how many of the first Named tells of; 0 for all
	// Number is that of the group among the groups of all cases, from 1. Groups of lists have numbers of their own.
	Number int32
	room   [1]*Recording                 // of Recordings
	of     map[*tape.Entity][]*Recording // by what they are about; nil of a few recordings, and of one entity
}

func (g *Group) add(r *Recording, s *slabs) {
	about := r.about()
	if g.Recordings == nil {
		g.Recordings, g.Alike, g.about = g.room[:0], true, about
		s.numbered++
		g.Number = s.numbered
	} else {
		g.Alike = g.Alike && g.Recordings[0].Class == r.Class
		g.mixed = g.mixed || g.about != about
	}
	g.Recordings = s.lists.Append(g.Recordings, r)
	switch {
	case g.of != nil:
		g.of[about] = s.lists.Append(g.of[about], r)
	case g.mixed && len(g.Recordings) > few:
		g.index(s)
	}
}

// index sorts the recordings by what they are about.
func (g *Group) index(s *slabs) {
	g.of = map[*tape.Entity][]*Recording{}
	for _, r := range g.Recordings {
		g.of[r.about()] = s.lists.Append(g.of[r.about()], r)
	}
}

// about returns the first entity that a recording names; nil if it names none.
func (r *Recording) about() *tape.Entity {
	if len(r.Roles) == 0 {
		return nil
	}
	return r.Roles[0]
}

// About returns the recordings about a recorded entity, which must not be changed; none for nil.
func (g *Group) About(e *tape.Entity) []*Recording {
	switch {
	case e == nil:
		return nil
	case g.of != nil:
		return g.of[e]
	case !g.mixed && g.about == e:
		return g.Recordings
	case !g.mixed:
		return nil
	}
	is := func(r *Recording) bool { return r.about() == e }
	from := slices.IndexFunc(g.Recordings, is)
	if from < 0 {
		return nil
	}
	to := from + 1
	for to < len(g.Recordings) && is(g.Recordings[to]) {
		to++
	}
	about := g.Recordings[from:to:to] // nearly always there are no more
	for _, r := range g.Recordings[to:] {
		if is(r) {
			about = append(about, r)
		}
	}
	return about
}
