package cluster

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

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
