package cluster

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// loseStorage takes from NATS all that it keeps, as one that comes back without its disk.
func loseStorage(t *testing.T, n *Node) {
	t.Helper()
	streams := n.bus.js.StreamNames(t.Context())
	for name := range streams.Name() {
		if err := n.bus.js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits for what other goroutines and NATS, another process, do.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); {
		if time.Now().After(end) {
			t.Fatal(what + " does not happen")
		}
		time.Sleep(time.Millisecond)
	}
}

// TestLostStorage takes from NATS all that it keeps, twice: all decks begin anew by themselves, with one
// origin. Sessions have another generation, and commands are forgotten.
func TestLostStorage(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, d := newTestNode(t, servers)
	second, _ := newTestNode(t, servers)
	if err := first.Command(t.Context(), []byte("one")); err != nil {
		t.Fatal(err)
	}
	asked(t, first, "a")
	for lost := uint64(1); lost <= 2; lost++ {
		seed := first.Origin().Seed
		loseStorage(t, first)
		for _, n := range []*Node{first, second} {
			until(t, "beginning anew", func() bool {
				return n.Origin().Lost == lost && n.Trouble() == "" && n.leased()
			})
			if got := n.Origin(); got.Seed != seed || !got.same(first.Origin()) {
				t.Errorf("the origin is %+v, want that of before", got)
			}
		}
		c := "c" + strings.Repeat("c", int(lost))
		want := []string{"", "429496729601 []", "858993459201 []"}[lost] // of a generation, see testDeck
		if got := asked(t, second, c); got != want {
			t.Errorf("after %d losses: %s, want %s", lost, got, want)
		}
	}
	if err := second.Command(t.Context(), []byte("two")); err != nil {
		t.Fatal(err)
	}
	if got := asked(t, first, "d"); !strings.HasSuffix(got, "[two]") {
		t.Errorf("the session obeys %s", got)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if all := strings.Join(d.warned, "\n"); strings.Count(all, lostStorage) != 2 {
		t.Errorf("warned of %s", all)
	}
}

// TestLostStorageAndAnotherDeck has a deck start, after NATS has lost everything, before the others have
// noticed: they take what it has decided. If they have noticed meanwhile, it takes what they have decided.
func TestLostStorageAndAnotherDeck(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	n, _ := newTestNode(t, servers)
	asked(t, n, "a")
	loseStorage(t, n)
	other, _ := newTestNode(t, servers)
	until(t, "beginning anew", func() bool { return n.Origin().same(other.Origin()) && n.leased() })
	want := []string{"1 []", "429496729601 []"}[n.Origin().Lost] // of a generation, see testDeck
	for _, at := range []*Node{n, other} {
		if got := asked(t, at, "b"); got != want {
			t.Errorf("after %d losses: %s, want %s", n.Origin().Lost, got, want)
		}
	}
}

// TestLostStorageIsTold answers while the decks have not begun anew.
func TestLostStorageIsTold(t *testing.T) {
	t.Parallel()
	n, _ := newTestNode(t, newTestNATS(t))
	n.mu.Lock()
	n.trouble = lostStorage
	n.mu.Unlock()
	w := httptest.NewRecorder()
	n.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), lostStorage) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
