package match_test

import (
	"fmt"
	"slices"
	"strings"
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
func TestDescribeTellsOfSilentChanges(t *testing.T) {
	d := describe(t, checkout())
	e := d.Flows[0].Entities[0]
	var states []string
	for _, s := range e.Steps {
		states = append(states, fmt.Sprintf("%s %d-%d", s.Does, s.State, s.To))
	}
	want := []string{
		"bears 0-1", "read 1-1", "read 2-2", "write 2-3", "read 3-3", "read 4-4",
	}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	const op = "getOrderStatusExtended.do"
	changes := []match.Change{
		{From: 2, To: 3, Operation: op, State: 1, Behind: 2, Reads: 1,
			Fields: []match.FieldChange{{Path: "orderStatus", Was: "0", Is: "5"}}},
		{From: 5, To: 6, Operation: op, State: 3, Behind: 4, Reads: 1, Fields: []match.FieldChange{
			{Path: "orderStatus", Was: "7", Is: "2"}, {Path: "date", Is: "1774953000000"}}},
	}
	if diff := cmp.Diff(changes, e.Silent); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestDescribeFindsNoChangeWhereThereIsNone(t *testing.T) {
	xs := tape(registers("A")+registered(oldID), registers("B")+registered(oldID2),
		status+oldID+` => {"orderId":"`+oldID+`","orderStatus":0}`,
		status+oldID2+` => {"orderId":"`+oldID2+`","orderStatus":2}`, // of another order
		status+oldID+` => {"orderId":"`+oldID+`","orderStatus":0}`)
	for _, f := range describe(t, xs).Flows {
		for _, e := range f.Entities {
			if len(e.Silent) > 0 {
				t.Errorf("%s: %+v", e.Label, e.Silent)
			}
		}
	}
}

// What is borne by a write to an entity is of its flow; what has nothing in common is another. A
// scope has its members, and the exchanges that name it.
func TestDescribeDrawsFlowsAndScopes(t *testing.T) {
	const bindingID, client = "0193a1b2-3333-7333-8333-3333c0ffee00", "&clientId=c1"
	xs := tape(
		registers("A")+client+registered(oldID),
		pay+oldID+` => {"errorCode":0}`,
		`POST /payment/rest/getBindings.do userName=u&password=p&bindingType=C`+client+
			` => {"errorCode":"0","bindings":[{"bindingId":"`+bindingID+`"}]}`,
		registers("B")+registered(oldID2),
		`POST /payment/rest/getLastOrdersForMerchants.do userName=u&password=p => {"errorCode":"7"}`,
	)
	d := describe(t, xs)
	var flows []string
	for _, f := range d.Flows {
		var labels []string
		for _, e := range f.Entities {
			labels = append(labels, fmt.Sprintf("%s #%d %s %v", e.Label, e.Born, e.By, e.Scopes))
		}
		flows = append(flows, strings.Join(labels, ", "))
	}
	want := []string{
		"order 1 #1 register.do [client c1], binding 1 #2 paymentorder.do [client c1]",
		"order 2 #4 register.do []",
	}
	if diff := cmp.Diff(want, flows); diff != "" {
		t.Errorf("flows (-want +got):\n%s", diff)
	}
	if len(d.Scopes) != 1 || !slices.Equal(d.Scopes[0].Members, []string{"order 1", "binding 1"}) ||
		len(d.Scopes[0].Steps) != 2 || d.Scopes[0].Steps[1].Exchange != 3 {
		t.Errorf("scopes %+v", d.Scopes)
	}
	last := d.Flows[0].Entities[1].Steps
	if got := last[len(last)-1]; got.Does != "list" || got.Exchange != 3 {
		t.Errorf("the list of the binding is %+v", got)
	}
	if len(d.Apart) != 1 || d.Apart[0].Exchange != 5 || d.Apart[0].Does != "failed" {
		t.Errorf("apart are %+v", d.Apart)
	}
}

func TestDescribeTellsWhereValuesAreBornAndUsed(t *testing.T) {
	xs := checkout()[:3]
	// This value is of one answer alone.
	xs[1].Response.Headers.Set("Request-Id", "f47ac10b-58cc-4372-a567-0e02b2c3d479")
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

// Every exchange of a telling is a step of something, and every place that replay fills is told of.
func TestDescribeCoversTheStories(t *testing.T) {
	for name, tell := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			xs, _ := record(t, tell)
			d := describe(t, cleaned(t, xs))
			steps := map[int]bool{}
			note := func(ss []match.Step) {
				for _, s := range ss {
					steps[s.Exchange] = true
				}
			}
			note(d.Apart)
			for _, s := range d.Scopes {
				note(s.Steps)
			}
			variables := d.Variables
			for _, f := range d.Flows {
				for _, e := range f.Entities {
					note(e.Steps)
				}
				variables = append(variables, f.Variables...)
			}
			for _, v := range variables {
				for _, u := range append(v.Used, v.Born) {
					if v.Name == "" || u.Path == "" || u.How == "" || u.Exchange == 0 {
						t.Errorf("%s: a use is not told: %+v", v.Name, u)
					}
				}
			}
			if len(steps) != len(xs) || d.Exchanges != len(xs) {
				t.Errorf("%d exchanges are steps, %d can be replayed, of %d", len(steps), d.Exchanges,
					len(xs))
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

// Callbacks are told of in the flow of their order, and are none of the exchanges that are replayed.
func TestDescribeTellsOfCallbacks(t *testing.T) {
	d := describe(t, told(registersAt("A-1", shopAt)+registered(oldID), pay+oldID+done,
		tells("deposited", oldID, "A-1"), status+oldID+` => {"orderStatus":2}`))
	var steps []string
	for _, s := range d.Flows[0].Entities[0].Steps {
		steps = append(steps, fmt.Sprintf("#%d %s %s %d", s.Exchange, s.Operation, s.Does, s.To))
	}
	want := []string{
		"#1 register.do bears 1", "#2 paymentorder.do write 2", "#3 deposited told 2",
		"#4 getOrderStatusExtended.do read 2",
	}
	if diff := cmp.Diff(want, steps); diff != "" || d.Exchanges != 3 || len(d.LeftOut) > 0 {
		t.Errorf("%d exchanges, left out %v, steps (-want +got):\n%s", d.Exchanges, d.LeftOut, diff)
	}
}
