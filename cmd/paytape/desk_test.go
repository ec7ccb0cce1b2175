package main

import (
	"net/http"
	"strings"
	"testing"
)

// opened is a desk that is served until the test ends.
func opened(t *testing.T, d *desk) *strings.Builder {
	t.Helper()
	if err := d.check("record", builtinKnowledge(t)); err != nil {
		t.Fatal(err)
	}
	said := &strings.Builder{}
	if err := d.open(t.Context(), voice{w: said}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})
	return said
}

// A deck whose upstream is its own admin address would let its clients reach that.
func TestTheAdminAddressIsNoUpstream(t *testing.T) {
	t.Parallel()
	d := &desk{address: "127.0.0.1:0"}
	opened(t, d)
	deck := recordingFrom(t, t.TempDir(), deckOptions{
		knowledge: builtinKnowledge(t), upstreams: []string{d.served.url}, desk: d,
	})
	if code := register(t, deck.url); code != http.StatusBadGateway {
		t.Errorf("the client got status %d", code)
	}
	if _, err := deck.eject(); err != nil {
		t.Error(err)
	}
}

func TestListeningForOthersIsWarnedOf(t *testing.T) {
	t.Parallel()
	said := opened(t, &desk{address: "0.0.0.0:0"})
	if !strings.Contains(said.String(), "which other machines may reach\n") {
		t.Errorf("said %q", said)
	}
}

// Without the flag there is nobody, and everything goes on as if there were no such thing.
func TestNobodyLooksAfterADeck(t *testing.T) {
	t.Parallel()
	d := &desk{address: off}
	if said := opened(t, d); said.Len() > 0 || d.url() != "" || d.own() != nil {
		t.Errorf("said %q, url %q, own %v", said, d.url(), d.own())
	}
	door := http.NotFoundHandler()
	if d.counts(door) == nil || (*desk)(nil).counts(door) == nil {
		t.Error("the door is gone")
	}
}
