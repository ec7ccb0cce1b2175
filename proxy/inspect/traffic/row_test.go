package traffic_test

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/redact"
)

// A row tells all that a log tells of an event: a person at a terminal has no log.
func TestRowTellsWhatTheEventTells(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.hub.Publish(proxy.Event{Kind: proxy.Missed, Code: 501, Miss: 3, Reason: match.BadPath})
	r.hub.Publish(proxy.Event{
		Kind: proxy.Failed, Problem: proxy.ProblemUpstream, Cause: proxy.CauseDNS,
		Where: "proxy/relay.go:1", Note: proxy.NoteDefect,
		Text: redact.New(redact.Options{}).Text("index out of range"),
	})
	r.hub.Publish(proxy.Event{Kind: proxy.Recorded, Code: 200, Withheld: proxy.WithheldLimit})
	r.hub.Publish(proxy.Event{
		Kind: proxy.Callback, Outcome: proxy.OutcomeRelayed, Code: 200, Checksum: leaf.ChecksumBad,
	})
	r.hub.Publish(proxy.Event{Kind: proxy.Served, Code: 200, Mark: "ambiguous"})
	miss, _ := r.Row(1)
	failed, _ := r.Row(2)
	recorded, _ := r.Row(3)
	relayed, _ := r.Row(4)
	marked, _ := r.Row(5)
	if miss.Miss != 3 {
		t.Errorf("the miss is number %d of the run, want 3", miss.Miss)
	}
	want := string(proxy.NoteDefect) + ": index out of range"
	if failed.Cause != proxy.CauseDNS || failed.Where != "proxy/relay.go:1" ||
		failed.Sentence.String() != want {
		t.Errorf("the failure is told as %+v", failed)
	}
	if recorded.Withheld != proxy.WithheldLimit || relayed.Checksum != leaf.ChecksumBad {
		t.Errorf("the exchanges are told as %+v and %+v", recorded, relayed)
	}
	if marked.MarkWords != match.MarkWords("ambiguous") || marked.MarkWords == "" {
		t.Errorf("the mark is told as %q", marked.MarkWords)
	}
}
