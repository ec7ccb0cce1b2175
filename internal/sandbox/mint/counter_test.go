package mint

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCounterGoesRound(t *testing.T) {
	t.Parallel()
	c := &Counter{value: 2, lo: 1, hi: 3}
	got := []int64{c.Next(), c.Next(), c.Next(), c.Next()}
	if diff := cmp.Diff([]int64{3, 1, 2, 3}, got); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}
