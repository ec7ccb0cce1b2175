package redact_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// lessons are exchanges that teach about one another: each has a card of its own, and a password that
// stands as well in a note before it, in a packed message before that, and in a key.
func lessons(n int) []*leaf.Exchange {
	list := make([]*leaf.Exchange, n)
	secret := func(i int) string { return fmt.Sprintf("Hunter-%04d-pass", i) }
	for i := range list {
		x := inquiry(i)
		x.Request.Headers.Set("X-Password", secret(i))
		x.Response.Body = fmt.Sprintf(`{"note":"ask %s","packed":"%s","%s":1,"card":"%s"}`, secret(i+1),
			base64Of(fmt.Sprintf(`{"next":"%s"}`, secret(i+2))), secret(i+3), grouped(" "))
		list[i] = x
	}
	return list
}

// TestTogetherAsInOrder cleans exchanges together on one processor and on four: all is the same, what a
// later exchange teaches is out of an earlier one, and what teaches nothing about others is as if the
// exchanges were cleaned one after another.
func TestTogetherAsInOrder(t *testing.T) {
	const n = 300
	clean := func(list []*leaf.Exchange, processors int) (all []byte) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		for _, c := range redactor(t).CleanAll(list) {
			all = append(all, saved(t, c.Exchange())...)
		}
		return all
	}
	one := clean(lessons(n), 1)
	if !bytes.Equal(one, clean(lessons(n), 4)) {
		t.Error("four processors clean otherwise than one")
	}
	for i := range n {
		if secret := fmt.Sprintf("Hunter-%04d-pass", i); bytes.Contains(one, []byte(secret)) {
			t.Fatalf("secret %d of %d is left", i, n)
		}
	}

	var alone []byte
	var list []*leaf.Exchange
	r := redactor(t)
	for i := range n {
		list = append(list, inquiry(i/2))
		alone = append(alone, saved(t, r.Clean(inquiry(i/2)).Exchange())...)
	}
	if !bytes.Equal(alone, clean(list, 4)) {
		t.Error("exchanges that teach nothing about others are cleaned otherwise together")
	}
}

// TestTogetherAgain cleans again together what was cleaned: nothing changes.
func TestTogetherAgain(t *testing.T) {
	var list []*leaf.Exchange
	for _, c := range redactor(t).CleanAll(lessons(100)) {
		list = append(list, c.Exchange())
	}
	for i, c := range redactor(t).RecleanAll(list) {
		if !bytes.Equal([]byte(saved(t, list[i])), []byte(saved(t, c.Exchange()))) {
			t.Fatalf("exchange %d changed", i)
		}
	}
}

// TestTogetherCleansOnce counts allocations: where the last exchange teaches a secret that stands in the
// first, only the first is cleaned again, however many lie between.
func TestTogetherCleansOnce(t *testing.T) {
	allocations := func(n int, last string) float64 {
		var list []*leaf.Exchange
		for i := range n {
			x := exchange("POST", "https://h/unknown", nil, "a=b")
			x.Response.Body = fmt.Sprintf(`{"order":%d,"note":"paid"}`, i)
			list = append(list, x)
		}
		list[0].Response.Body = `{"note":"ask ` + password + `"}`
		list[n-1].Request.Body = last
		return testing.AllocsPerRun(5, func() { redactor(t).CleanAll(list) })
	}
	for _, n := range []int{500, 2000} {
		plain, taught := allocations(n, "a=b"), allocations(n, "password="+password)
		if more := taught - plain; more > plain/4 { // cleaning all again would be as many again
			t.Errorf("%d exchanges: %.0f allocations, and %.0f more where the last teaches about the first",
				n, plain, more)
		}
	}
}

// BenchmarkCleanAll cleans a hundred exchanges together, each with a card that nobody knew before.
func BenchmarkCleanAll(b *testing.B) {
	r, n := redactor(b), 0
	b.ReportAllocs()
	for b.Loop() {
		list := make([]*leaf.Exchange, 100)
		for i := range list {
			n++
			list[i] = inquiry(n)
		}
		r.CleanAll(list)
	}
}
