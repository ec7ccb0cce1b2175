package cassettes

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// sealOf makes cleaned exchanges without a redactor.
func sealOf(tb testing.TB) redact.Seal {
	tb.Helper()
	seal, err := redact.CheckSeal(nil, redact.Sum(nil))
	if err != nil {
		tb.Fatal(err)
	}
	return seal
}

// plain is a cleaner that finds nothing and goes through a tape without keeping it.
type plain struct{ seal redact.Seal }

func (p plain) Resume(tape iter.Seq[redact.Clean]) {
	for range tape {
	}
}

func (p plain) Note(*leaf.Exchange)                   {}
func (p plain) Reclean(x *leaf.Exchange) redact.Clean { return p.seal.Reopen(x) }
func (p plain) Stale(*leaf.Exchange) bool             { return false }
func (p plain) Past() *redact.Past                    { return redact.New(redact.Options{}).Past() }

// appendLong appends n exchanges of more than a kilobyte.
func appendLong(tb testing.TB, c *Recorder, n int) {
	tb.Helper()
	body := strings.Repeat(`{"name":"attribute","value":"0123456789"},`, 24)
	for range n {
		number := c.Next()
		x := exchangeOf(strconv.Itoa(number), "k", "v")
		x.Meta.Number, x.Response.Body = number, body
		if err := c.Append(sealOf(tb).Reopen(x)); err != nil {
			tb.Fatal(err)
		}
	}
}

// weighing is a folder that weighs the heap when the first piece of a tape is written: what
// a fold holds, it holds then.
type weighing struct {
	folder
	heap uint64 // bytes that were in use
}

func (w *weighing) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	f, err := w.folder.OpenFile(name, flag, perm)
	if err != nil || !strings.Contains(name, tempMark) {
		return f, err
	}
	w.heap = 0
	return &weighed{f, w}, nil
}

type weighed struct {
	file
	w *weighing
}

func (f *weighed) Write(p []byte) (int, error) {
	if f.w.heap == 0 {
		f.w.heap = heapInUse()
	}
	return f.file.Write(p)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestFoldHoldsNoTape folds twice, the second time onto a tape, and wants far less memory in
// use than the files are large.
func TestFoldHoldsNoTape(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w := &weighing{folder: l.folder}
	l.folder = w
	before := heapInUse()
	for range 2 {
		c, err := l.Record("a", plain{sealOf(t)})
		if err != nil {
			t.Fatal(err)
		}
		appendLong(t, c, 3_000)
		if _, err := c.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "a.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if held := int64(w.heap) - int64(before); held > info.Size()/2 {
			t.Errorf("%d bytes were in use to write a tape of %d", held, info.Size())
		}
	}
}

// BenchmarkLongTape records, folds, continues and loads 100,000 exchanges.
func BenchmarkLongTape(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		l, err := Open(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		w := &weighing{folder: l.folder}
		l.folder = w
		before := heapInUse()
		c, err := l.Record("a", plain{sealOf(b)})
		if err != nil {
			b.Fatal(err)
		}
		appendLong(b, c, n)
		b.ReportMetric(float64(heapInUse()-before)/n, "recording-B/exchange")
		if _, err := c.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(w.heap-before)/n, "folding-B/exchange")
		t, err := l.Load("a", plain{sealOf(b)})
		if err != nil || len(t.Exchanges) != n {
			b.Fatalf("%d exchanges, %v", len(t.Exchanges), err)
		}
		b.ReportMetric(float64(heapInUse()-before)/n, "loaded-B/exchange")
		runtime.KeepAlive(t)
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
