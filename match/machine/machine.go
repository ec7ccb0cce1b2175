package machine

import (
	"slices"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// Machine is a tape as a state machine. It does not change once it is built and is safe for
// concurrent use.
type Machine struct {
	Tape *tape.Tape

	rows   map[Row]*Cases
	keys   map[Key]*Known
	silent map[Reads]*Edge
	behind map[Own][]Own // what lies behind silent edges
	beyond map[Own][]Own // of these, where something was asked only behind the edge
	lists  map[Key]*List
	byOp   map[string][]*Recording // for misses
	denied map[string][]*Recording // refused credentials, by operation
	// keyPolicies are what the tape shows of calls that know idempotency keys.
	keyPolicies map[keyedCall]*KeyPolicy
	nodes       map[Own]*node   // for people
	good        map[string]bool // credentials that have succeeded, by cassette
	All         []*Recording

	direct  map[uint64][]*Recording  // with whose answer callbacks come, by their use
	seen    map[evidence]bool        // what came with the answers of operations
	finders map[evidence]*Recording  // the first that tell of what they have found, by what that is
	bySelf  map[Own][]*tape.Callback // that come with a change by itself, by where that leads
	timed   map[Own][]Timed
	births  map[Own]bool // in which something is born
}

// Recording is a recorded exchange and where it stands in the machine.
type Recording struct {
	*tape.Recording
	*rare  // never nil; it is changed by way of rarely
	Births []Birth
	use    uint64
	View   View
	// Overlapped says that a write to the entity that is read was under way: the answer tells of
	// no state.
	Overlapped bool
	// Missed says that a call is missing on tape between the birth of the entity that is named and
	// the recording. Nobody knows in which state the entity was.
	Missed bool
	// Unnamed says that the answer brings less by which requests name things than others that say the same.
	Unnamed  bool
	hasParts bool
	Session  Own   // the state of the session after a write that names nothing; 0 for any other
	Owns     []Own // of the roles, before
	Moves    []Own // of the roles, after; equal to Owns where the call changes nothing
	Key      Key
	anywhere Key // the key without the host: a call does the same wherever its API stands
	Deciding string
}

// rare is what few recordings have.
type rare struct {
	Again   []Again
	Members []int // of a list: the position of each item among the members
	direct  []*tape.Callback
	guessed bool    // that all of direct come with the recording
	old     []Found // what a write brings and has found
	// MemberMoves are what a write that is about a scope alone does to members of the scope.
	MemberMoves []MemberMove
}

// MemberMove leads members of a scope from one own state to another. A clock of the sandbox that is set on ends the
// period of each subscription that is reckoned by it.
type MemberMove struct {
	From, To Own
	// Ambiguous says that members which were in one state came to different ones, or that some stayed there.
	Ambiguous bool
}

// nothing is what recordings share that have nothing of what few have.
var nothing = &rare{}

// rarely returns what few recordings have, to be changed.
func (r *Recording) rarely(s *slabs) *rare {
	if r.rare == nothing {
		r.rare = s.rare.Put(rare{})
	}
	return r.rare
}

// Use is equal for recordings that serve alike: recordings of one row and card that say the same. It is a
// number from 1, and no greater than the number of recordings.
func (r *Recording) Use() uint64 { return r.use }

// Doubtful reports whether the recording tells of no state.
func (r *Recording) Doubtful() bool { return r.Overlapped || r.Missed }

// FirstRole returns the index of the first entity that a recording names and that is no scope: the
// entity that silent edges are about. It is -1 if there is none.
func (r *Recording) FirstRole() int {
	return slices.IndexFunc(r.Roles, func(e *tape.Entity) bool { return !e.Scope })
}

// Birth is an entity that an exchange bears.
type Birth struct {
	*BirthKind
	Entity *tape.Entity // the recorded entity, which the live entity follows
	Own    Own
	// Passing says that nothing on tape leads to the entity once it is born.
	Passing bool
}

// BirthKind is what births of one kind by calls of one operation have in common, and share.
type BirthKind struct {
	Kind  string
	Type  *profile.Entity // what the profile says of the kind; nil for an inferred one
	Scope bool
	// Keyed says that no entity is born if an entity is there already that agrees in the key of
	// the kind: the card, and the facts.
	Keyed bool
	Facts map[string]string
	// Up leads to the wholes and scopes of the entity.
	Up []Up
	// Hidden says that the answer does not show the entity.
	Hidden bool
}

// Again is an entity that a write may have borne once more: an entity of this kind with this card
// was there already, in an own state.
type Again struct {
	Kind string
	Own  Own
}

// Up leads from a role, or from another birth, to what a birth becomes a part or member of.
type Up struct {
	Role  int
	Birth bool // Role counts births
	Steps []tape.Step
	Scope bool
}

// Reads is a question about one entity in one state.
type Reads struct {
	Key  Key
	Own  Own
	View View
}

// Edge is a silent edge: it is taken after so many reads, or after as long a time as on tape if that is
// long enough to be a term, such as the twenty minutes in which an order must be paid.
type Edge struct {
	After int
	// Before and Term are the times since the state began at which the last read before the change
	// and the first behind it were answered; 0 if nobody knows.
	Before, Term time.Duration
	To           Own
	// Ambiguous says that recordings disagree about where it leads.
	Ambiguous bool
	From, At  *Recording // the last read before it, and the first behind
}

// shortestWait is how long a client must have waited for time to tell of a change. Clients that poll do
// so within seconds, and are told of it after as many polls as on tape, however fast.
const shortestWait = time.Minute

// longestPause is the longest time between two polls of a client that does nothing but poll.
const longestPause = 10 * time.Second

// Due reports whether the edge is due after so many reads and so long a time since the state began.
func (e *Edge) Due(reads int, since time.Duration) bool {
	return reads >= e.After || e.Term > 0 && since >= e.Term && (e.rested() || since >= shortestWait)
}

// Open reports whether nobody can tell on which side of an edge that is not due a client is that has
// waited so long: between the two reads on tape, and long.
func (e *Edge) Open(since time.Duration) bool {
	if !e.rested() {
		return since >= shortestWait && since > e.Before && since < e.Term
	}
	return since > e.Before+e.tolerance() && since < e.Term
}

// Split reports whether reads and time disagree about an edge: only one of them says that the edge
// is due. Where the client has polled without a pause, only reads count.
func (e *Edge) Split(reads int, since time.Duration) bool {
	return e.rested() && (since < e.Term-e.tolerance() || reads < e.After && since < shortestWait)
}

// rested reports whether there was a pause between the two reads on tape.
func (e *Edge) rested() bool { return e.Term-e.Before > longestPause }

// tolerance is how far a client that does as on tape may be from the times on it.
func (e *Edge) tolerance() time.Duration { return min((e.Term-e.Before)/4, longestPause) }

// Known is what the tape has under one key, in all states.
type Known struct {
	deciding  []string        // the deciding values, each once; a few
	more      map[string]bool // all deciding values; nil of a few
	Succeeded bool            // other credentials were not refused
	Sample    []*Recording    // for misses: the first in each row, a few
}

// Decided reports whether the tape has deciding values under the key.
func (k *Known) Decided(deciding string) bool {
	if k.more != nil {
		return k.more[deciding]
	}
	return slices.Contains(k.deciding, deciding)
}

func (k *Known) decide(deciding string) {
	switch {
	case k.Decided(deciding):
	case k.more != nil:
		k.more[deciding] = true
	case len(k.deciding) < few:
		k.deciding = append(k.deciding, deciding)
	default:
		k.more = map[string]bool{deciding: true}
		for _, before := range k.deciding {
			k.more[before] = true
		}
		k.deciding = nil
	}
}

// LetIn reports whether other credentials were not refused. Nil is what nothing is known of.
func (k *Known) LetIn() bool { return k != nil && k.Succeeded }

// Row returns the cases of a row, or nil.
func (m *Machine) Row(r Row) *Cases { return m.rows[r] }

// Beside returns the cases of the row in which a recording stands, or nil: lists stand in none.
func (m *Machine) Beside(r *Recording) *Cases {
	for _, cases := range m.rows {
		for _, other := range cases.Recordings() {
			if other == r {
				return cases
			}
		}
	}
	return nil
}

// Known returns what the tape has under a key, or nil.
func (m *Machine) Known(k Key) *Known { return m.keys[k] }

// Silent returns the silent edge that leads on from a question, or nil.
func (m *Machine) Silent(r Reads) *Edge { return m.silent[r] }

// Behind returns the own states to which silent edges lead from an own state.
func (m *Machine) Behind(o Own) []Own { return m.behind[o] }

// Beyond returns those of the own states behind silent edges in which a question was asked that was not asked
// before, and was answered otherwise than others before.
func (m *Machine) Beyond(o Own) []Own { return m.beyond[o] }

// List returns the list that a key asks for, or nil.
func (m *Machine) List(k Key) *List { return m.lists[k] }

// DeniedBy returns the recordings of an operation in which credentials were refused.
func (m *Machine) DeniedBy(op string) []*Recording { return m.denied[op] }

// Of returns the recordings of an operation.
func (m *Machine) Of(op string) []*Recording { return m.byOp[op] }

// Build makes a machine of a tape. It walks over the tape once more if some write has borne what
// its answer does not show: then writes like it have done so too.
func Build(t *tape.Tape) *Machine {
	var ready sync.WaitGroup // what the walk asks about recordings
	var asks []asked
	var unsure doubts
	ready.Go(func() { asks = askedOn(t) })
	ready.Go(func() { unsure = doubtsOf(t) })
	b := newBuilder(t)
	ready.Wait()
	b.asked, b.doubts = asks, unsure
	b.run()
	if len(b.hidden) > 0 {
		once := b
		b = newBuilder(t)
		b.asked, b.doubts, b.known = once.asked, once.doubts, once.hidden
		b.run()
	}
	b.finish()
	return b.m
}
