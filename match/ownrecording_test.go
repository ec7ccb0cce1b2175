package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
)

// TestAlikeFlowsKeepTheirIDs plays flows that are alike, in their order and with the ids on tape: the second
// order is the one that the tape has of the second flow, and so is what is asked about it.
func TestAlikeFlowsKeepTheirIDs(t *testing.T) {
	t.Parallel()
	var customers, client []string
	for i := range 4 {
		customer, order := orderID(2*i), orderID(2*i+1)
		customers = append(customers, `POST /v2/customers {"name":"a"} => {"id":"`+customer+`"}`)
		for range 2 { // an order more, with the same words
			shown := fmt.Sprintf(` => {"id":"%s","customer":"%s"}`, order, customer)
			customers = append(customers, `POST /v2/customers/`+customer+`/orders {"amount":100}`+shown,
				`GET /v2/orders/`+order+shown)
			order = orderID(100 + i)
		}
		client = append(client, clientFlow(i)...)
	}
	for _, test := range []struct {
		name    string
		lines   []string
		foreign bool
	}{
		{"customers with two orders", customers, true},
		{"a client whom the first order names first", client, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			xs := tape(test.lines...)
			if test.foreign {
				foreign(xs)
			}
			o := match.Options{Profiles: profiles(t), RecordedIDs: true}
			d := &deck{t, o, match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))}
			for i, line := range test.lines {
				request, _, _ := strings.Cut(line, " => ")
				if got, want := d.hit(request), xs[i].Response.Body; got != want {
					t.Errorf("%s: %s, want %s", request, got, want)
				}
			}
		})
	}
}
