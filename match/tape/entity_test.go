package tape

import (
	"fmt"
	"testing"
)

// TestNamesAmongManyValues gives a client the values of ever more orders. How often its name is followed
// by another is told without looking at these values.
func TestNamesAmongManyValues(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 400} {
		known := newNotes()
		e := &Entity{notes: &known}
		first, latest := &value{text: "C7", isName: true}, &value{text: "C8", isName: true}
		e.addValue(first, "client")
		for i := range n {
			e.addValue(&value{text: fmt.Sprint("shop/", i)}, "returnUrl")
		}
		e.addValue(latest, "client")
		if got := len(e.named); got != 2 {
			t.Errorf("with %d values %d are looked at for a name, want 2", n, got)
		}
		if e.behind(first) != 1 || e.behind(latest) != 0 {
			t.Errorf("with %d values the names come %d and %d before the latest, want 1 and 0",
				n, e.behind(first), e.behind(latest))
		}
		if e.has("client") != latest || e.has("returnUrl").slot.N != n-1 || e.has("email") != nil {
			t.Errorf("with %d values the latest of a name is not found", n)
		}
	}
}
