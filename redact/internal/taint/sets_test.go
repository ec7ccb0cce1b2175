package taint

import (
	"fmt"
	"strings"
	"testing"
)

// A filter that goes on in another set has there all of a text, and not only what is new in the
// text.
func TestFilterRemembersAcrossSets(t *testing.T) {
	f := &Filter{}
	for n := 0; len(f.sets) < 4; n++ {
		var b strings.Builder
		for i := range 50 {
			fmt.Fprintf(&b, "note-%x-%d ", n*7919+i, i)
		}
		value := fmt.Sprintf("tr0ub4dor-gw-%x-%d", n*7919, n)
		text := b.String() + value
		if n%2 == 0 {
			f.Add([]string{text}, nil)
		} else {
			f.Add(nil, []FlatText{{Text: text}})
		}
		if !f.MayHold(value) || !f.MayHold("tr0ub4dor-gw") {
			t.Fatalf("text %d is forgotten in set %d", n, len(f.sets))
		}
	}
	f.Add([]string{strings.Repeat("\x00", 20)}, nil)
	if !f.MayHold("\x00\x00\x00\x00\x00\x00\x00\x00\x00") {
		t.Error("zeros are forgotten")
	}
}
