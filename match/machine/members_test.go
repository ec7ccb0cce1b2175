package machine

import (
	"testing"

	"github.com/paytape/paytape/match/tape"
)

// TestMembersByKind looks for the one binding of a client who has ever more orders: it is found without
// looking at the orders.
func TestMembersByKind(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 400} {
		s := &state{}
		binding := &tape.Entity{EntityKind: &tape.EntityKind{Kind: "gateway binding"}}
		for i := range n {
			if i == n/2 {
				s.add(binding)
			}
			s.add(&tape.Entity{EntityKind: &tape.EntityKind{Kind: "gateway order"}})
		}
		if got := s.of("gateway binding"); len(got) != 1 || got[0] != binding {
			t.Errorf("with %d orders %d entities are looked at for a binding, want 1", n, len(got))
		}
		if got := len(s.of("gateway order")); got != n {
			t.Errorf("%d orders of %d are members", got, n)
		}
	}
}
