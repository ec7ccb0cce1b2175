package leaf_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
)

// TestJSONShapes reads the forms in which JSON travels besides a lone document.
func TestJSONShapes(t *testing.T) {
	deep := strings.Repeat("[", leaf.MaxDepth+1) + strings.Repeat("]", leaf.MaxDepth+1)
	tests := []struct{ name, body, want string }{
		{"behind a byte order mark", "\ufeff {\"a\":\"x\"}", "json a 0 \"x\"\n"},
		{"lines", "{\"a\":\"x\"}\r\n{\"a\":1}\n\n", "json [0].a 0 \"x\"\njson [1].a 1 \"1\"\n"},
		{"with nothing between", `{"a":"x"}[1,2]`,
			"json [0].a 0 \"x\"\njson [1][0] 1 \"1\"\njson [1][1] 1 \"2\"\n"},
		{"a sequence", "\x1e{\"a\":\"x\"}\n\x1e[]\n", "json [0].a 0 \"x\"\njson [1] 4 \"[]\"\n"},
		{"several in a string", `{"s":"{\"a\":1}\n{\"a\":2}"}`,
			"json s>[0].a 1 \"1\"\njson s>[1].a 1 \"2\"\n"},
		{"behind a guard", ")]}',\n{\"a\":\"x\"}", "json a 0 \"x\"\n"},
		{"behind another", "while(1);[\"x\"]", "json [0] 0 \"x\"\n"},
		{"behind a third", "{}&&{\"a\":\"x\"}", "json a 0 \"x\"\n"},
		{"as an argument", "/**/ my.call_1({\"a\":\"x\"});\n", "json a 0 \"x\"\n"},
		{"as a string", ` "{\"a\":\"x\"}" `, "json >a 0 \"x\"\n"},
		{"keys twice and in other cases", `{"a":1,"a":2,"A":3}`,
			"json a 1 \"1\"\njson a 1 \"2\"\njson A 1 \"3\"\n"},
		{"numbers as they are", `[1e3,-0.0,1E+2]`,
			"json [0] 1 \"1e3\"\njson [1] 1 \"-0.0\"\njson [2] 1 \"1E+2\"\n"},
		{"a call of something else", "f({\"a\":\"x\"}, 1)",
			"text  0 \"f({\\\"a\\\":\\\"x\\\"}, 1)\"\n"},
		{"a line that is none", "{\"a\":1}\nend", "text  0 \"{\\\"a\\\":1}\\nend\"\n"},
		{"too deep behind one that is not", "[1]" + deep, "text  0 \"[1]" + deep + "\"\n"},
		{"a bracket too many", "[1]]", "text  0 \"[1]]\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(leaf.Message{Body: tt.body})
			if diff := cmp.Diff(tt.want, listing(m)); diff != "" {
				t.Fatalf("leaves (-want +got):\n%s", diff)
			}
			for i := range m.Leaves {
				checkRewrite(t, m, i)
			}
		})
	}
}

// checkRewrite checks that a leaf that is given its own value keeps the bytes of its message, or
// at least its value: an escape may be written otherwise.
func checkRewrite(t *testing.T, m *leaf.Message, i int) {
	t.Helper()
	l := &m.Leaves[i]
	out := leaf.Read(m.Splice([]leaf.Edit{leaf.Whole(l, l.Value)}))
	if diff := cmp.Diff(listing(m), listing(out)); diff != "" {
		t.Errorf("leaf %q written again (-want +got):\n%s", l.Path, diff)
	}
}

func TestNameBesideValueInAnyCase(t *testing.T) {
	m := leaf.Read(leaf.Message{Body: `[{"Name":"cvc","VALUE":"1"}]`})
	if got := m.Leaves[1].Name; got != "cvc" {
		t.Errorf("the name beside the value is %q", got)
	}
}

func TestEvents(t *testing.T) {
	m := leaf.Read(leaf.Message{
		Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
		Body:   "event: paid\r\ndata: {\"a\":\"x\"}\r\n\r\n: a comment\ndata:plain\nretry\n\ndata: [1]",
	})
	want := `header Content-Type 0 "text/event-stream; charset=utf-8"
form event[0] 0 "paid"
form data[0]>a 0 "x"
form [1] 0 "a comment"
form data[1] 0 "plain"
form [1] 0 "retry"
form data[2]>[0] 1 "1"
`
	if diff := cmp.Diff(want, listing(m)); diff != "" {
		t.Fatalf("leaves (-want +got):\n%s", diff)
	}
	for i := range m.Leaves {
		checkRewrite(t, m, i)
	}
}
