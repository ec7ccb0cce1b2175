package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
)

// TestAlikeFlowsKeepTheirIDs plays flows that are alike, in their order and with the ids on tape: the second
// customer's order is the one that the tape has of that customer, and so is what is asked about it.
func TestAlikeFlowsKeepTheirIDs(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 4 {
		customer, order := orderID(2*i), orderID(2*i+1)
		lines = append(lines, `POST /v2/customers {"name":"a"} => {"id":"`+customer+`"}`)
		for range 2 { // an order more, with the same words
			shown := fmt.Sprintf(` => {"id":"%s","customer":"%s"}`, order, customer)
			lines = append(lines, `POST /v2/customers/`+customer+`/orders {"amount":100}`+shown,
				`GET /v2/orders/`+order+shown)
			order = orderID(100 + i)
		}
	}
	xs := tape(lines...)
	foreign(xs)
	o := match.Options{Profiles: profiles(t), RecordedIDs: true}
	d := &deck{t, o, match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))}
	for _, line := range lines {
		request, want, _ := strings.Cut(line, " => ")
		if got := d.hit(request); got != want {
			t.Errorf("%s: %s, want %s", request, got, want)
		}
	}
}
