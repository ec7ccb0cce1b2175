package tape

import (
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// Each exchange is written as API and address: "g1" is the gateway at address 1, "-9" an API that no
// profile knows.
func TestSandboxesSwitch(t *testing.T) {
	t.Parallel()
	for exchanges, want := range map[string][]int{
		"g1 g1 g1":                nil,
		"g1 g1 g2 g2":             {3},
		"g1 g2 g3":                {2, 3},
		"g1 g2 g1":                nil,    // two at a time
		"g1 v1 g2 v2":             {3, 4}, // one API does not see the other
		"g1 v1 g2 g2 v2 g2":       {3},
		"g1 v1 g2 v1":             nil, // the other API goes on where it was
		"g1 -9 g2 -8 -9":          {3},
		"v1 g1 g2":                {3}, // what does not go on has no say
		"g1 v1 v2 g2 v2 g3 v3 g3": {3, 6},
	} {
		s := sandboxes{}
		for i, x := range strings.Fields(exchanges) {
			var api *profile.Profile
			if x[0] != '-' {
				api = &profile.Profile{Name: x[:1]}
			}
			s.note(api, "https://"+x[1:], i+1)
		}
		if got := s.switches(); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", exchanges, got, want)
		}
	}
}

func TestMissingBefore(t *testing.T) {
	t.Parallel()
	known := knownCalls{2, 3, 7, 8}
	for number, want := range map[int]int{2: 1, 3: 1, 4: 1, 7: 4, 8: 4} {
		if got := known.missingBefore(number); got != want {
			t.Errorf("before %d: got %d, want %d", number, got, want)
		}
	}
	if (knownCalls{1, 2, 3}).missingBefore(3) != 0 {
		t.Error("a whole tape misses something")
	}
}
