package traffic_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/traffic"
)

// many is how many rows a page holds at most, where nobody says otherwise.
const many = traffic.DefaultKeep

// fill publishes events of replay: orders of five calls, each with a live entity. One call in a
// hundred is a miss, and one in twenty is marked.
func (r *run) fill(n int) {
	ops := []string{"register.do", "paymentorder.do", "getOrderStatusExtended.do", "refund.do",
		"getOrderStatusExtended.do"}
	for i := range n {
		e := proxy.Event{
			Kind: proxy.Served, Cassette: "checkout", Number: 1 + i%5, Flow: 1 + i/5, Profile: "gateway",
			Operation: ops[i%5], Code: 200, Took: time.Duration(i%300) * time.Microsecond,
			State: "register.do 12500, paymentorder.do"[:11+23*(i%2)],
		}
		if i%20 == 0 {
			e.Mark = "assumed=card"
		}
		if i%100 == 0 {
			e.Kind, e.Code, e.Reason = proxy.Missed, 501, "field"
		}
		r.hub.Publish(e)
		if i%1000 == 0 {
			_, _ = r.Row(uint64(i)) // waits until the rows are made
		}
	}
	_, _ = r.Row(1)
}

// BenchmarkWindow asks for 40 lines of 100,000 rows.
func BenchmarkWindow(b *testing.B) {
	r := newRun(b, traffic.Options{}, hub.Options{Events: 2000})
	r.fill(many)
	for _, text := range []string{"", "served:miss", "-op:status ms:>0.1", "since:1h"} {
		for _, at := range []int{0, 10_000} {
			for _, q := range []traffic.Query{
				{Filter: text, N: 40, At: at}, {Filter: text, N: 40, At: at, Grouped: true},
				{Filter: text, N: 40, At: at, Grouped: true, All: true, Before: many - 1},
			} {
				name := fmt.Sprintf("%q/at %d/grouped %t/open %t", text, at, q.Grouped, q.All)
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						if _, err := r.Window(q); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkFilter asks for the window of a filter that nobody has asked for before.
func BenchmarkFilter(b *testing.B) {
	r := newRun(b, traffic.Options{}, hub.Options{Events: 2000})
	r.fill(many)
	n := 0
	for b.Loop() {
		n++
		q := traffic.Query{Filter: fmt.Sprintf("-op:status ms:>0.%d", n), N: 40, Grouped: true}
		if _, err := r.Window(q); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRow makes a row, while a page has two filters.
func BenchmarkRow(b *testing.B) {
	r := newRun(b, traffic.Options{Eager: true}, hub.Options{Events: 2000})
	r.fill(many)
	for _, text := range []string{"served:miss", "-op:status ms:>0.1"} {
		if _, err := r.Window(traffic.Query{Filter: text, N: 40}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	r.fill(b.N)
}

// BenchmarkComplete asks for the values of a key.
func BenchmarkComplete(b *testing.B) {
	r := newRun(b, traffic.Options{}, hub.Options{Events: 2000})
	r.fill(many)
	for _, text := range []string{"op:", "order:", "served:"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				r.Complete(text, len(text))
			}
		})
	}
}

// TestMemory holds 100,000 rows with what they share, of which each is in the flow of an order.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("counts bytes")
	}
	used := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	r := newRun(t, traffic.Options{}, hub.Options{Events: 2000})
	r.fill(2000)
	before := used()
	r.fill(many)
	held := float64(used()-before) / many
	t.Logf("%.0f bytes a row", held)
	if held > 400 {
		t.Errorf("a row takes %.0f bytes", held)
	}
	before = used()
	r.fill(many)
	if more := int64(used()) - int64(before); more > 4<<20 {
		t.Errorf("as many rows again take %d bytes more", more)
	}
	runtime.KeepAlive(r)
}
