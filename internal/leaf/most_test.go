package leaf_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// Reading ends soon after as many leaves as are wanted, whatever a message is made of.
func TestReadingEnds(t *testing.T) {
	t.Parallel()
	const n, most = 10_000, 100
	list := "[" + strings.Repeat("1,", n) + "1]"
	tests := []struct{ name, contentType, target, body string }{
		{"a form", "application/x-www-form-urlencoded", "/", strings.Repeat("a=b&", n)},
		{"a query", "", "/?" + strings.Repeat("a&", n), ""},
		{"a path", "", strings.Repeat("/a", n), ""},
		{"an array", "application/json", "/", list},
		{"arrays in an array", "application/json", "/", "[" + strings.Repeat("[1],", n) + "[1]]"},
		{"an object", "application/json", "/", "{" + strings.Repeat(`"a":1,`, n) + `"a":1}`},
		{"lines of JSON", "application/x-ndjson", "/", strings.Repeat("[1]\n", n)},
		{"JSON in a form", "application/x-www-form-urlencoded", "/", "a=" + list},
		{"JSON in JSON", "application/json", "/", `{"a":"` + list + `"}`},
		{"events", "text/event-stream", "/", strings.Repeat("data: a\n", n)},
		{
			"parts", `multipart/form-data; boundary=x`, "/",
			strings.Repeat("--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n", n) + "--x--",
		},
		{"passages", "text/plain", "/", strings.Repeat("x=eyJhIjoxLCJiIjoyfQ== y ", n)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := leaf.Message{
				Target: tt.target, Header: http.Header{"Content-Type": {tt.contentType}},
				Headless: true, Body: tt.body,
			}
			all := len(leaf.Read(m).Leaves)
			if all < n {
				t.Fatalf("all leaves are %d", all)
			}
			if got := leaf.Count(m).Leaves; got != all {
				t.Errorf("%d leaves were counted of %d", got, all)
			}
			m.Most = most
			if got := leaf.Count(m).Weight(); got <= most || got > 2*most {
				t.Errorf("%d leaves were counted, want few more than %d", got, most)
			}
			if got := len(leaf.Read(m).Leaves); got < most/3 || got > 2*most {
				t.Errorf("%d leaves were read, want about %d", got, most)
			}
		})
	}
}
