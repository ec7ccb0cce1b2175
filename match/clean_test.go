package match_test

import (
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// cleaned is a recording as it stands on a tape, surrogates and all.
func cleaned(t testing.TB, xs []*leaf.Exchange) []*leaf.Exchange {
	t.Helper()
	r := redact.New(redact.Options{Profiles: profiles(t), Report: func(s redact.Safe) { t.Log(s) }})
	var clean []*leaf.Exchange
	for _, x := range xs {
		clean = append(clean, r.Clean(x).Exchange())
	}
	return clean
}

func TestCleanedStoriesReplay(t *testing.T) {
	for name, tell := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			xs, before := record(t, tell)
			clean := cleaned(t, xs)
			for _, x := range clean {
				if !x.Replayable() {
					t.Errorf("%s: %s", x.Meta.Operation, x.Meta.Withheld)
				}
			}
			client := play(t, clean)
			var wg sync.WaitGroup
			for n := range 8 {
				wg.Go(func() {
					teller := second(n)
					teller.Base, teller.HTTP = "http://deck.example:1", client
					after, err := tell(teller, t.Context())
					if err != nil {
						t.Errorf("client %d: %v", n, err)
						return
					}
					differ(t, before, after)
				})
			}
			wg.Wait()
		})
	}
}
