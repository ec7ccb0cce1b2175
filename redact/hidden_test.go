package redact

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf/leaftest"
)

func TestUnprinted(t *testing.T) {
	t.Parallel()
	leaftest.Unprinted(t, &Redactor{}, &state{}, &tape{}, &taint{}, &Past{}, &lores{}, &shapes{},
		cleaning{}, &gate{}, message{}, plan{}, span{}, stand{}, label{}, short{}, fieldValue{},
		secret{}, pattern{}, taintHit{}, sighting{}, scanner{}, number{}, view{}, run{}, half{})
}
