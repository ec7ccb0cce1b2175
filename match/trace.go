package match

import (
	"time"
	"unsafe"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Trace is how a Player came to an answer or to a miss. It is made while the Player serves and costs
// little: it holds what the request asked, a few words of each entity, and what was found on tape.
// What there is to say of it is worked out when somebody asks: see Explain and Fields.
//
// A Trace holds the values of the request as they were sent, and nothing of the Player: entities go
// on, and may be dropped, while the trace stays as it is. It is safe for concurrent use.
type Trace struct {
	leaf.Unprinted
	tape *Tape
	asking

	subjects []subject // what the request names, by role
	births   []subject // what the answer has borne
	session  machine.Own
	flow     int // the entity that Answer.Flow tells; 0 for none

	key       machine.Key
	recording *machine.Recording // the frame of a composed list; nil where there is none
	inCase    *machine.Case
	mark      string
	members   int // of a list
	// items are the recorded items of which a list was put together, as many as are explained.
	items []listItem

	known, denied, ruled, inList bool // as found has them
	refused                      bool // the answer would have a mark, and such answers are refused
	chosen                       bool // a rule has chosen the recording
	composed                     bool // the answer is a list put together of items
	repeats                      bool // the answer was given before to the same request
	divided                      bool // of a spy: it is replayed, all or in part, and the sandbox cannot be asked
	miss                         *Miss
}

// subject is what a trace keeps of an entity.
type subject struct {
	number int
	kind   string
	typ    *profile.Entity // nil for an inferred kind
	before machine.Own
	after  machine.Own // equal to before where nothing has changed
	// literal is the text under which the entity was there from the start; "" for others.
	literal  string
	mark     string // why answers about it said assumed before
	scope    bool
	upstream bool
}

// listItem is a recorded item of a composed list.
type listItem struct {
	from *machine.Recording
	n    int
}

// maxItems bounds the items of a list that a trace keeps.
const maxItems = 50

// trace notes what was found, before anything moves. The caller holds the lock.
func (p *Player) trace(q *query, f found) *Trace {
	t := &Trace{
		tape: p.tape, asking: q.asking,
		key: f.key, recording: f.recording, inCase: f.inCase, mark: f.mark,
		members: len(f.members),
		known:   f.known, denied: f.denied, ruled: f.ruled, inList: f.inList,
		chosen: q.r.Choice != nil && q.r.Choice.Found,
	}
	if f.marked != "" {
		t.mark, t.refused = f.marked, true
	}
	if len(q.ents) > 0 {
		t.subjects = make([]subject, len(q.ents))
		for i, e := range q.ents {
			t.subjects[i] = subjectOf(e)
		}
	} else {
		t.session = p.api(machine.API(q.Call)).Own
	}
	if l := f.list; l != nil {
		t.composed, t.recording, t.members = true, l.frame, len(l.items)
		for _, item := range l.items[:min(maxItems, len(l.items))] {
			t.items = append(t.items, listItem{item.from, item.n})
		}
	}
	return t
}

func subjectOf(e *entity) subject {
	return subject{
		number: e.number, kind: e.kind, typ: e.typ, before: e.Own, after: e.Own,
		literal: e.literal, mark: e.mark, scope: e.Scope, upstream: e.upstream,
	}
}

// settle notes what became of what the request names, and what the answer has borne.
func (t *Trace) settle(w *writer, about *entity) {
	for i, e := range w.q.ents {
		t.subjects[i].after = e.Own
	}
	for _, e := range w.births {
		t.births = append(t.births, subjectOf(e))
	}
	if about != nil {
		t.flow = about.number
	}
	t.mark = either(t.mark, w.mark)
}

// Took returns how long the sandbox took when the answer was recorded; 0 if nobody knows.
func (t *Trace) Took() time.Duration {
	if t.recording == nil {
		return 0
	}
	return t.recording.Took
}

// first returns the first subject that is no scope, else the first; nil if the request names nothing.
func (t *Trace) first() *subject {
	for i := range t.subjects {
		if !t.subjects[i].scope {
			return &t.subjects[i]
		}
	}
	if len(t.subjects) > 0 {
		return &t.subjects[0]
	}
	return nil
}

// Size returns about how many bytes a trace holds, with the texts of the request. No trace, nil,
// holds none.
func (t *Trace) Size() int64 {
	if t == nil {
		return 0
	}
	const perAsked, perSubject = unsafe.Sizeof(tape.Asked{}), unsafe.Sizeof(subject{})
	n := unsafe.Sizeof(Trace{}) + uintptr(len(t.Asked))*perAsked +
		uintptr(len(t.subjects)+len(t.births))*perSubject +
		uintptr(len(t.items))*unsafe.Sizeof(listItem{})
	for i := range t.Asked {
		n += uintptr(len(t.Asked[i].Text))
	}
	return int64(n)
}
