package cluster

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestLostStorageIsTold takes from NATS all that it keeps, as one that comes back without its disk: the
// deck says so at once, and goes on saying it when another has begun anew.
func TestLostStorageIsTold(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	n, d := newTestNode(t, servers)
	asked(t, n, "a")
	streams := n.bus.js.StreamNames(t.Context())
	for name := range streams.Name() {
		if err := n.bus.js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for until := time.Now().Add(10 * time.Second); n.Trouble() == ""; {
		if time.Now().After(until) {
			t.Fatal("nothing is told")
		}
		time.Sleep(time.Millisecond) // NATS is another process
	}
	refused := func() {
		t.Helper()
		w := httptest.NewRecorder()
		n.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), lostStorage) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	refused()
	newTestNode(t, servers)
	if !n.forgotten(t.Context()) || n.leased() {
		t.Error("it goes on with the seed of another")
	}
	refused()
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.Count(strings.Join(d.warned, ""), lostStorage) != 1 {
		t.Errorf("warned of %q", d.warned)
	}
}

// TestClaimsAreRenewed renews a claim that is held, which would expire with the log.
func TestClaimsAreRenewed(t *testing.T) {
	t.Parallel()
	n, _ := newTestNode(t, newTestNATS(t))
	asked(t, n, "a")
	status, err := n.bus.claims.Status(t.Context())
	if err != nil || status.TTL() != logAge {
		t.Fatal(status, err)
	}
	c := n.claimOf("")
	before := c.revision
	if c.renew(t.Context()); c.revision != before {
		t.Error("a new claim is renewed")
	}
	c.holding.Lock()
	c.renewed = c.renewed.Add(-logAge / 2)
	c.holding.Unlock()
	n.renewClaims(t.Context())
	c.holding.Lock()
	found, err := n.bus.claims.Get(t.Context(), c.key())
	if err != nil || found.Revision() == before || found.Revision() != c.revision ||
		decodeClaim(found.Value()).Deck != n.name() {
		t.Error(found, err)
	}
	c.holding.Unlock()
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	other, _ := newTestNode(t, n.options.Servers)
	if _, err := other.bus.claims.Get(t.Context(), c.key()); err != jetstream.ErrKeyNotFound {
		t.Errorf("the claim is not given back: %v", err)
	}
}
