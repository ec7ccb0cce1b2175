package match_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// heap returns what is in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first has found dead is gone only after the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// filed returns exchanges as they come out of a file: every text is a part of one, with much
// around it.
func filed(xs []*leaf.Exchange, around int) []*leaf.Exchange {
	for _, x := range xs {
		parts := []*string{
			&x.Method, &x.URL, &x.Request.Body, &x.Response.Body, &x.Response.Status,
			&x.Meta.Coding, &x.Meta.Charset, &x.Meta.Base, &x.Meta.Fault,
		}
		for _, h := range []map[string][]string{x.Request.Headers, x.Response.Headers, x.Meta.Trailers} {
			for _, values := range h {
				for i := range values {
					parts = append(parts, &values[i])
				}
			}
		}
		var all strings.Builder
		for _, p := range parts {
			all.WriteString(*p)
		}
		all.WriteString(strings.Repeat(" ", around))
		text := all.String()
		for _, p := range parts {
			*p, text = text[:len(*p)], text[len(*p):]
		}
	}
	return xs
}

// A tape is made of exchanges that are parts of their files, of which it must keep nothing, or
// it holds all of them in memory.
func TestATapeLetsGoOfItsFiles(t *testing.T) {
	const around = 1 << 18
	for name, tell := range toured {
		xs, _ := record(t, tell)
		for _, x := range xs {
			x.Response.Status = "200 OK"
			x.Response.Headers.Set("X-Request-Id", "REQ-8f3a99c01b-77")
			x.Meta.Trailers = map[string][]string{"X-Sum": {"0"}}
		}
		xs = filed(cleaned(t, xs), around)
		n := int64(len(xs))
		tape := match.Compile(match.Options{Profiles: profiles(t)}, match.Cassette{Exchanges: xs})
		with := heap()
		runtime.KeepAlive(xs)
		xs = nil
		if kept := n*around - (with - heap()); kept > around/2 {
			t.Errorf("%s: of %d files, %d are kept", name, n, (kept+around-1)/around)
		}
		runtime.KeepAlive(tape)
	}
}
