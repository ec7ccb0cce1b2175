package match

import (
	"cmp"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// Player holds the live threads of one replay. It is safe for concurrent use; serving is
// atomic.
type Player struct {
	leaf.Unprinted
	tape  *Tape
	flows int // how many it keeps

	session uint64 // tells the sessions of a tape apart; 0 for a player alone
	// minter returns the session that an id was minted in, 0 for none. Nil: nobody knows.
	minter func(identity) uint64

	mu      sync.Mutex // guards all below, and the flows
	fresh   *fresher
	owners  owners
	opened  map[*entries]int // threads opened so far, of those that open alike
	threads int              // live threads opened so far
	ticks   uint64           // requests served so far
	silent  []*flow          // for each thread of exchanges without values, the last opened

	holders map[credential]string // recorded credentials, and who had their successes
	trusted map[string]bool       // those who had one
	keyed   map[string]*Answer    // writes with an idempotency key
}

// NewPlayer returns a player of a tape with no live threads.
func NewPlayer(t *Tape) *Player {
	p := newPlayer(t, maxFlows)
	p.fresh = newFresher(t.opts.Seed, func(id identity) bool { return p.owners.taken(id) })
	return p
}

// newPlayer returns a player of so many flows that has no fresher yet.
func newPlayer(t *Tape, flows int) *Player {
	p := &Player{tape: t, flows: flows}
	p.forget()
	return p
}

// Reset makes the player as it was at the beginning: no thread is open, no value is bound.
// Threads keep being numbered and fresh values keep being new, so that what is left over from
// before is not mistaken for what comes after.
func (p *Player) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
}

// kept returns how many flows there are.
func (p *Player) kept() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.owners.active.Len()
}

// forget drops all that the player has learned from clients.
func (p *Player) forget() {
	p.owners = newOwners(p.flows, p.tape.opts.RecordedIDs)
	p.opened, p.silent = map[*entries]int{}, nil
	p.holders, p.trusted = map[credential]string{}, map[string]bool{}
	p.keyed = map[string]*Answer{}
}

// String keeps the live values that a player holds out of logs and test failures.
func (p *Player) String() string { return "[player]" }

// GoString does for %#v what String does for the other verbs.
func (p *Player) GoString() string { return p.String() }

// Answer is what replay serves: a recorded answer with this run's values in it. Header and
// Trailer may be shared by many answers and must not be changed.
type Answer struct {
	leaf.Unprinted
	Code    int
	Status  string // "200 OK" as it was recorded; empty if the tape does not say
	Header  http.Header
	Trailer http.Header // nil: none
	Body    string      // without content coding
	Coding  string      // the content coding it had when it was recorded
	Charset string      // the charset it had then, as Meta notes it; Body is UTF-8

	Cassette  string
	Number    int // of the exchange in its cassette
	Operation string
	Address   string        // the base address that it was recorded at
	Thread    int           // number of the live thread
	Fault     string        // the failure of the sandbox that this is; empty for none (see leaf.Meta)
	Took      time.Duration // how long the sandbox took when it was recorded
	Ambiguous bool          // a shared value had to decide whose request this is

	written // zero for the answer to a read
}

// Delivered tells the player whether the client has the whole answer. If it has, the same
// request sent again is a new one; until then, and if not, it is a retry that gets the same
// answer. It may be called from any goroutine, and again when a client that seemed to have
// the answer turns out to have gone.
func (a *Answer) Delivered(whole bool) {
	if a.player != nil {
		a.player.delivered(a, whole)
	}
}

// Serve answers a request from the tape. Exactly one of the results is nil.
func (p *Player) Serve(r *Request) (*Answer, *Miss) {
	q := p.query(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticks++
	return p.play(q, p.owners.related(r))
}

// query prepares a request to be looked for.
func (p *Player) query(r *Request) *query {
	p.tape.settle(r)
	q := &query{
		r: r, keys: p.tape.liveKeys(r), now: p.now(), skipWrites: p.tape.opts.SkipWrites,
	}
	if writes(r) {
		q.fingerprint = fingerprint(r)
	}
	return q
}

// play answers a request for the flows that could own it.
func (p *Player) play(q *query, rel related) (*Answer, *Miss) {
	if a := p.retry(q, rel); a != nil {
		return a, nil
	}
	if d, done := p.gathered(q, rel); d.ok {
		return p.answer(q, d), nil
	} else if done {
		return nil, p.miss(q, rel, &q.why)
	}
	for t := range p.tries(q, rel) {
		if q.decided() && t.far >= q.best.far {
			continue // it can be no better
		}
		d := decision{try: t}
		d.options, d.cut = p.options(q, t)
		if d.o, d.ok = p.choose(q, d.options); !d.ok {
			continue
		}
		if !q.best.ok || d.better(q.best) {
			q.best = d
		}
		if q.decided() && q.best.far == 0 {
			break
		}
	}
	if q.best.ok {
		return p.answer(q, q.best), nil
	}
	return nil, p.miss(q, rel, &q.why)
}

// decided reports whether a try has come to an exchange that lacks nothing, in all readings.
func (q *query) decided() bool {
	lacking := func(o option) bool { return o.cand.missing(o.e) > 0 }
	return q.best.ok && q.best.missing() == 0 &&
		(q.best.akin || !slices.ContainsFunc(q.best.options, lacking))
}

// decision is what a try came to.
type decision struct {
	try
	options []option
	cut     bool   // the options are not all
	o       option // the chosen one
	ok      bool
}

// missing counts the threads that the chosen exchange is tied to on tape and lacks here. As
// long as there are some, another set of flows may be the better one.
func (d decision) missing() int { return d.o.cand.missing(d.o.e) }

// better reports whether d lacks fewer threads than another decision or, if as many, ties more
// flows of one client, or is of nearer flows. A second order of a client shows what the first
// brought: it is no other client's first order. But a card that chose another outcome goes before.
func (d decision) better(than decision) bool {
	likest := 0
	if d.akin != than.akin && !d.o.e.congruent(than.o.e) {
		likest = cmp.Compare(than.o.likeness(), d.o.likeness())
	}
	return cmp.Or(cmp.Compare(d.missing(), than.missing()), likest,
		cmp.Compare(than.kinship(), d.kinship()), cmp.Compare(d.far, than.far)) < 0
}

// kinship counts the threads that the chosen exchange is tied to and that other flows of the
// same client play.
func (d decision) kinship() int {
	if !d.akin {
		return 0
	}
	return len(d.o.e.tied) - d.missing()
}

func (p *Player) now() time.Time {
	if p.tape.opts.Now != nil {
		return p.tape.opts.Now()
	}
	return time.Now()
}

// options lists the exchanges that could answer, one for each reading. cut tells that there
// are more recorded threads that could be meant than are listed.
func (p *Player) options(q *query, t try) (os []option, cut bool) {
	cands := joined(q, t.flows)
	if t.opens {
		return p.openings(q, cands)
	}
	for _, c := range cands {
		if o, ok := c.find(q); ok && !(t.akin && o.crossed()) {
			os = append(os, o)
		}
	}
	if len(os) == 0 {
		q.why.consider(cands)
	}
	return os, false
}
