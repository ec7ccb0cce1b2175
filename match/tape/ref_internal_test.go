package tape

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSearchGoesOn looks for many things in one search, in any order, and for each in a search of its own: the
// ways are the same. Some graphs are larger than a search.
func TestSearchGoesOn(t *testing.T) {
	t.Parallel()
	beyond := 0
	for seed := range uint64(200) {
		dice := rand.New(rand.NewPCG(seed, 2))
		things := someRelated(dice, 1+dice.IntN(2*maxHops))
		starts := slices.Values([]hop{{entity: things[0]}, {entity: things[dice.IntN(len(things))]}})
		one := search{at: map[*Entity]int{}}
		one.begin(starts)
		for range 20 {
			e := things[dice.IntN(len(things))]
			own := search{at: map[*Entity]int{}}
			own.begin(starts)
			got, want := one.find(e), own.find(e)
			if (got == nil) != (want == nil) {
				t.Fatalf("seed %d: found %v, want %v", seed, got, want)
			}
			if want == nil {
				beyond++
			}
			for ; want != nil; got, want = got.from, want.from {
				if got == nil || got.entity != want.entity || got.to != want.to {
					t.Fatalf("seed %d: another way", seed)
				}
			}
		}
		if len(one.hops) > maxHops {
			t.Fatalf("seed %d: %d hops", seed, len(one.hops))
		}
	}
	if beyond == 0 {
		t.Error("everything was found: no graph is larger than a search")
	}
}

// someRelated returns things that are parts of one another, members of scopes, and linked.
func someRelated(dice *rand.Rand, n int) []*Entity {
	c := newCompiler(&Tape{slabs: &slabs{}}, Options{}, "t")
	things := make([]*Entity, n)
	for i := range things {
		things[i] = &Entity{EntityKind: &EntityKind{Kind: "thing"}, Scope: dice.IntN(20) == 0}
		of := things[dice.IntN(i+1)]
		switch dice.IntN(4) {
		case 0:
			if of.Scope {
				c.join(things[i], of)
			}
		case 1:
			of.link(things[i], nil, c.tape.slabs)
		default:
			c.partOf(things[i], of)
		}
	}
	return things
}

// TestSearchLooksOnce finds the parts of one whole: each is reached once, however many are looked for.
func TestSearchLooksOnce(t *testing.T) {
	t.Parallel()
	c := newCompiler(&Tape{slabs: &slabs{}}, Options{}, "t")
	whole := &Entity{EntityKind: &EntityKind{Kind: "whole"}}
	for range maxHops - 1 {
		c.partOf(&Entity{EntityKind: &EntityKind{Kind: "part"}}, whole)
	}
	c.search.begin(slices.Values([]hop{{entity: whole}}))
	for _, e := range whole.Parts() {
		if h := c.search.find(e); h == nil || h.from.entity != whole || h.to != ToPart {
			t.Fatalf("a part is reached by %v", h)
		}
	}
	if len(c.search.hops) != maxHops || c.search.next != 1 {
		t.Errorf("%d entities are reached and %d looked through, want %d and one",
			len(c.search.hops), c.search.next, maxHops)
	}
	c.partOf(&Entity{EntityKind: &EntityKind{Kind: "part"}}, whole)
	if c.search.begun {
		t.Error("the search goes on, and does not know of a part that came since")
	}
}
