package match_test

import (
	"testing"

	"github.com/paytape/paytape/match"
)

// TestARequestIsItself unifies every recorded request with itself: it must agree, and bind
// nothing to another value than it has on tape.
func TestARequestIsItself(t *testing.T) {
	for name, tell := range toured {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := profiles(t)
			raw, _ := record(t, tell)
			xs := cleaned(t, raw)
			tape := match.Compile(match.Options{Profiles: set}, match.Cassette{Name: "t", Exchanges: xs})
			for _, wrong := range match.SelfUnified(tape, set, xs) {
				t.Error(wrong)
			}
		})
	}
}
