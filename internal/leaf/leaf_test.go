package leaf_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
)

// listing writes the leaves of a message one a line: place, path, kind and value.
func listing(m *leaf.Message) string {
	var b strings.Builder
	for _, l := range m.Leaves {
		fmt.Fprintf(&b, "%s %s %d %q\n", l.Place, l.Path, l.Kind, l.Value)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	tests := []struct {
		name string
		in   leaf.Message
		want string
	}{
		{"path and query", leaf.Message{Target: "http://h:1/a%20b//c?x=1&y=%24+z&flag&=&k="}, `path 0 0 "a b"
path 1 0 "c"
query x 0 "1"
query y 0 "$ z"
query  0 "flag"
query  0 ""
query k 0 ""
`},
		{"path and fragment", leaf.Message{Target: "/a/b.do#c=%23/d#e?x=1"}, `path 0 0 "a"
path 1 0 "b.do"
path 2 0 "c=#"
path 3 0 "d#e"
query x 0 "1"
`},
		{"bad percent stays", leaf.Message{Target: "/p?a=%zz&b=%4"}, `path 0 0 "p"
query a 0 "%zz"
query b 0 "%4"
`},
		{"form with JSON in a field", leaf.Message{Header: form,
			Body: "$PAN=4111&jsonParams=%7B%22n%22%3A%221%5Cn2%22%2C%22i%22%3A3%7D"},
			`header Content-Type 0 "application/x-www-form-urlencoded"
form $PAN 0 "4111"
form jsonParams>n 0 "1\n2"
form jsonParams>i 1 "3"
`},
		{"JSON with every kind", leaf.Message{Body: ` {"a":1.00,"b":[true,null,"x"],"c":{},"d":[ ],"a":"é\u00e9\ud83d\ude00","k.l":"v"}`},
			`json a 1 "1.00"
json b[0] 2 "true"
json b[1] 3 "null"
json b[2] 0 "x"
json c 4 "{}"
json d 4 "[]"
json a 0 "éé😀"
json k\.l 0 "v"
`},
		{"JSON in a JSON string", leaf.Message{Body: `{"s":"{\"in\":[\"a\\\\b\"]}"}`},
			`json s>in[0] 0 "a\\b"
`},
		{"neither form nor JSON", leaf.Message{Body: "see <b>a=b</b>"},
			`text  0 "see <b>a=b</b>"
`},
		{"a form that calls itself JSON", leaf.Message{
			Header: http.Header{"Content-Type": {"application/json"}}, Body: "a=1&b=2"},
			`header Content-Type 0 "application/json"
form a 0 "1"
form b 0 "2"
`},
		{"too deep is text", leaf.Message{Body: strings.Repeat("[", 65) + strings.Repeat("]", 65)},
			"text  0 \"" + strings.Repeat("[", 65) + strings.Repeat("]", 65) + "\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, listing(leaf.Read(tt.in))); diff != "" {
				t.Errorf("leaves (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNameBesideValue(t *testing.T) {
	m := leaf.Read(leaf.Message{Body: `{"parameters":[{"value":"7","name":"customer_number"},{"name":"only"}]}`})
	l := m.Leaves[0]
	if l.Name != "customer_number" || l.Shape != "parameters.value" ||
		l.Path != "parameters[0].value" {
		t.Errorf("got name %q, shape %q, path %q", l.Name, l.Shape, l.Path)
	}
}

func TestSplice(t *testing.T) {
	m := leaf.Read(leaf.Message{
		Target: "/cards/a%2Fb?cardNumberFltr=41+11&x=%41",
		Header: http.Header{"X-Api-Key": {"k1", "k2"}},
		Body:   `{ "n" : 12.50, "s":"a\u0062c \"q\"", "in":"{\"p\": \"1 2\"}", "n":1 }`,
	})
	edit := func(path, value string) leaf.Edit {
		for i := range m.Leaves {
			if m.Leaves[i].Path == path {
				return leaf.Whole(&m.Leaves[i], value)
			}
		}
		t.Fatalf("no leaf %q", path)
		return leaf.Edit{}
	}
	part := edit("s", "")
	part.From, part.To, part.Value = 1, 2, "\"B"
	got := m.Splice([]leaf.Edit{
		edit("in>p", `x"y`), edit("n", "REDACTED"), part, edit("cardNumberFltr", "9 9"),
		edit("1", "c d/"),
		edit("X-Api-Key", "K"),
	})
	want := leaf.Message{
		Target: "/cards/c%20d%2F?cardNumberFltr=9+9&x=%41",
		Header: http.Header{"X-Api-Key": {"K", "k2"}},
		Body:   `{ "n" : "REDACTED", "s":"a\"Bc \"q\"", "in":"{\"p\": \"x\\\"y\"}", "n":1 }`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if m.Header.Get("X-Api-Key") != "k1" {
		t.Error("splicing changed the message it was asked to copy")
	}
}

// FuzzRead checks the walker's promises on any bytes: it does not panic, every leaf decodes
// to its value, replacing nothing changes nothing, and writing a value back and reading it
// again gives the value.
func FuzzRead(f *testing.F) {
	f.Add("/a?b=c", "application/json", `{"a":[1,"x",{"name":"n","value":"{\"k\":1}"}]}`)
	f.Add("http://h/p/%41?%24PAN=%zz;&x", "application/x-www-form-urlencoded",
		"a=%7B%22b%22%3A%22%5Cu00e9%22%7D&c=+")
	f.Add("/?c=eyJhIjoieCJ9", "", `{"p":"eyJhIjoiZXlKaElqb2llQ0o5In0","h":"7b2261223a2278227d"}`)
	f.Add("", "", `<html><input name=PaReq value="eJyzSbSzSbKrsNFPAlIAFhEDrg=="><b>CVC: <i>1&#50;3<p x=y>`)
	f.Add("", "", `{"h":"<a b='{\"c\":\"d\"}'><![CDATA[x]]>","z":"H4sIAAAAAAAAA6tWSlSyUqpQqgUAlwKMfwkAAAA="}`)
	f.Add("", "", `[{"a":"\ud800"}]`)
	f.Add("/?u=https%3A%2F%2Fh%2F%3Fc%3DeyJhIjoieCIsImIiOjF9", "",
		`{"to":"https://h/?q=eyJhIjoieCIsImIiOjF9&r=1"}`)
	f.Add("", "", `go to /?d=%7B%22orderId%22%3A%22x%22%7D&c='PGEgYj0iYyI-ZDwvYT4'`)
	f.Fuzz(func(t *testing.T, target, contentType, body string) {
		m := leaf.Read(leaf.Message{
			Target: target, Body: body, Header: http.Header{"Content-Type": {contentType}},
		})
		for i := range m.Leaves {
			l := &m.Leaves[i]
			if start, end := m.Span(l, 0, 0); start > end {
				t.Fatalf("leaf %q: empty span %d-%d", l.Path, start, end)
			}
			const fresh = `q"1\ é`
			out := m.Splice([]leaf.Edit{leaf.Whole(l, fresh)})
			again := leaf.Read(out)
			if l.Place == leaf.Header || l.Place == leaf.Text || l.Kind == leaf.Empty {
				continue // these may turn the message into one of another kind
			}
			if n := len(again.Leaves); n != len(m.Leaves) || again.Leaves[i].Path != l.Path {
				continue // the new text may join what was two documents, or end one
			}
			if got := again.Leaves[i].Value; got != fresh {
				t.Fatalf("leaf %q: wrote %q, read %q", l.Path, fresh, got)
			}
		}
		same := m.Splice(nil)
		if same.Target != target || same.Body != body {
			t.Fatal("splicing nothing changed the message")
		}
	})
}
