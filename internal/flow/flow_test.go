package flow_test

import (
	"slices"
	"testing"

	"github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/paytape/paytape/internal/flow"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// step is an exchange in a flow.
func step(n int) match.Step { return match.Step{Exchange: n} }

// described is a flow of one entity.
func described(steps ...match.Step) match.Flow {
	return match.Flow{Entities: []match.TapeEntity{{Steps: steps}}}
}

// minted is a value of the sandbox, and where it was brought back.
func minted(name string, born int, brought ...int) match.Variable {
	v := match.Variable{Name: name, Kind: "minted", Born: match.Use{Exchange: born, Side: "answer"}}
	for _, n := range brought {
		v.Used = append(v.Used, match.Use{Exchange: n, Side: "request"})
	}
	return v
}

func recorded(n int) []*leaf.Exchange {
	var all []*leaf.Exchange
	for i := range n {
		all = append(all, &leaf.Exchange{
			Interaction: cassette.Interaction{Request: cassette.Request{Method: "GET", URL: "/"}},
			Meta:        leaf.Meta{Number: i + 1},
		})
	}
	return all
}

// tape is the drawing of the package, with a list of both orders and a login that flow 2 needs.
func tape() *flow.Tape {
	all := recorded(7)
	all[2].Meta.Callback = &leaf.Callback{Of: 2, Attempt: 1}
	d := &match.Description{
		Flows:     []match.Flow{described(step(1), step(2), step(5), step(6)), described(step(4), step(6))},
		Variables: []match.Variable{minted("session", 7, 4)},
	}
	d.Flows[0].Variables = []match.Variable{minted("order", 1, 2, 5)}
	return flow.New(d, all)
}

func TestExchanges(t *testing.T) {
	t.Parallel()
	got := tape()
	for _, tt := range []struct {
		flow int
		want []int
	}{{1, []int{1, 2, 3, 5, 6}}, {2, []int{4, 6}}, {0, nil}, {3, nil}, {-1, nil}} {
		if list := got.Exchanges(tt.flow); !slices.Equal(list, tt.want) {
			t.Errorf("flow %d: %v, want %v", tt.flow, list, tt.want)
		}
	}
	if list := got.Callbacks([]int{1, 2}); got.Count() != 2 || !slices.Equal(list, []int{3}) {
		t.Errorf("%d flows, callbacks %v", got.Count(), list)
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		why              string
		exchanges, flows []int
		want             []string
	}{
		{"a list shows both", []int{1, 2, 3, 5, 6}, []int{1}, []string{"exchange 6 is about flow 2 too"}},
		{"both go", []int{1, 2, 3, 4, 5, 6}, []int{1, 2}, nil},
		{"all that the other flow has goes too", []int{1, 2, 3, 4, 5, 6}, []int{1}, nil},
		{"a read alone", []int{5}, nil, nil},
		{"what the others need", []int{1}, nil, []string{"exchange 2 needs the order that exchange 1 bore",
			"exchange 5 needs the order that exchange 1 bore"}},
		{"with all that need it", []int{1, 2, 5}, nil, nil},
		{"a value of no flow", []int{7}, nil, []string{"exchange 4 needs the session that exchange 7 bore"}},
	} {
		if got := tape().Without(tt.exchanges, tt.flows); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
}

// TestWithoutWrites removes writes from an order that is registered, paid, asked for, deposited and asked
// for again.
func TestWithoutWrites(t *testing.T) {
	t.Parallel()
	at := func(n, state, to int, operation string) match.Step {
		return match.Step{Exchange: n, Operation: operation, State: state, To: to}
	}
	steps := []match.Step{at(1, 0, 1, "register"), at(2, 1, 2, "pay"), at(3, 2, 2, "status"),
		at(4, 2, 3, "deposit"), at(5, 3, 3, "status"), at(6, 3, 3, "use"), at(7, 3, 2, "undo"), at(8, 2, 2, "status")}
	overlapped := slices.Clone(steps)
	overlapped[4].Overlapped, overlapped[5].Missed, overlapped[6].Missed = true, true, true
	for _, tt := range []struct {
		why   string
		gone  []int
		steps []match.Step
		want  []string
	}{
		{"a read", []int{3, 5}, steps, nil},
		{"a write that changes nothing", []int{6}, steps, nil},
		{"a write whose state is seen", []int{4}, steps, []string{
			"exchange 5 (status) found what exchange 4 (deposit) did",
			"exchange 6 (use) found what exchange 4 (deposit) did",
			"exchange 7 (undo) found what exchange 4 (deposit) did"}},
		{"with all that saw it", []int{4, 5, 6, 7}, steps, nil},
		{"but for the one that undoes it", []int{4, 5, 6}, steps, []string{
			"exchange 7 (undo) found what exchange 4 (deposit) did"}},
		{"the one that undoes it", []int{7}, steps, []string{"exchange 8 (status) found what exchange 7 (undo) did"}},
		{"the last write", []int{7, 8}, steps, nil},
		{"nobody knows the states", []int{4}, overlapped, nil},
	} {
		d := &match.Description{Flows: []match.Flow{described(tt.steps...)}}
		if got := flow.New(d, recorded(8)).Without(tt.gone, nil); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
}
