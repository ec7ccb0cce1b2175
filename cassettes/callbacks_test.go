package cassettes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
)

// kept returns the exchanges of a recording.
func kept(r cassettes.Recording) []*leaf.Exchange {
	var all []*leaf.Exchange
	r.Keep(func(x *leaf.Exchange) bool {
		all = append(all, x)
		return true
	})
	return all
}

func TestReadCallbacks(t *testing.T) {
	t.Parallel()
	r, err := cassettes.ReadCallbacks([]byte("\ufeff\n" +
		`{"at":"2026-03-01T10:00:02Z","method":"POST","url":"http://shop/paid#x","body":"a=b",` +
		`"headers":{"X":["1","2"],"y":"3"},"status":200,"responseHeaders":{"Z":"4"},"responseBody":"OK"}` +
		"\r\n\r\n" + `{"at":"2026-03-01T10:00:01Z","method":"GET","url":"http://shop/paid"}` + "\n"))
	if err != nil || r.Len() != 2 {
		t.Fatalf("%d exchanges, %v", r.Len(), err)
	}
	first, second := kept(r)[0], kept(r)[1]
	if first.Method != "GET" || first.Meta.Fault != leaf.FaultNoAnswer || first.Replayable() {
		t.Errorf("the earlier is %s, fault %q", first.Method, first.Meta.Fault)
	}
	if second.URL != "http://shop/paid" || second.Request.Body != "a=b" || second.Status != "200 OK" ||
		len(second.Request.Headers["X"]) != 2 || second.Request.Headers.Get("Y") != "3" ||
		second.Response.Headers.Get("Z") != "4" || second.Response.Body != "OK" || second.Code != 200 {
		t.Error("the later was read otherwise")
	}
	archive := `{"log":{"entries":[{"request":{"method":"GET","url":"http://shop/paid"},` +
		`"response":{"status":200,"content":{}}}]}}`
	if r, err := cassettes.ReadCallbacks([]byte(archive)); err != nil || r.Len() != 1 {
		t.Errorf("an archive: %d exchanges, %v", r.Len(), err)
	}
}

// TestReadCallbacksWrong wants errors that tell the place and repeat nothing.
func TestReadCallbacksWrong(t *testing.T) {
	t.Parallel()
	const good = `{"method":"GET","url":"http://shop/"}` + "\n"
	neither := func(line int) string {
		return fmt.Sprintf("line %d: expected an HTTP archive (log.entries), or a JSON object with method "+
			"and url", line)
	}
	for _, test := range []struct{ name, data, want string }{
		{"nothing", " \n", "the file is empty"},
		{"no JSON", "\n\nhunter2", neither(3)},
		{"another object", `{"password":"hunter2"}`, neither(1)},
		{"a first line that is half", `{"method":"GET","body":"hunter2"` + "\n" + good, neither(1)},
		{"an archive that was cut off", `{"log":{"entries":[{"request":{"method":"hunter2`,
			"entry 1 is not valid JSON"},
		{"no URL", "\n" + good + `{"method":"hunter2"}`,
			"line 3: expected a JSON object with method and url"},
		{"half a line", good + `{"method":"hunter2`,
			"line 2: expected a JSON object with method and url"},
		{"a status that may be anything", good + `{"method":"GET","url":"x","status":20000}`,
			"line 2: its status has more than three digits"},
		{"a header of another type", good + `{"method":"GET","url":"x","headers":{"a":7}}`,
			"line 2: expected a JSON object with method and url"},
	} {
		if _, err := cassettes.ReadCallbacks([]byte(test.data)); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// FuzzReadCallbacks: whatever a file holds, what is read of it are requests, and errors tell
// nothing that the file holds.
func FuzzReadCallbacks(f *testing.F) {
	f.Add([]byte(`{"method":"GET","url":"http://shop/?a=secret","headers":{"a":"b"},"status":200}`))
	f.Add([]byte(`{"log":{"entries":[{"request":{"method":"GET","url":"/"}}]}}`))
	f.Add([]byte(`{"method":"secret","url":`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := cassettes.ReadCallbacks(data)
		if err != nil && (r.Len() > 0 || strings.Contains(err.Error(), "secret")) {
			t.Errorf("an error comes with something else: %v", err)
		}
		for _, x := range kept(r) {
			if x.Method == "" {
				t.Error("a request has no method")
			}
		}
	})
}
