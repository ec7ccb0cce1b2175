package machine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// TestRosters has orders and bindings of two clients come, move, and get and lose cards, and lists of them
// recorded now and then. What the lists tell is compared with a look at all of them each time.
func TestRosters(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		b, dice := newBuilder(&tape.Tape{}), rand.New(rand.NewPCG(seed, 3))
		b.listed = true
		s := shopOf(b, dice)
		lists := map[Key]*wholeList{}
		for range 60 {
			if dice.IntN(4) > 0 {
				s.change()
				continue
			}
			r := s.list()
			want := lists[r.Key]
			if want == nil {
				want = &wholeList{items: List{items: map[Own]*ItemOf{}}, beside: map[besides]bool{}}
				lists[r.Key] = want
			}
			want.add(b, s, r)
			b.list(r)
			if diff := want.differs(b.m.lists[r.Key], r); diff != "" {
				t.Fatalf("seed %d: %s", seed, diff)
			}
		}
	}
}

// shop is clients of a recorded session, and their orders and bindings.
type shop struct {
	b       *builder
	dice    *rand.Rand
	writes  []*tape.Recording
	clients []*tape.Entity
	all     []*tape.Entity // orders and bindings, as they came
}

func shopOf(b *builder, dice *rand.Rand) *shop {
	t := tape.Compile(tape.Options{Profiles: &profile.Set{}}, tape.Cassette{Name: "t", Exchanges: someAtOnce(1)})
	s := &shop{b: b, dice: dice, writes: t.Recordings}
	for range 2 {
		c := s.entity("client")
		c.Scope = true
		b.of(c)
		s.clients = append(s.clients, c)
	}
	return s
}

func (s *shop) entity(kind string, scopes ...*tape.Entity) *tape.Entity {
	return tape.Hidden(&tape.Entity{EntityKind: &tape.EntityKind{Kind: kind}},
		s.writes[s.dice.IntN(len(s.writes))], nil, scopes)
}

// change has one more order or binding come, or changes one.
func (s *shop) change() {
	if len(s.all) == 0 || s.dice.IntN(3) == 0 {
		kind := []string{"order", "order", "binding"}[s.dice.IntN(3)]
		e := s.entity(kind, s.clients[s.dice.IntN(2)])
		if s.dice.IntN(8) == 0 {
			e = s.entity(kind, s.clients...)
		}
		s.b.of(e)
		s.all = append(s.all, e)
		return
	}
	e, state := s.b.of(s.all[s.dice.IntN(len(s.all))])
	if s.dice.IntN(2) == 0 {
		s.b.move(e, Own(1+s.dice.IntN(3)))
		return
	}
	state.Move(state.Own, uint64(s.dice.IntN(4)), s.b.relatives(e))
	s.b.noteChanged(e, state)
}

// list records a list of orders: of the session, of a client, or of both clients.
func (s *shop) list() *Recording {
	listing, roles, key := &tape.Listing{Kind: "order"}, []*tape.Entity(nil), Key(1)
	if s.dice.IntN(3) > 0 {
		listing.Of, key = "client", Key(2+s.dice.IntN(2))
		roles = s.clients[s.dice.IntN(2):][:1]
		if s.dice.IntN(6) == 0 {
			roles = s.clients
		}
	}
	for _, e := range s.all {
		if s.dice.IntN(3) == 0 {
			listing.Items = append(listing.Items, tape.Item{Entity: e, Class: uint64(s.dice.IntN(2))})
		}
	}
	return &Recording{Key: key, rare: nothing, Recording: &tape.Recording{
		Frame: s.writes[0].Frame, Roles: roles, Rest: &tape.Rest{Listing: listing},
	}}
}

// members returns what a list is about, by a look at all.
func (s *shop) members(r *Recording) []*tape.Entity {
	var out []*tape.Entity
	for _, e := range s.all {
		in := func(c *tape.Entity) bool { return slices.Contains(e.Scopes(), c) }
		if e.Kind == "order" && (r.Listing.Of == "" || slices.ContainsFunc(r.Roles, in)) {
			out = append(out, e)
		}
	}
	return out
}

// wholeList is what a list tells by a look at all of its members each time.
type wholeList struct {
	items   List
	beside  map[besides]bool
	vector  uint64
	members []int
}

func (w *wholeList) add(b *builder, s *shop, r *Recording) {
	var states []Member
	var now []listed
	places := []int32{}
	members := s.members(r)
	for i, e := range members {
		_, state := b.of(e)
		states = append(states, state.Member)
		now, places = append(now, listed{state.Own, state.Card}), append(places, int32(i))
	}
	w.vector, w.members = Vector(states), nil
	for _, item := range r.Listing.Items {
		w.members = append(w.members, slices.Index(members, item.Entity))
	}
	shown := *r
	shown.rare = &rare{Members: w.members}
	w.items.learn(&shown, now, places)
	for _, c := range r.Roles {
		cards := map[uint64]bool{}
		for _, e := range s.all {
			if _, state := b.of(e); e.Kind == "order" && slices.Contains(e.Scopes(), c) {
				cards[state.Card] = true
			}
		}
		for _, e := range s.all {
			if _, state := b.of(e); e.Kind != "order" && slices.Contains(e.Scopes(), c) {
				w.beside[besides{state.Own, cards[state.Card]}] = true
			}
		}
	}
}

// differs says what a list tells otherwise after a recording; "" for nothing.
func (w *wholeList) differs(got *List, r *Recording) string {
	if !slices.Equal(r.Members, w.members) {
		return fmt.Sprintf("it shows the members %v, want %v", r.Members, w.members)
	}
	if g, _ := got.Recorded(w.vector, r.Owns); g == nil || !slices.Contains(g.Recordings, r) {
		return "it is not found by its members"
	}
	if !maps.Equal(got.beside, w.beside) {
		return fmt.Sprintf("beside it is %v, want %v", got.beside, w.beside)
	}
	if len(got.items) != len(w.items.items) {
		return fmt.Sprintf("it tells of %d states, want %d", len(got.items), len(w.items.items))
	}
	for own, want := range w.items.items {
		item := got.items[own]
		if item == nil || item.N != want.N || item.Absent != want.Absent || item.Conflict != want.Conflict ||
			item.class != want.class || item.Recording.Recording != want.Recording.Recording {
			return fmt.Sprintf("state %d is shown as %+v, want %+v", own, item, want)
		}
	}
	return ""
}

// TestRostersOfAPeriod wants the orders of one client, or of both, that were born in a period.
func TestRostersOfAPeriod(t *testing.T) {
	t.Parallel()
	all, some := 0, 0
	for seed := range uint64(100) {
		b, dice := newBuilder(&tape.Tape{}), rand.New(rand.NewPCG(seed, 4))
		b.listed = true
		s := shopOf(b, dice)
		for range 20 {
			s.change()
		}
		r := s.list()
		begin := s.writes[0].Answered()
		period := Period{From: begin.AddDate(0, 0, dice.IntN(4)-2), To: begin.AddDate(0, 0, dice.IntN(4)-1)}
		whole := s.members(r)
		want := slices.DeleteFunc(slices.Clone(whole), func(e *tape.Entity) bool {
			return !period.Covers(e.Born.Answered())
		})
		got := b.listedBy(r, period).entities
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d orders of %d in %v, want %d", seed, len(got), len(whole), period, len(want))
		}
		if len(want) == len(whole) {
			all++
		} else if len(want) > 0 {
			some++
		}
	}
	if all == 0 || some == 0 {
		t.Errorf("of %d periods all are listed and of %d some: the test shows nothing", all, some)
	}
}

// TestRosterLooksAtWhatChanged records a list of ever more orders, of which one joins and one changes between each
// two: at two sizes as many are looked at for the last.
func TestRosterLooksAtWhatChanged(t *testing.T) {
	t.Parallel()
	last := func(orders int) int {
		b, dice := newBuilder(&tape.Tape{}), rand.New(rand.NewPCG(1, 1))
		b.listed = true
		s := shopOf(b, dice)
		for len(s.all) < orders {
			e := s.entity("order", s.clients[0])
			b.of(e)
			s.all = append(s.all, e)
			b.move(s.all[dice.IntN(len(s.all))], Own(1+dice.IntN(3)))
			b.list(&Recording{Key: 1, rare: nothing, Recording: &tape.Recording{
				Frame: s.writes[0].Frame, Roles: s.clients[:1],
				Rest: &tape.Rest{Listing: &tape.Listing{Kind: "order", Of: "client", Items: []tape.Item{{Entity: e}}}},
			}})
		}
		return len(b.visited)
	}
	if few, many := last(50), last(500); few != many || few > 5 {
		t.Errorf("%d and %d of the orders are looked at", few, many)
	}
}
