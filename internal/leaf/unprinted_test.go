package leaf_test

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/leaf/leaftest"
)

func TestUnprinted(t *testing.T) {
	t.Parallel()
	leaftest.Unprinted(t, leaf.Exchange{}, leaf.Message{}, leaf.Leaf{}, leaf.Edit{}, leaf.Holder{})
}
