package proxy_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/proxy"
)

// TestManyClientsOfOnePayment tells one recorded payment to many clients at once: each has an
// order of its own and never sees that of another, on connections of its own and on new ones. Where
// all pay with one card under one clientId they have one binding too, as at the sandbox. Nothing of
// it is a guess, unless they pay with a card that the tape does not have, or ask for bindings while
// an order of the clientId is on its way.
func TestManyClientsOfOnePayment(t *testing.T) {
	const clients = 200
	dir := t.TempDir()
	record(t, dir, "", (*story.Teller).Checkout)
	for _, tt := range []struct {
		name  string
		same  bool // one clientId
		brief bool // a connection for each request
		other bool // another card than on tape
	}{
		{"each with its own clientId", false, false, false},
		{"all with one clientId", true, false, false},
		{"each with its own clientId, no connections kept", false, true, false},
		{"all with one clientId, no connections kept", true, true, false},
		{"with another card", false, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := replay(t, dir)
			var running sync.WaitGroup
			var mu sync.Mutex // guards owners
			owners := map[story.Value]map[int]bool{}
			for n := range clients {
				running.Go(func() {
					c := teller(d.URL, n+1)
					if tt.same {
						c.ClientID = "client-of-all"
					}
					if !tt.other {
						c.Card = teller(d.URL, 0).Card
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
			s := d.Summary()
			var want []proxy.MarkCount
			if tt.other { // the payment, the status and the bindings
				want = []proxy.MarkCount{{Mark: "assumed=card", Count: 3 * clients}}
			}
			got := slices.DeleteFunc(s.Marks, func(c proxy.MarkCount) bool {
				// The tape does not show the bindings while another order is on its way.
				return tt.same && c.Mark == "assumed=relation" && c.Count <= clients
			})
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); s.Misses > 0 || diff != "" {
				t.Errorf("%d misses; marks (-want +got):\n%s", s.Misses, diff)
			}
			orders, shared := counted(owners)
			if orders != clients || shared > 0 && !tt.same {
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
