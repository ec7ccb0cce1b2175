package match_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/match"
)

// Calls of form are written with the shop's login.
const shop = "userName=u&password=p"

// TestAskedAlone records calls that have nothing to do with each other, and makes one of them
// alone: what only stood beside it on tape is not waited for.
func TestAskedAlone(t *testing.T) {
	const (
		bindings = "POST /payment/rest/getBindings.do " + shop + "&clientId="
		nobody   = "?orderId=00000000-0000-7000-8000-000000000000&" + shop
		card     = "/v2/cards/c-0001-0002"
	)
	for name, c := range map[string]struct {
		lines []string
		ask   string
	}{
		"bindings of a client whom no order names": {[]string{
			registers("A-1") + registered(oldID),
			bindings + `client-1 => {"errorCode":"2"}`,
		}, bindings + "client-9"},
		"the second question about an order that does not exist": {[]string{
			"GET /payment/rest/getOrderStatusExtended.do" + nobody + ` => {"errorCode":"6"}`,
			"GET /payment/rest/getOrderStatus.do" + nobody + ` => {"errorCode":"6"}`,
		}, "GET /payment/rest/getOrderStatus.do" + nobody},
		"keys, without a write to another API": {[]string{
			`POST /v1/apigate/ws/rest/changeMerchantStatus {"status":"ACTIVE"} => {"responseCode":"00"}`,
			`GET /payment/se/keys.do => {"keys":[]}`,
		}, "GET /payment/se/keys.do"},
		"a write to a card of the tests, without a look at it": {[]string{
			"GET " + card + ` => {"id":"c-0001-0002"}`,
			"PATCH " + card + ` {"status":"blocked"} => {"id":"c-0001-0002"}`,
		}, "PATCH " + card + ` {"status":"blocked"}`},
	} {
		t.Run(name, func(t *testing.T) { replay(t, tape(c.lines...)).hit(c.ask) })
	}
}

// TestOutlived reads what a client has changed, in a way in which it was asked on tape before
// the change alone: nobody knows what is seen now.
func TestOutlived(t *testing.T) {
	const card = "/v2/cards/c-0001-0002"
	s := replay(t, tape(
		"GET "+card+` => {"id":"c-0001-0002","status":"active"}`,
		"PATCH "+card+` {"status":"blocked"} => {"id":"c-0001-0002"}`,
	))
	look, block := "GET "+card, "PATCH "+card+` {"status":"blocked"}`
	for _, line := range []string{look, look, block} {
		s.hit(line)
	}
	if m := s.miss(look); m.Reason != match.BadState {
		t.Errorf("a client that blocked a card sees it: %s: %s", m.Reason, m.Sentence)
	}
}

// Recordings that stand for those of another state have turns of their own: what was answered before
// the state changed does not count.
func TestTurnsInAnotherState(t *testing.T) {
	t.Parallel()
	s := replay(t, tape(
		`POST /v1/things {"name":"a"} => {"id":"0193a1b2-0000-7000-8000-0000c0ffee01","name":"a"}`,
		`POST /v1/things {"name":"a"} => {"id":"0193a1b2-0000-7000-8000-0000c0ffee02","name":"a"}`,
		`POST /v1/switch {"to":"b"} => {"ok":true}`,
	))
	var got []string
	for _, line := range []string{`POST /v1/things {"name":"a"}`, `POST /v1/switch {"to":"b"}`,
		`POST /v1/things {"name":"a"}`, `POST /v1/things {"name":"a"}`} {
		a, miss := s.serve(line)
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		a.Delivered(true)
		got = append(got, fmt.Sprintf("#%d %s", a.Number, a.Mark))
	}
	want := []string{"#1 ", "#3 ", "#1 assumed=family", "#2 assumed=family"}
	if !slices.Equal(got, want) {
		t.Errorf("answers %q, want %q", got, want)
	}
}

// A tape that says it was recorded in another millennium tells no time: its dates stay as they are.
func TestTapeOfAnotherMillennium(t *testing.T) {
	t.Parallel()
	xs := tape(`POST /v1/things {"name":"a"} => {"id":"0193a1b2-0000-7000-8000-0000c0ffee01","at":"9999-03-01T10:00:00Z"}`)
	xs[0].Meta.At = time.Date(9999, time.March, 1, 10, 0, 0, 0, time.UTC)
	if got := replay(t, xs).hit(`POST /v1/things {"name":"a"}`); !strings.Contains(got, `"9999-03-01T10:00:00Z"`) {
		t.Errorf("got %s", got)
	}
}
