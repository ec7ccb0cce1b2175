package redact

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/redact/internal/scan"
)

// This file is of the package itself: who holds a lock cannot be seen from outside.

// The tape can be written to while a long text is searched: whoever learns a secret, and all behind
// them, would wait for the end of the search.
func TestALongTextIsSearchedWithoutTheLock(t *testing.T) {
	number := "411111" + "1111111111"
	long := strings.Repeat("<b>"+number[:8]+"</b><b>"+number[8:]+"</b> "+number+" ", 2000)
	r := New(Options{})
	asked := 0
	shape := r.s.judges[live].Shape
	r.s.judges[live].Shape = func(digits string) scan.Verdict {
		asked++
		if !r.s.tape.mu.TryLock() {
			t.Fatal("the tape is locked while a number is judged")
		}
		r.s.tape.mu.Unlock()
		return shape(digits)
	}
	c := cleaning{state: r.s}
	if numbers, _ := c.search(long, asText, scan.LookAt(long)); len(numbers) < 2000 {
		t.Errorf("%d numbers were found", len(numbers))
	}
	before := asked
	if split := c.searchSplit(long); len(split) < 2000 {
		t.Errorf("%d split numbers were found", len(split))
	}
	if before == 0 || asked == before {
		t.Errorf("%d and %d numbers were judged", before, asked-before)
	}
}
