package stable

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// exchange is a recorded exchange, and what the tape knows of it.
type exchange struct {
	*leaf.Exchange
	place    int             // among the recorded exchanges, from 0
	rec      *tape.Recording // nil of a callback, and of what was not compiled
	callback *tape.Callback  // nil of all others
	keyed    *tape.Recording // that had the idempotency key of the exchange first; nil for none
	flow     *flow
	// listed are the kinds of the entities that the exchange bears, of those that are listed somewhere.
	listed []string
	// turns says that something has changed by itself, and the exchange is the first to show it.
	turns bool
	// settled says that the exchange is of a stable tape to which others were appended: its text stays.
	settled bool
}

// holes calls f for every hole of an answer, or of a callback.
func (x *exchange) holes(f func(*tape.Hole)) {
	switch {
	case x.rec != nil:
		x.rec.Holes(f)
	case x.callback != nil:
		x.callback.Body().Holes(f)
	}
}

// flow is exchanges about entities that belong together.
type flow struct {
	exchanges []*exchange    // in the order of their requests
	seed      uint64         // of the values that are made in it
	counts    map[string]int // of the values that were made, by noun
}

// seedOf returns the seed of the next value of a noun that is made in the flow.
func (f *flow) seedOf(noun string) uint64 {
	f.counts[noun]++
	return f.seed ^ hashed(noun+"\x00"+strconv.Itoa(f.counts[noun]))
}

// exchangesOf lays what the tape knows beside the exchanges.
func exchangesOf(m *machine.Machine, recorded []*leaf.Exchange) []*exchange {
	t := m.Tape
	all := make([]*exchange, len(recorded))
	for i, x := range recorded {
		all[i] = &exchange{Exchange: x, place: i, settled: Clocked(x)}
	}
	attempts := map[string]*tape.Callback{} // by what was sent
	lists := map[string]bool{}
	for _, rec := range t.Recordings {
		if rec.Listing != nil {
			lists[rec.Listing.Kind] = true
		}
	}
	for _, rec := range t.Recordings {
		x := all[rec.Surveyed()-1]
		x.rec = rec
		for _, e := range rec.Births {
			if lists[e.Kind] {
				x.listed = append(x.listed, e.Kind)
			}
		}
		for _, cb := range rec.Callbacks {
			x := all[cb.Place-1]
			x.callback = cb
			attempts[x.URL+"\x00"+x.Request.Body] = cb
		}
	}
	for i := range t.KeyReuses {
		all[t.KeyReuses[i].Surveyed()-1].keyed = t.KeyReuses[i].First
	}
	for _, x := range all {
		if x.Meta.Callback != nil && x.callback == nil {
			x.callback = attempts[x.URL+"\x00"+x.Request.Body] // another attempt, or nil
		}
	}
	findTurns(m, all)
	return all
}

// findTurns finds the exchanges at which the machine takes a silent edge: what they name is in another state
// than the last exchange about it has left it in.
func findTurns(m *machine.Machine, all []*exchange) {
	left := map[*tape.Entity]machine.Own{}
	for _, r := range m.All {
		for i, e := range r.Roles {
			if i >= len(r.Owns) {
				break // it was refused
			}
			if own, known := left[e]; known && own != r.Owns[i] && !e.Scope {
				all[r.Surveyed()-1].turns = true
			}
			left[e] = r.Moves[i]
		}
		for i := range r.Births {
			if b := &r.Births[i]; b.Entity != nil {
				left[b.Entity] = b.Own
			}
		}
	}
}

// writes reports whether an exchange is no question.
func (x *exchange) writes() bool { return x.rec == nil || x.rec.Writes() }

// flowsOf divides exchanges into flows, in the order of their first requests. An exchange that is
// about nothing is a flow of its own.
func flowsOf(all []*exchange) []*flow {
	sets := union{}
	about := make([][]*tape.Entity, len(all))
	for i, x := range all {
		about[i] = entitiesOf(x)
		for _, e := range about[i] {
			sets.join(about[i][0], e)
		}
	}
	var flows []*flow
	by := map[*tape.Entity]*flow{}
	for i, x := range all {
		var f *flow
		if len(about[i]) > 0 {
			f = by[sets.find(about[i][0])]
		}
		if f == nil {
			f = &flow{counts: map[string]int{}}
			flows = append(flows, f)
		}
		if len(about[i]) > 0 {
			by[sets.find(about[i][0])] = f
		}
		f.exchanges = append(f.exchanges, x)
		x.flow = f
	}
	seen := map[uint64]uint64{}
	for _, f := range flows {
		said := said(f.exchanges[0])
		f.seed = said + seen[said]*golden
		seen[said]++
	}
	return flows
}

// entitiesOf returns what an exchange is about, but for scopes and for what was there before the tape:
// many flows share these.
func entitiesOf(x *exchange) []*tape.Entity {
	return slices.DeleteFunc(named(x), func(e *tape.Entity) bool { return e.Scope || e.Config != "" })
}

// named returns the entities that an exchange names or bears, and of which these are parts. What becomes of an
// idempotency key that comes again depends on the first write under the key, and so is about that, too.
func named(x *exchange) []*tape.Entity {
	var all []*tape.Entity
	switch {
	case x.rec != nil:
		all = slices.Concat(x.rec.Roles, x.rec.Births)
	case x.callback != nil:
		all = []*tape.Entity{x.callback.Entity}
	}
	if x.keyed != nil {
		all = append(append(all, x.keyed.Roles...), x.keyed.Births...)
	}
	for _, e := range all {
		all = append(all, e.Wholes()...)
	}
	return all
}

// said digests what a request says that another recording of the same suite says too.
func said(x *exchange) uint64 {
	h := fnv.New64a()
	h.Write([]byte(x.Method + " "))
	if x.rec == nil {
		return h.Sum64()
	}
	h.Write([]byte(x.rec.Op))
	asked := x.rec.Request.Append(nil)
	slices.SortFunc(asked, func(a, b tape.Asked) int { return cmp.Compare(a.Path, b.Path) })
	for i := range asked {
		a := &asked[i]
		if a.Secret || a.Free || len(a.Names) > 0 || byChance(a.Text, x.rec.Answered()) ||
			isDate(a.Field, a.Text) || strings.Contains(a.Text, "://") {
			continue
		}
		h.Write([]byte("\x00" + a.Path + "=" + a.Text))
	}
	return h.Sum64()
}

// union are sets of entities, each under one of its members.
type union map[*tape.Entity]*tape.Entity

func (u union) find(e *tape.Entity) *tape.Entity {
	for u[e] != nil && u[e] != e {
		if up := u[u[e]]; up != nil {
			u[e] = up
		}
		e = u[e]
	}
	return e
}

func (u union) join(a, b *tape.Entity) {
	if a, b = u.find(a), u.find(b); a != b {
		u[b] = a
	}
}
