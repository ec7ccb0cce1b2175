package match_test

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf/leaftest"
	"github.com/paytape/paytape/match"
)

func TestUnprinted(t *testing.T) {
	t.Parallel()
	leaftest.Unprinted(t, &match.Request{}, &match.Answer{}, &match.Player{}, &match.Sessions{})
}
