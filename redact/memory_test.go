package redact_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/redact"
)

// counted repeats a part with a counter in it until there are n bytes of it.
func counted(n int, part string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, part, i%1000)
	}
	return b.String()
}

func list(n int, item string) string { return "[" + counted(n, item+",") + "1]" }

// heavy are bodies that cost much memory for their size. Those of values that are shorter than a
// list of orders has them are withheld.
var heavy = []struct {
	name, contentType, part string
	body                    func(n int, part string) string
	whole                   bool // it is taken apart
}{
	{"brackets", "application/json", "[", fillWith, true},
	{"strings of 13 digits", "application/json", `"1700000000%03d"`, list, false},
	{"strings of a digit", "application/json", `"%.1d"`, list, false},
	{"numbers", "application/json", "%d", list, false},
	{"objects", "application/json", `{"a":%d}`, list, false},
	{"short parameters", formEncoded, "a%d=1&", counted, false},
	{"elements", "text/xml", "<a>1</a>", pageOf, true},
	{"strings of 25 characters", "application/json", `"17000000000000000000%03d"`, list, true},
	{"objects of 25 characters", "application/json", `{"a":"17000000000000%03d"}`, list, true},
	{"parameters of 26", formEncoded, "a%03d=1700000000000000000000&", counted, true},
	{"orders", "application/json", record + ",", ordersOf, true},
}

const formEncoded = "application/x-www-form-urlencoded"

func fillWith(n int, part string) string { return fill(part, n) }
func ordersOf(n int, part string) string { return "[" + fill(part, n) + "1]" }
func pageOf(n int, part string) string   { return "<r>" + fill(part, n) + "</r>" }

// Cleaning takes ten times a body at most, of whatever values the body is made. What the collector
// lets lie beside what is in use differs from run to run: a quarter is added for that.
func TestMemoryOfCleaning(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	const size, most = 4 << 20, 12.5
	for _, tt := range heavy {
		x := exchange("POST", "https://h/x", http.Header{"Content-Type": {tt.contentType}}, "")
		x.Request.Body = tt.body(size, tt.part)
		var got redact.Clean
		r := redactor(t)
		peak := peakOf(func() { got = r.Clean(x) })
		if times := float64(peak) / float64(len(x.Request.Body)); times > most {
			t.Errorf("%s: cleaning took %.1f times the body in memory", tt.name, times)
		} else {
			t.Logf("%s: %.1f times", tt.name, times)
		}
		switch why := got.Exchange().Meta.Withheld; {
		case tt.whole && why != "":
			t.Errorf("%s: withheld: %s", tt.name, why)
		case !tt.whole && why != "request body: too many values":
			t.Errorf("%s: withheld: %q", tt.name, why)
		}
	}
}

// A small body may have as many values as it likes, unless it packs them: there compressed values
// are many more than the body is long.
func TestPackedValuesAreBounded(t *testing.T) {
	x := exchange("POST", "https://h/x", http.Header{}, "")
	formed(x, "creq="+urlPacked(list(64<<10, `"%.1d"`)))
	if got := redactor(t).Clean(x).Exchange(); !got.Replayable() {
		t.Errorf("values in a small body: withheld: %s", got.Meta.Withheld)
	}
	var b strings.Builder // that does not unfold into more than is opened
	for d := (draw{rand.New(rand.NewPCG(15, 3))}); b.Len() < 512<<10; {
		b.WriteString(string(rune('0'+d.IntN(10))) + ",")
	}
	formed(x, "creq="+urlPacked(gzipOf("["+b.String()+"1]")))
	if got := redactor(t).Clean(x).Exchange(); got.Replayable() {
		t.Error("a quarter of a million values in a small body are taken apart")
	}
}

// peakOf returns by how much the objects in memory grew at most while a function ran.
func peakOf(do func()) int64 {
	runtime.GC()
	before := inMemory()
	stop, done := make(chan bool), make(chan int64)
	go func() {
		peak := int64(0)
		for every := time.Tick(time.Millisecond); ; {
			select {
			case <-stop:
				done <- peak - before
				return
			case <-every:
				peak = max(peak, inMemory())
			}
		}
	}()
	do()
	close(stop)
	return <-done
}

func inMemory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
