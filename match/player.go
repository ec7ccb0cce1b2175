package match

import (
	"time"

	"github.com/paytape/paytape/internal/leaf"
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
	seed    uint64  // of fresh values before a reset; 0: a random one

	mu        yieldingMutex // guards all below, and the entities
	resets    uint64        // of the session, and so far
	make      *fresh.Maker
	names     nameIndex
	config    map[configured]*entity
	kinds     map[string][]*entity // in the order of their births
	followers map[*tape.Entity]*entity
	apis      map[string]*apiState
	age       int // how often it was reset
	turns     turns
	lone      map[uint64]making // of what may be of one thing, by its digest: see once
	tried     map[uint64]bool   // digests of names that missed writes would have given, and of their keys; see wasMissed
	letIn     map[uint64]bool   // digests of secrets; see admit
	used      recency
	count     int                     // entities so far
	pending   map[uint64]*Answer      // writes whose answer may not have been read
	underKeys map[uint64]*Answer      // the first write under each idempotency key, by the call,
	olderKeys map[uint64]*Answer      // and older ones
	series    map[*tape.Series]string // the last value of each that grows
	ends      map[string][]string     // the card numbers made here, by what their masks show

	wholes, scopes []*machine.Standing // the room of relatives
	linked         []*entity           // the room of link, empty
	passing, spare []*related          // what the answer at hand has borne that passes, and what has

	spies      bool                    // the sandbox can be asked: it must be known of each id who has made it
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

// apiOf returns the state of the API that a request is for.
func (p *Player) apiOf(q *query) *apiState {
	if q.api == nil {
		q.api = p.api(machine.API(q.Call))
	}
	return q.api
}

// configured is an entity that was there from the start, or a scope.
type configured struct{ kind, text string }

// maxEntities bounds what a Player keeps, scopes too: the least recently used entities go first, and
// are unknown from then on. An entity takes 1 to 3 KB, so a deck that registers orders all day keeps
// its size, and an order lives a minute if no request names it while 400 others a second are made.
const maxEntities = 25_000

// Reset makes the player as it was at the beginning: nothing is live. The numbers of entities go
// on and fresh values stay new, so that a value from before the reset is not taken for a value
// from after it. Which values come then is a matter of seed and number of resets, and not of what
// clients have done before.
func (p *Player) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resets++
	p.forget()
}

// forget drops all that the player has learned from clients.
func (p *Player) forget() {
	const apart = 0xbf58476d1ce4e5b9 // odd: each reset has a seed of its own
	seed := p.seed
	if seed != 0 {
		seed += apart * p.resets
	}
	p.make = fresh.New(seed)
	p.names = nameIndex{}
	p.config = map[configured]*entity{}
	p.kinds = map[string][]*entity{}
	p.followers = map[*tape.Entity]*entity{}
	p.apis = map[string]*apiState{}
	p.age++
	p.turns, p.lone = turns{}, map[uint64]making{}
	p.tried, p.letIn = map[uint64]bool{}, map[uint64]bool{}
	p.used = recency{}
	p.ends = map[string][]string{}
	if p.series == nil { // a reset keeps it: what grows goes on
		p.series = map[*tape.Series]string{}
	}
	p.ready, p.late, p.soon, p.awaits = nil, nil, nil, map[*entity]machine.Own{}
	p.pending, p.underKeys, p.olderKeys = map[uint64]*Answer{}, map[uint64]*Answer{}, nil
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
