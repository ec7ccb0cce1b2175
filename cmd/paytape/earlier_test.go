package main

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/proxy/deck"
)

// TestTapesOfEarlierVersionsReplay plays testdata/stories.yaml, which the first version
// recorded and which is never written again: a tape in somebody's repository stays good.
func TestTapesOfEarlierVersionsReplay(t *testing.T) {
	t.Parallel()
	// Before 2030, in which the card expires that the stories pay with.
	now := time.Date(2029, 2, 28, 23, 59, 0, 0, time.UTC)
	d, err := deck.Start(t.Context(), deck.Options{
		Dir: filepath.Join("..", "..", "testdata"), Cassettes: []string{"stories"},
		Play: deck.Play{Now: func() time.Time { return now }}, Tell: warned(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	teller := &story.Teller{
		Base: d.URL, HTTP: &http.Client{Transport: plainTransport()},
		OrderNumber: "later", ClientID: "client-later", Customer: "909090",
		Card: "555555" + "5555555599", Payee: "Later", Today: now,
	}
	for _, tell := range []func(context.Context) ([]story.Value, error){
		teller.Checkout, teller.CardLife, teller.Transfer,
	} {
		if _, err := tell(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
