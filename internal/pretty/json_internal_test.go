package pretty

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzIndentJSON is the property that layout changes white space alone.
func FuzzIndentJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2,{"b":null}],"c":"\"}{","a":-1e5}`, "[ ]", `{ "a" : { } }`, "[[],[[]]]", `{"a":"é\\"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := indentJSON(s, nil)
		if indentJSON(got, nil) != got && json.Valid([]byte(s)) {
			t.Fatalf("%q is laid out otherwise the second time", got)
		}
		if !json.Valid([]byte(s)) {
			return
		}
		var before, after bytes.Buffer
		if err := json.Compact(&before, []byte(s)); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&after, []byte(got)); err != nil || before.String() != after.String() {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
