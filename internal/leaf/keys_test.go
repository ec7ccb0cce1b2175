package leaf_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
)

// TestKeys lists the keys of messages and writes others in their place.
func TestKeys(t *testing.T) {
	for _, tt := range []struct{ name, target, contentType, body, wantTarget, wantBody string }{
		{"JSON", "", "", `{ "a" : {"b\u0031":[{"c":1}]}}`, "", `{ "A" : {"B1":[{"C":1}]}}`},
		{"a form", "", "application/x-www-form-urlencoded", "a%31=x&b=y&c", "", "A1=x&B=y&c"},
		{"a query", "/p?a=b&c=d", "", "", "/p?A=b&C=d", ""},
		{"JSON in a form", "", "application/x-www-form-urlencoded", `j={"a":1}`, "", `J={"A":1}`},
		{"JSON in base64", "", "application/x-www-form-urlencoded", "creq=eyJhIjoxfQ==", "",
			"CREQ=eyJBIjoxfQ%3D%3D"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(leaf.Message{Target: tt.target, Body: tt.body, Keys: true,
				Header: map[string][]string{"Content-Type": {tt.contentType}}, Headless: true})
			var edits []leaf.Edit
			for i := range m.Leaves {
				if l := &m.Leaves[i]; l.Named {
					edits = append(edits, leaf.Whole(l, upper(l.Value)))
				}
			}
			got := m.Splice(edits)
			want := []string{tt.wantTarget, tt.wantBody}
			if diff := cmp.Diff(want, []string{got.Target, got.Body}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}
