package machine

import (
	"math/rand/v2"
	"testing"
)

// A Kin is what its members are, whatever the way to it: members that came, went, moved and were united
// in any order leave the digest of those who are there.
func TestKinIsItsMembers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		dice := rand.New(rand.NewPCG(seed, 1))
		draw := func() Member {
			return Member{Own: Own(dice.IntN(4)), Card: uint64(dice.IntN(4)), Nth: dice.Int32N(2),
				Idle: dice.IntN(6) == 0}
		}
		var one, other, fresh Kin
		var members []Member
		for range 1 + dice.IntN(12) {
			m := draw()
			members = append(members, m)
			if dice.IntN(2) == 0 {
				one.Add(m)
			} else {
				other.Add(m)
			}
		}
		if dice.IntN(2) == 0 {
			one.Merge(&other)
		} else {
			other.Merge(&one)
			one = other
		}
		for i := range members {
			switch dice.IntN(3) {
			case 0:
				to := draw()
				one.Remove(members[i])
				one.Add(to)
				members[i] = to
			case 1:
				one.Remove(members[i])
				members[i].Idle = true
			}
		}
		dice.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		for _, m := range members {
			fresh.Add(m)
		}
		if one.View() != fresh.View() {
			t.Fatalf("seed %d: another view by another way", seed)
		}
	}
}

// Who shares a card makes a view another, and which card it is does not.
func TestKinTellsWhoSharesACard(t *testing.T) {
	t.Parallel()
	view := func(cards ...uint64) View {
		var k Kin
		for i, c := range cards {
			k.Add(Member{Own: Own(i), Card: c})
		}
		return k.View()
	}
	if view(1, 1, 2) != view(3, 3, 1) {
		t.Error("the card itself counts")
	}
	if view(1, 1, 2) == view(1, 2, 2) || view(1, 1, 2) == view(1, 2, 3) {
		t.Error("who shares a card does not count")
	}
}

func TestFamiliesUnite(t *testing.T) {
	t.Parallel()
	families := make([]*Family, 40)
	for i := range families {
		families[i] = &Family{}
		families[i].Add(Member{Own: Own(i)})
	}
	families[7].Mark = "assumed=x"
	for i := range families {
		Unite(families[i*7%len(families)], families[(i+1)*7%len(families)])
	}
	for _, f := range families {
		if f.Current() != families[0].Current() {
			t.Fatal("not all are one family")
		}
	}
	if got := families[0].Current(); got.n != len(families) || got.Mark == "" {
		t.Errorf("%d members, mark %q", got.n, got.Mark)
	}
}
