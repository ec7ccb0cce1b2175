package proxy_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/story"
)

// TestManyClientsOfOnePayment tells one recorded payment to many clients at once: each has an
// order and a binding of its own and never sees one of another, also where all pay with one card
// under one clientId. For those a connection of their own is needed: without it, the bindings of
// a clientId are those of any client who has it, and the answers say that they are ambiguous.
func TestManyClientsOfOnePayment(t *testing.T) {
	const clients = 200
	dir := t.TempDir()
	record(t, dir, "", (*story.Teller).Checkout)
	for _, tt := range []struct {
		name  string
		same  bool // one card and one clientId
		brief bool // a connection for each request
	}{
		{"each with its own clientId", false, false},
		{"all with one card and one clientId", true, false},
		{"each with its own clientId, no connections kept", false, true},
		{"all with one clientId, no connections kept", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mode, url := replay(t, dir)
			var running sync.WaitGroup
			var mu sync.Mutex // guards owners
			owners := map[story.Value]map[int]bool{}
			for n := range clients {
				running.Go(func() {
					c := teller(url, n+1)
					if tt.same {
						c.ClientID = "client-of-all"
					}
					own := &http.Transport{MaxConnsPerHost: 1, DisableKeepAlives: tt.brief}
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
						if owners[v] == nil {
							owners[v] = map[int]bool{}
						}
						owners[v][n] = true
					}
				})
			}
			running.Wait()
			s := mode.Stats()
			if s.Misses > 0 || tt.same != (s.Ambiguous > 0) {
				t.Errorf("%d misses, %d ambiguous answers", s.Misses, s.Ambiguous)
			}
			orders, shared := counted(owners)
			if orders != clients || shared > 0 && !(tt.same && tt.brief) {
				t.Errorf("%d orders; %d ids were told to several clients", orders, shared)
			}
		})
	}
}

// counted counts the orders that clients were told of, and the ids that several were told of. No
// two may have one order.
func counted(owners map[story.Value]map[int]bool) (orders, shared int) {
	for v, by := range owners {
		switch {
		case v.Name == "orderId" && len(by) == 1:
			orders++
		case len(by) > 1:
			shared++
		}
	}
	return orders, shared
}
