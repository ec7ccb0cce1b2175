package wordlist_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/wordlist"
)

func TestRead(t *testing.T) {
	t.Parallel()
	got := wordlist.Read("# two lists\none: a, b,\n  c d\n\ntwo: e\n# none\n")
	want := map[string][]string{"one": {"a", "b", "c d"}, "two": {"e"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
