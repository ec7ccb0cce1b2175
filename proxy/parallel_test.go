package proxy_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/story"
)

// TestManyClientsOfOnePayment tells one recorded payment to many clients at once: each has an
// order and a binding of its own and never sees one of another, also where all pay with one card
// under one clientId. Replay remembers the last 64 threads with a shared value; who is not among
// them and asks for bindings by that value alone is not told from the others.
func TestManyClientsOfOnePayment(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, "", (*story.Teller).Checkout)
	for _, tt := range []struct {
		name    string
		clients int
		same    bool // one card and one clientId
	}{{"each with its own clientId", 200, false}, {"all with one card and one clientId", 60, true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mode, url := replay(t, dir)
			var running sync.WaitGroup
			var mu sync.Mutex // guards owners
			owners := map[string]int{}
			for n := range tt.clients {
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
						if v.Name != "orderId" && v.Name != "bindingId" {
							continue // of dates, many are of one millisecond
						}
						if other, taken := owners[v.Text]; taken && other != n {
							t.Errorf("clients %d and %d have one %s", other, n, v.Name)
						}
						owners[v.Text] = n
					}
				})
			}
			running.Wait()
			if s := mode.Stats(); s.Misses > 0 || len(owners) != 2*tt.clients {
				t.Errorf("%d misses, %d ids", s.Misses, len(owners))
			}
		})
	}
}
