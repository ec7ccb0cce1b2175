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

// TestSecretSegmentsAreAnybodys has a tape of an API that no profile knows serve a client whose CVC and
// PIN, segments of the path, are others than those that cleaning took out.
func TestSecretSegmentsAreAnybodys(t *testing.T) {
	xs := tape(`POST /cards/55/cvc/739 {"a":1} => {"right":true}`, `GET /pin/7361 => {"pin":"set"}`)
	for _, cvc := range []string{"739", "128", "1289"} {
		s := replay(t, cleaned(t, xs))
		if got := s.hit(`POST /cards/55/cvc/` + cvc + ` {"a":1}`); got != `{"right":true}` {
			t.Errorf("CVC: got %s", got)
		}
		s.hit("GET /pin/1" + cvc)
		s.miss(`POST /cards/56/cvc/` + cvc + ` {"a":1}`)
	}
}

// TestCardsThatAreKeys has a tape on which the keys of a request are surrogates serve a client that sends
// the numbers, and no client with another card.
func TestCardsThatAreKeys(t *testing.T) {
	limits := func(card string) string { return `POST /limits {"cards":{"` + card + `":{"limit":5}}}` }
	card := "411111" + "1111111111"
	xs := tape(limits(card) + ` => {"set":{"` + card + `":true}}`)
	s := replay(t, cleaned(t, xs))
	s.hit(limits(card))
	s.miss(limits("555555" + "5555555599"))
}
