package match

import (
	"net/http"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

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

	Cassette string
	Number   int    // of the exchange in its cassette
	Address  string // the base address that it was recorded at
	// Flow is the number of the live entity that the answer is about, or that it bears; 0 for an
	// answer that is about none.
	Flow  int
	Fault string        // the failure of the sandbox that this is; empty for none (see leaf.Meta)
	Took  time.Duration // how long the sandbox took when it was recorded
	// State tells in words what was done to the entity before: "register.do, paymentorder.do".
	State string
	// Mark says what the answer stands on beside the tape: "" for nothing, "ambiguous" where the
	// order of the recordings had to decide, "composed" for a list put together of recorded items,
	// "assumed=<what>" for what the tape does not show.
	Mark string
	// Class stands for the recordings that would have served as well. Lent are the classes of
	// further recordings that lent items to a list.
	Class uint64
	Lent  []uint64
	// Callbacks are what the sandbox tells the shop because of the answer, in their order. The state
	// has moved: a request that comes after them finds what they tell. Due is when something about
	// what the answer has moved will change by itself, and bring callbacks: see Sessions.Advance. It
	// is zero if nothing will, or if an answer has said so before.
	Callbacks []Callback
	Due       time.Time

	// Trace is how the answer was found.
	Trace *Trace

	*retry // nil for the answer to a question
}

// writer fills the template of one answer. Values that have none yet are made here.
type writer struct {
	p       *Player
	q       *query
	r       *machine.Recording
	births  []*entity
	members []*entity // of a list, by the position of the item
	count   int       // of its items
	mark    string
	made    []madeHere      // values that every answer makes anew
	numbers []numbered      // values that this answer alone has
	old     []machine.Found // what it brings and has found,
	found   []*entity       // and which that is
	secrets []string        // tokens that it has made for nobody
	caused  bool            // of a callback: see occasion
}

// madeHere is a value that this answer has made, of an entity that may have had one before.
type madeHere struct {
	entity *entity
	slot   tape.Slot
}

// numbered is a value that one answer alone has.
type numbered struct{ recorded, live string }

// serve serves a recording or a list: it moves the entities on and fills the template.
func (p *Player) serve(q *query, f found) (*Answer, *Miss) {
	r := f.recording
	w := q.answering(p, r)
	a := &Answer{Mark: f.says()}
	if f.list != nil {
		r, w.r = f.list.frame, f.list.frame
		a.Lent = f.list.lent
	}
	about, moved := q.first(), false
	if f.at.Key != 0 {
		about.reading(f.at)
	}
	if f.guessed != nil {
		f.guessed.assume(assumedEdge)
	}
	a.State = p.words(q, about)
	t := p.trace(q, f)
	if f.list != nil {
		w.count = len(f.list.items)
		for _, item := range f.list.items {
			w.members = append(w.members, item.entity)
		}
		a.Body = w.compose(f.list)
	} else {
		w.members = p.membersShown(r, f)
		w.count = len(r.Members)
		if c := q.r.Choice; c == nil || c.Found {
			p.advance(w)
			moved = true
		}
		a.Body = w.body()
	}
	w.mark = either(either(w.mark, p.wasMissed(q)), p.once(w, f.list))
	a.Header = r.Header(q.fill)
	a.Code, a.Status, a.Trailer = r.Code, r.Status, r.Trailer()
	a.Coding, a.Charset, a.Address = r.Coding, r.Charset, r.Address
	a.Cassette, a.Number = r.Cassette, r.Number
	a.Fault, a.Took, a.Class = r.Fault, r.Took, r.Use()
	a.Mark = either(a.Mark, w.mark)
	p.keep(w)
	if about == nil && len(w.births) > 0 {
		about = w.births[0]
	}
	if about != nil {
		a.Flow = about.number
	}
	p.stick(w, either(f.mark, w.mark))
	if p.tape.machine.CallsBack() {
		if moved {
			p.tellCaused(w, a.Mark)
		}
		p.handOver(w, a)
	}
	p.admit(q, r)
	p.used.touch(q.ents...)
	p.used.touch(w.births...)
	if !q.reads {
		p.remember(w, a)
	}
	t.settle(w, about)
	a.Trace = t
	p.letGo(w)
	return a, nil
}

// words tell the state in which a request finds what it is about.
func (p *Player) words(q *query, about *entity) string {
	switch {
	case about != nil:
		return p.tape.machine.Words(about.Own)
	case len(q.ents) > 0:
		return p.tape.machine.Words(q.ents[0].Own)
	}
	return p.tape.machine.Words(p.apiOf(q).Own)
}

// body writes the body of a recorded answer.
func (w *writer) body() string {
	t := w.r.Body()
	if literal, ok := t.Literal(); ok {
		return literal
	}
	w.q.text = t.Append(w.q.text[:0], w.q.fill)
	return string(w.q.text)
}

// compose writes a list of items.
func (w *writer) compose(l *composition) string {
	b := l.frame.Listing.Before.Append(w.q.text[:0], w.q.fill)
	for i, item := range l.items {
		if i > 0 {
			b = append(b, ',')
		}
		in := &writer{p: w.p, q: w.q, r: item.from, mark: w.mark}
		in.members = make([]*entity, item.n+1)
		in.members[item.n] = item.entity
		b = item.from.Listing.Items[item.n].Text.Append(b, in.fill)
		w.mark, w.secrets = in.mark, append(w.secrets, in.secrets...)
	}
	w.q.text = l.frame.Listing.After.Append(b, w.q.fill)
	return string(w.q.text)
}
