package stable_test

import (
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/stable"
)

// began is when the recordings of this file began.
var began = time.Date(2026, 11, 23, 14, 53, 28, 102e6, time.UTC)

// form is a call of the gateway by a form, with its answer.
func form(number int, at time.Duration, operation, body, answer string) *leaf.Exchange {
	return &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{
				Method: http.MethodPost, URL: "http://127.0.0.1:42137/payment/rest/" + operation, Body: body,
				Headers: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
			},
			Response: cassette.Response{
				Code: http.StatusOK, Body: answer, Duration: 3 * time.Millisecond,
				Headers: http.Header{"Content-Type": {"application/json"}},
			},
		},
		Meta: leaf.Meta{Number: number, At: began.Add(at)},
	}
}

func builtin(t testing.TB) *profile.Set {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const first, second = "0190aa00-1111-7222-8333-444400c4a1e5", "0190bb00-1111-7222-8333-444400c4a1e5"

// TestFlowsOfParallelClients takes two checkouts apart that were recorded one inside the other.
func TestFlowsOfParallelClients(t *testing.T) {
	order := func(id string) string { return `{"orderId":"` + id + `"}` }
	status := func(ms string) string {
		return `{"errorCode":"0","orderStatus":0,"amount":100,"date":` + ms + `}`
	}
	recorded := []*leaf.Exchange{
		form(1, 0, "register.do", "orderNumber=A-1&amount=100", order(first)),
		form(2, 40e6, "register.do", "orderNumber=B-1&amount=100", order(second)),
		form(3, 80e6, "getOrderStatusExtended.do", "orderId="+second, status("1795445608142")),
		form(4, 90e6, "getOrderStatusExtended.do", "orderId="+first, status("1795445608102")),
	}
	made := stable.Of(builtin(t), recorded)
	if made.Kept != "" {
		t.Fatal(made.Kept)
	}
	var times []string
	for i, x := range made.Exchanges {
		if x.Meta.Number != i+1 || x.Duration != 0 {
			t.Errorf("exchange %d has number %d and took %v", i+1, x.Meta.Number, x.Duration)
		}
		times = append(times, x.Meta.At.Format(time.TimeOnly))
	}
	if want := []string{"12:00:00", "12:00:02", "12:00:00", "12:00:02"}; !reflect.DeepEqual(times, want) {
		t.Errorf("the clocks show %v, want %v", times, want)
	}
	if got := made.Exchanges[1].Response.Body; got != status("1579089600250") {
		t.Errorf("the second call of the first flow says %s", got)
	}
	if got := made.Exchanges[2].Request.Body; got != recorded[1].Request.Body {
		t.Errorf("the second flow begins with %s", got)
	}
	if recorded[3].Request.Body != "orderId="+first {
		t.Error("the recording was changed")
	}
	again := stable.Of(builtin(t), made.Exchanges)
	if !reflect.DeepEqual(again.Exchanges, made.Exchanges) {
		t.Error("a stable tape was made another")
	}
}

// FuzzOf makes any exchanges stable: as many come back, with the same numbers, and to do so again changes
// nothing.
func FuzzOf(f *testing.F) {
	f.Add("register.do", "orderNumber=A-1", `{"orderId":"`+first+`"}`, "orderId="+first)
	f.Add("x", "{\"id\":12345}", `{"id":"a1b2c3d4e5f6a7b8","at":"2026-11-23T14:53:28Z"}`, "<a>1</a>")
	f.Add("%zz", "a=%", "[[[", "\x00")
	set := builtin(f)
	f.Fuzz(func(t *testing.T, operation, body, answer, next string) {
		recorded := []*leaf.Exchange{
			form(1, 0, operation, body, answer), form(2, 50e6, "getOrderStatus.do", next, answer),
			form(3, 90e6, operation, next, body),
		}
		made := stable.Of(set, recorded)
		if len(made.Exchanges) != len(recorded) {
			t.Fatalf("%d exchanges of %d", len(made.Exchanges), len(recorded))
		}
		for i, x := range made.Exchanges {
			if x.Meta.Number != i+1 {
				t.Fatalf("exchange %d has number %d", i+1, x.Meta.Number)
			}
		}
		if again := stable.Of(set, made.Exchanges); !reflect.DeepEqual(again.Exchanges, made.Exchanges) {
			t.Error("a stable tape was made another")
		}
	})
}
