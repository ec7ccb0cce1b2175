package surrogate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/redact/surrogate"
)

// TestLongSurrogatesHoldNoCard wants surrogates of 17 to 19 digits that no stretch of them betrays, after
// few ordinals, and to be recognised for what they stand for. A few numbers have no such surrogate:
// their first six and last four digits decide too much.
func TestLongSurrogatesHoldNoCard(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(17, 19))
	prefixes := []string{"411111", "441111", "622126", "630400", "670000", "360000", "352800", "220138"}
	const rounds, mostTried = 20_000, 30
	worst, lost := 0, 0
	for range rounds {
		length := 17 + rng.IntN(3)
		digits := prefixes[rng.IntN(len(prefixes))] + fmt.Sprintf("%013d", rng.Int64N(1e13))
		digits = pan.WithResidue(digits[:length], 7, 3*rng.IntN(2))
		want := pan.Surrogate
		if pan.Residue(digits) != pan.Valid {
			want = pan.Broken
		}
		for n := 1; ; n++ {
			got, ok := surrogate.CardNumber(digits, n)
			if !ok || n > mostTried {
				lost++
				break
			}
			if stands, ok := pan.StandsFor(got.Text); !ok || stands != want ||
				surrogate.Ordinal(got.Text) != n {
				t.Fatalf("%s stands for %d, want %d; its ordinal is %d", got.Text, stands, want, n)
			}
			if !pan.HoldsCard(got.Text) {
				worst = max(worst, n)
				break
			}
		}
	}
	t.Logf("%d of %d numbers have none; the worst of the others skipped %d ordinals", lost, rounds, worst-1)
	if lost*50 > rounds {
		t.Errorf("%d of %d numbers have no surrogate, want one in fifty at most", lost, rounds)
	}
}
