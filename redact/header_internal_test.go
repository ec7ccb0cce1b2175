package redact

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEntityTags wants the opaque text of each tag, and nothing around it.
func TestEntityTags(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value string
		want  []string
	}{
		{`"a1b2"`, []string{"a1b2"}},
		{`W/"a1b2"`, []string{"a1b2"}},
		{`"a1, b2", W/"c3" , "d4"`, []string{"a1, b2", "c3", "d4"}},
		{`*`, nil},
		{`a1b2`, []string{"a1b2"}},
		{`"a1b2`, []string{`"a1b2`}},
		{`"a1", "b2`, []string{`"a1", "b2`}},
		{`a1, "b2"`, []string{`a1, "b2"`}},
		{`""`, []string{""}},
		{``, nil},
	}
	for _, test := range tests {
		var got []string
		for _, p := range entityTags(test.value) {
			got = append(got, p.text)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.value, diff)
		}
	}
}
