package cassettes

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"
)

// vcrFile is what go-vcr writes for exchanges, indented by so much.
func vcrFile(t testing.TB, indent int, xs ...cassette.Interaction) []byte {
	t.Helper()
	b := bytes.NewBufferString("---\n")
	out := yaml.NewEncoder(b)
	out.SetIndent(indent)
	if err := out.Encode(map[string]any{"version": 1, "interactions": xs}); err != nil {
		t.Fatal(err)
	}
	// A map is written by name; go-vcr has the version first.
	text := strings.Replace(b.String(), "\nversion: 1\n", "\n", 1)
	return []byte(strings.Replace(text, "---\n", "---\nversion: 1\n", 1))
}

// usual is an interaction as it stands in most cassettes.
func usual(n int) cassette.Interaction {
	x := exchangeOf("", "", "").Interaction
	x.Request = cassette.Request{
		Body:    fmt.Sprintf(`{"amount":%d,"text":"it's"}`, n),
		Headers: map[string][]string{"Accept": {"*/*"}, "User-Agent": {"Go-http-client/1.1 (x; y)"}},
		URL:     fmt.Sprintf("https://sandbox.example/register.do?a=b%%20c&n=%d", n), Method: "POST",
	}
	x.Response = cassette.Response{
		Body: "{\n  \"errorCode\": 0\n}\n", Status: "200 OK", Code: 200, Duration: 1500,
		Headers: map[string][]string{"Date": {"Tue, 03 Mar 2026 10:00:00 GMT"}},
	}
	return x
}

// sameRecording compares what is read of a file in parts with what is read of it as a whole.
func sameRecording(t testing.TB, data []byte) (inParts bool) {
	t.Helper()
	got, ok := recordedItems(data)
	if !ok {
		return false
	}
	want, err := recordedTree(data)
	if err != nil {
		t.Fatalf("as a whole the file is refused: %v", err)
	}
	o := cmp.Options{cmpopts.IgnoreUnexported(cassette.Response{})}
	if want.ours != got.ours || len(want.exchanges) != len(got.exchanges) {
		t.Fatalf("%d interactions, want %d; ours: %v", len(got.exchanges), len(want.exchanges), got.ours)
	}
	for i, x := range got.exchanges {
		if diff := cmp.Diff(want.exchanges[i].Interaction, x.Interaction, o) +
			cmp.Diff(want.exchanges[i].Meta, x.Meta); diff != "" {
			t.Fatalf("interaction %d (-whole +parts):\n%s", i+1, diff)
		}
	}
	return true
}

func TestVCRInParts(t *testing.T) {
	var odd []cassette.Interaction
	for i, a := range awkward() {
		x := usual(i)
		x.Request.Body, x.Response.Body = a, "x"+a
		x.Request.Headers["X-Odd"] = []string{a, "x" + a}
		x.Response.Status = a
		odd = append(odd, x)
	}
	for _, indent := range []int{2, 4} {
		if !sameRecording(t, vcrFile(t, indent, usual(1), usual(2))) {
			t.Errorf("indented by %d: a usual file does not come apart", indent)
		}
		for i := range odd {
			sameRecording(t, vcrFile(t, indent, usual(1), odd[i], usual(2)))
		}
		sameRecording(t, vcrFile(t, indent, odd...))
	}
}

// What go-vcr writes of usual exchanges needs no library.
func TestUsualVCRIsReadFast(t *testing.T) {
	for _, indent := range []int{2, 4} {
		items, ok := splitVCR(vcrFile(t, indent, usual(1), usual(2)))
		if !ok || len(items) != 2 {
			t.Fatalf("%d items, %v", len(items), ok)
		}
		for _, item := range items {
			if _, ok := (&vcrReader{rest: item}).read(); !ok {
				t.Errorf("left to the library:\n%s", item)
			}
		}
	}
}

// A list in brackets that has one value in quotes needs no library either, and other lists mean what they
// mean to it.
func TestQuotedListIsReadFast(t *testing.T) {
	const item = "- request:\n    headers:\n      A: %s\n    url: /a\n    method: GET\n  response:\n" +
		"    code: 200\n"
	for list, fast := range map[string]bool{
		`["text/html;charset=utf-8"]`: true, `['a: [b], c']`: true, `["\u0041\""]`: true, `['it''s']`: true,
		`["a", "b"]`: false, `['a', 'b']`: false, `['a'',''b']`: true, `['', '']`: false, `[""]`: true,
	} {
		text := fmt.Sprintf(item, list)
		sameRecording(t, []byte("version: 1\ninteractions:\n"+text))
		if _, ok := (&vcrReader{rest: []byte(text)}).read(); ok != fast {
			t.Errorf("%s: read without the library: %v", list, ok)
		}
	}
}

// FuzzVCRInParts checks that a file which is read in parts is read as the library reads it.
func FuzzVCRInParts(f *testing.F) {
	for _, indent := range []int{2, 4} {
		f.Add(vcrFile(f, indent, usual(1), usual(2)))
	}
	const item = "- request:\n    body: %s\n    url: /a\n    method: GET\n  response:\n    code: 200\n"
	for _, body := range []string{
		"'it''s'", `"a\tb\x41 \u00e9"`, "|\n      a\n       b", "|-\n      a", "&a b", "*a", "{}",
		"a # b", "a: b", "null", "'a\n- b'", "[a, b]", "2020-01-01", "!!binary aGk=",
	} {
		f.Add([]byte("version: 1\ninteractions:\n" + fmt.Sprintf(item, body) + fmt.Sprintf(item, "x")))
	}
	for _, list := range []string{`["b c"]`, `['b', 'c']`, `["b", c]`, `['b'',''c']`} {
		f.Add([]byte("version: 1\ninteractions:\n- request:\n    headers:\n      A: " + list +
			"\n    url: /a\n    method: GET\n  response:\n    code: 200\n"))
	}
	f.Add([]byte("version: 1\ninteractions:\n- request:\n    headers:\n      A: [b c, d]\n      B:\n" +
		"      - x: y\n      - \"z\"\n    url: /a\n    method: GET\n  response: {code: 200}\n# end\n"))
	f.Fuzz(func(t *testing.T, data []byte) { sameRecording(t, data) })
}
