package taint

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf/leaftest"
)

func TestUnprinted(t *testing.T) {
	t.Parallel()
	leaftest.Unprinted(t, &Matcher{}, secret{}, Hit{})
}
