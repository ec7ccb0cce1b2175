package request_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// A request that lies where another lay has nothing of that one.
func TestARequestInThePlaceOfAnother(t *testing.T) {
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	poll := func() *request.Request {
		return request.New(set, "POST", "/payment/rest/getOrderStatus.do", form, "orderId=1&language=en")
	}
	want := poll() // and kept
	keyed := http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {"K1"}}
	for range 100 { // a pool may drop what it is given
		r := request.New(set, "PUT", "/api/orders/7", keyed, `{"a":[1,2,3,4],"back":"http://deck.example/x"}`)
		r.Deck, r.Session, r.Prefix, r.Host, r.Bases = "http://deck.example", "s", "/p", "h", []string{"b"}
		r.Home = func(request.Host) string { return "" }
		r.Choice = &request.Choice{}
		r.AtDeck([]string{r.Deck})
		r.Release()
		got := poll()
		if got.AsSent(&request.Param{Path: "back", Text: "now"}) != "now" {
			t.Fatal("an address of the other request is there")
		}
		if len(got.Params) != len(want.Params) || !reflect.DeepEqual(got.Params, want.Params) {
			t.Fatalf("%d parameters differ from %d", len(got.Params), len(want.Params))
		}
		got.Params, want.Params = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Fatal("it has something of the other request")
		}
		want = poll()
	}
}
