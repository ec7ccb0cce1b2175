package match

import (
	"time"
	"unsafe"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
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
	spoken

	session machine.Own

	key       machine.Key
	recording *machine.Recording // the frame of a composed list; nil where there is none
	inCase    *machine.Case
	mark      string
	list      *listed // nil where the answer is no list
	flow      int32   // the entity that Answer.Flow tells; 0 for none
	borne     int32   // how many entities the answer has borne; see births

	known, denied, ruled, inList bool // as found has them
	refused                      bool // the answer would have a mark, and such answers are refused
	chosen                       bool // a rule has chosen the recording
	composed                     bool // the answer is a list put together of items
	repeats                      bool // the answer was given before to the same request
	reusedKey                    bool // the idempotency key has come before
	divided                      bool // of a spy: it is replayed, all or in part, and the sandbox cannot be asked
	miss                         *Miss
	secrets                      []string // see Secrets
}

// listed is what a trace keeps of a list.
type listed struct {
	members int
	// items are the recorded items of which the list was put together, as many as are explained.
	items []listItem
}

// subject is what a trace keeps of an entity.
type subject struct {
	number   int32
	scope    bool
	upstream bool
	kind     string
	typ      *profile.Entity // nil for an inferred kind
	before   machine.Own
	after    machine.Own // equal to before where nothing has changed
	// literal is the text under which the entity was there from the start; "" for others.
	literal string
	mark    string // why answers about it said assumed before
}

// births returns what the answer has borne. They lie behind the subjects that the request names.
func (t *Trace) births() []subject {
	n := len(t.subjects)
	return t.subjects[n : n+int(t.borne)]
}

// listItem is a recorded item of a composed list.
type listItem struct {
	from *machine.Recording
	n    int
}

// maxItems bounds the items of a list that a trace keeps.
const maxItems = 50

// smallTrace, usualTrace and largerTrace are traces with room for what most have: one piece of memory in place
// of four.
type (
	smallTrace struct {
		Trace
		subjects [1]subject
		names    [1]spokenName
		said     [7]said
	}
	usualTrace struct {
		Trace
		subjects [2]subject
		names    [2]spokenName
		said     [12]said
	}
	largerTrace struct {
		Trace
		subjects [5]subject
		names    [3]spokenName
		said     [12]said
	}
)

// newTrace returns a trace with room for what a query names and what the recording that answers it bears.
func newTrace(q *query, r *machine.Recording) *Trace {
	subjects, names, texts := len(q.ents), len(q.named), len(q.Asked)
	if r != nil {
		subjects += len(r.Births)
	}
	fits := func(s, n, t int) bool { return subjects <= s && names <= n && texts <= t }
	switch small, usual, larger := (*smallTrace)(nil), (*usualTrace)(nil), (*largerTrace)(nil); {
	case fits(len(small.subjects), len(small.names), len(small.said)):
		x := &smallTrace{}
		return x.in(x.subjects[:], x.names[:], x.said[:])
	case fits(len(usual.subjects), len(usual.names), len(usual.said)):
		x := &usualTrace{}
		return x.in(x.subjects[:], x.names[:], x.said[:])
	case fits(len(larger.subjects), len(larger.names), len(larger.said)):
		x := &largerTrace{}
		return x.in(x.subjects[:], x.names[:], x.said[:])
	}
	return (&Trace{}).in(make([]subject, subjects), make([]spokenName, names), make([]said, texts))
}

// in returns the trace, still empty, with the room that there is for it.
func (t *Trace) in(subjects []subject, names []spokenName, texts []said) *Trace {
	t.subjects, t.names, t.said = subjects[:0], names[:0], texts[:0]
	return t
}

// trace notes what was found, before anything moves. The caller holds the lock.
func (p *Player) trace(q *query, f found) *Trace {
	t := newTrace(q, f.recording)
	t.tape, t.key, t.recording, t.inCase, t.mark = p.tape, f.key, f.recording, f.inCase, f.says()
	t.known, t.denied, t.ruled, t.inList = f.known, f.denied, f.ruled, f.inList
	t.keep(q)
	t.reusedKey = f.reusedKey
	t.chosen = q.r.Choice != nil && q.r.Choice.Found
	if n := len(f.members); n > 0 {
		t.list = &listed{members: n}
	}
	if f.marked != "" {
		t.mark, t.refused = f.marked, true
	}
	t.secrets = append(appendSecrets(t.secrets, q.ents), q.foreign...)
	for _, e := range q.ents {
		t.subjects = append(t.subjects, subjectOf(e))
	}
	if len(q.ents) == 0 {
		t.session = p.apiOf(q).Own
	}
	if l := f.list; l != nil {
		t.composed, t.recording = true, l.frame
		t.list = &listed{members: len(l.items)}
		for _, item := range l.items[:min(maxItems, len(l.items))] {
			t.list.items = append(t.list.items, listItem{item.from, item.n})
		}
	}
	return t
}

func subjectOf(e *entity) subject {
	return subject{
		number: int32(e.number), kind: e.kind, typ: e.typ, before: e.Own, after: e.Own,
		literal: e.literal, mark: e.mark, scope: e.Scope, upstream: e.upstream,
	}
}

// settle notes what became of what the request names, and what the answer has borne.
func (t *Trace) settle(w *writer, about *entity) {
	for i, e := range w.q.ents {
		t.subjects[i].after = e.Own
	}
	all := t.subjects
	for _, e := range w.births {
		all = append(all, subjectOf(e))
	}
	t.subjects, t.borne = all[:len(w.q.ents)], int32(len(w.births))
	for _, es := range [...][]*entity{w.q.ents, w.births, w.members} {
		t.secrets = appendSecrets(t.secrets, es)
	}
	t.secrets = append(t.secrets, w.secrets...)
	if about != nil {
		t.flow = int32(about.number)
	}
	t.mark = either(t.mark, w.mark)
}

// members returns how many members are in the list that the answer is; 0 where it is no list.
func (t *Trace) members() int {
	if t.list == nil {
		return 0
	}
	return t.list.members
}

// items returns the recorded items of which a list was put together; nil for another answer.
func (t *Trace) items() []listItem {
	if t.list == nil {
		return nil
	}
	return t.list.items
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
	const perSaid, perSubject = unsafe.Sizeof(said{}), unsafe.Sizeof(subject{})
	n := unsafe.Sizeof(Trace{}) + uintptr(len(t.said))*perSaid +
		uintptr(len(t.names))*unsafe.Sizeof(spokenName{}) +
		uintptr(len(t.subjects)+int(t.borne))*perSubject +
		uintptr(len(t.items()))*unsafe.Sizeof(listItem{})
	for i := range t.said {
		n += uintptr(len(t.said[i].text))
	}
	return int64(n)
}
