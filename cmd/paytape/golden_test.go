package main

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/match"
)

// TestTapesOfEarlierVersionsReplay plays testdata/stories.yaml, which the first version
// recorded and which is never written again: a tape in somebody's repository stays good.
func TestTapesOfEarlierVersionsReplay(t *testing.T) {
	t.Parallel()
	k := builtinKnowledge(t)
	warn := func(s string) { t.Errorf("warning: %s", s) }
	tapes, err := loadTapes(shelf{k, filepath.Join("..", "..", "testdata")}, []string{"stories"}, warn)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := listenLocal()
	if err != nil {
		t.Fatal(err)
	}
	// Before 2030, in which the card expires that the stories pay with.
	now := time.Date(2029, 2, 28, 23, 59, 0, 0, time.UTC)
	tape := compile(tapes, match.Options{
		Profiles: k.profiles, Now: func() time.Time { return now },
	})
	d, err := startReplay(t.Context(), ln, replayOptions{knowledge: k, tape: tape})
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	teller := &story.Teller{
		Base: d.url, HTTP: &http.Client{Transport: plainTransport()},
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
