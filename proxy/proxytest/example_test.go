package proxytest_test

import (
	"net/url"
	"testing"

	"github.com/paytape/paytape/proxy/proxytest"
)

var t *testing.T // of the test that asks for a deck

func ExampleReplay() {
	deck := proxytest.Replay(t, "checkout", proxytest.Upstream("https://sandbox.example"))
	res, err := deck.Client().PostForm(deck.URL+"/payment/rest/register.do", url.Values{
		"userName": {"shop"}, "password": {"secret"}, "orderNumber": {"B-7"},
		"amount": {"12500"}, "currency": {"978"}, "returnUrl": {"https://shop.example/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
}
