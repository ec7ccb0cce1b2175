package match

import (
	"slices"
	"time"

	"github.com/paytape/paytape/match/dates"
)

// answer serves the chosen exchange: it moves the flow on and fills the template.
func (p *Player) answer(q *query, d decision) *Answer {
	o, guessed := d.o, d.guessed(q)
	f := p.flowOf(d.try, o)
	f.used = p.ticks
	p.owners.touch(f, q.r.Conn)
	o.take()
	w := &writer{p: p, q: q, o: o}
	a := w.answer()
	a.Ambiguous = d.ambiguous || w.lent || guessed
	f.cands = narrow(o, d.options)
	p.learn(f, o, w.bound)
	p.believe(o)
	if d.opens {
		if o.entries != nil {
			p.opened[o.entries]++
		}
		p.threads++
		p.silence(f, o.e.threads[0])
	}
	if o.e.writes {
		p.remember(f, q, a)
	}
	return a
}

// flowOf returns the flow that the flows of a try become, or a new one.
func (p *Player) flowOf(t try, o option) *flow {
	if len(t.flows) == 0 || o.alone {
		return &flow{}
	}
	f := t.flows[0]
	for _, g := range t.flows[1:] {
		p.owners.join(f, g)
	}
	return f
}

// silence makes f the flow of requests without values, if that is the thread it opened. Nothing
// leads any more to the one before, unless it has values.
func (p *Player) silence(f *flow, opened *thread) {
	if !opened.silent {
		return
	}
	p.silent = slices.DeleteFunc(p.silent, func(o *flow) bool {
		o = o.current()
		if o.cands[0].slot(opened) == nil {
			return false
		}
		if o != f && len(o.keys)+len(o.uses) == 0 {
			p.owners.forget(o)
		}
		return true
	})
	p.silent = append(p.silent, f)
}

// learn enters what the flow now owns into the index.
func (p *Player) learn(f *flow, o option, bound []binding) {
	for _, bs := range [][]binding{o.delta, bound} {
		for _, b := range bs {
			if b.v.identifies() {
				p.owners.add(f, b)
			}
		}
	}
}

// writer fills the template of one answer. Values that have none yet are made here.
type writer struct {
	p     *Player
	q     *query
	o     option
	bound []binding
	lent  bool // a value of another flow is in the answer
}

func (w *writer) answer() *Answer {
	e := w.o.e
	a := &Answer{
		Code: e.code, Status: e.status, Trailer: e.trailer, Coding: e.coding, Charset: e.charset,
		Cassette: e.cassette, Number: e.number, Operation: e.operation,
		Address: e.address,
		Thread:  w.o.cand.owner(e).live, Fault: e.fault, Took: e.took,
	}
	a.Header = e.header.write(w.fill)
	a.Body = e.body.write(w.fill)
	return a
}

// fill returns the text of a hole.
func (w *writer) fill(h *hole) string {
	if h.how == origins {
		return w.q.r.address(h)
	}
	if h.header != "" {
		if sent := w.q.r.header.Get(h.header); sent != "" {
			return sent
		}
	}
	if len(h.vars) == 0 {
		return h.like // a mask of a card that the tape never shows
	}
	v := h.vars[0]
	value, ok := w.o.cand.vars.get(v)
	if v.perAnswer() {
		return h.apply(w.mint(v))
	}
	// The flow of requests without values is everybody's: what it showed one is not another's.
	if !ok || w.o.e.threads[0].silent {
		if lent, found := w.borrowed(v); found {
			value, ok = lent, true
		}
	}
	if !ok && v.origin == shared {
		return h.apply(v.onWire()) // as recorded, until the client sends one
	}
	if !ok {
		value = w.birth(v)
		b := binding{v, value}
		w.o.cand.vars.set(v, value)
		w.bound = append(w.bound, b)
	}
	return h.apply(value)
}

// borrowed returns the value that a variable of a thread which is not played here has in
// another flow of the same connection: a merchant's list of transactions shows those that
// the client has just made. Another client's values are never shown.
func (w *writer) borrowed(v *variable) (string, bool) {
	if v.origin != minted || w.o.e.among != nil || w.o.cand.slot(v.birth.threads[0]) != nil {
		return "", false
	}
	for f := range w.p.owners.conns.on(w.q.r.Conn) {
		if len(f.cands) == 0 { // a flow that opens has none yet
			continue
		}
		value, ok := f.cands[0].vars.get(v)
		if ok && f.cands[0].slot(v.birth.threads[0]) != nil {
			w.lent = true
			return value, true
		}
	}
	return "", false
}

// birth makes the live value of a variable that has none: fresh if it is minted, shifted if
// it is a date, as recorded if the client never sent it.
func (w *writer) birth(v *variable) string {
	switch v.origin {
	case minted:
		return w.mint(v)
	case date:
		return w.date(v)
	}
	return v.onWire()
}

// date returns the live text of a date. Two that had one second on tape have one here, too,
// where a second lies between them at most: they may be one event, which the tape could not
// tell, and a client that compares them finds them equal.
func (w *writer) date(v *variable) string {
	text := dates.Move(v.form, v.text, v.birth.answered, w.q.now)
	if v.twin == nil {
		return text
	}
	other, bound := w.o.cand.vars.get(v.twin)
	zone := v.birth.answered.Location()
	at, ok := dates.Parse(v.form, text, zone)
	of, known := dates.Parse(v.form, other, zone)
	if bound && ok && known && at.Sub(of).Abs() <= time.Second {
		return other
	}
	return text
}

// mint makes a value as the sandbox would.
func (w *writer) mint(v *variable) string {
	if w.p.tape.opts.RecordedIDs {
		return v.onWire()
	}
	return w.p.fresh.value(v, w.q.now)
}
