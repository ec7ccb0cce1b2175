package match

import (
	"container/list"
	"slices"
	"time"
)

// flow is live threads that have become connected, most often one, in all the readings that
// still agree with what was seen and answered. Its Player's lock guards it.
type flow struct {
	cands []*candidate  // the first answered last
	used  uint64        // the Player's count of requests when it was last active
	into  *flow         // the flow that it was joined to
	keys  []identity    // of its minted values, under which the Player's index has it
	uses  []*users      // of the other values, each once
	conn  string        // the connection on which it was last active
	here  *list.Element // in the list of that connection's flows; nil if it is unknown
	place *list.Element // in the owners' list of flows

	upstream bool // it lives at the sandbox: see Spy

	undelivered []*Answer // answers to writes that the client may not have
}

// current follows joins.
func (f *flow) current() *flow {
	for f.into != nil {
		f = f.into
	}
	return f
}

// query is a request on its way to an answer.
type query struct {
	r           *Request
	keys        []uint64
	fingerprint uint64 // of a write; 0 for a read, which is no retry
	now         time.Time
	skipWrites  bool

	why  obstacles // if nothing answers
	best decision  // so far
}

// joined returns the readings in which flows are one. A single flow's own candidates are
// returned as they are. Those come first whose threads have a recording of the request in common:
// many clients that did the same on tape make more readings than are looked at.
func joined(q *query, flows []*flow) []*candidate {
	if len(flows) == 0 {
		return nil
	}
	cands := flows[0].cands
	for _, f := range flows[1:] {
		var likely, other []*candidate
		for _, a := range cands {
			with := a.meets(q)
			for _, b := range f.cands {
				meets := slices.ContainsFunc(b.slots, func(s slot) bool { return with[s.thread] })
				switch {
				case meets && len(likely) < maxJoined:
					likely = appendJoined(likely, a, b)
				case !meets && len(likely)+len(other) < maxJoined:
					other = appendJoined(other, a, b)
				}
			}
		}
		cands = append(likely, other[:min(len(other), maxJoined-len(likely))]...)
	}
	return cands
}

// maxJoined bounds the readings of flows together.
const maxJoined = 4 * maxCandidates

func appendJoined(js []*candidate, a, b *candidate) []*candidate {
	if j := a.join(b); j != nil {
		return append(js, j)
	}
	return js
}

// meets returns the threads with which those of a reading have a recording of a request in common.
func (c *candidate) meets(q *query) map[*thread]bool {
	with := map[*thread]bool{}
	for i := range c.slots {
		for _, key := range q.keys {
			for _, e := range c.slots[i].thread.recorded(key) {
				for _, t := range e.threads {
					with[t] = true
				}
			}
		}
	}
	return with
}

// narrow keeps the readings in which the chosen exchange and the other options give one
// answer, and binds the values of that answer in each.
func narrow(chosen option, options []option) []*candidate {
	kept := []*candidate{chosen.cand}
	for _, o := range options {
		// A reading that opens a thread alone and one that opens it beside another flow are of
		// different flows from here on.
		if o.cand == chosen.cand || o.alone != chosen.alone || len(kept) == maxCandidates {
			continue
		}
		if follows(o, chosen) {
			kept = append(kept, o.cand)
		}
	}
	return kept
}

// follows moves an option's reading on as if it had given the chosen answer, and reports
// whether it can.
func follows(o, chosen option) bool {
	if !o.e.congruent(chosen.e) {
		return false
	}
	o.take()
	ok := true
	chosen.e.holes(o.e, func(a, b *hole) {
		if len(a.vars) == 0 || a.vars[0].perAnswer() || !ok {
			return
		}
		value, _ := chosen.cand.vars.get(a.vars[0])
		for _, v := range b.vars {
			if have, bound := o.cand.vars.get(v); bound && have != value {
				ok = false
			}
			o.cand.vars.set(v, value)
		}
	})
	return ok
}

// take enters an option into its reading: bindings, state, and the place among reads.
func (o option) take() {
	o.cand.apply(o.delta)
	o.cand.advance(o.e)
	if o.reads != nil {
		o.cand.read(o.reads, o.served)
	}
}

// congruent reports whether two recorded answers are the same but for their variables.
func (e *exchange) congruent(o *exchange) bool {
	return e == o || e.code == o.code && e.body.congruent(o.body) &&
		(e.header == o.header || slices.EqualFunc(e.header.values, o.header.values, alikeHeaders))
}

func alikeHeaders(a, b headerTemplate) bool {
	return a.name == b.name && a.text.congruent(b.text)
}

// holes pairs the holes of two congruent answers.
func (e *exchange) holes(o *exchange, f func(a, b *hole)) {
	e.body.holes(o.body, f)
	for i := range e.header.values {
		e.header.values[i].text.holes(o.header.values[i].text, f)
	}
}
