package traffic_test

import (
	"testing"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// group returns the flow of a row, which is read.
func (r *run) group(t *testing.T, id uint64) string {
	t.Helper()
	r.read(t)
	v, found := r.Row(id)
	if !found || v.Group == "" {
		t.Fatalf("row %d has no flow", id)
	}
	return v.Group
}

// asked publishes a question for an order that is answered with an error, which tells no names.
func (r *run) asked(form string) {
	r.said("getOrderStatusExtended.do", form, `{"errorCode":"6","errorMessage":"Order not found"}`)
}

// known is the answer to a question that tells number and id of an order.
func (r *run) known(number, id string) {
	r.said("getOrderStatusExtended.do", "orderId="+id,
		`{"errorCode":"0","orderNumber":"`+number+`","orderStatus":2,"amount":100,"currency":"978"}`)
}

// TestFlowsBecomeOne joins what was named by number with what was named by id, under the older ID.
func TestFlowsBecomeOne(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.asked("orderNumber=B-1")
	older := r.group(t, 1)
	r.asked("orderId=" + first)
	younger := r.group(t, 2)
	if older == younger {
		t.Fatal("two orders that nothing joins are one flow")
	}
	r.known("B-1", first)
	for id := uint64(1); id <= 3; id++ {
		if g := r.group(t, id); g != older {
			t.Errorf("row %d is in %s, want %s", id, g, older)
		}
	}
	f, found := r.Flow(younger)
	if !found || f.Group.ID != older || f.Group.Rows != 3 || f.Group.Who.Label.String() != "B-1" {
		t.Errorf("%s leads to %+v", younger, f.Group)
	}
	if v, _ := r.Row(2); v.Who.Label.String() != "B-1" || v.Who.ID.String() != first {
		t.Errorf("a row that has the id alone is about %+v", v.Who)
	}
	if w, _ := r.Window(traffic.Query{N: 9, Filter: "order:B-1"}); w.Total != 3 {
		t.Errorf("a filter by the number finds %d rows", w.Total)
	}
}

// TestNumbersAreUsedAgain begins a flow where a number comes with another id: a test runs again.
func TestNumbersAreUsedAgain(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.order("B-1", first, card("1118"), 0)
	r.order("B-1", second, card("1118"), 0)
	r.asked("orderNumber=B-1")
	r.known("B-1", first)
	if a, b := r.group(t, 1), r.group(t, 4); a == b || r.group(t, 7) != b || r.group(t, 8) != a ||
		r.group(t, 3) != a || r.group(t, 6) != b {
		t.Errorf("flows %s and %s", a, b)
	}
	if f, _ := r.Flow("B-1"); f.Group.Who.ID.String() != second {
		t.Error("a number is not that of the newest flow")
	}
}

// TestFlowsApart keeps sessions apart, and orders that one card has paid.
func TestFlowsApart(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.order("B-1", first, card("1118"), 0)
	r.session = "shop"
	r.order("B-1", first, card("1118"), 0)
	r.session = ""
	r.order("B-2", second, card("1118"), 0)
	groups := map[string]bool{}
	for _, id := range []uint64{1, 4, 7} {
		groups[r.group(t, id)] = true
	}
	if len(groups) != 3 {
		t.Errorf("%d flows", len(groups))
	}
}

// TestRelayedCallback has a callback, which a sandbox sends to no session, in the flow of its order.
func TestRelayedCallback(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.session = "shop"
	r.order("B-1", first, card("1118"), 0)
	r.callback(1, 1, first, proxy.OutcomeRelayed, 200)
	if order, callback := r.group(t, 1), r.group(t, 4); order != callback {
		t.Errorf("the order is in %s and its callback in %s", order, callback)
	}
}

// TestAskedOfASandbox tells answers of a sandbox from those of a tape.
func TestAskedOfASandbox(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.kind = proxy.Recorded
	r.order("B-1", first, card("1118"), 0)
	r.kind = proxy.Served
	r.said("getOrderStatusExtended.do", "orderId="+first, `{"errorCode":"0","orderStatus":2,"actionCode":0}`)
	f, _ := r.Flow(r.group(t, 1))
	if f.Group.Asked != 3 || f.Group.Hits != 1 || f.Group.Rows != 4 {
		t.Errorf("of %d, %d were asked of a sandbox and %d are hits", f.Group.Rows, f.Group.Asked, f.Group.Hits)
	}
}

// TestLiveEntity groups rows that nobody has read by the number of their live entity, and joins the
// flow with what names it.
func TestLiveEntity(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	for range 2 {
		r.hub.Publish(proxy.Event{Kind: proxy.Served, Profile: "gateway", Operation: "refund.do", Flow: 7})
		r.hub.Publish(proxy.Event{Kind: proxy.Served, Profile: "gateway", Operation: "refund.do", Flow: 8})
	}
	if a, b := r.group(t, 1), r.group(t, 2); a == b || r.group(t, 3) != a || r.group(t, 4) != b {
		t.Errorf("flows %s and %s", a, b)
	}
}

// TestNamelessRows are in a flow with their neighbours.
func TestNamelessRows(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	nameless := func() { r.hub.Publish(proxy.Event{Kind: proxy.Refused, Problem: "plain", Code: 400}) }
	nameless()
	nameless()
	r.read(t)
	r.order("B-1", first, card("1118"), 0)
	r.read(t)
	nameless()
	if r.group(t, 1) != r.group(t, 2) || r.group(t, 1) == r.group(t, 6) || r.group(t, 3) == r.group(t, 6) {
		t.Error("rows that name nothing are not in a flow with their neighbours")
	}
}

// TestSigns has the sign of a row for each kind of event.
func TestSigns(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	for _, tc := range []struct {
		e      proxy.Event
		sign   view.Sign
		served string
	}{
		{proxy.Event{Kind: proxy.Served, Code: 200}, view.SignHit, "tape"},
		{proxy.Event{Kind: proxy.Served, Code: 200, Mark: "composed"}, view.SignMarked, "tape"},
		{proxy.Event{Kind: proxy.Served, Code: 200, Mark: "composed", Rules: []string{"x"}}, view.SignRule, "tape"},
		{proxy.Event{Kind: proxy.ByRule, Code: 503}, view.SignRule, "rule"},
		{proxy.Event{Kind: proxy.Served, Code: 200, Given: 503, Rules: []string{"x"}}, view.SignRule, "rule"},
		{proxy.Event{Kind: proxy.Recorded, Code: 200, Given: proxy.GivenNothing, Rules: []string{"x"}},
			view.SignRule, "nothing"},
		{proxy.Event{Kind: proxy.ByRule}, view.SignRule, "nothing"},
		{proxy.Event{Kind: proxy.Missed, Code: 501, Rules: []string{"x"}}, view.SignMiss, "nothing"},
		{proxy.Event{Kind: proxy.Failed, Code: 502, Problem: "upstream"}, view.SignFailed, "deck"},
		{proxy.Event{Kind: proxy.Refused, Code: 400, Problem: "plain"}, view.SignFailed, "deck"},
		{proxy.Event{Kind: proxy.Recorded, Code: 200}, view.SignHit, "upstream"},
		{proxy.Event{Kind: proxy.Recorded, Code: 502, Problem: "upstream"}, view.SignFailed, "deck"},
		{proxy.Event{Kind: proxy.Recorded, Code: 200, Problem: "cut"}, view.SignFailed, "upstream"},
		{proxy.Event{Kind: proxy.Passed, Code: 200}, view.SignHit, "upstream"},
		{proxy.Event{Kind: proxy.Lost, Code: 200}, view.SignHit, "upstream"},
		{proxy.Event{Kind: proxy.Callback, Code: 500, Outcome: "refused", Problem: "shop"}, view.SignCallback, ""},
		{proxy.Event{Kind: proxy.Warning, Note: proxy.NoteSynced}, view.SignNote, ""},
	} {
		r.hub.Publish(tc.e)
		if v, _ := r.Row(r.hub.LastID()); v.Sign != tc.sign || v.Served != tc.served {
			t.Errorf("%+v: %s, served from %q", tc.e, v.Sign, v.Served)
		}
	}
}
