package mint_test

import (
	"testing"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

func TestDigitsNotZero(t *testing.T) {
	t.Parallel()
	s := mint.NewSource(1, 1)
	for range 1000 {
		if s.DigitsNotZero(1) == "0" {
			t.Fatal("a run of zeros was minted")
		}
	}
}
