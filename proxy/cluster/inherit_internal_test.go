package cluster

import "testing"

// TestSessionsAreInherited has the owner of a session go in which something waits to go out: another deck
// takes the session over though nobody asks for it.
func TestSessionsAreInherited(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(n *Node){
		"it stops": func(n *Node) { _ = n.Close() },
		"it dies":  func(n *Node) { n.bus.conn.Close() }, // as far as the others see
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers := newTestNATS(t)
			first, d := newTestNode(t, servers)
			second, _ := newTestNode(t, servers)
			d.waits = true
			asked(t, first, "a")
			leave(first)
			until(t, "inheriting", func() bool { return second.claimOf("") != nil })
			if got := asked(t, second, "b"); got != "2 []" {
				t.Error(got)
			}
		})
	}
	t.Run("all have gone", func(t *testing.T) {
		t.Parallel()
		servers := newTestNATS(t)
		first, _ := newTestNode(t, servers)
		asked(t, first, "a")
		first.bus.conn.Close()
		second, _ := newTestNode(t, servers)
		until(t, "inheriting", func() bool { return second.claimOf("") != nil })
	})
}
