package match_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

func describe(t *testing.T, xs []*leaf.Exchange) *match.Description {
	t.Helper()
	o := match.Options{Profiles: profiles(t)}
	return match.Describe(o, match.Cassette{Name: "t", Exchanges: xs})
}

// A checkout with polls: what no write explains is told, with the reads before it.
func TestDescribeTellsOfHiddenChanges(t *testing.T) {
	d := describe(t, checkout())
	th := d.Flows[0].Threads[0]
	var states []int
	for _, s := range th.Steps {
		states = append(states, s.State)
	}
	if want := []int{0, 1, 1, 1, 2, 2}; !slices.Equal(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
	const op = "getOrderStatusExtended.do"
	want := []match.Change{
		{From: 2, To: 3, Operation: op, State: 1, Reads: 1,
			Fields: []match.FieldChange{{Path: "orderStatus", Was: "0", Is: "5"}}},
		{From: 5, To: 6, Operation: op, State: 2, Reads: 1, Fields: []match.FieldChange{
			{Path: "orderStatus", Was: "7", Is: "2"}, {Path: "date", Is: "1774953000000"}}},
	}
	if diff := cmp.Diff(want, th.Hidden); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestDescribeFindsNoChangeWhereThereIsNone(t *testing.T) {
	xs := tape(registers("A")+registered(oldID), registers("B")+registered(oldID2),
		status+oldID+` => {"orderId":"`+oldID+`","orderStatus":0}`,
		status+oldID2+` => {"orderId":"`+oldID2+`","orderStatus":2}`, // of another order
		status+oldID+` => {"orderId":"`+oldID+`","orderStatus":0}`)
	for _, f := range describe(t, xs).Flows {
		for _, th := range f.Threads {
			if len(th.Hidden) > 0 {
				t.Errorf("thread %d: %+v", th.Number, th.Hidden)
			}
		}
	}
}

// Two threads that a call joins are one flow; what has nothing in common is another.
func TestDescribeDrawsFlows(t *testing.T) {
	const transfer = `POST /payment/rest/refund.do userName=u&password=p&orderId=` + oldID +
		`&other=` + oldID2
	xs := tape(registers("A")+registered(oldID), registers("B")+registered(oldID2),
		registers("C")+registered("0193a1b2-2222-7222-8222-2222c0ffee00"), transfer+" => {}")
	d := describe(t, xs)
	if len(d.Flows) != 2 || len(d.Flows[0].Threads) != 2 || len(d.Flows[1].Threads) != 1 {
		t.Fatalf("got %d flows", len(d.Flows))
	}
	step := d.Flows[0].Threads[0].Steps[1]
	want := match.Step{Exchange: 4, Operation: "refund.do", Writes: true, State: 1, Joins: []int{2}}
	if diff := cmp.Diff(want, step); diff != "" {
		t.Errorf("step (-want +got):\n%s", diff)
	}
	if got := d.Flows[1].Threads[0]; got.Opener != 3 || got.Number != 3 {
		t.Errorf("the other flow begins with #%d as thread %d", got.Opener, got.Number)
	}
}

func TestDescribeTellsWhereValuesAreBornAndUsed(t *testing.T) {
	xs := checkout()[:3]
	xs[1].Response.Headers.Set("Request-Id", "f47ac10b-58cc-4372-a567-0e02b2c3d479") // of one answer
	var order match.Variable
	for _, v := range describe(t, xs).Flows[0].Variables {
		if v.Kind == "minted" {
			if order.Name != "" {
				t.Errorf("%s is minted too", v.Name)
			}
			order = v
		}
	}
	want := match.Variable{
		Name: "order", Kind: "minted", Value: oldID,
		Born: match.Use{Exchange: 1, Side: "answer", Place: "json", Path: "orderId", How: "as is"},
		Used: []match.Use{
			{Exchange: 1, Side: "answer", Place: "json", Path: "formUrl",
				How: "as is, inside a longer text"},
			{Exchange: 2, Side: "request", Place: "form", Path: "orderId", How: "as is"},
			{Exchange: 3, Side: "request", Place: "form", Path: "orderId", How: "as is"},
		},
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDescribeTellsWhatIsLeftOut(t *testing.T) {
	xs := checkout()
	xs[1].Meta.Failure, xs[2].Code = "cut after 4 bytes", 100
	d := describe(t, xs)
	want := []match.LeftOut{{2, "cut after 4 bytes"}, {3, "its status is no final one"}}
	if diff := cmp.Diff(want, d.LeftOut); diff != "" || d.Exchanges != 4 {
		t.Errorf("%d exchanges; left out (-want +got):\n%s", d.Exchanges, diff)
	}
}

// Every exchange of a telling is a step of some thread, and every place that replay fills is
// told of.
func TestDescribeCoversTheStories(t *testing.T) {
	for name, tell := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			xs, _ := record(t, tell)
			d := describe(t, cleaned(t, xs))
			steps := map[int]bool{}
			for _, f := range d.Flows {
				for _, th := range f.Threads {
					for _, s := range th.Steps {
						steps[s.Exchange] = true
					}
				}
				for _, v := range f.Variables {
					for _, u := range append(v.Used, v.Born) {
						if u.Path == "" || u.How == "" || u.Exchange == 0 {
							t.Errorf("%s: a use is not told: %+v", v.Name, u)
						}
					}
				}
			}
			if len(steps) != len(xs) || d.Exchanges != len(xs) {
				t.Errorf("%d exchanges are steps, of %d", len(steps), len(xs))
			}
		})
	}
}

func TestDescribeOfNothing(t *testing.T) {
	d := describe(t, nil)
	if d.Exchanges != 0 || len(d.Flows) != 0 || d.LeftOut == nil {
		t.Errorf("got %+v", d)
	}
}
