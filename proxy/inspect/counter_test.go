package inspect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect"
	"github.com/paytape/paytape/proxy/inspect/view"
)

func TestCounter(t *testing.T) {
	t.Parallel()
	c := inspect.NewCounter()
	for _, e := range []proxy.Event{
		{Kind: proxy.Served}, {Kind: proxy.Served, Mark: "assumed=card", Rules: []string{"slow"}},
		{Kind: proxy.Missed, Reason: match.BadState}, {Kind: proxy.Missed, Reason: "a value"},
		{Kind: proxy.ByRule, Rules: []string{"down"}}, {Kind: proxy.Failed},
		{Kind: proxy.Failed, Note: proxy.NoteUnsynced}, {Kind: proxy.Recorded}, {Kind: proxy.Passed},
		{Kind: proxy.Lost}, {Kind: proxy.Refused}, {Kind: proxy.Warning},
		{Kind: proxy.Callback, Outcome: proxy.OutcomeRelayed, Code: 204},
		{Kind: proxy.Callback, Outcome: proxy.OutcomeRelayed},
		{Kind: proxy.Callback, Outcome: proxy.OutcomeAccepted, Code: 200},
	} {
		c.Observe(e)
	}
	var got view.Status
	c.Fill(&got)
	want := view.Status{
		Requests: 9, Hits: 2, Misses: 2, Marked: 1, Ruled: 2, Failed: 1, Recorded: 1, Passed: 1,
		Reasons:   map[string]int64{string(match.BadState): 1},
		Callbacks: view.CallbackCounts{Accepted: 1, Refused: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
