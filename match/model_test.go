package match_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/match"
)

// randomRun is several random clients that act in turns, also at random.
type randomRun struct {
	base   string
	http   *http.Client
	clock  *tickingClock
	seed   uint64
	order  uint64 // the seed of whose turn it is
	name   string
	number int // the same for version 1
	again  bool
	steps  int // of each
}

func (r randomRun) run(t *testing.T) []*randomClient {
	const clients = 3
	var ws, going []*randomClient
	for n := range uint64(clients) {
		ws = append(ws, &randomClient{
			t: t, rand: rand.New(rand.NewPCG(r.seed, n)), name: fmt.Sprint(r.name, n), base: r.base,
			http: r.http, clock: r.clock, number: r.number + int(n),
		})
		if r.again {
			ws[n].again = rand.New(rand.NewPCG(r.order, n+100))
		}
	}
	going = append(going, ws...)
	turns := rand.New(rand.NewPCG(r.order, 1))
	for len(going) > 0 {
		i := turns.IntN(len(going))
		w := going[i]
		w.step()
		if len(w.said) == r.steps {
			going = append(going[:i:i], going[i+1:]...)
		}
	}
	return ws
}

// TestModel has clients act at the sandbox, and others with the same seeds and other values
// at the recording, on another day and with other turns: each sees the same, up to renaming.
func TestModel(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			then := &tickingClock{recorded, 7001 * time.Millisecond}
			api := direct{sandbox.New(sandbox.Options{Seed: seed, Now: then.Now})}
			rec := &recorder{now: then.Now, next: api}
			o := randomRun{base: "https://sandbox.example", clock: then,
				http: &http.Client{Transport: rec}, seed: seed, order: seed,
				name: "first", number: 1000, steps: 15}
			before := o.run(t)

			now := &tickingClock{played, 9013 * time.Millisecond}
			xs := rec.xs
			if seed%3 == 0 {
				xs = cleaned(t, xs)
			}
			tape := match.Derived(match.Options{Profiles: profiles(t), Seed: 7, Now: now.Now},
				match.Cassette{Name: "tape", Exchanges: xs})
			o.base, o.http, o.clock = "http://deck.example:1",
				&http.Client{Transport: player{Player: match.NewPlayer(tape), set: profiles(t)}}, now
			o.order, o.name, o.number, o.again = seed+1, "other", 2000, seed%2 == 1
			for i, w := range o.run(t) {
				if diff := cmp.Diff(before[i].saw.lines, w.saw.lines); diff != "" {
					t.Fatalf("client %d did %q: %s", i, w.said, diff)
				}
			}
		})
	}
}
