package proxy_test

import (
	"io"
	"net/http"
	"runtime"
	"strconv"
	"testing"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// heap is how much memory the heap has taken from the system: its growth is the peak.
func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapSys)
}

// inUse is how much of the heap is in use.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A body is passed on as it comes: its size is no matter.
func TestALargeAnswerCostsLittleMemory(t *testing.T) {
	const size, most = 512 << 20, 64 << 20
	for _, known := range []bool{true, false} {
		d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if known {
				w.Header().Set("Content-Length", strconv.Itoa(size))
			}
			piece := make([]byte, 1<<20)
			for range size / len(piece) {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}))
		before := heap()
		res, err := http.Get(d.url)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if err != nil || n != size {
			t.Errorf("of known length %t: %d bytes came, %v", known, n, err)
		}
		if grown := heap() - before; grown > most {
			t.Errorf("of known length %t: the heap grew by %d MiB", known, grown>>20)
		} else {
			t.Logf("of known length %t: the heap grew by %d MiB", known, grown>>20)
		}
		if x := d.tape.only(t); x.Replayable() {
			t.Error("on tape it is marked as replayable")
		}
	}
}

// nowhere is a tape that keeps nothing, so that what remains is what a deck keeps.
type nowhere struct{ tape }

func (t *nowhere) Append(redact.Clean) error { return nil }

// keepsNothing is a Record whose tape keeps nothing.
func keepsNothing(t testing.TB) *proxy.Record {
	t.Helper()
	m, err := proxy.NewRecord(proxy.RecordOptions{
		Route: proxy.Route{
			Upstreams: upstreams(t, "https://sandbox.test"),
			Transport: always(200, http.Header{"Content-Type": {"application/json"}}, `{"a":1}`),
		},
		Tape: &nowhere{}, Cleaner: redact.New(redact.Options{Profiles: profiles(t)}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Recording keeps nothing of an exchange that is on tape.
func TestMemoryOverManyExchangesIsFlat(t *testing.T) {
	const warm, rounds, most = 2_000, 20_000, 4 << 20
	m := keepsNothing(t)
	var before int64
	for i := range rounds {
		if i == warm {
			before = inUse()
		}
		form := "orderNumber=" + strconv.Itoa(i) + "&amount=100"
		send(t, m, request(t, "POST", "/pay/register.do", form))
	}
	if grown := inUse() - before; grown > most {
		t.Errorf("%d exchanges later %d KiB more are in use", rounds-warm, grown>>10)
	}
}

// BenchmarkMemory tells how many bytes more are in use after so many exchanges; -benchtime
// 100000x is the measure.
func BenchmarkMemory(b *testing.B) {
	m := keepsNothing(b)
	send(b, m, request(b, "POST", "/pay/register.do", "orderNumber=0"))
	before := inUse()
	for i := range b.N {
		send(b, m, request(b, "POST", "/pay/register.do", "orderNumber="+strconv.Itoa(i)))
	}
	b.ReportMetric(float64(inUse()-before), "B-kept")
}
