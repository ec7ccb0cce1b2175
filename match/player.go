package match

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// Player holds the live entities of one session. It is safe for concurrent use; serving is atomic.
type Player struct {
	leaf.Unprinted
	tape *Tape
	most int // how many entities it keeps

	session uint64 // tells the sessions of a tape apart; 0 for a player alone
	// minter returns the session that an id was minted in, 0 for none. Nil: nobody knows.
	minter func(string) uint64
	claim  func(string) bool

	mu        sync.Mutex // guards all below, and the entities
	make      *fresh.Maker
	names     map[uint64][]nameRef // by what all ways of writing a name have in common
	config    map[configured]*entity
	kinds     map[string][]*entity // in the order of their births
	followers map[*tape.Entity]*entity
	apis      map[string]*apiState
	mark      string // why all that depends on the session as a whole says assumed
	turns     map[turn]int
	lone      map[*machine.Recording]bool // those served whose numbers may be of one thing
	letIn     map[uint64]bool             // digests of secrets; see admit
	used      recency
	count     int                     // entities so far
	pending   map[uint64]*Answer      // writes whose answer may not have been read
	keyed     map[string]*Answer      // writes with an idempotency key
	series    map[*tape.Series]string // the last value of each that grows
	ends      map[string][]string     // the card numbers made here, by what their masks show
}

// apiState is the state of one API as a whole: what is moved by writes that name nothing, and all
// entities but scopes.
type apiState struct {
	own machine.Own
	all machine.Kin
}

func (p *Player) api(name string) *apiState {
	a := p.apis[name]
	if a == nil {
		a = &apiState{}
		p.apis[name] = a
	}
	return a
}

// nameRef is a name of a live entity.
type nameRef struct {
	entity *entity
	slot   tape.Slot
	noun   string // of the profile; "" where none
	text   string
	byRead bool // a read brought it
}

// turn counts the answers that were taken from a group, of those about one recorded entity if the
// live one follows it.
type turn struct {
	group   *machine.Group
	follows *tape.Entity
}

// configured is an entity that was there from the start, or a scope.
type configured struct{ kind, text string }

// NewPlayer returns a player of a tape with no live entities.
func NewPlayer(t *Tape) *Player {
	p := newPlayer(t, maxEntities)
	p.make = fresh.New(t.opts.Seed)
	return p
}

// maxEntities bounds what a Player keeps: the least recently used family goes first, and is unknown
// from then on.
const maxEntities = 100_000

func newPlayer(t *Tape, most int) *Player {
	p := &Player{tape: t, most: most}
	p.forget()
	return p
}

// Reset makes the player as it was at the beginning: nothing is live. Entities keep being numbered
// and fresh values keep being new, so that what is left over from before is not mistaken for what
// comes after.
func (p *Player) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
}

// forget drops all that the player has learned from clients.
func (p *Player) forget() {
	p.names = map[uint64][]nameRef{}
	p.config = map[configured]*entity{}
	p.kinds = map[string][]*entity{}
	p.followers = map[*tape.Entity]*entity{}
	p.apis, p.mark = map[string]*apiState{}, ""
	p.turns, p.lone = map[turn]int{}, map[*machine.Recording]bool{}
	p.letIn = map[uint64]bool{}
	p.used = recency{}
	p.ends = map[string][]string{}
	if p.series == nil { // a reset keeps it: what grows goes on
		p.series = map[*tape.Series]string{}
	}
	p.pending, p.keyed = map[uint64]*Answer{}, map[string]*Answer{}
}

// String keeps the live values that a player holds out of logs and test failures.
func (p *Player) String() string { return "[player]" }

// GoString does for %#v what String does for the other verbs.
func (p *Player) GoString() string { return p.String() }

func (p *Player) now() time.Time {
	if p.tape.opts.Now != nil {
		return p.tape.opts.Now()
	}
	return time.Now()
}

// query is a request on its way to an answer.
type query struct {
	r     *Request
	now   time.Time
	reads bool
	machine.Question
	hosts   []string
	address string // if not empty, the one that the recording must have
	open    []bool
	places  []*tape.Place

	// ents are the entities that the request names, by role.
	ents []*entity
	// unknown are parameters that would have to name something, and name nothing.
	unknown []int
	print   uint64 // of a write; see fingerprint
}

// query prepares a request to be looked for. It needs no lock.
func (p *Player) query(r *Request) *query {
	t := p.tape.machine.Tape
	r.AtDeck(r.Bases, []string{r.Deck}, t.Addresses())
	q := &query{r: r, now: p.now(), reads: tape.Reads(r)}
	q.Call = r.Call
	q.Op, q.open = t.Operation(r)
	q.hosts, q.address = t.Locate(r)
	q.Asked = make([]tape.Asked, len(r.Params))
	q.places = make([]*tape.Place, len(r.Params))
	count := 0
	for i := range r.Params {
		a := &r.Params[i]
		q.places[i] = t.Place(q.Op, a.Path)
		if !a.Known && q.places[i] != nil && q.places[i].Card {
			a.Field = profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}
		}
		q.Asked[i] = tape.Asked{
			Path: a.Path, Label: a.Path, Place: a.Place, Kind: a.Kind, Text: a.Text, Field: a.Field,
			Known: a.Known, Class: t.Class(a, q.now), Deciding: a.Deciding(),
		}
		if a.Field.Form == profile.Year {
			count++
		}
	}
	if count > 0 {
		t.PairExpiry(r, q.Asked, q.now)
	}
	tape.SetLabels(r.Call.Profile, q.Asked)
	if !q.reads {
		q.print = fingerprint(r)
	}
	return q
}

// resolve finds the entities that a request names.
func (p *Player) resolve(q *query) {
	named := make([][]*entity, len(q.Asked))
	for i := range q.Asked {
		named[i] = p.param(q, i)
	}
	order := tape.LabelOrder(q.Asked)
	for _, i := range order {
		for n, e := range named[i] {
			q.Asked[i].Names[n].Role = q.role(e)
		}
	}
	q.Config = q.Config[:0]
	for _, e := range q.ents {
		q.Config = append(q.Config, e.literal)
	}
}

// role numbers an entity among those that the request names.
func (q *query) role(e *entity) int {
	for i, o := range q.ents {
		if o == e {
			return i
		}
	}
	q.ents = append(q.ents, e)
	return len(q.ents) - 1
}

// param finds what one parameter names. It returns an entity for each of its names.
func (p *Player) param(q *query, i int) []*entity {
	a, place := &q.Asked[i], q.places[i]
	if a.Text == "" || place != nil && place.Free {
		return nil
	}
	switch a.Field.From {
	case profile.Ignored, profile.Date:
		return nil
	case profile.Exact:
		if a.Known {
			return nil
		}
		return p.unknownParam(q, i)
	}
	if a.Field.Of == "" {
		if request.IsMark(a.Text) || place != nil && place.Named {
			return p.unknownParam(q, i)
		}
		return nil
	}
	return p.named(q, i)
}

// named finds the entity that a parameter with a noun names.
func (p *Player) named(q *query, i int) []*entity {
	a := &q.Asked[i]
	text := request.Canonical(a.Field, a.Text)
	kind := q.Call.Profile.Entity(a.Field.Of)
	if kind != nil && kind.Scope {
		ref := nameRef{entity: p.scope(q.Call.Profile, a.Field.Of, text), slot: tape.Slot{Name: a.Field.Of}}
		return p.name(q, i, ref, tape.Rendering{})
	}
	if a.Field.From == profile.Rendering {
		if ref, r, ok := p.rendered(q, a); ok {
			return p.name(q, i, ref, r)
		}
		return nil
	}
	if ref, r, ok := p.find(a.Field.Of, text, q.places[i], q); ok {
		return p.name(q, i, ref, r)
	}
	if kind == nil {
		if a.Field.From == profile.Minted && a.Field.Secret != profile.PAN {
			a.Field.From = profile.Exact // it was there before the tape, or is of no run
			q.unknown = append(q.unknown, i)
		}
		return nil
	}
	kindName := tape.KindOf(q.Call.Profile, a.Field.Of)
	literal := a.Text
	if a.Deciding != "" {
		literal = a.Deciding
	}
	switch {
	case p.tape.machine.Tape.Configured(kindName, literal):
		e := p.configuredEntity(kindName, kind, literal, a)
		return p.name(q, i, nameRef{entity: e, slot: tape.Slot{Name: a.Field.Of}}, tape.Rendering{})
	case a.Field.From == profile.Unique:
		a.Unborn = true
	default:
		a.Field.From = profile.Exact
		q.unknown = append(q.unknown, i)
	}
	return nil
}

// unknownParam finds the names in a parameter of which no profile knows anything.
func (p *Player) unknownParam(q *query, i int) []*entity {
	a, place := &q.Asked[i], q.places[i]
	open := a.Place == leaf.Path && p.isOpen(q, a.Path)
	if place == nil || !place.Named && !place.Chosen && !open {
		return nil
	}
	if ref, r, ok := p.find("", a.Text, place, q); ok {
		return p.name(q, i, ref, r)
	}
	if place.Chosen {
		a.Unborn = true
		a.Field = profile.Field{From: profile.Unique}
		return nil
	}
	var out []*entity
	behind := 0
	for _, tok := range (&request.Param{Text: a.Text, Path: a.Path, Place: a.Place}).Tokens() {
		ref, r, ok := p.find("", tok.Text, place, q)
		if !ok || tok.At < behind {
			continue
		}
		behind = tok.At + len(tok.Text)
		a.Names = append(a.Names, tape.Named{
			From: tok.At, To: behind, Noun: ref.slot.Name, Behind: p.behind(ref), Rendering: r,
		})
		out = append(out, ref.entity)
	}
	if len(out) == 0 && place.Named {
		q.unknown = append(q.unknown, i)
	}
	return out
}

// isOpen reports whether a segment of the path is open in the pattern of the operation.
func (p *Player) isOpen(q *query, path string) bool {
	n := 0
	for _, c := range path[1:] {
		if c < '0' || c > '9' {
			return false
		}
		n = n*10 + int(c-'0')
	}
	return n < len(q.open) && q.open[n]
}

// name makes a name of all of a parameter.
func (p *Player) name(q *query, i int, ref nameRef, r tape.Rendering) []*entity {
	a := &q.Asked[i]
	a.Names = []tape.Named{{
		To: len(a.Text), Noun: ref.slot.Name, Behind: p.behind(ref), Rendering: r,
	}}
	return []*entity{ref.entity}
}

// behind counts the names of the noun that writes have given the entity since.
func (p *Player) behind(ref nameRef) int {
	if ref.entity.scope || ref.byRead {
		return 0
	}
	return ref.entity.behind(ref.slot)
}

// find looks a name up, in the ways of writing that the tape has at a place. Of several entities
// the one that the request has named already is meant, else the latest.
func (p *Player) find(noun, text string, place *tape.Place, q *query) (nameRef, tape.Rendering, bool) {
	refs := p.names[request.Folded(text)]
	var best nameRef
	var how tape.Rendering
	found := false
	for i := len(refs) - 1; i >= 0; i-- {
		ref := refs[i]
		if noun != "" && ref.noun != noun {
			continue
		}
		r, ok := written(ref, text, place)
		if !ok {
			continue
		}
		if !found || contains(q.ents, ref.entity) {
			best, how, found = ref, r, true
		}
	}
	return best, how, found
}

// written returns how a text writes a name, if the tape has such a way of writing at the place.
func written(ref nameRef, text string, place *tape.Place) (tape.Rendering, bool) {
	if ref.text == text {
		return tape.Rendering{}, true
	}
	if place == nil {
		return tape.Rendering{}, false
	}
	for _, r := range place.Renderings {
		if r.Apply(ref.text) == text {
			return r, true
		}
	}
	return tape.Rendering{}, false
}

func contains(es []*entity, e *entity) bool {
	for _, o := range es {
		if o == e {
			return true
		}
	}
	return false
}

// rendered finds the entity of which a parameter has a mask or the last digits: of several the one
// of which the request says more, else the latest.
func (p *Player) rendered(q *query, a *tape.Asked) (nameRef, tape.Rendering, bool) {
	const most = 512
	r := tape.Rendering{How: tape.MannerOf(a.Field.Form), Like: a.Text}
	all := p.kinds[tape.KindOf(q.Call.Profile, a.Field.Of)]
	var best nameRef
	points := -1
	for i := len(all) - 1; i >= max(0, len(all)-most); i-- {
		for _, b := range all[i].values {
			if b.slot.Name != a.Field.Of || !r.Writes(b.text, a.Text) {
				continue
			}
			n := 0
			for j := range q.Asked {
				if all[i].knows(q.Asked[j].Text) {
					n++
				}
			}
			if n > points {
				best, points = nameRef{entity: all[i], slot: b.slot}, n
			}
		}
	}
	return best, r, points >= 0
}

// knows reports whether some value of the entity, or of what it is a part of, is a text.
func (e *entity) knows(text string) bool {
	return slices.ContainsFunc(e.values, func(b bound) bool { return b.text == text }) ||
		slices.ContainsFunc(e.wholes, func(w *entity) bool { return w.knows(text) })
}

// scope returns a scope, which is there as soon as somebody speaks of it.
func (p *Player) scope(of *profile.Profile, noun, text string) *entity {
	key := configured{noun, text}
	e := p.config[key]
	if e == nil {
		kind := tape.KindOf(of, noun)
		e = p.newEntity(kind, of.Entity(noun))
		e.scope, e.own = true, machine.Unborn(kind, "")
		e.values = []bound{{slot: tape.Slot{Name: noun}, text: text}}
		p.config[key] = e
	}
	return e
}

// configuredEntity returns an entity that was there from the start.
func (p *Player) configuredEntity(kind string, t *profile.Entity, literal string, a *tape.Asked) *entity {
	key := configured{kind, literal}
	e := p.config[key]
	if e == nil {
		e = p.newEntity(kind, t)
		e.literal = literal
		e.own, e.idle = machine.Unborn(kind, literal), true
		p.enter(e)
		p.config[key] = e
	}
	slot := tape.Slot{Name: a.Field.Of}
	if _, ok := e.value(slot); !ok {
		text := request.Canonical(a.Field, a.Text)
		p.bind(e, bound{slot: slot, text: text}, a.Field.Of, true)
	}
	return e
}

func (p *Player) newEntity(kind string, t *profile.Entity) *entity {
	p.count++
	return &entity{number: p.count, kind: kind, typ: t}
}

// bind gives an entity a value. By a name requests find it, and by those that stood there before.
func (p *Player) bind(e *entity, b bound, noun string, isName bool) {
	at := slices.IndexFunc(e.values, func(o bound) bool { return o.slot == b.slot })
	if at >= 0 && !isName {
		e.values[at] = b
	} else {
		e.values = append(e.values, b)
	}
	if isName {
		key := request.Folded(b.text)
		p.names[key] = append(p.names[key], nameRef{e, b.slot, noun, b.text, b.byRead})
	}
}

// enter adds an entity to its family, its scopes and the session.
func (p *Player) enter(e *entity) {
	if e.family != nil || e.scope {
		return
	}
	for _, w := range e.wholes { // which may be born with it
		p.enter(w)
	}
	if !e.idle {
		e.rank()
	}
	e.family = &machine.Family{}
	e.family.Add(e.member())
	p.api(machine.APIOf(e.kind, e.typ)).all.Add(e.member())
	p.kinds[e.kind] = append(p.kinds[e.kind], e)
	for _, w := range e.wholes {
		w.parts = append(w.parts, e)
		machine.Unite(e.family, w.family)
	}
	for _, s := range e.scopes {
		s.kin.Add(e.member())
		s.members = append(s.members, e)
	}
}

// rank numbers a part among those of its whole to which something was done.
func (e *entity) rank() {
	for _, w := range e.wholes {
		e.nth = w.changed
		w.changed++
	}
}

// move gives an entity another own state and card.
func (p *Player) move(e *entity, to machine.Own, card uint64) {
	if to != e.own {
		e.reads = nil
	}
	if e.scope {
		e.own = to
		return
	}
	kins := []*machine.Kin{
		&e.family.Current().Kin, &p.api(machine.APIOf(e.kind, e.typ)).all,
	}
	for _, s := range e.scopes {
		kins = append(kins, &s.kin)
	}
	before := e.member()
	if e.idle && to != e.own {
		e.idle = false
		e.rank()
	}
	e.own, e.card = to, card
	machine.Move(before, e.member(), kins...)
}

// assume marks an entity: what is answered about it was assumed, and what is listed of its scopes.
func (e *entity) assume(cause string) {
	if e.mark == "" {
		e.mark = cause
	}
	for _, s := range e.scopes {
		s.mark = either(s.mark, cause)
	}
	if e.family != nil {
		f := e.family.Current()
		f.Mark = cmp.Or(f.Mark, cause)
	}
}
