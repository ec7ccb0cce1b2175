package proxy_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/story"
)

// TestTwoHundredClientsOfOnePayment tells one recorded payment to two hundred clients at once:
// each has an order of its own and never sees one of another, also where all pay with one card
// under one clientId. The bindings of that clientId are those of all of them, as they would be
// at the sandbox; with clientIds of their own they are each one's.
func TestTwoHundredClientsOfOnePayment(t *testing.T) {
	const clients = 200
	dir := t.TempDir()
	record(t, dir, "", (*story.Teller).Checkout)
	for _, tt := range []struct {
		name string
		same bool // one card and one clientId
	}{{"each with its own clientId", false}, {"all with one card and one clientId", true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mode, url := replay(t, dir)
			var running sync.WaitGroup
			var mu sync.Mutex // guards owners
			owners := map[string]int{}
			for n := range clients {
				running.Go(func() {
					c := teller(url, n+1)
					if tt.same {
						c.ClientID = "client-of-all"
					}
					own := &http.Transport{MaxConnsPerHost: 1} // one connection, as most clients have
					defer own.CloseIdleConnections()
					c.HTTP = &http.Client{Transport: own}
					seen, err := c.Checkout(t.Context()) // which checks every echo
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					for _, v := range seen {
						if v.Name != "orderId" && (v.Name != "bindingId" || tt.same) {
							continue // dates, and what is asked for by what all of them share
						}
						if other, taken := owners[v.Text]; taken && other != n {
							t.Errorf("clients %d and %d have one %s", other, n, v.Name)
						}
						owners[v.Text] = n
					}
				})
			}
			running.Wait()
			if s := mode.Stats(); s.Misses > 0 || len(owners) < clients {
				t.Errorf("%d misses, %d ids", s.Misses, len(owners))
			}
		})
	}
}
