package match

import (
	"cmp"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Player holds the live entities of one session. It is safe for concurrent use; serving is atomic.
type Player struct {
	leaf.Unprinted
	tape *Tape
	most int // how many entities it keeps

	title   string  // the name of the session
	session uint64  // tells the sessions of a tape apart
	minted  *ledger // of all sessions

	mu        sync.Mutex // guards all below, and the entities
	make      *fresh.Maker
	names     map[uint64][]nameRef // by what all ways of writing a name have in common
	config    map[configured]*entity
	kinds     map[string][]*entity // in the order of their births
	followers map[*tape.Entity]*entity
	apis      map[string]*apiState
	age       int // how often it was reset
	turns     map[turn]int
	lone      map[*machine.Recording]bool // those served whose numbers may be of one thing
	letIn     map[uint64]bool             // digests of secrets; see admit
	used      recency
	count     int                     // entities so far
	pending   map[uint64]*Answer      // writes whose answer may not have been read
	keyed     map[string]*Answer      // writes with an idempotency key
	series    map[*tape.Series]string // the last value of each that grows
	ends      map[string][]string     // the card numbers made here, by what their masks show

	ready      []Callback              // that go out with the next answer
	late, soon dues                    // what comes by itself
	awaits     map[*entity]machine.Own // the states of which that is noted, or has come
}

// apiState is the state of one API as a whole.
type apiState struct {
	machine.APIState
	// mark is why all that depends on the API as a whole says assumed.
	mark string
}

func (p *Player) api(name string) *apiState {
	a := p.apis[name]
	if a == nil {
		a = &apiState{}
		p.apis[name] = a
	}
	return a
}

// nameRef is a name of a live entity.
type nameRef struct {
	entity *entity
	at     int    // among the values of the entity
	noun   string // of the profile; "" where none
}

func (r nameRef) bound() *bound { return &r.entity.values[r.at] }

// turn counts the answers that were taken from a group, of those about one recorded entity if the
// live one follows it.
type turn struct {
	group   *machine.Group
	follows *tape.Entity
}

// configured is an entity that was there from the start, or a scope.
type configured struct{ kind, text string }

// maxEntities bounds what a Player keeps, scopes too: the least recently used entities go first, and
// are unknown from then on.
const maxEntities = 100_000

// Reset makes the player as it was at the beginning: nothing is live. The numbers of entities go
// on and fresh values stay new, so that a value from before the reset is not taken for a value
// from after it.
func (p *Player) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
}

// forget drops all that the player has learned from clients.
func (p *Player) forget() {
	p.names = map[uint64][]nameRef{}
	p.config = map[configured]*entity{}
	p.kinds = map[string][]*entity{}
	p.followers = map[*tape.Entity]*entity{}
	p.apis = map[string]*apiState{}
	p.age++
	p.turns, p.lone = map[turn]int{}, map[*machine.Recording]bool{}
	p.letIn = map[uint64]bool{}
	p.used = recency{}
	p.ends = map[string][]string{}
	if p.series == nil { // a reset keeps it: what grows goes on
		p.series = map[*tape.Series]string{}
	}
	p.ready, p.late, p.soon, p.awaits = nil, nil, nil, map[*entity]machine.Own{}
	p.pending, p.keyed = map[uint64]*Answer{}, map[string]*Answer{}
}

// String keeps the live values that a player holds out of logs and test failures.
func (p *Player) String() string { return "[player]" }

// GoString does for %#v what String does for the other verbs.
func (p *Player) GoString() string { return p.String() }

func (p *Player) now() time.Time {
	if p.tape.opts.Now != nil {
		return p.tape.opts.Now()
	}
	return time.Now()
}

// asking is what a request asks, without what finds its answer: a Trace keeps it.
type asking struct {
	machine.Question
	reads   bool
	address string // if not empty, the one that the recording must have
	host    string // the name or the address of the host that the client asked for, if it did
}

// param returns a parameter by its path, or nil.
func (q *asking) param(path string) *tape.Asked { return tape.Param(q.Asked, path) }

// query is a request on its way to an answer. What it asks lies in its trace, which outlives it.
type query struct {
	r    *Request
	now  time.Time
	kept *Trace // not told yet: see Player.trace
	*asking
	hosts  []string
	open   []bool
	places []*tape.Place

	// ents are the entities that the request names, by role.
	ents []*entity
	// unknown are parameters that would have to name something, and name nothing.
	unknown []int
	print   uint64 // of a write; see fingerprint
}

// traced is a query with its trace and the first thing that it names: one piece of memory in place of
// three. Most requests name one thing.
type traced struct {
	query
	Trace
	subject [1]subject
}

// newQuery returns a query that asks nothing yet.
func newQuery(r *Request, now time.Time) *query {
	both := &traced{}
	both.subjects = both.subject[:0]
	both.query = query{r: r, now: now, kept: &both.Trace, asking: &both.Trace.asking}
	return &both.query
}

// end leaves of a query what its trace holds: a trace that is kept must not keep entities alive.
func (q *query) end() { *q = query{} }

// query prepares a request to be looked for. It needs no lock.
func (p *Player) query(r *Request) *query {
	t := p.tape.machine.Tape
	r.AtDeck(r.Bases, []string{r.Deck}, t.Addresses())
	q := newQuery(r, p.now())
	q.Call, q.reads, q.host = r.Call, tape.Reads(r), cmp.Or(r.Host, r.Address)
	q.Op, q.open = t.Operation(r)
	q.hosts, q.address = t.Locate(r)
	q.Asked = make([]tape.Asked, len(r.Params))
	q.places = make([]*tape.Place, len(r.Params))
	for i := range r.Params {
		a := &r.Params[i]
		q.places[i] = t.Place(q.Op, a.Path)
		if !a.Known && q.places[i] != nil && q.places[i].Card {
			a.Field = profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}
		}
		if q.places[i] != nil && q.places[i].Free {
			a.Text = r.AsSent(a) // it may be any address: it is the client's own
		}
		q.Asked[i].Argument = tape.Argument{
			Path: a.Path, Label: a.Path, Place: a.Place, Kind: a.Kind, Text: a.Text, Field: a.Field,
			Known: a.Known, Class: t.Class(a, q.now), Deciding: a.Deciding(),
		}
	}
	t.Pair(r, q.Asked, q.now)
	tape.SetLabels(r.Call.Profile, q.Asked)
	if !q.reads {
		q.print = fingerprint(r)
	}
	return q
}
