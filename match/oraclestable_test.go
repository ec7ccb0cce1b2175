package match_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/stable"
)

// stabilised makes a recording of a case stable. To do so again changes nothing.
func (c *oracleCase) stabilised(t testing.TB, xs []*leaf.Exchange) []*leaf.Exchange {
	t.Helper()
	made, err := stable.Of(t.Context(), profiles(t), xs)
	if err != nil {
		t.Fatal(err)
	}
	if made.Kept != "" {
		t.Logf("seed %d: %s", c.seed, made.Kept)
	}
	again, err := stable.Of(t.Context(), profiles(t), made.Exchanges)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range made.Exchanges {
		if one, two := exchangeText(x), exchangeText(again.Exchanges[i]); one != two {
			t.Errorf("seed %d: exchange %d of a stable tape is made another: %s", c.seed, i+1, apart(one, two))
			break
		}
	}
	return made.Exchanges
}

// apart returns two texts from where they differ.
func apart(one, two string) string {
	const before, most = 40, 100
	at := 0
	for at < min(len(one), len(two)) && one[at] == two[at] {
		at++
	}
	from := max(0, at-before)
	return fmt.Sprintf("%.*q\nand not %.*q", most, two[from:], most, one[from:])
}

// exchangeText returns the text of an exchange.
func exchangeText(x *leaf.Exchange) string {
	return fmt.Sprint(x.Meta.Number, x.Meta.At, x.Duration, x.Method, x.URL, x.Request.Headers,
		x.Request.Body, x.Code, x.Response.Headers, x.Response.Body)
}

// timed is the mark of an answer that depends on how long a client waits. The clock of a stable tape rounds
// that, and nobody knows on either tape.
const timed = "assumed=edge"

// guessed is the mark of a card that is not on tape and is answered as the first card of its issuer, or as
// the first of all. Of parallel clients another may be the first on the stable tape, where flows stand one
// behind the other: then one guess may be right and the other wrong, and whatever follows depends on it.
const guessed = "assumed=card"

// TestOracleStable plays scenarios from a recording and from the same recording made stable: each turn
// comes to the same, up to a guess that may be another.
func TestOracleStable(t *testing.T) {
	t.Parallel()
	first, n := oracleRange(t, 60)
	eachSeed(seedsFrom(first, n), func(seed uint64) {
		s := scenario(seed)
		s.plain()
		for range oracleVariations {
			c := s.variation()
			if len(c.tapes) > 1 {
				continue // what two tapes have in common, neither tells of itself: the prefix of an id
			}
			c.calls = []string{"", http.MethodGet, http.MethodPost}[seed%3] // how shops are called back
			plain := c.run(t)
			c.quiet = true
			quiet := c.run(t)
			if plain.fault != quiet.fault || len(plain.verdicts) != len(quiet.verdicts) {
				why := ""
				if bad := quiet.wrong(); bad != nil {
					why = fmt.Sprintf("%s, of %s: %v", bad.turn.step.call, bad.from, bad.diffs)
				}
				t.Errorf("seed %d, %s: %d turns (%s), and %d from the stable tape (%s): %s", seed, c.how,
					len(plain.verdicts), plain.fault, len(quiet.verdicts), quiet.fault, why)
				continue
			}
			for i, v := range plain.verdicts {
				q := quiet.verdicts[i]
				if v.mark == timed || q.mark == timed {
					continue
				}
				if v.mark == guessed && q.mark == guessed {
					break
				}
				if v.outcome != q.outcome || v.mark != q.mark {
					t.Errorf("seed %d, %s: turn %d, %s: %s %s, and from the stable tape %s %s %v", seed,
						c.how, i+1, v.turn.step.call, v.outcome, v.mark, q.outcome, q.mark, q.diffs)
				}
			}
		}
	})
}
