package match

import (
	"slices"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Serve answers a request from the tape. Exactly one of the results is nil.
func (p *Player) Serve(r *Request) (*Answer, *Miss) {
	q := p.query(r)
	defer q.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.elapse(&p.late, q.now)
	p.resolve(q)
	a, miss := p.play(q)
	if miss != nil && !q.reads {
		p.missedWrite(q)
	}
	p.trim()
	return a, miss
}

// play answers a request whose entities are known.
func (p *Player) play(q *query) (*Answer, *Miss) {
	if a, miss := p.answerUnderKey(q); a != nil || miss != nil {
		return a, miss
	}
	missing := p.missing(q)
	var first found
	for _, host := range q.hosts {
		q.Host = host
		f := p.look(q)
		if f.recording != nil || f.list != nil {
			if p.tape.refused(f.says()) {
				f.goBack()
				return nil, p.missed(q, found{
					key: f.key, row: f.row, marked: f.says(), recording: f.recording, inCase: f.inCase,
				})
			}
			return p.serve(q, f)
		}
		if first.key == 0 {
			first = f
		}
	}
	if missing != nil {
		return p.onceMore(q, missing)
	}
	return nil, p.missed(q, first)
}

// found is what a look-up came to: a recording, a list, or why there is none.
type found struct {
	key       machine.Key
	row       machine.Row // 0 where no row was looked up
	recording *machine.Recording
	mark      string // "", "ambiguous", "composed" or "assumed=..."
	alone     string // a mark of the answer alone, which does not stay with what the answer shows
	list      *composition
	inCase    *machine.Case
	known     bool // the deciding value is on tape under this key, in another state
	denied    bool // the credentials are bad, and no refusal is on tape
	ruled     bool // no recording is as a rule asks
	reusedKey bool // the idempotency key has come before
	inList    bool // the answer would be a list, of which no recording is taken
	marked    string
	at        machine.Reads // the question about the first entity; zero where there is none
	members   []*entity     // of a list that is as recorded
	sure      bool          // the list is as recorded in all that it may depend on
	vector    uint64        // of the members of a list that tells more than these; 0 for any other
	goBack    func()        // takes back a step over a silent edge that led to no answer
	guessed   *entity       // the entity that has taken the step, if nobody knows whether it was due
}

// says returns the mark that the answer has.
func (f *found) says() string { return either(f.mark, f.alone) }

// The marks.
const (
	ambiguous    = "ambiguous"
	composed     = "composed"
	assumedCard  = "assumed=card"
	assumedKin   = "assumed=family"
	assumedName  = "assumed=name"
	assumedLogin = "assumed=login"
	assumedMiss  = "assumed=miss"
	assumedWay   = "assumed=relation"
	assumedWrite = "assumed=overlap"
	assumedGap   = "assumed=gap"
	assumedEdge  = "assumed=edge"
	assumedValue = "assumed=secret"
	assumedOne   = "assumed=number"
	assumedRetry = "assumed=retry"
)

// either returns what says more of two marks, else the first.
func either(a, b string) string {
	if strength(b) > strength(a) {
		return b
	}
	return a
}

// strength orders marks by how much they say.
func strength(mark string) int {
	switch mark {
	case "":
		return 0
	case composed:
		return 1
	case ambiguous:
		return 2
	}
	return 3
}

// look finds the recording that answers a request: its row, its case, its view.
func (p *Player) look(q *query) found {
	m := p.tape.machine
	f := found{key: m.KeyAt(&q.Question, &q.layout.places), goBack: func() {}}
	verdict := p.tape.opts.Credentials.judge(q)
	if verdict == bad {
		return p.deny(q, f)
	}
	if list := m.List(f.key); list != nil && q.reads {
		if f.inList = q.r.Choice != nil && q.r.Choice.Takes != nil; f.inList {
			return f
		}
		listed := p.lookList(q, f, list)
		if listed.sure || !p.isPlain(q, f.key) {
			return listed
		}
		f.vector = listed.vector // a thing that is gone has no list
	}
	if q.reads {
		f.at = p.silent(q, &f)
	}
	f.row = machine.RowOf(f.key, q.owns(), q.ties())
	cases := m.Row(f.row)
	if cases == nil {
		cases = p.behindEdges(q, &f)
	}
	if cases == nil && verdict != good && !m.Known(f.key).LetIn() {
		if f.recording = p.denial(q, f.key); f.recording != nil {
			if p.admitted(q) {
				f.mark = assumedLogin
			}
			return f // the tape has nothing but refusals
		}
	}
	if q.r.Choice != nil {
		if f = p.choice(q, f, cases); f.recording != nil {
			f.mark = either(f.mark, p.doubt(q, &f, verdict))
		}
		if f.recording != nil || f.ruled {
			return f
		}
	}
	if cases == nil {
		return f
	}
	deciding := machine.Deciding(q.Asked)
	c := cases.Case(deciding)
	if c == nil && m.Known(f.key).Decided(deciding) {
		f.known = true
		f.goBack()
		return f
	}
	mark := f.mark
	if c == nil {
		c, mark = cases.Nearest(deciding), assumedCard
	}
	f.inCase = c
	p.inCase(q, &f, c, mark)
	if f.recording == nil {
		f.goBack()
		return f
	}
	f.mark = either(f.mark, p.doubt(q, &f, verdict))
	return f
}

// inCase chooses among the recordings of a case.
func (p *Player) inCase(q *query, f *found, c *machine.Case, mark string) {
	view := f.at.View
	if f.at.Key == 0 || f.vector != 0 { // it was not looked for silent edges, or with more than the view
		view = p.view(q)
	}
	group := c.In(view)
	switch {
	case group != nil:
		family := q.familyMark()
		switch {
		case !c.Indifferent(), family == assumedRetry, family == assumedMiss: // of these nobody knows what they did
			mark = either(mark, family)
		case group.Unnamed():
			group = &c.All
		}
	case !c.All.Alike:
		return
	case c.Indifferent():
		if group = &c.All; c.HasParts() || q.hasSiblings() {
			mark = either(mark, assumedKin) // the answer may show what the views have in common
		}
	case c.HasParts() || q.hasParts():
		return
	default:
		group, mark = &c.All, either(mark, assumedKin)
	}
	if r := c.Doubtful(); r != nil {
		mark = either(mark, doubtOf(r))
	}
	f.recording, f.mark = p.choose(q, turn{group: group, assumed: c.In(view) == nil}, mark)
}

// doubtOf returns the mark of a recording that tells of no state.
func doubtOf(r *machine.Recording) string {
	if r.Missed {
		return assumedGap
	}
	return assumedWrite
}

// choose takes the recording of a group that the entity follows; of several that are not interchangeable
// the next one. The turn says which group it is, and not yet whom it follows.
func (p *Player) choose(q *query, at turn, mark string) (*machine.Recording, string) {
	g := at.group
	rs := g.Named()
	if q.address != "" {
		elsewhere := func(r *machine.Recording) bool { return r.Address != q.address }
		if rs = slices.DeleteFunc(slices.Clone(rs), elsewhere); len(rs) == 0 {
			rs = slices.DeleteFunc(slices.Clone(g.Recordings), elsewhere)
		}
		if len(rs) == 0 {
			return nil, ""
		}
	}
	if len(rs) == 1 && g.Alike {
		return rs[0], mark
	}
	r := rs[0]
	if len(q.ents) > 0 && q.address == "" {
		if about := g.About(q.ents[0].follows); len(about) > 0 {
			r, at.follows = about[0], q.ents[0].follows
		}
	}
	if g.Alike && len(r.Births) == 0 && !r.Unnamed {
		return r, mark
	}
	if own := ownOf(g, at.follows); len(own) > 0 {
		rs = own
	}
	n := p.turns.take(at)
	if q.reads && !g.Alike {
		n = min(n, len(rs)-1) // the last goes on
	}
	r = rs[n%len(rs)] // a suite that runs again finds the same again
	if at.follows == nil && len(r.Roles) > 0 {
		at.follows = r.Roles[0] // what is named first follows it from now on, and this was its turn
		p.turns.take(at)
	}
	if !g.Alike {
		mark = either(mark, ambiguous)
	}
	return r, mark // what is borne goes on as what the recording has borne
}

// ownOf returns the recordings of a group about the entity that is followed, of interchangeable ones those
// whose answers bring all names (see machine.Group.Named); none for nil.
func ownOf(g *machine.Group, follows *tape.Entity) []*machine.Recording {
	own := g.About(follows)
	unnamed := func(r *machine.Recording) bool { return r.Unnamed }
	if g.Alike && slices.ContainsFunc(own, unnamed) {
		return slices.DeleteFunc(slices.Clone(own), unnamed)
	}
	return own
}

// familyMark returns the mark of a family of what the request names.
func (q *query) familyMark() string {
	for _, e := range q.ents {
		if e.Family == nil {
			continue
		}
		if m := e.Family.Current().Mark; m != "" {
			return m
		}
	}
	return ""
}

func (q *query) hasParts() bool {
	return slices.ContainsFunc(q.ents, func(e *entity) bool { return e.Changed > 0 })
}

// hasSiblings reports whether a request names a part of a whole that has other parts: the account that is
// debited is that of both cards.
func (q *query) hasSiblings() bool {
	return slices.ContainsFunc(q.ents, func(e *entity) bool {
		return slices.ContainsFunc(e.wholes, func(w *entity) bool { return w.Changed > 1 })
	})
}

// first returns the first entity that the request names and that is no scope; nil if there is none.
func (q *query) first() *entity {
	for _, e := range q.ents {
		if !e.Scope {
			return e
		}
	}
	return nil
}

// doubt returns what the answer has to be marked with beside what its case says.
func (p *Player) doubt(q *query, f *found, v verdict) string {
	mark, known := "", p.tape.opts.Credentials
	for _, e := range q.ents {
		if q.reads || !e.Scope || e.mark == assumedCard { // what is done with a token is a matter of its card
			mark = either(mark, e.mark)
		}
	}
	for _, i := range q.layout.doubtful {
		a, of := &q.Asked[i], &q.layout.params[i]
		if len(a.Names) > 0 && a.Label != a.Path && !of.names && f.recording.Param(a.Path) == nil {
			mark = either(mark, assumedName)
		}
		if a.Field.Decides && a.Text != "" {
			mark = either(mark, assumedValue)
		}
		if q.isLogin(i) && known.of(q, i) != good && !p.tape.machine.Tape.Says(a.Field.Of, a.Text) {
			mark = either(mark, assumedLogin)
		}
	}
	hidden := f.inCase != nil && f.inCase.Hidden() && !known.coverHidden(q, f.recording)
	if hidden || len(q.layout.denied) > 0 && v != good {
		mark = either(mark, ambiguous)
	}
	if len(q.ents) == 0 && q.reads {
		mark = either(mark, p.apiOf(q).mark)
	}
	return either(mark, q.strange)
}

// isLogin reports whether a parameter is the name of an account at the sandbox.
func (q *query) isLogin(i int) bool {
	return q.layout.params[i].login && q.Asked[i].Field.From == profile.Shared
}

// deny answers a request whose credentials are bad with a recorded refusal.
func (p *Player) deny(q *query, f found) found {
	f.denied = true
	f.recording = p.denial(q, f.key)
	return f
}

// denial returns a recorded refusal of credentials: of the same request, else of the operation.
func (p *Player) denial(q *query, key machine.Key) *machine.Recording {
	all := q.layout.denied
	for _, r := range all {
		if r.Key == key {
			return r
		}
	}
	if len(all) > 0 && p.tape.opts.Credentials.judge(q) == bad {
		return all[0]
	}
	return nil
}
