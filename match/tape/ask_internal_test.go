package tape

import (
	"slices"
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// TestLatestOfAKind makes more entities than are looked through: the latest are there, in their order.
func TestLatestOfAKind(t *testing.T) {
	t.Parallel()
	profiles, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	tape := &Tape{slabs: &slabs{}}
	tape.words = newWords(tape.slabs)
	c := newCompiler(tape, Options{Profiles: profiles}, "t")
	for n := range 5*mostRendered + 7 {
		c.entity("card", nil)
		want := tape.Entities[max(0, len(tape.Entities)-mostRendered):]
		got := c.latest["card"]
		if len(got) > 2*mostRendered || !slices.Equal(got[max(0, len(got)-mostRendered):], want) {
			t.Fatalf("of %d entities %d are kept, and not the latest", n+1, len(got))
		}
	}
}
