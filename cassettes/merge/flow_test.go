package merge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/cassettes/merge"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// letters has a flow for each letter with which ids begin, and sets flows apart by another letter.
type letters struct{}

func (letters) Flows(all []*leaf.Exchange) [][]int {
	by, order := map[byte][]int{}, []byte{}
	for _, x := range all {
		letter := x.Form.Get("orderNumber")[0]
		if by[letter] == nil {
			order = append(order, letter)
		}
		by[letter] = append(by[letter], x.Meta.Number)
	}
	var flows [][]int
	for _, letter := range order {
		flows = append(flows, by[letter])
	}
	return flows
}

func (letters) Apart(all []*leaf.Exchange, numbers []int, _ []*leaf.Exchange) ([]*leaf.Exchange, bool) {
	all = slices.Clone(all)
	for i, x := range all {
		if !slices.Contains(numbers, x.Meta.Number) {
			continue
		}
		y := *x
		id := x.Form.Get("orderNumber")
		y.Request.Body = strings.Replace(y.Request.Body, "orderNumber="+id, "orderNumber=Z"+id[1:], 1)
		y.Form = map[string][]string{"orderNumber": {"Z" + id[1:]}, "password": x.Form["password"]}
		all[i] = &y
	}
	return all, true
}

// TestMergeOfFlows has two stable tapes, each with new flows: what is merged are whole flows.
func TestMergeOfFlows(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tape := func(ids string) []redact.Clean {
		var all []said
		for _, id := range strings.Fields(ids) {
			all = append(all, said{id, 1, "first-Secret"}) // no time is that of one exchange
		}
		return b.record(nil, all...)
	}
	for _, tt := range []struct{ why, base, ours, theirs, want string }{
		{"flows that begin alike", "", "A1 A2", "A1 A3", "A1 A2 Z1 Z3"},
		{"flows that are equal", "", "A1 A2", "A1 A2", "A1 A2"},
		{"a flow goes on", "", "A1 A2", "A1 A2 A3", "A1 A2 A3"},
		{"a flow goes on in ours", "", "A1 A2 A3", "A1 A2", "A1 A2 A3"},
		{"of two the longer", "", "A1 A2 A3", "B1 A1 A2", "B1 A1 A2 A3"},
		{"behind a base", "K1 K2", "K1 K2 A1 A2", "K1 K2 A1 A3", "K1 K2 A1 A2 Z1 Z3"},
		{"flows of the base go on", "K1", "K1 K2 K3", "K1 K2 K4", "K1 K2 K3 K4"},
		{"flows that differ at once", "", "A1 A2", "A3 A4", "A1 A2 A3 A4"},
	} {
		var base []redact.Clean
		if tt.base != "" {
			base = tape(tt.base)
		}
		got := merge.Merge(merge.Tapes{
			Base: base, Ours: tape(tt.ours), Theirs: tape(tt.theirs), Stable: letters{},
		}, b.redactor)
		var ids []string
		for i, c := range got.Exchanges() {
			ids = append(ids, idOf(c))
			if c.Exchange().Meta.Number != i+1 {
				t.Errorf("%s: exchange %d has number %d", tt.why, i+1, c.Exchange().Meta.Number)
			}
		}
		if list := strings.Join(ids, " "); list != tt.want || len(got.Conflicts) > 0 {
			t.Errorf("%s: %s, want %s (%v)", tt.why, list, tt.want, got.Conflicts)
		}
	}
}
