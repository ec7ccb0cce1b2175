package match

import (
	"container/heap"
	"time"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
)

// What comes by itself: an order is declined because nobody pays it, a payer confirms at the bank.
// A callback on tape tells how long after the cause it came, so an entity that comes to a state
// with such a change is due for it after as long a time, if it is still in the state then.

// due is a change by itself that an entity waits for.
type due struct {
	at     time.Time
	entity *entity
	timed  machine.Timed
	from   machine.Own
	to     *request.Request // where clients find the sandbox: all that is left of a request
	// several says that the tape has another change of the state.
	several bool
}

// dues are a heap, the earliest first.
type dues []due

func (d dues) Len() int           { return len(d) }
func (d dues) Less(i, j int) bool { return d[i].at.Before(d[j].at) }
func (d dues) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *dues) Push(x any)        { *d = append(*d, x.(due)) }

func (d *dues) Pop() any {
	last := len(*d) - 1
	x := (*d)[last]
	(*d)[last] = due{}
	*d = (*d)[:last]
	return x
}

// await notes that an entity waits for the change that comes by itself in its state, and returns
// when that is; the zero time if there is none, or it is noted already. As many changes of a kind,
// soon or late, are waited for as entities are kept; those beyond do not come.
func (p *Player) await(e *entity, r *Request) time.Time {
	all := p.tape.machine.Timed(e.Own)
	if len(all) == 0 || p.awaits[e] == e.Own {
		return time.Time{}
	}
	of := all[0]
	for _, t := range all {
		if t.Entity == e.follows {
			of = t
			break
		}
	}
	among := &p.soon
	if of.Long() {
		among = &p.late
	}
	if len(*among) >= p.most {
		return time.Time{}
	}
	p.awaits[e] = e.Own
	d := due{
		at: e.since.time().Add(of.After), entity: e, timed: of, from: e.Own, several: len(all) > 1,
		to: &request.Request{Deck: r.Deck, Prefix: r.Prefix, Home: r.Home},
	}
	heap.Push(among, d)
	return d.at
}

// elapse takes the changes that are due. What comes soon after its cause comes when reads say so,
// or when somebody who waits for callbacks has the time told: see Advance.
func (p *Player) elapse(from *dues, now time.Time) {
	for len(*from) > 0 && !(*from)[0].at.After(now) {
		d := heap.Pop(from).(due)
		e := d.entity
		if p.awaits[e] != d.from {
			continue // it has gone on
		}
		delete(p.awaits, e)
		if e.Own != d.from || !e.kept {
			continue
		}
		if d.several {
			e.assume(assumedEdge)
		}
		if d.timed.To != 0 {
			p.move(e, d.timed.To, e.Card)
			e.since = instantOf(d.at)
		} else {
			p.awaits[e] = d.from // it comes once
		}
		p.tell(d.timed.Callbacks, e, d.to, d.at)
		p.await(e, d.to)
	}
}

// Advance lets come what comes by itself until a time, and returns the callbacks that tell of it.
// next is when something comes by itself again, as far as is known now; zero if nothing does.
func (p *Player) Advance(now time.Time) (callbacks []Callback, next time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.elapse(&p.late, now)
	p.elapse(&p.soon, now)
	callbacks, p.ready = p.ready, nil
	for _, d := range []dues{p.late, p.soon} {
		if len(d) > 0 && (next.IsZero() || d[0].at.Before(next)) {
			next = d[0].at
		}
	}
	return callbacks, next
}

// Advance lets come what comes by itself in all sessions, as Player.Advance does.
func (s *Sessions) Advance(now time.Time) (callbacks []Callback, next time.Time) {
	if !s.tape.machine.CallsBack() {
		return nil, time.Time{}
	}
	for _, p := range s.players() {
		more, at := p.Advance(now)
		callbacks = append(callbacks, more...)
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return callbacks, next
}
