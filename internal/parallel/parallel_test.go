package parallel_test

import (
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/internal/parallel"
)

// Every item is in one stretch, whatever the sizes.
func TestStretches(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 63, 64, 65, 1000} {
		for _, size := range []int{1, 64, 2000} {
			seen := make([]atomic.Int64, n)
			parallel.Stretches(n, size, func(from, to int) {
				if to-from > size || from >= to {
					t.Errorf("%d items in stretches of %d: from %d to %d", n, size, from, to)
				}
				for i := from; i < to; i++ {
					seen[i].Add(1)
				}
			})
			for i := range seen {
				if times := seen[i].Load(); times != 1 {
					t.Errorf("%d items in stretches of %d: item %d comes %d times", n, size, i, times)
				}
			}
		}
	}
}
