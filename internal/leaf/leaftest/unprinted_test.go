package leaftest_test

import (
	"slices"
	"testing"

	"github.com/paytape/paytape/internal/leaf/leaftest"
)

// The aid must find what shows, or the tests that use it could not fail.
func TestShown(t *testing.T) {
	t.Parallel()
	type open struct{ Text string }
	tests := []struct {
		name    string
		example any
		want    []string
	}{
		{"an exported field", open{}, []string{"itself as %v", "itself as %x", "itself as JSON",
			"a pointer as %+v", "a map as a log", "a list as a JSON log"}},
		{"another", struct{ text string }{}, []string{"itself as %v", "a pointer as %#v", "a map as %d"}},
		{"bytes", struct{ B []byte }{}, []string{"itself as %s", "itself as %x"}},
		{"no text", struct{ n int }{}, []string{"it holds no text"}},
	}
	for _, tt := range tests {
		got := leaftest.Shown(tt.example)
		for _, want := range tt.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %s is not among %q", tt.name, want, got)
			}
		}
	}
}
