package cluster

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestInquire asks all decks, with a question that no message of NATS takes.
func TestInquire(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, _ := newLeasedNode(t, servers, time.Minute)
	second, _ := newLeasedNode(t, servers, time.Minute)
	question := make([]byte, 2<<20)
	replies, err := first.Inquire(t.Context(), question)
	if err != nil || len(replies.Of) != 2 || replies.Silent != nil {
		t.Fatalf("%d answers, and nothing from %q: %v", len(replies.Of), replies.Silent, err)
	}
	for _, n := range []*Node{first, second} {
		if len(replies.Of[n.name()]) != len("asked ")+len(question) {
			t.Errorf("an answer of %d bytes", len(replies.Of[n.name()]))
		}
	}
	if _, err := first.InquireOf(t.Context(), "deck.nobody", nil); err == nil {
		t.Error("nobody has answered")
	}
}

// TestInquireOfTheSilent asks decks of which one does not answer, and one does not serve yet.
func TestInquireOfTheSilent(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	n, _ := newLeasedNode(t, servers, time.Minute)
	starting, err := Join(t.Context(), Options{
		Servers: servers, Key: bytes.Repeat([]byte{1}, LeastKey), Lease: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer starting.Close()
	hangs := newLease(n.bus, &Options{Lease: time.Minute})
	if err := hangs.take(t.Context(), member{At: "http://hangs.test"}, nil); err != nil {
		t.Fatal(err)
	}
	replies, err := n.Inquire(t.Context(), []byte("?"))
	if err != nil || len(replies.Of) != 1 || !slices.Equal(replies.Silent, []string{"http://hangs.test"}) {
		t.Errorf("%q, and nothing from %q: %v", replies.Of, replies.Silent, err)
	}
	hangs.end(t.Context())
	replies, err = n.Inquire(t.Context(), []byte("?"))
	if err != nil || len(replies.Of) != 1 || replies.Silent != nil {
		t.Errorf("%q, and nothing from %q, which has gone: %v", replies.Of, replies.Silent, err)
	}
}

// TestInquireWithoutALease has the deck that asks be no member itself.
func TestInquireWithoutALease(t *testing.T) {
	t.Parallel()
	n, _ := newLeasedNode(t, newTestNATS(t), time.Minute)
	if err := n.bus.leases.Delete(t.Context(), n.name()); err != nil {
		t.Fatal(err)
	}
	replies, err := n.Inquire(t.Context(), []byte("?"))
	if err != nil || len(replies.Of) != 1 || replies.Silent != nil {
		t.Errorf("%q, and nothing from %q: %v", replies.Of, replies.Silent, err)
	}
}

// TestMembersAreAll looks at leases while they are renewed as fast as can be.
func TestMembersAreAll(t *testing.T) {
	t.Parallel()
	n, _ := newLeasedNode(t, newTestNATS(t), time.Minute)
	ctx, stop := context.WithCancel(t.Context())
	var renewing sync.WaitGroup
	defer renewing.Wait()
	defer stop()
	for i := range 3 {
		l := newLease(n.bus, &Options{Lease: time.Minute})
		m := member{At: strconv.Itoa(i)}
		if err := l.take(ctx, m, nil); err != nil {
			t.Fatal(err)
		}
		renewing.Go(func() {
			for ctx.Err() == nil {
				l.renewOnce(ctx, m)
			}
		})
	}
	for range 100 {
		if all, err := n.members(t.Context()); err != nil || len(all) != 4 {
			t.Fatalf("%d of 4 decks: %v", len(all), err)
		}
	}
}
