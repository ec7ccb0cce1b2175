package cluster

import "testing"

// TestTheSameWriteWaitsForTheReceipt sends a write again, through another deck, before the receipt of
// its answer is there. It is no retry, and served as such. Without a receipt it is served in the end.
func TestTheSameWriteWaitsForTheReceipt(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, _ := newTestNode(t, servers)
	second, _ := newTestNode(t, servers)
	ask := func(n *Node, id string) (text string, got func(bool)) {
		r := &Request{requestFields: requestFields{ID: id, Method: "POST", Target: "/got"}}
		a, got, err := n.ask(t.Context(), r)
		if err != nil {
			t.Error(err)
			return "", nil
		}
		return string(a.Pieces[0].Data), got
	}
	_, got := ask(first, "a")
	again := make(chan string)
	go func() {
		text, _ := ask(second, "b")
		again <- text
	}()
	got(true)
	if text := <-again; text != "1" {
		t.Errorf("%s answers were delivered before, want 1", text)
	}
	if text, _ := ask(second, "c"); text != "1" {
		t.Errorf("%s answers were delivered before, though b has no receipt", text)
	}
}

// TestFingerprints tells requests apart by what a client repeats.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	of := func(method, target, body string) uint64 {
		return fingerprint(&Request{requestFields: requestFields{
			ID: method + target, Method: method, Target: target, Body: []byte(body),
		}})
	}
	seen := map[uint64]bool{}
	for _, r := range [][3]string{{"POST", "/a", "x"}, {"PUT", "/a", "x"}, {"POST", "/b", "x"}, {"POST", "/a", "y"},
		{"POST", "/ax", ""}} {
		print := of(r[0], r[1], r[2])
		if seen[print] || print != of(r[0], r[1], r[2]) {
			t.Errorf("%q has the fingerprint of another", r)
		}
		seen[print] = true
	}
}
