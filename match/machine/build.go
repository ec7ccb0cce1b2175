package machine

import (
	"slices"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/slab"
	"github.com/paytape/paytape/match/tape"
)

// builder walks the recordings in the order in which they began, and moves the recorded entities.
type builder struct {
	m        *Machine
	doubts   doubts
	asked    []asked // by the place of the recording
	state    states
	sessions map[string]*session // by cassette
	// known are the births that some like recording has shown later, and hidden collects them for the
	// second walk: a payment makes a binding even where nobody asked for it.
	known, hidden map[like][]*tape.Entity

	listed bool           // some recording lists entities
	late   []*tape.Entity // born in the recording at hand
	births map[bearing][]*BirthKind
	// upRoom is where ways lie until they are those of a birth.
	upRoom         []Up
	named          []Tied[*tape.Entity] // the roles of the recording at hand,
	ties           []Tie                // and their ties
	roles          []*Standing          // and where they stand
	wholes, scoped []*Standing          // of the relatives at hand
	params         []tape.Asked         // of the list at hand
	visited        []int32              // places of a roster that are looked at for it
	joined         int32                // how many entities have joined rosters

	linkings map[linking]*linked
	linkedIn map[*tape.Entity][]*roster // the rosters of linkings that an entity is in

	changes map[*tape.Recording][]change // by the write that led to the state before
	passed  map[*tape.Callback]Own       // where callbacks led that told of a change
	brought []*profile.Entity            // what the step that was noted last may have brought: the next often may
	told    map[uint64]string            // the states that answers tell, by their classes
	caused  map[*tape.Recording]*Recording

	reuses    []tape.KeyReuse // that the walk has not come to
	slabs     slabs           // of which groups and lists are of the goroutine that puts recordings into rows,
	listSlabs slabs           // and these of the walk
}

// slabs are where lies what a machine is made of.
type slabs struct {
	recordings slab.Of[Recording]
	owns       slab.Of[Own]
	births     slab.Of[Birth]
	rows       slab.Of[Cases]
	cases      slab.Of[Case]
	known      slab.Of[Known]
	nodes      slab.Of[node]
	kinds      slab.Of[BirthKind]
	ups        slab.Of[Up]
	rare       slab.Of[rare]
	groups     slab.Of[Group]
	// families are those of entities without wholes.
	families slab.Of[Family]
	lists    slab.Of[*Recording]

	numbered int32 // how many groups have a number; those of lists, in slabs of their own, are never asked for it
}

// like is a write in its row, with its answer: recordings that are like do the same.
type like struct {
	row   Row
	value string
	class uint64
}

// session is the state of a cassette as a whole, for each of the APIs on it.
type session struct {
	apis    map[string]*APIState
	rosters map[string]*roster // by kind
}

// roster returns the entities of a kind.
func (s *session) roster(kind string) *roster {
	r := s.rosters[kind]
	if r == nil {
		r = &roster{kind: kind}
		s.rosters[kind] = r
	}
	return r
}

func (s *session) api(name string) *APIState {
	a := s.apis[name]
	if a == nil {
		a = &APIState{}
		s.apis[name] = a
	}
	return a
}

// API names the API of a call; "" for all that no profile knows.
func API(c profile.Call) string {
	if c.Profile == nil {
		return ""
	}
	return c.Profile.Name
}

// APIOf names the API of the entities of a kind.
func APIOf(kind string, t *profile.Entity) string {
	if t == nil {
		return ""
	}
	api, _, _ := strings.Cut(kind, " ")
	return api
}

func newBuilder(t *tape.Tape) *builder {
	return &builder{
		m: &Machine{
			Tape: t, rows: map[Row]*Cases{}, keys: map[Key]*Known{}, silent: map[Reads]*Edge{},
			behind: map[Own][]Own{}, beyond: map[Own][]Own{}, lists: map[Key]*List{}, byOp: map[string][]*Recording{},
			denied: map[string][]*Recording{}, keyPolicies: map[keyedCall]*KeyPolicy{},
			direct: map[uint64][]*Recording{}, seen: map[evidence]bool{},
			finders: map[evidence]*Recording{}, bySelf: map[Own][]*tape.Callback{}, timed: map[Own][]Timed{},
			births: map[Own]bool{}, All: make([]*Recording, 0, len(t.Recordings)),
		},
		changes: map[*tape.Recording][]change{}, passed: map[*tape.Callback]Own{},
		caused: map[*tape.Recording]*Recording{}, told: map[uint64]string{},
		linkings: map[linking]*linked{}, linkedIn: map[*tape.Entity][]*roster{},
		state: newStates(t), sessions: map[string]*session{},
		hidden: map[like][]*tape.Entity{}, births: map[bearing][]*BirthKind{},
		reuses: t.KeyReuses,
		listed: slices.ContainsFunc(t.Recordings, func(r *tape.Recording) bool { return r.Listing != nil }),
	}
}

// run walks over the recordings. A goroutine of its own puts each into its row behind the walk, which
// asks for no row.
func (b *builder) run() {
	var rows sync.WaitGroup
	walked := make(chan []placed, walkedAhead)
	rows.Go(func() {
		for some := range walked {
			for i := range some {
				b.place(&some[i])
			}
		}
	})
	some := make([]placed, 0, walkedTogether)
	for i, recorded := range b.m.Tape.Recordings {
		a := &b.asked[i]
		r := b.slabs.recordings.Put(Recording{
			Recording: recorded, Overlapped: b.doubts.overlapped[i], Missed: b.doubts.missed[i],
			Key: a.key, anywhere: a.anywhere, Deciding: a.deciding, rare: nothing,
		})
		if some = append(some, b.recording(r)); len(some) == cap(some) {
			walked <- some
			some = make([]placed, 0, walkedTogether)
		}
	}
	walked <- some
	close(walked)
	rows.Wait()
}

// of returns the state of an entity, and the entity that it turned out to be.
func (b *builder) of(e *tape.Entity) (*tape.Entity, *state) {
	for {
		s := b.state.of(e)
		if s == nil {
			s = b.state.put(e, always)
			s.Member, s.Scope = Member{Own: Unborn(e.Kind, e.Config), Idle: true}, e.Scope
			if !e.Scope {
				b.joinRelatives(e, s)
			}
		}
		if s.same == nil {
			return e, s
		}
		e = s.same
	}
}

func (b *builder) session(name string) *session {
	s := b.sessions[name]
	if s == nil {
		s = &session{apis: map[string]*APIState{}, rosters: map[string]*roster{}}
		b.sessions[name] = s
	}
	return s
}

// joinRelatives adds an entity to its family, its scopes and its session.
func (b *builder) joinRelatives(e *tape.Entity, s *state) {
	if s.Family != nil || e.Scope {
		return
	}
	for _, w := range e.Wholes() { // wholes that may be born together with the entity
		b.joinRelatives(b.of(w))
	}
	near := b.relatives(e)
	if len(near.Wholes) == 0 {
		near.Alone = b.slabs.families.Put(Family{})
	}
	s.Join(near)
	if !b.listed && !keyed(e) {
		return // nobody asks who belongs to what
	}
	if s.joined != 0 { // before its birth
		b.noteChanged(e, s)
		return
	}
	b.joined++
	s.joined = b.joined
	for r := range b.rosters(e) {
		r.add(e, s.joined)
	}
}

// relatives returns what counts an entity beside its family. It is good until the next is asked for.
func (b *builder) relatives(e *tape.Entity) Relatives {
	for _, up := range [2][]*tape.Entity{e.Wholes(), e.Scopes()} {
		for _, o := range up {
			b.of(o) // whoever is asked for first asks for relatives of its own
		}
	}
	b.wholes = b.standings(b.wholes[:0], e.Wholes())
	b.scoped = b.standings(b.scoped[:0], e.Scopes())
	return Relatives{
		Wholes: b.wholes, Scopes: b.scoped,
		All: &b.session(e.Session).api(APIOf(e.Kind, e.Type)).All,
	}
}

// standings appends the standings of entities.
func (b *builder) standings(out []*Standing, es []*tape.Entity) []*Standing {
	for _, e := range es {
		_, s := b.of(e)
		out = append(out, &s.Standing)
	}
	return out
}

// move gives an entity another own state.
func (b *builder) move(e *tape.Entity, to Own) {
	e, s := b.of(e)
	s.Move(to, s.Card, b.relatives(e))
	b.noteChanged(e, s)
}

// recording walks over one exchange.
func (b *builder) recording(r *Recording) placed {
	b.m.All = append(b.m.All, r)
	for _, e := range r.Roles {
		b.of(e)
	}
	if b.reusesKey(r) {
		return placed{}
	}
	if r.Denied && !b.good(r) {
		r.use = mix(uint64(r.Key), r.Class)
		b.m.denied[r.Op] = append(b.m.denied[r.Op], r)
		return placed{Recording: r, none: true}
	}
	b.passes(r)
	r.View = b.view(r)
	if r.Reads && !r.Lost && !r.Doubtful() && !disturbance(r) && (r.Listing == nil || r.Listing.Spec == nil) {
		b.ask(r)
	}
	row := b.before(r)
	b.write(r, row)
	if r.Listing != nil && !r.Lost && !r.Denied {
		b.list(r)
	}
	return placed{r, row, r.Lost}
}

// good reports whether the credentials of a recording have succeeded elsewhere on tape: then the
// answer refuses something else (domain facts, Codes).
func (b *builder) good(r *Recording) bool {
	if b.m.good == nil {
		b.m.good = map[string]bool{}
		for _, o := range b.m.Tape.Recordings {
			for _, t := range o.Tokens() {
				passed := !o.Denied && !o.Lost && !disturbance(&Recording{Recording: o})
				b.m.good[o.Cassette+"\x00"+t] = b.m.good[o.Cassette+"\x00"+t] || passed
			}
		}
	}
	for _, t := range r.Tokens() {
		if !b.m.good[r.Cassette+"\x00"+t] {
			return false
		}
	}
	return r.Call().Profile != nil || len(r.Tokens()) > 0
}

// before notes the states in which a recording stands, and returns its row.
func (b *builder) before(r *Recording) Row {
	named := b.named[:0]
	if len(r.Roles) > 0 {
		r.Owns = b.slabs.owns.Make(len(r.Roles))
	}
	for i, e := range r.Roles {
		e, s := b.of(e)
		r.Owns[i] = s.Own
		named = append(named, Tied[*tape.Entity]{e, e.Scopes(), &s.Standing})
	}
	b.named, b.ties = named, AppendTies(b.ties[:0], named)
	row := RowOf(r.Key, r.Owns, b.ties)
	r.use = mix(mix(uint64(row), digest(r.Deciding)), r.Class)
	r.Moves = r.Owns
	r.hasParts = slices.ContainsFunc(r.Roles, func(e *tape.Entity) bool {
		_, s := b.of(e)
		return s.Changed > 0
	})
	return row
}

// view digests what else the answer may depend on.
func (b *builder) view(r *Recording) View {
	api := b.session(r.Frame.Session).api(API(r.Call()))
	b.roles = b.standings(b.roles[:0], r.Roles)
	return ViewOf(r.Reads && !r.unborn(), b.roles, api)
}

// unborn reports whether a request has a name that nothing has: then its answer depends on nothing.
func (r *Recording) unborn() bool {
	return r.Request.Alike(func(a *tape.Asked) bool { return a.Unborn })
}

// numberUses replaces the digests that tell what serves alike by numbers from 1: whoever counts by them
// needs no map.
func (b *builder) numberUses() {
	numbers := make(map[uint64]uint64, len(b.m.All))
	for _, r := range b.m.All {
		n := numbers[r.use]
		if n == 0 {
			n = uint64(len(numbers) + 1)
			numbers[r.use] = n
		}
		r.use = n
	}
}

// finish completes what can be known only when all recordings are.
func (b *builder) finish() {
	b.numberUses()
	for _, cases := range b.m.rows {
		for _, c := range cases.all {
			if c.strict > 0 {
				if o := c.contradicted(); o != nil {
					c.rarely().otherwise = o
				}
				continue
			}
			steady := slices.DeleteFunc(slices.Clone(c.loose), func(r *Recording) bool {
				return r.Doubtful()
			})
			c.torn = len(steady) == 0
			if c.torn {
				steady = c.loose
			}
			for _, r := range steady {
				cases.addToView(c, r, &b.slabs)
			}
		}
	}
	for _, cases := range b.m.rows {
		for _, c := range cases.all {
			c.findNamed(&b.slabs)
		}
	}
	for _, l := range b.m.lists {
		l.finish()
	}
	b.held()
	b.called()
	b.m.markPassing()
	b.m.describe()
}
