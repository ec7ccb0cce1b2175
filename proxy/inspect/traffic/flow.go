package traffic

import (
	"slices"
	"time"

	"github.com/paytape/paytape/proxy/inspect/view"
)

// maxFlow bounds the rows of a flow that is shown whole: its last.
const maxFlow = 1000

// Flow returns a flow with its rows: by its ID ("g12"), or by the number or the id of what it is
// about, of which the newest flow is meant.
func (t *Traffic) Flow(id string) (view.Flow, bool) {
	t.begin()
	t.mu.Lock()
	g := t.flowLocked(id)
	if g == nil {
		t.mu.Unlock()
		return view.Flow{}, false
	}
	ids := slices.Clone(g.rows[max(0, len(g.rows)-maxFlow):])
	id = g.name() // its rows may come to another group when they are read, and it keeps its ID
	t.mu.Unlock()
	t.readNow(ids)
	t.mu.Lock()
	defer t.mu.Unlock()
	if g = t.flowLocked(id); g == nil {
		return view.Flow{}, false
	}
	last := g.rows[max(0, len(g.rows)-maxFlow):]
	f := view.Flow{
		Group: g.view(t.findLocked), Rows: t.rowsLocked(last), More: len(g.rows) - len(last),
	}
	f.States = stagesOf(f.Rows)
	f.Actors = actorsOf(f.Rows)
	return f, true
}

// flowLocked returns the group of a flow; nil for none.
func (t *Traffic) flowLocked(id string) *group {
	if g := t.groups.byID(id); g != nil {
		return g
	}
	for _, s := range slices.Backward(t.all.shares) {
		w := &s.group.who
		if id != "" && (w.Label.String() == id || w.ID.String() == id) {
			return s.group
		}
	}
	return nil
}

// stagesOf returns the states that rows show, one after another: what answers with codes say, and
// what shops were told.
func stagesOf(rows []view.Row) []view.Stage {
	stages := []view.Stage{}
	for i := range rows {
		r := &rows[i]
		o := &r.Outcome
		tells := o.Tone != view.Plain || !empty(o.Codes) || len(stages) == 0
		if empty(o.Words) || !tells || r.Sign == view.SignMiss || r.Sign == view.SignFailed {
			continue
		}
		if n := len(stages); n > 0 && stages[n-1].Words == o.Words {
			continue
		}
		stages = append(stages, view.Stage{
			Words: o.Words, Code: o.Codes, Tone: o.Tone, ID: r.ID,
			After: max(0, r.At.Add(r.Took).Sub(rows[0].At)).Round(time.Microsecond),
		})
	}
	return stages
}

// actorOrder are all actors, from left to right.
var actorOrder = []view.Actor{
	view.ActorClient, view.ActorDeck, view.ActorTape, view.ActorSandbox, view.ActorBrowser,
	view.ActorACS, view.ActorShop,
}

// actorsOf returns the actors of rows, from left to right.
func actorsOf(rows []view.Row) []view.Actor {
	there := map[view.Actor]bool{}
	for i := range rows {
		r := &rows[i]
		there[r.From], there[r.To] = true, true
		switch r.Served {
		case "tape":
			there[view.ActorTape] = true
		case "upstream":
			there[view.ActorSandbox] = true
		}
	}
	actors := []view.Actor{}
	for _, a := range actorOrder {
		if there[a] {
			actors = append(actors, a)
		}
	}
	return actors
}
