package pan_test

import (
	"testing"

	"github.com/paytape/paytape/internal/pan"
)

func TestDigit(t *testing.T) {
	t.Parallel()
	for c, want := range map[rune]int{
		'0': 0, '9': 9, '٣': 3, '९': 9, 0x1D7E2: 0, 0x1D7EB: 9, 0x1D7CE + 15: 5, // two tens in a row
		'a': -1, '½': -1, '²': -1, '-': -1, 0xFFFD: -1,
	} {
		got, is := pan.Digit(c)
		if is != (want >= 0) || is && got != want {
			t.Errorf("%q: %d, %v", c, got, is)
		}
	}
}
