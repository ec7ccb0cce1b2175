package traffic_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/filter"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// scramble publishes an event of any kind about one of a few orders.
func (r *run) scramble(random *rand.Rand) {
	n := random.IntN(6)
	number, id := fmt.Sprintf("B-%d", n), fmt.Sprintf("0000000%d-2d90-7e6b-9c35-41d200c4a1e5", n)
	r.session = []string{"", "", "shop"}[random.IntN(3)]
	switch random.IntN(8) {
	case 0:
		r.order(number, id, card("1118"), 0)
	case 1:
		r.order(number, id, card("9995"), 116)
	case 2: // the id alone, and the number is told later
		r.said("getOrderStatusExtended.do", "orderId="+id, `{"errorCode":"6"}`)
	case 3: // the number alone
		r.said("getOrderStatusExtended.do", "orderNumber="+number, `{"errorCode":"6"}`)
	case 4:
		r.miss(id)
	case 5:
		r.callback(1+random.IntN(9), 1+random.IntN(3), id,
			[]string{proxy.OutcomeAccepted, proxy.OutcomeRefused}[random.IntN(2)], 200+300*random.IntN(2))
	case 6:
		r.hub.Publish(proxy.Event{
			Kind: proxy.Served, Code: 200, Flow: 1 + n, Profile: "gateway", Session: r.session,
			Operation: "refund.do", Rules: []string{"a", "b"}[:random.IntN(3)], Mark: "assumed=card",
		})
	case 7:
		r.hub.Publish(proxy.Event{
			Kind: []proxy.Kind{proxy.Warning, proxy.Refused}[random.IntN(2)], Problem: "plain", Code: 400,
		})
	}
}

// every returns all lines of a list, by windows of some lines each.
func (r *run) every(t *testing.T, q traffic.Query, size int) []view.Line {
	t.Helper()
	lines := []view.Line{}
	for {
		q.At, q.N = len(lines), size
		w, err := r.Window(q)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range w.Lines {
			if line.Index != q.At+i {
				t.Fatalf("line %d has the index %d", q.At+i, line.Index)
			}
		}
		if lines = append(lines, w.Lines...); len(lines) == w.Total {
			return lines
		}
		if len(w.Lines) == 0 || len(lines) > w.Total {
			t.Fatalf("%d lines of %d", len(lines), w.Total)
		}
	}
}

// counted counts rows as a reader of package view would.
func counted(rows []*view.Row) view.Counts {
	var c view.Counts
	groups, calls := map[string]bool{}, map[int]bool{}
	for _, r := range slices.Backward(rows) { // the oldest first
		groups[r.Group] = true
		switch r.Sign {
		case view.SignMiss:
			c.Misses++
		case view.SignDeclined:
			c.Declined++
		case view.SignMarked:
			c.Marked++
		case view.SignRule:
			c.Ruled++
		case view.SignFailed:
			c.Failed++
		case view.SignCallback:
			calls[r.Callback] = r.CallbackOutcome == proxy.OutcomeRefused
		}
		if r.Sign != view.SignCallback && r.Sign != view.SignNote {
			c.All++
		}
	}
	for _, refused := range calls {
		c.Callbacks++
		if refused {
			c.Refused++
		}
	}
	c.Groups = len(groups)
	return c
}

// filters are of all kinds: of what an event tells, of what is read, and of what exchanges hold.
var filters = []string{
	"", "op:status", "order:B-1", "outcome:bad", "served:tape -order:B-2", "card:1118", "rule:a",
	"callback:*", "status:5xx or amount:>100", "body:orderNumber=B-3", "-has:orderId", "since:1h",
	"session:shop",
}

// TestWindowsAndCounts plays anything, asks for lists under filters meanwhile, and holds them against
// the rows.
func TestWindowsAndCounts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		r := newRun(t, traffic.Options{Keep: 20 + 40*random.IntN(2)}, hub.Options{})
		for range 40 {
			for range random.IntN(5) {
				r.scramble(random)
			}
			q := traffic.Query{Filter: filters[random.IntN(len(filters))], Grouped: random.IntN(2) == 0, N: 5}
			if _, err := r.Window(q); err != nil {
				t.Fatal(err)
			}
		}
		r.read(t)
		all := rowsOf(r.every(t, traffic.Query{}, 100))
		for _, text := range filters {
			checkFilter(t, r, text, all, random)
		}
		for _, row := range all {
			f, found := r.Flow(row.Group)
			if !found || f.Group.ID != row.Group ||
				!slices.ContainsFunc(f.Rows, func(v view.Row) bool { return v.ID == row.ID }) {
				t.Fatalf("row %d is not in its flow %s", row.ID, row.Group)
			}
		}
	}
}

func rowsOf(lines []view.Line) []*view.Row {
	var rows []*view.Row
	for _, line := range lines {
		if line.Row != nil {
			rows = append(rows, line.Row)
		}
	}
	return rows
}

// decided asks for a window until the filter has looked into all exchanges.
func (r *run) decided(t *testing.T, q traffic.Query) view.Window {
	t.Helper()
	for {
		w, err := r.Window(q)
		if err != nil {
			t.Fatal(err)
		}
		if w.Pending == 0 {
			return w
		}
	}
}

func checkFilter(t *testing.T, r *run, text string, all []*view.Row, random *rand.Rand) {
	t.Helper()
	w := r.decided(t, traffic.Query{Filter: text, N: traffic.MaxLines})
	rows := rowsOf(w.Lines)
	if want := counted(rows); w.Counts != want {
		t.Fatalf("%q: counts %+v, and the rows are %+v", text, w.Counts, want)
	}
	f, err := filter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var want []uint64
	for _, row := range all {
		if f.Body() || f.Match(row, nil) {
			want = append(want, row.ID)
		}
	}
	var got []uint64
	for _, row := range rows {
		got = append(got, row.ID)
	}
	if !f.Body() && !slices.Equal(got, want) {
		t.Fatalf("%q wants %d, and has %d", text, want, got)
	}
	if text != "" {
		no := r.decided(t, traffic.Query{Filter: "-( " + text + " )", N: traffic.MaxLines})
		if no.Total+w.Total != len(all) {
			t.Fatalf("%q: %d and %d rows of %d", text, w.Total, no.Total, len(all))
		}
	}
	clean := cmp.Comparer(func(a, b redact.Safe) bool { return a == b })
	size := 1 + random.IntN(7)
	if diff := cmp.Diff(w.Lines, r.every(t, traffic.Query{Filter: text}, size), clean); diff != "" {
		t.Fatalf("%q in windows of %d: %s", text, size, diff)
	}
	open := r.every(t, traffic.Query{Filter: text, Grouped: true, All: true}, size)
	if n := len(rowsOf(open)); n != len(rows) || len(open) != n+w.Counts.Groups {
		t.Fatalf("%q: %d rows in %d lines of %d groups", text, n, len(open), w.Counts.Groups)
	}
	group := ""
	for _, line := range open {
		if line.Group != nil {
			group = line.Group.ID
		} else if line.Row.Group != group {
			t.Fatalf("row %d of %s is below %s", line.Row.ID, line.Row.Group, group)
		}
	}
	if group == "" {
		return
	}
	one := r.every(t, traffic.Query{Filter: text, Grouped: true, Open: []string{group}}, size)
	but := r.every(t, traffic.Query{Filter: text, Grouped: true, All: true, Folded: []string{group}}, size)
	if n, m := len(rowsOf(one)), len(rowsOf(but)); n == 0 || n+m != len(rows) {
		t.Fatalf("%q: %d rows of %s and %d others of %d", text, n, group, m, len(rows))
	}
	before := rows[random.IntN(len(rows))].ID
	for _, grouped := range []bool{true, false} {
		q := traffic.Query{Filter: text, Grouped: grouped, All: true, Before: before}
		frozen := rowsOf(r.every(t, q, size))
		older := slices.DeleteFunc(slices.Clone(rows), func(v *view.Row) bool { return v.ID > before })
		if len(frozen) != len(older) {
			t.Fatalf("%q frozen at %d: %d rows of %d", text, before, len(frozen), len(older))
		}
	}
}
