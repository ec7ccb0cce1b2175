package match_test

import (
	"strings"
	"testing"
)

// boundOrder is an order of a client who lets the shop keep the card, as far as the status that
// shows the binding.
func boundOrder(number, client, id, card, binding string) []string {
	answer := ` => {"errorCode":"0","orderStatus":2,"bindingInfo":{"clientId":"` + client +
		`","bindingId":"` + binding + `"}}`
	return []string{
		registers(number) + "&clientId=" + client + registered(id),
		strings.Replace(pay, "4000000000050002", card, 1) + id + ` => {"errorCode":0}`,
		status + id + answer,
	}
}

// TestABindingComesAgain pays a client's second order with the card of the first, of which the
// gateway has a binding by then. Every client sees one, and its own.
func TestABindingComesAgain(t *testing.T) {
	const (
		first  = "11111111-2222-7333-8444-5555c0ffee00"
		card   = "4111110000041111"
		live   = "411111" + "1111111111"
		live2  = "555555" + "5555555599"
		live3  = "424242" + "4242424242" // like none on tape
		third  = "0193a1b2-2222-7222-8222-2222c0ffee00"
		second = "99999999-2222-7333-8444-5555c0ffee00"
	)
	xs := tape(append(append(boundOrder("A-1", "client-1", oldID, card, first),
		boundOrder("A-2", "client-1", oldID2, card, first)...),
		boundOrder("A-3", "client-1", third, "5555550000035599", second)...)...)
	s := replay(t, xs)
	seen := map[string]string{}
	for _, client := range []string{"client-8", "client-9"} {
		binding := func(n, card string) string {
			s.keep("id", s.hit(registers(client+n)+"&clientId="+client), `"orderId":"`)
			s.hit(strings.Replace(pay, "4000000000050002", card, 1) + "$id$")
			s.keep("binding", s.hit(status+"$id$"), `"bindingId":"`)
			return s.ids["binding"]
		}
		one, again, other := binding("-1", live), binding("-2", live), binding("-3", live2)
		unlike, otherAgain := binding("-4", live3), binding("-5", live2)
		if one != again || other != otherAgain {
			t.Errorf("%s: the binding of the second order is another", client)
		}
		if one == other || one == unlike || other == unlike ||
			seen[one] != "" || seen[other] != "" || seen[unlike] != "" {
			t.Errorf("%s sees the binding of another card, or client", client)
		}
		seen[one], seen[other], seen[unlike] = client, client, client
	}
}
