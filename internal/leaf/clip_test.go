package leaf_test

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"as long as may be", "abcd", "abcd"},
		{"longer", "abcdef", "abcd... (2 more bytes)"},
		{"a letter of two bytes at the cut", "abc\u00e9f", "abc... (3 more bytes)"},
		{"no UTF-8", "\xa0\xa0\xa0\xa0\xa0", "... (5 more bytes)"},
	} {
		if got := leaf.Clip(test.text, 4); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
