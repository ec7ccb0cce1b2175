package stable

import (
	"slices"

	"github.com/paytape/paytape/match/tape"
)

// Flows of parallel clients are recorded one inside the other. On a stable tape each stands for itself,
// as far as nobody can tell: what is about one entity stays in its order, and so do a question about a
// scope, or about everything, and the writes before and behind it. So do the births of what is listed
// somewhere: lists show them in their order.
//
// The order is that of a walk. It goes through the flows in the order of their first requests, and
// through the exchanges of each; before an exchange come all that must be before it, and what must be
// before these.

// What comes before an exchange of another flow begins that flow, perhaps before a third. So the walk is
// repeated until it goes through the exchanges as they are.

// ordering walks over exchanges.
type ordering struct {
	queues map[place][]*exchange // in their order; what was walked is taken off
	walked map[*exchange]bool
	at     map[*exchange]int // where the exchanges are, before the walk
	order  []*exchange
}

// place is where exchanges meet: an entity, births of a kind, a flow, or an API as a whole.
type place struct {
	entity *tape.Entity
	api    string
	kind   string // of what is borne, and listed somewhere
	flow   *flow  // whose exchanges stay in their order
	writes bool   // the writes there; else the questions
}

// ordered returns exchanges in the order of a stable tape.
func ordered(all []*exchange) []*exchange {
	const most = 10 // walks; two are enough but for flows that are deep in each other
	for range most {
		next := walked(all)
		if slices.Equal(next, all) {
			break
		}
		all = next
	}
	return all
}

// walked walks once through exchanges.
func walked(all []*exchange) []*exchange {
	o := &ordering{
		queues: map[place][]*exchange{}, walked: map[*exchange]bool{}, at: map[*exchange]int{},
	}
	var flows []*flow
	members := map[*flow][]*exchange{}
	for i, x := range all {
		o.at[x] = i
		for _, p := range standsAt(x) {
			o.queues[p] = append(o.queues[p], x)
		}
		if members[x.flow] == nil {
			flows = append(flows, x.flow)
		}
		members[x.flow] = append(members[x.flow], x)
	}
	for _, f := range flows {
		for _, x := range members[f] {
			o.walk(x)
		}
	}
	return o.order
}

// walk puts an exchange behind all that must be before it.
func (o *ordering) walk(x *exchange) {
	if o.walked[x] {
		return
	}
	o.walked[x] = true
	for _, p := range behind(x, x.writes() || x.turns) {
		for len(o.queues[p]) > 0 && o.at[o.queues[p][0]] < o.at[x] {
			first := o.queues[p][0]
			o.queues[p] = o.queues[p][1:]
			o.walk(first)
		}
	}
	o.order = append(o.order, x)
}

// standsAt returns the places at which others meet an exchange.
func standsAt(x *exchange) []place {
	places := []place{{flow: x.flow}}
	asks, writes := !x.writes(), x.writes() || x.turns
	for _, e := range shown(x) {
		places = addPlace(places, e, asks || !e.Scope, writes || !e.Scope)
	}
	for _, e := range scopesOf(x) {
		places = addPlace(places, e, asks, writes)
	}
	for _, kind := range x.listed {
		places = append(places, place{kind: kind})
	}
	if writes || !global(x) {
		places = append(places, place{api: apiOf(x), writes: true})
	}
	if asks && global(x) {
		places = append(places, place{api: apiOf(x)})
	}
	return places
}

// addPlace adds the questions about an entity, or the writes about it, or both.
func addPlace(places []place, e *tape.Entity, questions, writes bool) []place {
	if questions {
		places = append(places, place{entity: e})
	}
	if writes {
		places = append(places, place{entity: e, writes: true})
	}
	return places
}

// behind returns the places at which an exchange comes behind what came before it on tape: behind writes
// where it asks, and behind questions where it writes. What is the first to show a change by itself asks
// and, as far as others show the change as well, writes.
func behind(x *exchange, writes bool) []place {
	places := []place{{flow: x.flow}}
	asks := !x.writes()
	for _, e := range shown(x) {
		places = addPlace(places, e, writes && e.Scope, asks || !e.Scope)
	}
	for _, e := range scopesOf(x) {
		places = addPlace(places, e, writes, asks)
	}
	for _, kind := range x.listed {
		places = append(places, place{kind: kind})
	}
	if writes {
		places = append(places, place{api: apiOf(x)})
	}
	if asks && global(x) {
		places = append(places, place{api: apiOf(x), writes: true})
	}
	return places
}

// shown returns the entities that an exchange names or bears, or of which its answer shows something.
func shown(x *exchange) []*tape.Entity {
	all := named(x)
	show := func(h *tape.Hole) {
		if e := h.Source.Owner(); e != nil && !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	x.holes(show)
	return all
}

// behindInTime returns the places at which an exchange comes later than what came before it on tape. A date
// may tell what was done in a scope, so no two flows do something there at one time. No date tells when a
// change by itself was first shown, and to wait with that would look as if the change took so long.
func behindInTime(x *exchange) []place {
	places := behind(x, x.writes())
	for _, e := range slices.Concat(named(x), scopesOf(x)) {
		if e.Scope {
			places = append(places, place{entity: e, writes: true}, place{entity: e})
		}
	}
	return places
}

// scopesOf returns the scopes of what an exchange is about.
func scopesOf(x *exchange) []*tape.Entity {
	var scopes []*tape.Entity
	for _, e := range named(x) {
		scopes = append(scopes, e.Scopes()...)
	}
	return scopes
}

// global reports whether an exchange is about everything: it names nothing, or lists all of a kind.
func global(x *exchange) bool {
	return x.rec != nil && (len(named(x)) == 0 || x.rec.Listing != nil && x.rec.Listing.Of == "")
}

func apiOf(x *exchange) string {
	switch {
	case x.rec != nil && x.rec.Call().Profile != nil:
		return x.rec.Call().Profile.Name
	case x.callback != nil && x.callback.Profile != nil:
		return x.callback.Profile.Name
	}
	return ""
}
