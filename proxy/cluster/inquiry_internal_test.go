package cluster

import "testing"

// TestInquire asks all decks, with a question that no message of NATS takes.
func TestInquire(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, _ := newTestNode(t, servers)
	second, _ := newTestNode(t, servers)
	question := make([]byte, 2<<20)
	said, err := first.Inquire(t.Context(), question)
	if err != nil || len(said) != 2 {
		t.Fatalf("%d answers: %v", len(said), err)
	}
	for _, n := range []*Node{first, second} {
		if len(said[n.name()]) != len("asked ")+len(question) {
			t.Errorf("an answer of %d bytes", len(said[n.name()]))
		}
	}
	if _, err := first.InquireOf(t.Context(), "deck.nobody", nil); err == nil {
		t.Error("nobody has answered")
	}
}
