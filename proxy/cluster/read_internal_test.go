package cluster

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestAResetShortensTheLog resets a session with a large request in its log, which then has neither the
// entries before nor the object. What the reset has left is known to the next owner, also where the
// one before has died before it could shorten the log.
func TestAResetShortensTheLog(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	const lease = 30 * time.Second // an object that is put for longer is put again, and leaves pieces
	first, _ := newLeasedNode(t, servers, lease)
	second, _ := newLeasedNode(t, servers, lease)
	ask := func(n *Node, id, target string, body []byte) string {
		t.Helper()
		r := &Request{requestFields: requestFields{ID: id, Method: "POST", Target: target, Body: body}}
		a, _, err := n.ask(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return string(a.Pieces[0].Data)
	}
	ask(first, "a", "/", make([]byte, 2<<20))
	ask(first, "b", "/", nil)
	if n := first.bus.chunks(t); n != 1 {
		t.Fatalf("there are %d objects", n)
	}
	c := first.claimOf("")
	if err := second.Command(t.Context(), []byte("reset")); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(10 * time.Second); ; {
		c.mu.Lock()
		obeyed := c.commands
		c.mu.Unlock()
		if obeyed == 1 && first.bus.length(t, c.subject) == 1 && first.bus.chunks(t) == 0 {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("the log has %d messages, and %d objects", first.bus.length(t, c.subject),
				first.bus.chunks(t))
		}
		time.Sleep(time.Millisecond) // NATS is another process
	}
	if got := ask(first, "c", "/", make([]byte, 2<<20)); got != "1 [reset]" { // it stays
		t.Error(got)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got := ask(second, "d", "/", nil); got != "2 [reset]" {
		t.Errorf("taken over: %s", got)
	}
	if got := ask(second, "e", "/before", nil); got != "2" {
		t.Errorf("left by the reset: %s", got)
	}

	// A session that nobody has while it is reset is shortened by its next owner.
	third, _ := newLeasedNode(t, servers, lease)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if err := third.Command(t.Context(), []byte("reset")); err != nil {
		t.Fatal(err)
	}
	if got := ask(third, "f", "/before", nil); got != "5" {
		t.Errorf("left by two resets: %s", got)
	}
	if err := third.Close(); err != nil { // which waits for what is under way
		t.Fatal(err)
	}
}

// length returns how many messages of a subject NATS has.
func (b *bus) length(t *testing.T, subject string) uint64 {
	t.Helper()
	info, err := b.log.Info(t.Context(), jetstream.WithSubjectFilter(subject))
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Subjects[subject]
}

// chunks returns of how many large messages NATS has pieces.
func (b *bus) chunks(t *testing.T) int {
	t.Helper()
	name := "PAYTAPE_" + b.id + "_large"
	of, err := b.js.Stream(t.Context(), "OBJ_"+name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := of.Info(t.Context(), jetstream.WithSubjectFilter("$O."+name+".C.>"))
	if err != nil {
		t.Fatal(err)
	}
	return len(info.State.Subjects)
}
