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

	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/redact"
)

// counted repeats a part with a counter in it until there are n bytes of it.
func counted(n int, part string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, part, i%100)
	}
	return b.String()
}

func list(n int, item string) string { return "[" + counted(n, item+",") + "1]" }

// withheldBodies have more values than are taken apart. They are longer than those that may have as
// many values as they like.
var withheldBodies = []shape{
	{"strings of 13 digits", "application/json", `"1700000000%03d"`, list},
	{"strings of a digit", "application/json", `"%.1d"`, list},
	{"numbers", "application/json", "%d", list},
	{"objects", "application/json", `{"a":%d}`, list},
	{"short parameters", formEncoded, "a%d=1&", counted},
	{"lists in strings", "application/json", `"[1700000000000000000%03d]"`, list},
}

// heavyBodies have as many values as are taken apart: one in little more than valueLength bytes.
var heavyBodies = []shape{
	{"brackets", "application/json", "[", fillWith},
	{"strings", "application/json", `"17000000000000000000%03d"`, list},
	{"words", "application/json", `"abcdefghijklmnopqrst %03d"`, list},
	{"numbers", "application/json", `1234567890123456789012%03d`, list},
	{"lists", "application/json", `[["1700000000000000%03d"]]`, list},
	{"objects", "application/json", `{"a":"17000000000000%03d"}`, list},
	{"objects in objects", "application/json", `{"a":{"b":{"c":{"d":1%03d}}}}`, list},
	{"keys of an object", "application/json", `"abcdefghijklmnopq%03d":"1"`, members},
	{"names and values", "application/json", `{"name":"abcdefghijklmnopqrstuvwxyz","value":"1234%03d"}`,
		list},
	{"lists in strings", "application/json",
		`"[1700000000000000000000000000000000000000000000000000000000000000000000%03d]"`, list},
	{"lines", "application/x-ndjson", `{"abcdefg":"1234567890%03d"}` + "\n", counted},
	{"events", "text/event-stream", "data: abcdefghijklmnopqrst %03d\n\n", counted},
	{"parameters", formEncoded, "a%03d=1700000000000000000000&", counted},
	{"keys of a form", formEncoded, "abcdefghijklmnopqrst%03d=1&", counted},
	{"escapes", formEncoded, "a%03d=%%41%%42%%43%%44%%45%%46a&", counted},
	{"tokens", "application/json", `{"token":"abc12345def%03d"}`, list},
	{"codes", "application/json", `{"a":{"b":{"c":{"cvc":"%03d"}}}}`, list},
	{"mail addresses", "application/json", `{"email":"person%03d@example.org"}`, list},
	{"tokens in texts", "application/json", `"of token=abc12345def%03d."`, list},
	{"cards in texts", "application/json", `"on ` + visa + ` at %03d"`, list},
	{"orders", "application/json", record + ",", ordersOf},
}

// smallBodies have as many values as a body of 1 MB may have, in little more than half of this.
var smallBodies = []shape{
	{"short codes", "application/json", `{"cvc":"%03d"}`, list},
	{"short parameters", formEncoded, "token=abc%02d&", counted},
	{"lists in strings", "application/json", `"[1700000000000000000000000000000%02d]"`, list},
}

// heavyPages are read as markup, which is no longer than 1 MB.
var heavyPages = []shape{
	{"elements", "text/xml", "<abcdefgh>123%03d</abcdefgh>", pageOf},
	{"attributes", "text/xml", `<a b="1234567890123%03d"/>`, pageOf},
	{"paragraphs", "text/html", `<p>abcdefghijklmnop %03d</p>`, htmlOf},
	{"inputs", "text/html", `<input name=abcdefghijk%03d value=abcdefghijklmnopqrs>`, htmlOf},
}

// heaviestBodies are those of the heavy bodies that take the most memory for their size.
func heaviestBodies() (found []shape) {
	for _, s := range heavyBodies {
		switch s.name {
		case "cards in texts":
			found = append(found, s)
		}
	}
	return found
}

// shape is one way to make a body of parts.
type shape struct {
	name, contentType, part string
	body                    func(n int, part string) string
}

const formEncoded = "application/x-www-form-urlencoded"

func fillWith(n int, part string) string { return fill(part, n) }
func ordersOf(n int, part string) string { return "[" + fill(part, n) + "1]" }
func members(n int, part string) string  { return "{" + counted(n, part+",") + `"z":1}` }
func pageOf(n int, part string) string   { return "<r>" + counted(n-100, part) + "</r>" }
func htmlOf(n int, part string) string {
	return "<html><body>" + counted(n-100, part) + "</body></html>"
}

// Cleaning takes ten times a body at most, or ten times 1 MB if that is more, of whatever values the
// body is made; of secrets too. Secrets that are all different take more: they are learned, for as
// long as the tape is recorded on.
func TestMemoryOfCleaning(t *testing.T) {
	if raced.Enabled {
		t.Skip("memory is not measured beside the race detector")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that what is in use is known all the time
	const most = 10
	for _, tt := range []struct {
		size   int
		shapes []shape
		why    string // they are withheld
	}{
		{2 << 20, withheldBodies, "request body: too many values"},
		{480 << 10, smallBodies, ""},
		{1<<20 - 100, heavyBodies, ""},
		{1<<20 - 100, heavyPages, ""},
		{15 << 20, heaviestBodies(), ""},
	} {
		for _, s := range tt.shapes {
			x := exchange("POST", "https://h/x", http.Header{"Content-Type": {s.contentType}}, "")
			x.Request.Body = s.body(tt.size, s.part)
			name := fmt.Sprintf("%s in %d KB", s.name, tt.size>>10)
			var got redact.Clean
			times := 0.0
			for range 6 { // what is made while the collector marks counts as in use
				r := redactor(t)
				peak := peakOf(func() { got = r.Clean(x) })
				if times = float64(peak) / float64(max(1<<20, len(x.Request.Body))); times <= most {
					break
				}
			}
			if t.Logf("%s: %.1f times", name, times); times > most {
				t.Errorf("%s: cleaning took %.1f times the body in memory", name, times)
			}
			if why := got.Exchange().Meta.Withheld; why != tt.why {
				t.Errorf("%s: withheld: %q", name, why)
			}
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

// peakOf returns by how much the memory in use grew at most while a function ran.
func peakOf(do func()) int64 {
	runtime.GC()
	before := inUse()
	stop, done := make(chan bool), make(chan int64)
	go func() {
		peak := int64(0)
		for every := time.Tick(time.Millisecond); ; {
			select {
			case <-stop:
				done <- peak - before
				return
			case <-every:
				peak = max(peak, inUse())
			}
		}
	}()
	do()
	close(stop)
	return <-done
}

func inUse() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
