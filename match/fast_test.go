package match_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/match"
)

// TestModelRecordedInAnInstant records walkers who are as fast as a script, so that most dates on
// tape are of one second, and replays them at leisure. They see what they would at the sandbox.
func TestModelRecordedInAnInstant(t *testing.T) {
	const fast, slow = 9 * time.Millisecond, 9013 * time.Millisecond
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			act := func(from time.Time, step time.Duration) ([]*walker, *recorder) {
				clock := &ticking{from, step}
				api := direct{sandbox.New(sandbox.Options{Seed: seed, Now: clock.Now})}
				rec := &recorder{now: clock.Now, next: api}
				return world{base: "https://sandbox.example", clock: clock,
					http: &http.Client{Transport: rec}, seed: seed, order: seed,
					name: "first", number: 1000, steps: 15}.run(t), rec
			}
			live, _ := act(played, slow)
			_, rec := act(recorded, fast)
			now := &ticking{played, slow}
			tape := match.Compile(match.Options{Profiles: profiles(t), Seed: 7, Now: now.Now},
				match.Cassette{Name: "tape", Exchanges: rec.xs})
			o := world{base: "http://deck.example:1", clock: now,
				http: &http.Client{Transport: player{Player: match.NewPlayer(tape), set: profiles(t)}},
				seed: seed, order: seed, name: "other", number: 2000, steps: 15}
			for i, w := range o.run(t) {
				for n := range w.saw.lines {
					if a, b := live[i].saw.lines[n], w.saw.lines[n]; a != b {
						t.Fatalf("walker %d, %q, line %d:\n%s\n%s", i, w.said[:min(len(w.said), n+1)], n, a, b)
					}
				}
			}
		})
	}
}
