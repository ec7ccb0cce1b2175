package leaf

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// One look at the quotes of an object finds what a search for each ending does.
func TestMayPairFindsEachEnding(t *testing.T) {
	t.Parallel()
	pieces := []string{
		`"`, "alue", "VALUE", "input", "received", "value", "e", "t", "d", "E", " ", `:`, `\"`, "ж",
	}
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(7) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		s := b.String()
		want := strings.Contains(s, `alue"`) || strings.Contains(s, `"input"`) ||
			strings.Contains(s, `"received"`) || strings.Contains(s, `"VALUE"`)
		if got := mayPair(s); got != want {
			t.Fatalf("%q: got %v, want %v", s, got, want)
		}
		if want {
			found++
		}
	}
	if found < 300 {
		t.Errorf("%d texts may pair, which tells little", found)
	}
}
