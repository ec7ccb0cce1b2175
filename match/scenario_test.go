package match_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/match"
)

// scenarios are what clients did in one recorded session: each is what one random client does, by
// the seed and the number of its steps.
type scenarios struct {
	seeds []uint64
	steps []int
}

// staging is one telling of some scenarios: in some order, some left out, some several times.
type staging struct {
	which  []int  // scenarios, by client
	order  uint64 // the seed of whose turn it is; 0: one after the other
	again  bool   // reads are repeated
	name   string
	number int
	client http.RoundTripper
	clock  *tickingClock
}

func (s scenarios) run(t *testing.T, st staging) []*randomClient {
	var ws, going []*randomClient
	left := map[*randomClient]int{}
	for n, which := range st.which {
		w := &randomClient{
			t: t, rand: rand.New(rand.NewPCG(s.seeds[which], 9)), name: fmt.Sprint(st.name, n),
			base: "http://deck.example:1", http: &http.Client{Transport: st.client},
			clock: st.clock, number: st.number + n, actions: moreActions,
		}
		if st.again {
			w.again = rand.New(rand.NewPCG(st.order, uint64(n)))
		}
		ws, left[w] = append(ws, w), s.steps[which]
	}
	going = append(going, ws...)
	turns := rand.New(rand.NewPCG(st.order, 1))
	for len(going) > 0 {
		i := 0
		if st.order != 0 {
			i = turns.IntN(len(going))
		}
		w := going[i]
		w.step()
		if left[w]--; left[w] == 0 || w.missed() {
			going = append(going[:i:i], going[i+1:]...)
		}
	}
	return ws
}

// missed reports whether the last request was not answered: what comes after depends on it.
func (c *randomClient) missed() bool {
	return strings.Contains(c.saw.lines[len(c.saw.lines)-1], " 501 ")
}

// crowded reports whether the sandbox had no room for another customer.
func (c *randomClient) crowded() bool {
	return slices.ContainsFunc(c.saw.lines, func(line string) bool {
		return strings.Contains(line, "exist already")
	})
}

// TestScenarios records clients side by side, and has others do some of the same: in another
// order, with other values, some of it several times. Each sees what it would see
// at the sandbox, up to renaming.
func TestScenarios(t *testing.T) {
	seeds, first := uint64(6), uint64(6)
	if os.Getenv("PAYTAPE_LONG_TEST") != "" {
		seeds, first = 200, rand.Uint64N(1<<32)
	}
	for seed := first; seed < first+seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			testScenarios(t, seed)
		})
	}
}

func testScenarios(t *testing.T, seed uint64) {
	dice := rand.New(rand.NewPCG(seed, 5))
	var s scenarios
	for range 2 + dice.IntN(4) {
		s.seeds, s.steps = append(s.seeds, dice.Uint64()), append(s.steps, 3+dice.IntN(12))
	}
	then := &tickingClock{recorded, 1301 * time.Millisecond}
	rec := &recorder{
		now: then.Now, next: direct{sandbox.New(sandbox.Options{Seed: seed + 1, Now: then.Now})},
	}
	was := s.run(t, staging{
		which: dice.Perm(len(s.seeds)), order: dice.Uint64(), name: "first", number: 1000,
		clock: then, client: rec,
	})
	if slices.ContainsFunc(was, (*randomClient).crowded) {
		t.Skip("the sandbox is full")
	}
	xs := rec.xs
	if seed%3 == 0 {
		xs = cleaned(t, xs)
	}
	for way := range 3 {
		st := staging{again: dice.IntN(2) == 0, name: "other", number: 2000}
		for range 1 + dice.IntN(len(s.seeds)+2) {
			st.which = append(st.which, dice.IntN(len(s.seeds)))
		}
		if dice.IntN(3) > 0 {
			st.order = dice.Uint64()
		}
		want, got := s.live(t, st), s.replayed(t, st, xs)
		if slices.ContainsFunc(want, (*randomClient).crowded) {
			continue
		}
		for n, w := range got {
			for i, line := range w.saw.lines {
				if line != want[n].saw.lines[i] {
					t.Errorf("way %d, %v: client %d did %q:\n got %s\nwant %s", way,
						st.which, n, w.said, line, want[n].saw.lines[i])
					break
				}
			}
		}
	}
}

// live stages scenarios at a sandbox.
func (s scenarios) live(t *testing.T, st staging) []*randomClient {
	st.clock = &tickingClock{played, 1703 * time.Millisecond}
	st.client = direct{sandbox.New(sandbox.Options{Seed: 99, Now: st.clock.Now})}
	return s.run(t, st)
}

// replayed stages scenarios at a recording.
func (s scenarios) replayed(t *testing.T, st staging, xs []*leaf.Exchange) []*randomClient {
	st.clock = &tickingClock{played, 1703 * time.Millisecond}
	tape := match.Derived(match.Options{Profiles: profiles(t), Seed: 7, Now: st.clock.Now},
		match.Cassette{Name: "tape", Exchanges: xs})
	st.client = player{match.NewPlayer(tape), profiles(t)}
	return s.run(t, st)
}
