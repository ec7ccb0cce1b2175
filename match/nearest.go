package match

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// The recordings that are nearest to what was missed, and the fields in which they differ.

// compare explains by the recordings that come nearest.
func (p *Player) compare(q *query, f found, m *Miss) {
	known := p.tape.machine.Known(f.key)
	if known == nil || len(known.Sample) == 0 {
		p.differ(q, m)
		return
	}
	m.Reason = BadState
	var states []string
	for _, r := range known.Sample[:min(maxNear, len(known.Sample))] {
		m.Near = append(m.Near, near(p.tape.machine, r, nil))
		states = append(states, fmt.Sprintf("after %s (%s#%d)", p.stateOf(q, r), r.Cassette, r.Number))
	}
	if more := len(known.Sample) - maxNear; more > 0 {
		states = append(states, fmt.Sprintf("and in %d more states", more))
	}
	here := "before anything was done"
	if e := q.first(); e != nil {
		here = "after " + p.wordsHere(e, known.Sample[0])
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
	case len(q.ents) > 1 && here == "after "+p.stateOf(q, known.Sample[0]):
		m.Sentence = fmt.Sprintf("%s comes %s, and what it names does not belong together as on tape (%s)",
			m.Operation, here, on)
		m.Hint = "name things that belong together as those of " + places(m.Near) + ", or record this call"
	default:
		m.Sentence = fmt.Sprintf("%s comes %s; on tape it comes %s", m.Operation, here, on)
		m.Hint = "make the calls that come before it on tape, or record this call in this state"
	}
}

// stateOf tells in words the state of what a recording is about, beside the live one's.
func (p *Player) stateOf(q *query, r *machine.Recording) string {
	own, found := ownIn(r)
	if !found {
		return "no call that it depends on"
	}
	if e := q.first(); e != nil {
		return p.tape.machine.WordsBeside(own, e.Own)
	}
	return p.tape.machine.Words(own)
}

// wordsHere tells the state of a live entity beside that of a recording.
func (p *Player) wordsHere(e *entity, r *machine.Recording) string {
	if own, found := ownIn(r); found {
		return p.tape.machine.WordsBeside(e.Own, own)
	}
	return p.tape.machine.Words(e.Own)
}

// ownIn returns the own state of the first entity that a recording names and that is no scope.
func ownIn(r *machine.Recording) (machine.Own, bool) {
	if i := r.FirstRole(); i >= 0 && i < len(r.Owns) {
		return r.Owns[i], true
	}
	return 0, false
}

func near(m *machine.Machine, r *machine.Recording, diffs []Diff) Near {
	n := Near{
		Cassette: r.Cassette, Number: r.Number, Operation: r.Operation(), Diffs: diffs, recording: r,
	}
	if len(r.Owns) > 0 {
		n.State = m.Words(r.Owns[0])
	}
	return n
}

// differ explains by the parameters in which a request differs from recorded ones.
func (p *Player) differ(q *query, m *Miss) {
	for _, r := range p.tape.leastDifferent(&q.asking) {
		ds := p.tape.differences(&q.asking, r, p.whose)
		m.Near = append(m.Near, near(p.tape.machine, r, ds))
	}
	p.blame(q, m)
}

// leastDifferent returns the recordings from which a request differs in the fewest parameters, a few.
// Of equals the first stays first.
func (t *Tape) leastDifferent(q *asking) []*machine.Recording {
	type counted struct {
		r *machine.Recording
		n int
	}
	var ds []Diff
	var asked []tape.Asked
	best := make([]counted, 0, maxNear+1)
	for _, r := range t.nearest(q) {
		most := math.MaxInt
		if len(best) == maxNear {
			most = best[maxNear-1].n
		}
		asked = r.Request.Append(asked[:0])
		ds = t.appendDifferences(ds[:0], most, q, &recorded{r, asked}, anybodys)
		if len(ds) >= most {
			continue
		}
		at := len(best)
		for at > 0 && best[at-1].n > len(ds) {
			at--
		}
		best = slices.Insert(best, at, counted{r, len(ds)})
		best = best[:min(maxNear, len(best))]
	}
	out := make([]*machine.Recording, 0, len(best))
	for _, c := range best {
		out = append(out, c.r)
	}
	return out
}

// anybodys stands for what nothing live has where differences are counted, and nobody reads why.
func anybodys(string) Problem { return UnknownID }

// differences returns every parameter in which a request differs from a recorded one. whose says why
// nothing live has an id.
func (t *Tape) differences(q *asking, r *machine.Recording, whose func(string) Problem) []Diff {
	return t.appendDifferences(nil, math.MaxInt, q, &recorded{r, r.Request.Append(nil)}, whose)
}

// recorded is a recording with the parameters of its request.
type recorded struct {
	*machine.Recording
	asked []tape.Asked
}

// appendDifferences appends differences to an empty list, as many as are asked for.
func (t *Tape) appendDifferences(
	ds []Diff, most int, q *asking, r *recorded, whose func(string) Problem,
) []Diff {
	host := Diff{Place: leaf.Header, Path: "host", Problem: Differs}
	switch {
	case q.Host != r.Host:
		host.Want, host.Got = cmp.Or(r.Host, r.Address), Live(q.host)
		ds = append(ds, host)
	case q.address != "" && q.address != r.Address:
		host.Want, host.Got = r.Address, Live(q.address)
		ds = append(ds, host)
	}
	if q.Broken != r.Broken {
		ds = append(ds, Diff{Place: leaf.Text, Problem: IllFormed})
	}
	unread := q.unread(r)
	if unread != nil {
		ds = append(ds, diff(unread, Unread, "", unread.Text))
	}
	for i := 0; i < len(r.asked) && len(ds) < most; i++ {
		want := &r.asked[i]
		got := q.counterpart(want)
		if got == nil && unread != nil && inBody(want.Place) {
			continue // it may stand in the body, which nobody can read
		}
		if got == nil {
			ds = append(ds, diff(want, Missing, want.Text, ""))
			continue
		}
		problem := t.problem(q, r, compared{want, got}, whose)
		if problem == Carried && slices.ContainsFunc(ds, func(d Diff) bool { return d.Problem == Carried }) {
			continue // once is enough
		}
		if problem != "" {
			ds = append(ds, diff(got, problem, want.Text, got.Text))
		}
	}
	for i := 0; i < len(q.Asked) && len(ds) < most; i++ {
		got := &q.Asked[i]
		if got == unread {
			continue
		}
		if !slices.ContainsFunc(r.asked, func(w tape.Asked) bool {
			return w.Path == got.Path || len(w.Names) > 0 && w.Label == got.Label
		}) {
			ds = append(ds, diff(got, Extra, "", got.Text))
		}
	}
	return ds
}

// unread returns the body of a request if nobody can read its parameters, but those of the body of a
// recorded request; nil for none.
func (q *asking) unread(r *recorded) *tape.Asked {
	body := q.param("")
	if body == nil || body.Place != leaf.Text || tape.Param(r.asked, "") != nil ||
		!slices.ContainsFunc(r.asked, func(a tape.Asked) bool { return inBody(a.Place) }) {
		return nil
	}
	return body
}

// inBody reports whether parameters of a place stand in the body of a request.
func inBody(p leaf.Place) bool {
	return p == leaf.Form || p == leaf.Part || p == leaf.JSON || p == leaf.Markup
}

// counterpart returns the parameter that a recorded one is to be compared with: that of its path,
// else for a name the one that names the same kind of entity. It is nil if there is none.
func (q *asking) counterpart(want *tape.Asked) *tape.Asked {
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

// compared is a recorded parameter and its counterpart.
type compared struct{ want, got *tape.Asked }

// problem says how a parameter differs from the recorded one; "" if it does not.
func (t *Tape) problem(q *asking, r *recorded, c compared, whose func(string) Problem) Problem {
	want, got := c.want, c.got
	place := t.machine.Tape.Place(q.Op, want.Path)
	switch {
	case place != nil && want.Class != got.Class && (place.Apart(want.Class) || place.Apart(got.Class)):
		return classProblem(want.Class, got.Class)
	case place != nil && (place.Free || place.Chosen && got.Class.Nothing() && place.Optional):
		return ""
	case want.Scheme() != got.Scheme():
		return Scheme
	case want.Place != got.Place && (carried(want.Place) || carried(got.Place)):
		return Carried
	case want.Place == leaf.JSON && got.Place == leaf.JSON && want.Kind != got.Kind &&
		want.Class == got.Class:
		return OtherType
	case want.Tied != got.Tied:
		return NotItsOwn
	case len(want.Names) > 0 && len(got.Names) == 0 && !got.Unborn:
		return whose(got.Text)
	case got.Unborn && len(want.Names) > 0:
		return whose(got.Text)
	case want.Unborn && len(got.Names) > 0:
		return Taken
	case want.Whole() && got.Whole():
		if !sameName(q, r, &got.Names[0], &want.Names[0]) {
			return c.differ()
		}
		if want.Spelling() != got.Spelling() {
			return Spelled
		}
		return ""
	case len(want.Names) > 0:
		if len(want.Names) != len(got.Names) || around(want) != around(got) {
			return c.differ()
		}
		for i := range want.Names {
			if !sameName(q, r, &got.Names[i], &want.Names[i]) {
				return c.differ()
			}
		}
		return ""
	case want.Unborn && got.Unborn:
		return ""
	case want.Class != got.Class:
		return classProblem(want.Class, got.Class)
	case want.Field.From == profile.Exact || got.Field.From == profile.Exact:
		onTape := machine.Question{Asked: r.asked}
		if onTape.Compared(want.Text, place) != q.Compared(got.Text, place) {
			return c.differ()
		}
	}
	return ""
}

// differ says that two texts differ: in what they name, if they are equal.
func (c compared) differ() Problem {
	if c.want.Text == c.got.Text {
		return SameText
	}
	return Differs
}

// sameName reports whether two names are alike: of what was there from the start they are the same, and of
// what was born they are as far behind the latest name.
func sameName(q *asking, r *recorded, got, want *tape.Named) bool {
	return r.Roles[want.Role].Config == q.Config[got.Role] && want.Behind == got.Behind
}

// around returns a text without the names in it.
func around(a *tape.Asked) string {
	var b strings.Builder
	last := 0
	for i := range a.Names {
		b.WriteString(a.Text[last:a.Names[i].From] + "\x00")
		last = a.Names[i].To
	}
	return b.String() + a.Text[last:]
}

// carried reports whether a place is one of a body that an API may refuse in place of a form.
func carried(p leaf.Place) bool { return p == leaf.JSON || p == leaf.Part }

func classProblem(a, b request.Class) Problem {
	for _, pair := range []struct {
		class   request.Class
		problem Problem
	}{{request.Empty, IsEmpty}, {request.Blank, IsBlank}, {request.Malformed, Malformed}, {request.Expired, Expired},
		{request.Long, TooLong}} {
		if a == pair.class || b == pair.class {
			return pair.problem
		}
	}
	return Differs
}

// whose says why a call cannot be about what has an id: it is of another kind, nobody got the id in this
// run, another session did, nothing was ever kept by the id, or what was is kept no longer.
func (p *Player) whose(text string) Problem {
	session := p.minted.minter(text)
	switch {
	case len(text) >= request.EmbedLength && p.bears(text):
		return OtherKind
	case session == 0:
		return UnknownID
	case session != p.session&^keptBit:
		return Elsewhere
	case !p.minted.isNamed(text):
		return Unfollowed
	}
	return Dropped
}
