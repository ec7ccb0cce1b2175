package traffic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// The ids of three orders.
const (
	first  = "3f6c91d2-0000-7e6b-9c35-41d200c4a1e5"
	second = "9a02b7e4-0000-7e6b-9c35-41d200c4a1e6"
	third  = "c8b1f7aa-0000-7e6b-9c35-41d200c4a1e7"
)

// TestRows looks at the rows of two orders, a miss and a callback.
func TestRows(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.order("B-1", first, card("1118"), 0)
	r.order("B-2", second, card("9995"), 116)
	r.miss(first)
	r.callback(1, 1, first, proxy.OutcomeRefused, 500)
	r.callback(1, 2, first, proxy.OutcomeAccepted, 200)
	r.read(t)
	w, err := r.Window(traffic.Query{N: 100})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"9 callback callback B-1 400000******1118|deposited, accepted|1|",
		"8 callback callback B-1 400000******1118|deposited, shop said 500|1|",
		"7 miss refund B-1 400000******1118|miss: field amount||50.00 EUR",
		"6 declined status B-2 400000******9995|declined: insufficient funds|6/116|125.00 EUR",
		"5 hit pay B-2 400000******9995|back to shop||",
		"4 hit register B-2 |registered 125.00 EUR||125.00 EUR",
		"3 hit status B-1 400000******1118|paid 125.00 EUR|2/0|125.00 EUR",
		"2 hit pay B-1 400000******1118|back to shop||",
		"1 hit register B-1 |registered 125.00 EUR||125.00 EUR",
	}
	for i, line := range w.Lines {
		v := line.Row
		amount := ""
		if v.Amount != nil {
			amount = v.Amount.Text.String()
		}
		got := fmt.Sprintf("%d %s %s %s %s|%s|%s|%s", v.ID, v.Sign, v.Short, v.Who.Label, v.Who.Card,
			v.Outcome.Words, v.Outcome.Codes, amount)
		if got != want[i] {
			t.Errorf("row %d is\n%s, want\n%s", i, got, want[i])
		}
	}
	counts := view.Counts{All: 7, Groups: 2, Declined: 1, Misses: 1, Callbacks: 1}
	if w.Counts != counts || w.Total != 9 || w.Last != 9 {
		t.Errorf("counts %+v of %d rows", w.Counts, w.Total)
	}
}

// TestFlow has the flow of an order, by each of its names.
func TestFlow(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.order("B-1", first, card("1118"), 0)
	r.callback(1, 1, first, proxy.OutcomeAccepted, 200)
	r.read(t)
	f, ok := r.Flow("B-1")
	if !ok || len(f.Rows) != 4 || f.Group.Rows != 4 || f.Group.Hits != 3 ||
		f.Group.Outcome.Words.String() != "paid 125.00 EUR" || f.Group.Amount.Minor != 12500 {
		t.Fatalf("the flow is %+v", f.Group)
	}
	for _, name := range []string{first, f.Group.ID} {
		if g, ok := r.Flow(name); !ok || g.Group.ID != f.Group.ID {
			t.Errorf("%s is no name of the flow", name)
		}
	}
	var states []string
	for _, s := range f.States {
		states = append(states, s.Words.String())
	}
	if got := strings.Join(states, ", then "); got !=
		"registered 125.00 EUR, then paid 125.00 EUR, then deposited, accepted" {
		t.Errorf("states: %s", got)
	}
	if got := fmt.Sprint(f.Actors); got != "[client deck tape shop]" {
		t.Errorf("actors: %s", got)
	}
	for _, name := range []string{"", "g0", "g", "gx", "B-9", "B-"} {
		if _, ok := r.Flow(name); ok {
			t.Errorf("%q names a flow", name)
		}
	}
}

// TestCompare asks why one order failed and another did not.
func TestCompare(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.order("B-1", first, card("1118"), 0)
	r.order("B-2", second, card("9995"), 116)
	r.order("B-3", third, card("1118"), 0)
	r.miss(first)
	r.read(t)
	c, err := r.Compare("B-1", "B-2")
	if err != nil || c.FirstSent != 1 || c.FirstAnswered != 2 || len(c.Steps) != 4 || c.Sentence !=
		"The client first sent something else in step 2 (paymentorder.do): $PAN. "+
			"The first answer that differs is in step 3 (getOrderStatusExtended.do): paid 125.00 EUR here, and there "+
			"declined: insufficient funds. 1 step has no partner." {
		t.Errorf("%v %d %d %d %s", err, c.FirstSent, c.FirstAnswered, len(c.Steps), c.Sentence)
	}
	if c.Folded == 0 || c.Steps[3].B != 0 || c.Steps[1].Sent[0].A.String() != "400000******1118" {
		t.Errorf("folded %d, %+v", c.Folded, c.Steps[1].Sent)
	}
	if c, _ := r.Compare("B-2", "B-2"); c.Sentence != "All 3 steps agree." || c.FirstSent != -1 {
		t.Errorf("a flow and itself: %s", c.Sentence)
	}
	if c, _ := r.Compare("B-3", "B-1"); c.Sentence !=
		"All steps that both have agree; 1 step has no partner." {
		t.Errorf("two of one kind: %s", c.Sentence)
	}
	if _, err := r.Compare("B-1", "B-9"); err != traffic.ErrNoFlow {
		t.Errorf("a flow that is not there: %v", err)
	}
}

// TestCompareShowsDates has a date that one of two answers has alone: it is no card number.
func TestCompareShowsDates(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	for i, dated := range []string{`,"depositedDate":1795417342042`, ""} {
		id := []string{first, second}[i]
		r.said("getOrderStatusExtended.do", "orderId="+id,
			fmt.Sprintf(`{"errorCode":"0","orderNumber":"B-%d","orderStatus":2%s}`, i+1, dated))
	}
	r.read(t)
	c, err := r.Compare("B-1", "B-2")
	if err != nil || len(c.Steps) != 1 || len(c.Steps[0].Answered) != 1 ||
		c.Steps[0].Answered[0].A.String() != "1795417342042" {
		t.Errorf("%v: %+v", err, c.Steps)
	}
}

// TestComplete has words for a filter, with how many rows have them.
func TestComplete(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{}, hub.Options{})
	r.order("B-1", first, card("1118"), 0)
	r.order("B-2", second, card("9995"), 116)
	r.miss(first)
	r.read(t)
	for _, tc := range []struct{ text, want string }{
		{"served:|", "7-7 tape 6, miss 1, assumed 0, rule 0"},
		{"op:refund served:m|", "17-18 miss 1, assumed 0, composed 0, ambiguous 0"},
		{"order:|", "6-6 B-1 4, B-2 3"}, {"card:9|", "5-6 400000******9995 3"},
		{"outcome:ins|", `8-11 "declined: insufficient funds" 1`},
		{"reason:f|", "7-8 field 1"}, {"amount:|", "7-7 EUR 7"}, {"status:5|", "7-8 501 1"},
		{"op:|", "3-3 pay 2, register 2, status 2, refund 1"}, {"se|", "0-2 served: -1, session: -1"},
		{"profile:|", "8-8 gateway 7"}, {"body:|", "5-5 "},
	} {
		cursor := strings.IndexByte(tc.text, '|')
		c := r.Complete(strings.Replace(tc.text, "|", "", 1), cursor)
		var words []string
		for _, w := range c.Words[:min(4, len(c.Words))] {
			words = append(words, fmt.Sprintf("%s %d", w.Text, w.Count))
		}
		if got := fmt.Sprintf("%d-%d %s", c.From, c.To, strings.Join(words, ", ")); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.text, got, tc.want)
		}
	}
	if c := r.Complete("served:x", 8); c.Error == "" || c.Column != 7 || c.Reads != "" {
		t.Errorf("a filter with an error: %+v", c)
	}
	number := "411111" + "1111111111"
	if c := r.Complete(number+" op:", 20); c.Text.String() != "411111******1111 op:" || c.From != 20 {
		t.Errorf("a card number: %+v", c)
	}
}
