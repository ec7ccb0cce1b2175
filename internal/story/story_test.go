package story_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/story"
)

func TestStoriesHoldAtTheSandbox(t *testing.T) {
	srv := httptest.NewServer(sandbox.New(sandbox.Options{Seed: 1}))
	defer srv.Close()
	teller := &story.Teller{
		Base: srv.URL, HTTP: srv.Client(), OrderNumber: "A-1", ClientID: "client-1",
		Customer: "100001", Card: "400000" + "1111111118", Payee: "Payee", Today: time.Now(),
	}
	for _, tell := range []func(context.Context) ([]story.Value, error){
		teller.Checkout, teller.CardLife, teller.Transfer, teller.P2P,
	} {
		teller.Customer += "0" // a number can be registered once
		seen, err := tell(t.Context())
		if err != nil {
			t.Error(err)
		}
		for _, v := range seen {
			if v.Text == "" {
				t.Errorf("%s is empty", v.Name)
			}
		}
	}
}
