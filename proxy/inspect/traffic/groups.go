package traffic

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unique"

	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/proxy"
)

// groups are all flows of which a row is held.
type groups struct {
	last   uint64 // the number of the latest
	byName map[unique.Handle[name]]*group
	// byNumber has a group under each of its numbers.
	byNumber map[uint64]*group
	// loose is the latest group, if its rows name nothing: the next such row joins it.
	loose *group
}

func newGroups() groups {
	return groups{byName: map[unique.Handle[name]]*group{}, byNumber: map[uint64]*group{}}
}

// namesOf returns the names by which a row is in a flow: those of the entity that it is about, one
// of each noun. So a payment from one card to another is about the first.
func namesOf(r *row, found *outcome.Found, flow int) []name {
	l := r.look.Value()
	var all []name
	if flow != 0 {
		all = append(all, name{l.session, l.profile, flowNoun, strconv.Itoa(flow)})
	}
	if found == nil || found.Kind == "" {
		return all
	}
	for _, n := range found.Names {
		about := n.Entity == found.Kind || n.Entity == "" && n.Noun == found.Kind
		again := slices.ContainsFunc(all, func(m name) bool { return m.noun == n.Noun })
		if about && !again {
			all = append(all, name{l.session, l.profile, n.Noun, n.Text})
		}
	}
	return all
}

// place gives a row its group. found is what was read of the exchange, nil for nothing, and flow the
// number of a live entity, 0 for none. It returns the groups that have become one with that of the
// row, whose rows are to be moved there.
func (gs *groups) place(r *row, found *outcome.Found, flow int) (merged []*group) {
	names := namesOf(r, found, flow)
	if len(names) == 0 {
		if r.group == nil {
			r.group = gs.unnamed(r)
		}
		return nil
	}
	id := ""
	if found != nil {
		id = found.ID
	}
	var home *group
	if g := r.group; g != nil && !g.nameless() && !other(g, id) {
		home = g
		id = cmp.Or(id, g.who.ID.String())
	}
	relayed := r.look.Value().kind == proxy.Callback && r.look.Value().session == ""
	for _, n := range names {
		g := gs.byName[unique.Make(n)]
		if g == nil && relayed {
			g = gs.byName[unique.Make(n.anywhere())]
		}
		if g == nil || g == home || other(g, id) {
			continue
		}
		id = cmp.Or(id, g.who.ID.String())
		switch {
		case home == nil:
			home = g
		case g.order(home) < 0:
			merged, home = append(merged, home), g
		default:
			merged = append(merged, g)
		}
	}
	if home == nil {
		home = gs.begin(r)
		gs.loose = nil
	}
	for _, n := range names {
		gs.call(home, unique.Make(n))
		if n.session != "" && n.noun != flowNoun {
			gs.call(home, unique.Make(n.anywhere()))
		}
	}
	for _, g := range merged {
		gs.join(home, g)
	}
	r.group = home
	return merged
}

// other reports whether a group is about something else than what has an id.
func other(g *group, id string) bool {
	return id != "" && !empty(g.who.ID) && g.who.ID.String() != id
}

// unnamed returns the group of a row that names nothing: that of the row before it, if that names
// nothing either.
func (gs *groups) unnamed(r *row) *group {
	l := r.look.Value()
	if gs.loose == nil || gs.loose.session != l.session || len(gs.loose.rows) == 0 {
		gs.loose = gs.begin(r)
	}
	return gs.loose
}

// begin begins a group with a row.
func (gs *groups) begin(r *row) *group {
	l := r.look.Value()
	gs.last++
	g := &group{number: gs.last, born: r.id, session: l.session, profile: l.profile}
	gs.byNumber[g.number] = g
	return g
}

// call has a name lead to a group.
func (gs *groups) call(g *group, n unique.Handle[name]) {
	if gs.byName[n] != g {
		gs.byName[n] = g
		g.names = append(g.names, n)
	}
}

// join has the names and the numbers of a group lead to another.
func (gs *groups) join(home, g *group) {
	for _, n := range g.names {
		if gs.byName[n] == g {
			gs.call(home, n)
		}
	}
	for _, number := range append(g.others, g.number) {
		gs.byNumber[number] = home
		home.others = append(home.others, number)
	}
	g.names, g.others = nil, nil
}

// tidy forgets a group that has no rows.
func (gs *groups) tidy(g *group) {
	if len(g.rows) > 0 {
		return
	}
	for _, n := range g.names {
		if gs.byName[n] == g {
			delete(gs.byName, n)
		}
	}
	for _, number := range append(g.others, g.number) {
		if gs.byNumber[number] == g {
			delete(gs.byNumber, number)
		}
	}
	if gs.loose == g {
		gs.loose = nil
	}
}

// byID returns the group with an ID, such as "g12"; nil for none.
func (gs *groups) byID(id string) *group {
	digits, found := strings.CutPrefix(id, "g")
	number, err := strconv.ParseUint(digits, 10, 64)
	if !found || err != nil {
		return nil
	}
	return gs.byNumber[number]
}
