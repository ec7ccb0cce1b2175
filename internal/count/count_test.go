package count_test

import (
	"testing"

	"github.com/paytape/paytape/internal/count"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n           int
		thing, want string
	}{
		{0, "exchange", "0 exchanges"},
		{1, "exchange", "1 exchange"},
		{2, "exchange", "2 exchanges"},
		{1, "miss", "1 miss"},
		{12, "miss", "12 misses"},
	} {
		if got := count.Of(test.n, test.thing); got != test.want {
			t.Errorf("%d %s: got %q, want %q", test.n, test.thing, got, test.want)
		}
	}
}
