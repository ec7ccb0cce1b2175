package redact

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf/leaftest"
)

func TestUnprinted(t *testing.T) {
	t.Parallel()
	leaftest.Unprinted(t, &Redactor{}, &state{}, &tape{}, &Past{}, &knowledgeCache{}, Value{},
		cleaning{}, &gate{}, message{}, plan{}, part{}, span{}, label{}, shortSecret{}, fieldValue{},
		half{})
}
