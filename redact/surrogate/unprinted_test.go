package surrogate

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf/leaftest"
)

func TestUnprinted(t *testing.T) {
	t.Parallel()
	leaftest.Unprinted(t, Value{}) // may be live text that nothing takes the place of
}
