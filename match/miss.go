package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// Reason says in one stable word why the tape has no answer.
type Reason string

// The reasons. They are part of the outside contract (header Paytape-Miss).
const (
	NoOperation Reason = "no-operation" // the tape has no call of this operation
	BadMethod   Reason = "method"       // it has the path, under another method
	BadPath     Reason = "path"         // no profile and no recording knows the path
	BadField    Reason = "field"        // a parameter differs from every recording
	UnknownIDs  Reason = "unknown-id"   // an id that was not issued in this run
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
}

// Near is a recorded exchange that came close.
type Near struct {
	Cassette  string
	Number    int
	Operation string
	State     string // in which it was recorded
	Diffs     []Diff
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
	Differs   Problem = "differs"
	Missing   Problem = "missing"
	Extra     Problem = "not on tape"
	UnknownID Problem = "not issued in this run"
	Elsewhere Problem = "issued in another session"
	Dropped   Problem = "of a thing that is no longer kept"
	Taken     Problem = "of a thing that is there already"
	Expired   Problem = "expired on one side only"
	Malformed Problem = "malformed on one side only"
	IsEmpty   Problem = "empty on one side only"
)

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
	maxCompared = 64
	maxProblems = 10
	maxShown    = 60 // bytes of a recorded value that a hint repeats
	maxRemedies = 3  // fields of a hint
)

// missed explains why nothing could be served.
func (p *Player) missed(q *query, f found) *Miss {
	m := &Miss{Operation: operationOf(q)}
	recorded := p.tape.machine.Of(q.Op)
	switch {
	case f.marked != "":
		p.missedMark(m, f)
	case f.denied:
		m.Reason = BadField
		m.Sentence = "the credentials are bad, and the tape has no such call that was refused"
		m.Hint = "record the call with bad credentials, or leave --credentials out"
	case len(recorded) == 0:
		p.noRecording(q, m)
	default:
		p.compare(q, f, recorded, m)
	}
	return m
}

// missedWrite marks what a missed write would have moved: what the sandbox would hold of it is not
// known from now on.
func (p *Player) missedWrite(q *query) {
	named := false
	for _, e := range q.ents {
		e.assume(assumedMiss)
		named = named || !e.scope
	}
	if !named && p.mark == "" {
		p.mark = assumedMiss
	}
}

func (p *Player) missedMark(m *Miss, f found) {
	m.Reason = BadState
	m.Sentence = fmt.Sprintf("the answer would be marked %s, and marked answers are refused", f.marked)
	m.Hint = "record this call in this state, or leave --marked miss out"
	if f.recording != nil {
		m.Near = []Near{near(p.tape.machine, f.recording, nil)}
	}
}

func operationOf(q *query) string {
	if q.Call.Operation != nil {
		return q.Call.Operation.Name
	}
	return q.Method() + " of an unknown operation"
}

// Method returns the method of the request.
func (q *query) Method() string { return q.r.Method }

// noRecording tells a path that is on tape under another method from one that is not.
func (p *Player) noRecording(q *query, m *Miss) {
	path := pathOf(q.r)
	for _, r := range p.tape.machine.All {
		if r.Target == path && r.Method != q.r.Method {
			m.Reason = BadMethod
			m.Sentence = fmt.Sprintf("the tape has this path as %s, not as %s", r.Method, q.r.Method)
			m.Hint = "send it with the recorded method, or record this call"
			return
		}
	}
	if q.Call.Operation == nil {
		m.Reason = BadPath
		m.Sentence = "no profile knows this path and the tape has no call like it"
		m.Hint = "check the base URL of the client, or record this call"
		return
	}
	m.Reason = NoOperation
	m.Sentence = fmt.Sprintf("the tape has no call of %s", m.Operation)
	m.Hint = "record one: paytape record appends to a cassette"
}

// compare explains by the recordings that come nearest.
func (p *Player) compare(q *query, f found, recorded []*machine.Recording, m *Miss) {
	known := p.tape.machine.Known(f.key)
	if known == nil || len(known.Sample) == 0 {
		p.differ(q, recorded, m)
		return
	}
	m.Reason = BadState
	var states []string
	for _, r := range known.Sample[:min(maxNear, len(known.Sample))] {
		m.Near = append(m.Near, near(p.tape.machine, r, nil))
		states = append(states, fmt.Sprintf("after %s (%s#%d)", p.stateOf(r), r.Cassette, r.Number))
	}
	if more := len(known.Sample) - maxNear; more > 0 {
		states = append(states, fmt.Sprintf("and in %d more states", more))
	}
	here := "before anything was done"
	if e := q.first(); e != nil {
		here = "after " + p.tape.machine.Words(e.own)
	}
	on := strings.Join(states, ", ")
	switch {
	case f.list != nil || p.tape.machine.List(f.key) != nil:
		m.Sentence = fmt.Sprintf("no recorded list shows %s in the states that they are in; on tape it "+
			"was asked %s", plural(len(f.members), "member"), on)
		m.Hint = "record the list in this state, or lists with one member in each state"
	case f.known:
		m.Sentence = fmt.Sprintf("%s was recorded with this card in another state only: here it comes "+
			"%s", m.Operation, here)
		m.Hint = "record this call with this card in this state, or use the card of " + places(m.Near)
	case f.inCase != nil:
		m.Sentence = fmt.Sprintf("%s comes %s, and what belongs to it is in another state than on "+
			"tape, where the answers differ with it (%s)", m.Operation, here, on)
		m.Hint = "record this call in this state, or make the calls that come before it on tape"
	default:
		m.Sentence = fmt.Sprintf("%s comes %s; on tape it comes %s", m.Operation, here, on)
		m.Hint = "make the calls that come before it on tape, or record this call in this state"
	}
}

// stateOf tells in words the state of what a recording is about.
func (p *Player) stateOf(r *machine.Recording) string {
	for i, e := range r.Roles {
		if !e.Scope && i < len(r.Owns) {
			return p.tape.machine.Words(r.Owns[i])
		}
	}
	return "no call that it depends on"
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

func near(m *machine.Machine, r *machine.Recording, diffs []Diff) Near {
	n := Near{Cassette: r.Cassette, Number: r.Number, Operation: r.Operation, Diffs: diffs}
	if len(r.Owns) > 0 {
		n.State = m.Words(r.Owns[0])
	}
	return n
}

// differ explains by the parameters in which a request differs from recorded ones.
func (p *Player) differ(q *query, recorded []*machine.Recording, m *Miss) {
	for _, r := range nearest(q, recorded) {
		m.Near = append(m.Near, near(p.tape.machine, r, p.differences(q, r)))
	}
	slices.SortStableFunc(m.Near, func(a, b Near) int {
		return cmp.Compare(len(a.Diffs), len(b.Diffs))
	})
	m.Near = m.Near[:min(maxNear, len(m.Near))]
	p.blame(q, m)
}

// nearest returns recordings that have most parameters in common with a request, a few.
func nearest(q *query, recorded []*machine.Recording) []*machine.Recording {
	if len(recorded) <= maxCompared {
		return recorded
	}
	type scored struct {
		r *machine.Recording
		n int
	}
	const most = 4096
	all := make([]scored, 0, min(most, len(recorded)))
	for _, r := range recorded[:min(most, len(recorded))] {
		n := 0
		for i := range r.Request {
			if a := q.param(r.Request[i].Path); a != nil && a.Text == r.Request[i].Text {
				n++
			}
		}
		all = append(all, scored{r, n})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.n, a.n) })
	out := make([]*machine.Recording, 0, maxCompared)
	for _, s := range all[:min(maxCompared, len(all))] {
		out = append(out, s.r)
	}
	return out
}

// differences returns every parameter in which a request differs from a recorded one.
func (p *Player) differences(q *query, r *machine.Recording) []Diff {
	var ds []Diff
	if q.Host != r.Host || q.address != "" && q.address != r.Address {
		ds = append(ds, Diff{
			Place: leaf.Header, Path: "host", Problem: Differs, Want: cmp.Or(r.Host, r.Address),
			Got: Live(cmp.Or(q.r.Host, q.r.Address)),
		})
	}
	for i := range r.Request {
		want := &r.Request[i]
		got := q.counterpart(want)
		if got == nil {
			ds = append(ds, diff(want, Missing, want.Text, ""))
			continue
		}
		if problem := p.problem(q, r, want, got); problem != "" {
			ds = append(ds, diff(got, problem, want.Text, got.Text))
		}
	}
	for i := range q.Asked {
		got := &q.Asked[i]
		if !slices.ContainsFunc(r.Request, func(w tape.Asked) bool {
			return w.Path == got.Path || len(w.Names) > 0 && w.Label == got.Label
		}) {
			ds = append(ds, diff(got, Extra, "", got.Text))
		}
	}
	return ds
}

// counterpart returns the parameter that a recorded one is to be compared with: that of its path,
// else for a name the one that names the same kind of entity. It is nil if there is none.
func (q *query) counterpart(want *tape.Asked) *tape.Asked {
	if got := q.param(want.Path); got != nil || len(want.Names) == 0 {
		return got
	}
	for i := range q.Asked {
		if a := &q.Asked[i]; a.Label == want.Label && a.Text != "" {
			return a
		}
	}
	return nil
}

func diff(a *tape.Asked, problem Problem, want, got string) Diff {
	return Diff{
		Place: a.Place, Path: a.Path, Field: a.Field, Problem: problem, Want: want, Got: Live(got),
	}
}

// problem says how a parameter differs from the recorded one; "" if it does not.
func (p *Player) problem(q *query, r *machine.Recording, want, got *tape.Asked) Problem {
	place := p.tape.machine.Tape.Place(q.Op, want.Path)
	switch {
	case place != nil && place.Free:
		return ""
	case len(want.Names) > 0 && len(got.Names) == 0 && !got.Unborn:
		return p.whose(got.Text)
	case got.Unborn && len(want.Names) > 0:
		return p.whose(got.Text)
	case want.Unborn && len(got.Names) > 0:
		return Taken
	case want.Whole() && got.Whole():
		if r.Roles[want.Names[0].Role].Config != q.Config[got.Names[0].Role] ||
			want.Names[0].Behind != got.Names[0].Behind {
			return Differs
		}
		return ""
	case len(want.Names) > 0:
		return Differs
	case want.Unborn && got.Unborn:
		return ""
	case want.Class != got.Class:
		return classProblem(want.Class, got.Class)
	case want.Field.From == profile.Exact || got.Field.From == profile.Exact:
		if want.Text != got.Text {
			return Differs
		}
	}
	return ""
}

func classProblem(a, b request.Class) Problem {
	for _, pair := range []struct {
		class   request.Class
		problem Problem
	}{{request.Empty, IsEmpty}, {request.Malformed, Malformed}, {request.Expired, Expired}} {
		if a == pair.class || b == pair.class {
			return pair.problem
		}
	}
	return Differs
}

// whose says why nothing live has an id: nobody got it in this run, another session did, or it is
// kept no longer.
func (p *Player) whose(text string) Problem {
	if p.minter == nil {
		return UnknownID
	}
	switch p.minter(text) {
	case 0:
		return UnknownID
	case p.session:
		return Dropped
	}
	return Elsewhere
}

// blame words the differences of the nearest recording.
func (p *Player) blame(q *query, m *Miss) {
	if len(m.Near) == 0 || len(m.Near[0].Diffs) == 0 {
		m.Reason = BadState
		m.Sentence = "the nearest recording asks the same about another thing"
		m.Hint = "make the calls that come before it on tape"
		return
	}
	nearest := m.Near[0]
	for _, d := range nearest.Diffs {
		switch d.Problem {
		case UnknownID, Elsewhere, Dropped:
			p.unissued(m, d, nearest)
			return
		case Taken:
			m.Reason = BadState
			m.Sentence = fmt.Sprintf("this %s names a thing that is there already, and on tape the call "+
				"comes with a new one", d.Path)
			m.Hint = fmt.Sprintf("send another %s, or record this call in this state", d.Path)
			return
		}
	}
	m.Reason = BadField
	m.Sentence = "no recording agrees: " + problems(nearest.Diffs)
	m.Hint = remedy(nearest.Diffs) + ", record this call too, or mark the field in a profile"
}

// unissued words a miss of an id that no answer of this run has brought.
func (p *Player) unissued(m *Miss, d Diff, n Near) {
	m.Reason = UnknownIDs
	m.Sentence = fmt.Sprintf("this %s was not issued in this run", d.Path)
	first := "make the call first whose answer brings one"
	if born := p.birthOf(n, d.Want); born != "" {
		first = fmt.Sprintf("call %s first: its answer brings one", born)
	}
	recorded := string(d.Got) == d.Want
	switch {
	case d.Problem == Elsewhere:
		m.Sentence = fmt.Sprintf("this %s was issued in another session", d.Path)
		m.Hint = "send it under the base path of its session, /~NAME/ or none, or " + first
	case d.Problem == Dropped:
		m.Sentence = fmt.Sprintf("this %s was issued in this run, to something that is no longer kept",
			d.Path)
		m.Hint = first + ": since then replay was reset or much else was made"
	case recorded && p.tape.opts.RecordedIDs:
		m.Hint = first
	case recorded:
		m.Sentence += ": it is the one on tape"
		m.Hint = first + ", or start replay with --ids recorded"
	default:
		m.Hint = first + "; ids of an earlier run are not served"
	}
}

// birthOf names the exchange whose answer brings what a recording names by a text.
func (p *Player) birthOf(n Near, text string) string {
	for _, r := range p.tape.machine.All {
		if r.Cassette != n.Cassette || r.Number != n.Number {
			continue
		}
		for i := range r.Request {
			a := &r.Request[i]
			if a.Text != text || len(a.Names) == 0 {
				continue
			}
			if born := r.Roles[a.Names[0].Role].Born; born != nil {
				return fmt.Sprintf("%s (%s#%d)", born.Operation, born.Cassette, born.Number)
			}
		}
	}
	return ""
}

// problems lists differences: "amount differs, language is missing".
func problems(ds []Diff) string {
	var parts []string
	for _, d := range ds[:min(maxProblems, len(ds))] {
		switch d.Problem {
		case Differs:
			parts = append(parts, fmt.Sprintf("%s %s", d.Path, d.Problem))
		default:
			parts = append(parts, fmt.Sprintf("%s is %s", d.Path, d.Problem))
		}
	}
	if more := len(ds) - maxProblems; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// remedy says how a request would have to be for the tape to answer it: "send amount=100,
// leave language out". It repeats values of the tape alone, and of those no secrets.
func remedy(ds []Diff) string {
	var send, leave []string
	for _, d := range ds[:min(maxRemedies, len(ds))] {
		switch {
		case d.Problem == Extra:
			leave = append(leave, d.Path)
		case d.Problem == Expired:
			send = append(send, d.Path+" as far in the future or past as recorded")
		case d.Problem == Malformed:
			send = append(send, d.Path+" in the form that was recorded")
		case d.Field.Secret != profile.NotSecret || d.Want == "" || len(d.Want) > maxShown ||
			strings.Contains(d.Want, "REDACTED-"):
			send = append(send, d.Path+" as recorded")
		default:
			send = append(send, d.Path+"="+d.Want)
		}
	}
	var parts []string
	if len(send) > 0 {
		parts = append(parts, "send "+strings.Join(send, " and "))
	}
	if len(leave) > 0 {
		parts = append(parts, "leave out "+strings.Join(leave, " and "))
	}
	return strings.Join(parts, ", ")
}
