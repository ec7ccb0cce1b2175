package scan

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf/leaftest"
)

func TestUnprinted(t *testing.T) {
	t.Parallel()
	leaftest.Unprinted(t, Occurrence{}, scanner{}, Number{}, View{}, base64Run{}, Origins{})
}
