package match

import (
	"fmt"
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// A spy has the sandbox behind it and decides for each thread where it lives. One that the
// tape can open is replayed; its ids are unknown upstream, so whatever it asks for is on tape
// or a miss. One that the sandbox opened stays there. To tell them apart the owners hold the
// threads upstream too, as flows without candidates.

// Spy answers as Serve does, for a deck that can ask the sandbox. Both results are nil where
// the sandbox must be asked: for a thread that lives there, and for what is not on tape and
// belongs to no replayed thread.
func (p *Player) Spy(r *Request) (*Answer, *Miss) {
	q := p.query(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticks++
	rel := p.owners.related(r)
	switch p.home(q, rel) {
	case abroad:
		return nil, nil
	case torn:
		return nil, tornMiss(q)
	}
	a, miss := p.play(q, rel)
	if miss == nil {
		return a, nil
	}
	if f := p.replayed(q, rel); f != nil {
		return nil, unknownUpstream(f, miss)
	}
	return nil, nil
}

// home is where the thread of a request lives.
type home int

const (
	here   home = iota // on tape, or it is not open yet
	abroad             // upstream
	torn               // it carries ids of threads of both
)

func (p *Player) home(q *query, rel related) home {
	switch n := upstreamOf(rel.minted); {
	case n > 0 && n == len(rel.minted):
		return abroad
	case n > 0:
		return torn
	case len(rel.minted) > 0:
		return here
	}
	if len(rel.unique) > 0 {
		return homeOf(rel.unique[0])
	}
	opens := func(key uint64) bool { return p.tape.openers[key] != nil }
	if q.declared() || slices.ContainsFunc(q.keys, opens) {
		return here
	}
	// It carries what many share at most: whose it is on tape says Serve, and here the sandbox
	// has a say too.
	if sharing, _ := p.owners.sharing(q.r); len(sharing) > 0 {
		return homeOf(sharing[0])
	}
	return here
}

func homeOf(f *flow) home {
	if f.upstream {
		return abroad
	}
	return here
}

func upstreamOf(fs []*flow) int {
	n := 0
	for _, f := range fs {
		if f.upstream {
			n++
		}
	}
	return n
}

// declared reports whether the profile says that a request opens a thread.
func (q *query) declared() bool {
	o := q.r.call.Operation
	return o != nil && o.Opens != ""
}

// replayed returns the replayed flow that a request belongs to, nil if to none. An opening
// belongs to those alone whose ids it carries. By shared values a request belongs to the flow
// that has most of them, but not by a card, which never identifies alone, nor by what most
// requests of the tape carry, such as a login.
func (p *Player) replayed(q *query, rel related) *flow {
	own := rel.minted
	if !q.declared() {
		own = slices.Concat(rel.minted, rel.unique)
	}
	for _, f := range own {
		if !f.upstream {
			return f
		}
	}
	sharing, _ := p.owners.sharing(q.r)
	if q.declared() || len(sharing) == 0 || sharing[0].upstream {
		return nil
	}
	for _, param := range q.r.params {
		f := param.field
		if f.From != profile.Shared || f.Secret == profile.PAN || p.tape.usual(q.r.op, f.Of) {
			continue
		}
		for _, id := range appendIdentities(nil, &param) {
			if u := p.owners.users[chosen{id, false}]; u != nil && u.places[sharing[0]] != nil {
				return sharing[0]
			}
		}
	}
	return nil
}

func unknownUpstream(f *flow, m *Miss) *Miss {
	m.Reason = BadState
	m.Sentence = fmt.Sprintf("thread %d is replayed, and the sandbox does not know its ids: %s",
		f.cands[0].slots[0].live, m.Sentence)
	m.Hint = "record the whole thread again: paytape record appends to a cassette; or " + m.Hint
	return m
}

func tornMiss(q *query) *Miss {
	return &Miss{
		Reason: BadState, Operation: operationOf(q.r),
		Sentence: "it carries ids of a thread that is replayed and of one that lives upstream",
		Hint:     "record all of its threads: paytape record appends to a cassette",
	}
}
