package proxytest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
)

// recordings are those that tests of this binary make at the moment: two tests that run at once
// and name one cassette record on it together.
var recordings recordingSet

// recordingSet starts recordings and ends them. It is safe for concurrent use; its zero value is empty.
type recordingSet struct {
	mu      sync.Mutex // guards running, and is held while a recording starts or ends
	running map[recordingKey]*recording
}

// recordingKey is a cassette in a folder.
type recordingKey struct{ dir, cassette string }

// recording is a deck that records for as long as a test uses it.
type recording struct {
	settings
	deck *deck.Deck

	mu    sync.Mutex // guards users
	users []*report  // of the tests that use it, one at least
}

// observe tells all tests that use the recording: nobody knows whose request it was.
func (rec *recording) observe(e proxy.Event) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, r := range rec.users {
		r.observe(e)
	}
}

func (rec *recording) join(r *report) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.users = append(rec.users, r)
}

// leave takes a test off, unless it is the last: that one closes the recording, and is told what
// happens meanwhile.
func (rec *recording) leave(r *report) (last bool) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if len(rec.users) == 1 {
		return true
	}
	rec.users = slices.DeleteFunc(rec.users, func(o *report) bool { return o == r })
	return false
}

// record has a test record on the cassette that it names.
func (d *Deck) record(t testing.TB, s settings) {
	t.Helper()
	if ci := os.Getenv(deck.CIVariable); deck.InCI(ci) {
		t.Fatalf("paytape: %s=record, and %s=%s: nothing is recorded where builds are made; "+
			"record cassette %q elsewhere and commit it", Variable, deck.CIVariable, ci, s.cassettes[0])
	}
	if len(s.upstreams) == 0 {
		t.Fatalf("paytape: %s=record, and nothing to record cassette %q from: "+
			"add proxytest.Upstream to this call of Replay", Variable, s.cassettes[0])
	}
	r := &report{t: t, allowMisses: true}
	running, err := recordings.begin(s, r)
	if err != nil {
		t.Fatalf("paytape: %v", err)
	}
	d.running = running
	t.Cleanup(func() {
		d.disconnect()
		recordings.end(s, r)
	})
}

// begin starts a recording, or joins the one that is made on this cassette.
func (s *recordingSet) begin(o settings, r *report) (*deck.Deck, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := keyOf(o)
	if rec := s.running[key]; rec != nil {
		if !slices.Equal(rec.upstreams, o.upstreams) || rec.knowledge != o.knowledge ||
			rec.stable != o.stable {
			return nil, fmt.Errorf("another test records cassette %q at this moment, "+
				"with other options", key.cassette)
		}
		rec.join(r)
		return rec.deck, nil
	}
	rec := &recording{settings: o, users: []*report{r}}
	var err error
	rec.deck, err = deck.Start(context.Background(), deck.Options{
		Mode: deck.Record, Cassettes: []string{key.cassette}, Dir: o.dir, Knowledge: o.knowledge,
		Upstreams: o.upstreams, Sync: "none", Stable: o.stable, Observe: rec.observe,
		Tell: r.notice,
	})
	if err != nil {
		return nil, err
	}
	if s.running == nil {
		s.running = map[recordingKey]*recording{}
	}
	s.running[key] = rec
	return rec.deck, nil
}

// end takes a test off its recording. The last one closes the deck, and says what came of it.
func (s *recordingSet) end(o settings, r *report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := s.running[keyOf(o)]
	if r.t.Failed() {
		r.notice(deck.Notice{Warning: true, Text: fmt.Sprintf("cassette %q has what this test did "+
			"until it failed; to record it anew, remove the file", o.cassettes[0])})
	}
	if !rec.leave(r) {
		r.end(nil)
		return
	}
	delete(s.running, keyOf(o))
	err := rec.deck.Close()
	came := rec.deck.Summary().Recorded
	text := "recorded nothing"
	if came.New > 0 {
		text = fmt.Sprintf("recorded %s to %s, which holds %d", count.Of(came.New, "exchange"),
			came.File, came.Exchanges)
	}
	r.notice(deck.Notice{Text: text})
	if came.Kept != "" {
		r.notice(deck.Notice{Warning: true, Text: came.Kept})
	}
	r.end(err)
}

func keyOf(o settings) recordingKey { return recordingKey{absolute(o.dir), o.cassettes[0]} }
