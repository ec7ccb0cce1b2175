package leaf

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestJoinedLately joins more paths than are kept, at the same time: each is what it is without
// those before.
func TestJoinedLately(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for seed := range uint64(4) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			parts := []string{"a", "b", "a.b", "", ">", "a>", "[0]", `\.`, "long" + strings.Repeat("x", 150)}
			part := func() string {
				if random.IntN(2) == 0 {
					return strconv.Itoa(random.IntN(200))
				}
				return parts[random.IntN(len(parts))]
			}
			for range 20_000 {
				path, key := part()+part(), part()
				if got, want := join(path, key), joinAnew(path, key); got != want {
					t.Errorf("%q and %q are joined to %q, want %q", path, key, got, want)
					return
				}
			}
		})
	}
	all.Wait()
}

// Messages that are alike cost a few pieces of memory, however many leaves they have.
func TestReadingAlikeMessagesCostsNoMemoryPerLeaf(t *testing.T) {
	for _, members := range []int{10, 40} {
		var b strings.Builder
		for i := range members {
			b.WriteString(`"member` + strconv.Itoa(i) + `":{"amount":1,"text":"two books"},`)
		}
		m := Message{Body: `{"order":{` + strings.TrimSuffix(b.String(), ",") + `}}`}
		room := Read(m).Leaves
		got := testing.AllocsPerRun(20, func() { ReadInto(room, m) })
		if most := float64(members + 10); got > most { // two paths may share a place
			t.Errorf("%d members: %v allocations, want %v at most", members, got, most)
		}
	}
}
