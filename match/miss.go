package match

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
)

// Reason says in one stable word why the tape has no answer.
type Reason string

// The reasons. They are part of the outside contract (header Paytape-Miss).
const (
	NoOperation Reason = "no-operation" // the tape has no call of this operation
	BadMethod   Reason = "method"       // it has the path, under another method
	BadPath     Reason = "path"         // nothing knows the path, or not as it is spelled
	BadField    Reason = "field"        // a parameter differs from every recording
	UnknownIDs  Reason = "unknown-id"   // an id that was not issued in this run, or for something else
	BadState    Reason = "state"        // it was recorded in another state only
	ByRule      Reason = "rule"         // a rule of this run has taken the answer
)

// Reasons returns the reasons, in the order in which a summary lists them.
func Reasons() []Reason {
	return []Reason{NoOperation, BadMethod, BadPath, BadField, UnknownIDs, BadState, ByRule}
}

// Miss explains why a request has no answer on tape. Its texts hold values of the tape
// only; what the client sent is in the Diffs, as Live.
type Miss struct {
	Reason    Reason
	Operation string // "register.do"; its pattern where no profile knows it
	Sentence  string // what was in the way, as a plain sentence without a full stop
	Hint      string // what would make it match
	Near      []Near
	// Trace is how it was looked for; nil where the tape was not asked.
	Trace *Trace
}

// Near is a recorded exchange that came close.
type Near struct {
	Cassette  string
	Number    int
	Operation string
	State     string // in which it was recorded
	Diffs     []Diff

	recording *machine.Recording
}

// Diff is one parameter in which a request differs from a recorded one.
type Diff struct {
	Place   leaf.Place
	Path    string // "amount", "cardIdentification.cardNumber"
	Field   profile.Field
	Problem Problem
	Want    string // as on tape; empty where the tape has none
	Got     Live   // as sent; empty where nothing was sent
}

// Problem says how a parameter differs.
type Problem string

// The problems.
const (
	Differs    Problem = "differs"
	Missing    Problem = "missing"
	Extra      Problem = "not on tape"
	UnknownID  Problem = "not issued in this run"
	Elsewhere  Problem = "issued in another session"
	Dropped    Problem = "of a thing that is no longer kept"
	OtherKind  Problem = "of a thing of another kind"
	Unfollowed Problem = "of a thing about which the tape has no such call"
	Taken      Problem = "of a thing that is there already"
	Expired    Problem = "expired on one side only"
	Carried    Problem = "in a body of another kind: a form, JSON or multipart"
	Scheme     Problem = "credentials of another scheme"
	NotItsOwn  Problem = "not that of what is named beside it, on one side only"
	OtherType  Problem = "of another JSON type"
	Malformed  Problem = "malformed on one side only"
	Spelled    Problem = "written in another way"
	TooLong    Problem = "longer on one side only than the API takes"
	IsEmpty    Problem = "empty on one side only"
	IsBlank    Problem = "blank on one side only"
	SameText   Problem = "the text that is on tape, and there it names what the call is about"
	IllFormed  Problem = "well-formed XML on one side only"
	Unread     Problem = "no JSON, form or XML, or a broken one"
)

// ofID reports whether the problem is an id that names nothing which the call could be about.
func (p Problem) ofID() bool {
	switch p {
	case UnknownID, Elsewhere, Dropped, OtherKind, Unfollowed:
		return true
	}
	return false
}

// nameOf says in words which parameter has a path: of a segment of the path the number, counted from 1.
func nameOf(place leaf.Place, path string) string {
	if n, err := strconv.Atoi(strings.TrimPrefix(path, "/")); err == nil && place == leaf.Path {
		return fmt.Sprintf("segment %d of the path", n+1)
	}
	switch {
	case path == "" && (place == leaf.Text || place == leaf.JSON):
		return "the body"
	case path == "", path[0] == '#': // the second one is "#2"
		return "the parameter without a name"
	}
	return path
}

func (d *Diff) name() string { return nameOf(d.Place, d.Path) }

// AnotherValue stands, where a difference is shown, for a value that differs although what cleaning left of it
// does not: tape and deck number their secrets apart.
const AnotherValue = "(another value)"

// Live is a value that a client sent. It may be a secret: it prints as a marker, and only
// what cleans it asks for its text.
type Live string

// String hides the value.
func (l Live) String() string { return "[live value]" }

// GoString hides the value from %#v.
func (l Live) GoString() string { return l.String() }

// MarshalText hides the value from JSON and logs.
func (l Live) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Reveal returns the value, to be cleaned.
func (l Live) Reveal() string { return string(l) }

// Bounds of what a miss compares and shows.
const (
	maxNear     = 3
	maxProblems = 10
	maxShown    = 60 // bytes of a recorded value that a hint repeats
	maxRemedies = 3  // fields of a hint
)

// missed explains why nothing could be served.
func (p *Player) missed(q *query, f found) *Miss {
	m := &Miss{Operation: p.operationOf(q)}
	switch {
	case f.marked != "":
		p.missedMark(m, f)
	case f.inList:
		m.Reason = ByRule
		m.Sentence = "a rule takes a recording, and the answer is a list, which is put together " +
			"of what there is"
		m.Hint = "let the rule set or delete fields of the list, or answer in its place"
	case f.ruled:
		m.Reason = ByRule
		m.Sentence = "no recording of this call in this state is one that the rule takes"
		m.Hint = "record such a call in this state, or let the rule take another"
	case f.reusedKey:
		m.Reason = BadState
		m.Sentence = "the idempotency key has come with another such request before, and the tape does not tell " +
			"what the sandbox answers then"
		m.Hint = "make a key for each request, or record two requests under one key"
	case f.denied:
		m.Reason = BadField
		m.Sentence = "the credentials are bad, and the tape has no such call that was refused"
		m.Hint = "record the call with bad credentials, or leave --credentials out"
	case len(p.tape.machine.Of(q.Op)) == 0:
		p.noRecording(q, m)
	default:
		p.compare(q, f, m)
	}
	m.Trace = p.trace(q, f)
	m.Trace.miss = m
	return m
}

// missedWrite marks what a missed write would have moved: what the sandbox would hold of it is not
// known from now on. A call that is not on tape names it where no tape tells names.
func (p *Player) missedWrite(q *query) {
	for _, e := range p.mentioned(q) {
		e.assume(assumedMiss)
	}
	if len(p.tried) >= mostMissed {
		clear(p.tried)
	}
	for name := range q.given() {
		p.tried[name] = true
	}
	if q.key.call != 0 {
		p.tried[q.key.call] = true
	}
	named := slices.ContainsFunc(q.ents, func(e *entity) bool { return !e.Scope })
	if api := p.apiOf(q); !named && api.mark == "" {
		api.mark = assumedMiss
	}
}

// mostMissed bounds the names that are kept of missed writes.
const mostMissed = 1 << 12

// given yields digests of the names that a request gives to what it bears.
func (q *query) given() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range q.Asked {
			if a := &q.Asked[i]; a.Unborn && !yield(request.Digest(a.Field.Of, a.Text)) {
				return
			}
		}
	}
}

// wasMissed returns the mark of a write that gives a name which a missed write would have given, or has its
// idempotency key: the sandbox might have refused it.
func (p *Player) wasMissed(q *query) string {
	if len(p.tried) == 0 || q.reads {
		return ""
	}
	for name := range q.given() {
		if p.tried[name] {
			return assumedMiss
		}
	}
	if p.tried[q.key.call] {
		return assumedMiss
	}
	return ""
}

func (p *Player) missedMark(m *Miss, f found) {
	m.Reason = BadState
	m.Sentence = fmt.Sprintf("the answer would be marked %s, and marked answers are refused", f.marked)
	m.Hint = "record this call in this state, or leave --marked miss out"
	if f.recording != nil {
		m.Near = []Near{near(p.tape.machine, f.recording, nil)}
	}
}

// operationOf names the operation of a request. One that no profile knows is named by its method and the
// pattern of its path, as on tape: "POST /charges/{}/refunds".
func (p *Player) operationOf(q *query) string {
	if all := p.tape.machine.Of(q.Op); q.Call.Operation == nil && len(all) > 0 {
		return all[0].Did()
	}
	if q.Call.Operation != nil {
		return q.Call.Operation.Name
	}
	return q.r.Method + " of an unknown operation" // its path is the client's
}

// noRecording tells a path that is on tape under another method from one that is not.
func (p *Player) noRecording(q *query, m *Miss) {
	path := pathOf(q.r)
	if r := p.tape.otherMethod(path, q.r.Method); r != nil {
		m.Reason = BadMethod
		m.Sentence = fmt.Sprintf("the tape has this path as %s, not as %s", r.Method, q.r.Method)
		m.Hint = "send it with the recorded method, or record this call"
		return
	}
	if p.otherCall(q, m) {
		return
	}
	if q.Call.Operation == nil {
		m.Reason = BadPath
		m.Sentence = "no profile knows this path and the tape has no call like it"
		m.Hint = "check the base URL of the client, or record this call"
		if like := p.tape.meant(path); like != "" {
			m.Hint = fmt.Sprintf("did you mean %s? else record this call", like)
		}
		return
	}
	if r := p.respelled(q); r != nil {
		m.Reason = BadPath
		m.Sentence = fmt.Sprintf("the tape has %s under another spelling of its path: %s", m.Operation,
			slashes(path, request.PathOf(r.Target)))
		m.Hint = "spell the path as on tape, or record this call: not every API takes both for one path"
		return
	}
	m.Reason = NoOperation
	m.Sentence = fmt.Sprintf("the tape has no call of %s", m.Operation)
	m.Hint = "record one: paytape record appends to a cassette"
}

// respelled returns the first recording of the operation of a request under another spelling of the path,
// or nil.
func (p *Player) respelled(q *query) *machine.Recording {
	for _, op := range p.tape.machine.Tape.Respelled(q.r) {
		if all := p.tape.machine.Of(op); len(all) > 0 {
			return all[0]
		}
	}
	return nil
}

// slashes tells what a recorded path has otherwise than a path that was sent: slashes at the end, or two
// together.
func slashes(sent, onTape string) string {
	var parts []string
	for _, s := range []struct {
		where string
		here  func(path string) bool
	}{
		{"a slash at the end", func(path string) bool { return strings.HasSuffix(path, "/") }},
		{"a double slash", func(path string) bool { return strings.Contains(path, "//") }},
	} {
		switch a, b := s.here(sent), s.here(onTape); {
		case a && !b:
			parts = append(parts, "without "+s.where)
		case b && !a:
			parts = append(parts, "with "+s.where)
		}
	}
	return strings.Join(parts, " and ")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func places(ns []Near) string {
	var out []string
	for _, n := range ns {
		out = append(out, fmt.Sprintf("%s#%d", n.Cassette, n.Number))
	}
	return strings.Join(out, ", ")
}
