package story_test

import (
	"context"
	"net/http"
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

// TestCheckoutWaitsForItsCallback has the sandbox sign with the shop's key, and with another.
func TestCheckoutWaitsForItsCallback(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, key string
		wantErr   bool
	}{{"its key", "k-1", false}, {"another key", "k-2", true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			box := sandbox.New(sandbox.Options{Seed: 1, Callbacks: sandbox.Callbacks{Key: "k-1"}})
			defer box.Close()
			srv := httptest.NewServer(box)
			defer srv.Close()
			shop := &story.Shop{Key: test.key}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			refused := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				shop.ServeHTTP(w, r)
				if test.wantErr {
					cancel() // the shop has said no, and nothing else will come
				}
			})
			server := httptest.NewServer(refused)
			defer server.Close()
			shop.URL = server.URL + "/paid?shop=7"
			teller := &story.Teller{
				Base: srv.URL, HTTP: srv.Client(), OrderNumber: "A-1", ClientID: "client-1",
				Card: "400000" + "1111111118", Callbacks: shop,
			}
			_, err := teller.Checkout(ctx)
			if (err != nil) != test.wantErr {
				t.Error(err)
			}
		})
	}
}
