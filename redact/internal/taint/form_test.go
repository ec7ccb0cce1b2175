package taint

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/redact/surrogate"
)

// The forms of a value are what encoders write of it, wherever it stands.
func TestForms(t *testing.T) {
	for _, value := range []string{
		"4000001111111118", "s3cr3t~pässw?rd>>", "12345678", "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8", "?>?>?>?>?",
	} {
		want := []string{value, hex.EncodeToString([]byte(value))}
		want = append(want, strings.ToUpper(want[1]))
		for shift := range 3 {
			in := append(make([]byte, shift), value...)
			for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				want = append(want, enc.EncodeToString(in)[(8*shift+5)/6:8*len(in)/6])
			}
		}
		seen := map[string]bool{}
		want = slices.DeleteFunc(want, func(s string) bool {
			again := seen[s]
			seen[s] = true
			return again
		})
		if got := forms(value); !slices.Equal(got, want) {
			t.Errorf("forms of a value of %d bytes are %d, want %d, or differ", len(value), len(got), len(want))
		}
		for i := range formsOf(value) {
			f := allForms[i]
			text := f.text(value)
			last := len(text) - MinLength
			if !f.begins(text+"x", value) || f.begins(text[1:], value) ||
				f.key(value, last) != key(text[last:]) {
				t.Errorf("form %d does not know its text", i)
			}
		}
	}
}

// heapOf returns how many bytes of the heap hold what make returns.
func heapOf[T any](create func() T) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // what other tests have left in pools goes with the second
	runtime.ReadMemStats(&before)
	held := create()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(held)
	return after.HeapAlloc - before.HeapAlloc
}

// TestMemoryPerSecret wants a secret to cost the same however many are known, and no more than some
// times its text: a tape may know cards by the hundred thousand.
func TestMemoryPerSecret(t *testing.T) {
	const few, most = 2000, 500 // secrets, bytes for each
	known := func(n int) uint64 {
		return heapOf(func() *Matcher {
			m := &Matcher{}
			for i := range n {
				m.AddEncoded(fmt.Sprintf("427600%010d", i*7919), surrogate.Value{Text: "M", Note: "N"})
			}
			return m
		}) / uint64(n)
	}
	one, four := known(few), known(4*few)
	t.Logf("%d bytes for each of %d secrets, %d for each of %d", one, few, four, 4*few)
	if one > most || four > most || four > 2*one {
		t.Errorf("a secret takes %d bytes among %d and %d among %d", one, few, four, 4*few)
	}
}

// TestWorkPerSecret counts what filing a secret allocates: what grows with the secrets that are known
// is their tables alone, which double.
func TestWorkPerSecret(t *testing.T) {
	perSecret := func(known int) float64 {
		m, n := &Matcher{}, 0
		add := func() {
			n++
			m.AddEncoded(fmt.Sprintf("427600%010d", n*7919), surrogate.Value{})
		}
		for range known {
			add()
		}
		return testing.AllocsPerRun(known, add)
	}
	one, four := perSecret(1000), perSecret(4000)
	if one > 6 || four > one+1 {
		t.Errorf("%.1f allocations for a secret more than 1000, %.1f for one more than 4000", one, four)
	}
}

// BenchmarkAdd files card numbers as cleaning does.
func BenchmarkAdd(b *testing.B) {
	b.ReportAllocs()
	m, n := &Matcher{}, 0
	for b.Loop() {
		n++
		m.AddEncoded(fmt.Sprintf("427600%010d", n*7919%1e10), surrogate.Value{})
	}
}
