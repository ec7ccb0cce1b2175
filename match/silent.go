package match

import (
	"slices"
	"time"

	"github.com/paytape/paytape/match/machine"
)

// silent takes the silent edges that are due, after as many reads of a question as on tape, or
// after as long a time. It returns the question in the state that is reached.
func (p *Player) silent(q *query, f *found) machine.Reads {
	const most = 8 // edges that are due at once, because nobody asked for long
	e := q.first()
	if e == nil {
		return machine.Reads{}
	}
	at := machine.Reads{Key: f.key, Own: e.Own, View: p.viewAsked(q, f)}
	for range most {
		edge := p.tape.machine.Silent(at)
		since := q.now.Sub(e.since.time())
		if edge == nil || !edge.Due(e.asked(at), since) {
			if edge != nil && edge.Open(since) {
				f.mark = assumedEdge
			}
			return at
		}
		if edge.Ambiguous || edge.Split(e.asked(at), since) {
			e.assume(assumedEdge)
		}
		if since = edge.Term; e.asked(at) >= edge.After {
			since = q.now.Sub(e.since.time())
		}
		p.move(e, edge.To, e.Card)
		e.since += instant(since)
		p.tell(p.tape.machine.BySelf(e.Own), e, q.r, e.since.time())
		at = machine.Reads{Key: f.key, Own: e.Own, View: p.viewAsked(q, f)}
	}
	return at
}

// viewAsked returns the view under which a question is counted.
func (p *Player) viewAsked(q *query, f *found) machine.View {
	if f.vector != 0 {
		return p.view(q).With(f.vector)
	}
	return p.view(q)
}

// behindEdges looks for what was recorded only behind a silent edge, and notes how to take the step over the
// edge back. A write takes the edge at once: the client knows that it is due. A question does so if others
// of the client say that the edge is due; else that is a guess, and so it is for a write that was refused
// there: a payment that comes in time is none behind the time limit of its order.
func (p *Player) behindEdges(q *query, f *found) *machine.Cases {
	beyond := p.tape.machine.Behind
	if q.reads {
		beyond = p.tape.machine.Beyond
	}
	owns := q.owns()
	for i, e := range q.ents {
		for _, to := range beyond(e.Own) {
			tried := slices.Clone(owns)
			tried[i] = to
			cases := p.tape.machine.Row(machine.RowOf(f.key, tried, q.ties()))
			if cases == nil {
				continue
			}
			if (q.reads || cases.Refuse()) && !p.isDue(e, to, q.now) {
				f.guessed, f.mark = e, assumedEdge
			}
			from, reads, since, ready := e.Own, e.reads, e.since, len(p.ready)
			p.move(e, to, e.Card)
			e.since = instantOf(q.now)
			p.tell(p.tape.machine.BySelf(to), e, q.r, q.now)
			if first := q.first(); q.reads && first != nil {
				f.at = machine.Reads{Key: f.key, Own: first.Own, View: p.viewAsked(q, f)}
			}
			f.goBack = func() {
				p.move(e, from, e.Card)
				e.reads, e.since, p.ready = reads, since, p.ready[:ready]
			}
			return cases
		}
	}
	return nil
}

// isDue reports whether what a client has asked about an entity says that a silent edge is due.
func (p *Player) isDue(e *entity, to machine.Own, now time.Time) bool {
	return slices.ContainsFunc(e.reads, func(asked readCount) bool {
		edge := p.tape.machine.Silent(asked.Reads)
		return edge != nil && edge.To == to && !edge.Ambiguous && edge.Due(asked.n, now.Sub(e.since.time()))
	})
}
