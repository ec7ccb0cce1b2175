package scan

import (
	"strings"
	"testing"
)

// An id with zeros before its number is no UTF-16, though it has as many zeros; text in UTF-16 is.
func TestZerosAreNoText(t *testing.T) {
	const id = `{"id":"00000000000000000000000000001234"}`
	if MayDecode(id) {
		t.Error("an id with zeros before its number may hold anything")
	}
	for _, order := range []string{"\x00%", "%\x00"} {
		var b strings.Builder
		for _, c := range []byte("4000001111111118") {
			b.WriteString(strings.ReplaceAll(order, "%", string(c)))
		}
		if !mayRead([]byte("\xfb"+b.String()), false) {
			t.Errorf("a number in UTF-16 is taken for noise, order %q", order)
		}
	}
	const number = "003400300030003000300030003100310031003100310031003100310031003800"
	if !MayDecode(`{"id":"` + number + `"}`) {
		t.Error("a number in UTF-16 in hex is taken for noise")
	}
}
