package match

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// asking is what a request asks, without what finds its answer.
type asking struct {
	machine.Question
	reads   bool
	address string // if not empty, the one that the recording must have
	host    string // the name or the address of the host that the client asked for, if it did
}

// param returns a parameter by its path, or nil.
func (q *asking) param(path string) *tape.Asked { return tape.Param(q.Asked, path) }

// query is a request on its way to an answer. A trace of it outlives it. The query itself is used again
// for another request, with the room of its lists: see end.
type query struct {
	r   *Request
	now time.Time
	asking
	layout *layout
	api    *apiState // see Player.apiOf
	hosts  []string
	open   []bool
	places []*tape.Place // of the layout, which many requests share

	// named are the entities of all names, in the order of the parameters and of the names of each.
	// starts tells for each parameter where its entities begin.
	named  []*entity
	starts []int
	// ents are the entities that the request names, by role.
	ents []*entity
	// unknown are parameters that would have to name something, and name nothing.
	unknown []int
	print   uint64   // of a write; see fingerprint
	key     underKey // of a write
	strange string   // the mark of a token that this run has not issued; see Player.stranger
	foreign []string // these tokens

	order  []int                   // room for tape.LabelOrder
	names  []tape.Named            // room for those of the parameters
	writer writer                  // of the answer
	fill   func(*tape.Hole) string // that of the writer, made once
	text   []byte                  // room for the body of the answer
	rooms
}

// rooms are the memory of what is worked out of a query again and again.
type rooms struct {
	owns      []machine.Own
	tied      []machine.Tied[*entity]
	ties      []machine.Tie
	standings []*machine.Standing
	params    []tape.Parameter // where what is asked stands
}

var queries = sync.Pool{New: func() any { return &query{} }}

// newQuery returns a query that asks nothing yet.
func newQuery(r *Request, now time.Time) *query {
	q := queries.Get().(*query)
	q.r, q.now = r, now
	if q.fill == nil {
		q.fill = q.writer.fill
	}
	return q
}

// answering returns the writer of the answer to the query that a recording is.
func (q *query) answering(p *Player, r *machine.Recording) *writer {
	w := &q.writer
	w.p, w.q, w.r = p, q, r
	return w
}

// end lets go of a query, of which its trace is left: a trace that is kept must not keep entities alive.
func (q *query) end() {
	const most = 64 // parameters for which room is kept: a request with more is rare
	if cap(q.Asked) > most || cap(q.named) > most {
		return
	}
	const longest = 64 << 10 // bytes of an answer for which room is kept
	if cap(q.text) > longest {
		q.text = nil
	}
	asked, config := emptied(q.Asked), emptied(q.Config)
	*q = query{
		asking: asking{Question: machine.Question{Asked: asked, Config: config}},
		named:  emptied(q.named), ents: emptied(q.ents),
		starts: q.starts[:0], unknown: q.unknown[:0], order: q.order[:0],
		names: emptied(q.names), fill: q.fill, text: emptied(q.text),
		writer: writer{births: emptied(q.writer.births), made: emptied(q.writer.made), numbers: emptied(q.writer.numbers)},
		rooms: rooms{
			owns: q.rooms.owns[:0], tied: emptied(q.tied), ties: q.rooms.ties[:0],
			standings: emptied(q.standings), params: emptied(q.params),
		},
	}
	queries.Put(q)
}

// emptied returns the room of a list, which holds nothing any more.
func emptied[E any](list []E) []E {
	clear(list)
	return list[:0]
}

// query prepares a request to be looked for. It needs no lock.
func (p *Player) query(r *Request) *query {
	t := p.tape.machine.Tape
	r.AtDeck(r.Bases, []string{r.Deck}, p.tape.addresses)
	now := r.Now
	if now.IsZero() {
		now = p.now()
	}
	q := newQuery(r, now)
	q.Call, q.reads, q.host = r.Call, tape.Reads(r), cmp.Or(r.Host, r.Address)
	q.Op, q.open = t.Operation(r)
	q.hosts, q.address = t.Locate(r)
	q.Broken = r.Broken
	q.Asked = slices.Grow(q.Asked, len(r.Params))[:len(r.Params)]
	q.params = slices.Grow(q.params, len(r.Params))[:len(r.Params)]
	q.layout = p.tape.layoutOf(r, q.Op)
	q.places = q.layout.places.Known
	for i := range r.Params {
		a, place := &r.Params[i], q.places[i]
		a.Field = q.layout.params[i].meaning(a.Text)
		if place != nil && place.Free {
			a.Text = r.AsSent(a) // it may be any address: it is the client's own
		}
		of := &q.Asked[i].Argument
		of.Parameter = &q.params[i]
		of.Path, of.Label, of.Place, of.Kind = a.Path, q.layout.params[i].label, a.Place, a.Kind
		of.Text, of.Field, of.Known = a.Text, a.Field, a.Known
		of.Class, of.Deciding = t.Class(a, q.now), a.Deciding()
	}
	t.Pair(r, q.Asked, q.now)
	if !q.reads {
		q.print, q.key = fingerprint(r), q.underKey()
	}
	return q
}

// owns returns the own states of what the request names. They are good until owns is called again.
func (q *query) owns() []machine.Own {
	all := q.rooms.owns[:0]
	for _, e := range q.ents {
		all = append(all, e.Own)
	}
	q.rooms.owns = all
	return all
}

// ties returns how what the request names belongs together. They are good until ties is called again.
func (q *query) ties() []machine.Tie {
	if len(q.ents) < 2 {
		return nil
	}
	q.tied = q.tied[:0]
	for _, e := range q.ents {
		q.tied = append(q.tied, machine.Tied[*entity]{Entity: e, Scopes: e.scopes, Standing: &e.Standing})
	}
	q.rooms.ties = machine.AppendTies(q.rooms.ties[:0], q.tied)
	return q.rooms.ties
}

// view digests what else the answer may depend on.
func (p *Player) view(q *query) machine.View {
	api := p.apiOf(q)
	q.standings = appendStandings(q.standings[:0], q.ents)
	return machine.ViewOf(q.reads && !q.unborn(), q.standings, &api.APIState)
}

// unborn reports whether a request has a name that nothing has.
func (q *query) unborn() bool {
	for i := range q.Asked {
		if q.Asked[i].Unborn {
			return true
		}
	}
	return false
}
