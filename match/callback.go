package match

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// Callback is what the sandbox says to the shop by itself, with this run's values: the request of a
// recorded callback. Header may be shared and must not be changed.
type Callback struct {
	leaf.Unprinted
	// ID is a name by which several decks know that they speak of one callback. Empty: one deck knows.
	ID        string
	Operation string // what it tells: "deposited"; empty where no profile knows
	Cassette  string
	Number    int // of the first attempt on tape
	// Session is the name of the session of the live entity; empty for clients that name none.
	Session string
	// Flow is the number of the live entity that it is about. Callbacks of one flow go out one
	// after another, in their order.
	Flow int
	// Profile knows how it is signed. Nil: none does.
	Profile *profile.Profile

	Method string
	// Address is where the live client wants to be called, with a query of its own perhaps; empty
	// if the recorded one went to the sandbox's static address.
	Address string
	// Path and Query are what the sandbox puts behind the address: "" or "/paid"; and the raw query.
	Path, Query string
	Header      http.Header
	Body        string
	// Signed says that the recorded one had a checksum. In its place stands what cleaning left.
	Signed bool

	// Gap is how long after the answer it came on tape; negative for one that came before.
	Gap time.Duration
	// Attempts are those on tape, in their order.
	Attempts []CallbackAttempt
	// Mark is that of the answer that brings it.
	Mark string
	// Secrets are tokens that replay has made for what it is about: see Trace.Secrets.
	Secrets []string
}

// CallbackAttempt is how a shop answered one attempt on tape.
type CallbackAttempt struct {
	Gap    time.Duration // after the attempt before; 0 for the first
	Status int           // 0: there was no answer
}

// occasion is when and why a callback comes.
type occasion struct {
	to  *Request // where clients find the sandbox
	now time.Time
	// caused says that the callback comes with the answer to the call that has caused it.
	caused bool
}

// called returns the live counterpart of a callback about an entity.
func (p *Player) called(cb *tape.Callback, e *entity, o occasion) Callback {
	q := newQuery(o.to, o.now)
	defer q.end()
	w := q.answering(p, nil)
	w.members, w.caused = []*entity{e}, o.caused
	out := Callback{
		Operation: cb.Operation, Cassette: cb.Cassette, Number: cb.Number, Session: p.title,
		Flow: e.number, Profile: cb.Profile, Method: cb.Method, Signed: cb.Signed, Gap: cb.Gap,
		Header: cb.Header(q.fill), Body: cb.Body().Text(q.fill),
	}
	out.Path, out.Query = cb.Target(q.fill)
	if s := cb.Address(); s != nil {
		if of := w.entity(s.Ref); of != nil {
			out.Address, _ = of.last(s.Slot.Name)
		}
	}
	for _, a := range cb.Attempts {
		out.Attempts = append(out.Attempts, CallbackAttempt{Gap: a.Gap, Status: a.Status})
	}
	out.Mark = either(w.mark, e.mark)
	out.Secrets = append(appendSecrets(nil, []*entity{e}), w.secrets...)
	return out
}

// tell makes callbacks about an entity ready to go out with the next answer: the state has moved by itself.
func (p *Player) tell(cbs []*tape.Callback, e *entity, to *Request, now time.Time) {
	for _, cb := range cbs {
		p.ready = append(p.ready, p.called(cb, e, occasion{to: to, now: now}))
	}
}

// tellCaused makes ready what the served recording has caused the sandbox to tell. mark is that of
// the answer.
func (p *Player) tellCaused(w *writer, mark string) {
	cbs, sure := p.tape.machine.Callbacks(w.r, w.old)
	first := len(p.ready)
	for _, cb := range cbs {
		if e := w.about(cb); e != nil {
			p.ready = append(p.ready, p.called(cb, e, occasion{w.q.r, w.q.now, true}))
		}
	}
	for i := first; i < len(p.ready); i++ {
		p.ready[i].Mark = cmp.Or(mark, p.ready[i].Mark)
		if !sure {
			p.ready[i].Mark = either(p.ready[i].Mark, assumedWay)
		}
	}
}

// about returns the live entity that a callback of the served recording is about; nil if there is none.
func (w *writer) about(cb *tape.Callback) *entity {
	of := w.q.ents
	switch {
	case cb.Birth:
		of = w.births
	case cb.Role < 0:
		of = slices.DeleteFunc(slices.Clone(w.found), func(e *entity) bool { return e.kind != cb.Entity.Kind })
	}
	if at := max(cb.Role, 0); at < len(of) {
		return of[at]
	}
	return nil
}

// handOver gives an answer the callbacks that are ready, and says when something will change by
// itself about what the answer has moved.
func (p *Player) handOver(w *writer, a *Answer) {
	a.Callbacks, p.ready = p.ready, nil
	for _, es := range [][]*entity{w.q.ents, w.births} {
		for _, e := range es {
			if at := p.await(e, w.q.r); !at.IsZero() && (a.Due.IsZero() || at.Before(a.Due)) {
				a.Due = at
			}
		}
	}
}
