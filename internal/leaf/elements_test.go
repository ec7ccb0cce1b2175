package leaf_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
)

func TestElements(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, body, shape string
		want              []string
		ok                bool
	}{
		{"items of a member", `{"a":[],"list":[ {"x":1}, {"x":[2,"]"]} ],"n":2}`, "list", []string{`{"x":1}`, `{"x":[2,"]"]}`}, true},
		{"below two members", ` {"o":{"list":[1,"a,b",null]}}`, "o.list", []string{"1", `"a,b"`, "null"}, true},
		{"the body itself", `[{"id":7},[],true]`, "", []string{`{"id":7}`, "[]", "true"}, true},
		{"an empty array behind another", `{"a":[],"b":[]}`, "b", []string{}, true},
		{"a value that looks like the key", `{"a":"list","list":["list"]}`, "list", []string{`"list"`}, true},
		{"no array there", `{"list":{}}`, "list", nil, false},
		{"no such member", `{"a":1}`, "list", nil, false},
		{"two documents", "[1]\n[2]", "", nil, false},
		{"no JSON", "list=1", "list", nil, false},
		{"cut off", `{"list":[1,`, "list", nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			spans, ok := leaf.Elements(row.body, row.shape)
			if ok != row.ok {
				t.Fatalf("got %v", ok)
			}
			var got []string
			if ok {
				got = []string{}
			}
			for _, s := range spans {
				got = append(got, row.body[s[0]:s[1]])
			}
			if d := cmp.Diff(row.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
