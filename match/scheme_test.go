package match_test

import (
	"strings"
	"testing"
)

// TestNetworkFollowsTheCard pays by a card of another network than the recorded card: the name of
// the network follows the mask beside it, as far as the mask tells the network.
func TestNetworkFollowsTheCard(t *testing.T) {
	const order = `{"orderStatus":2,"cardAuthInfo":{"paymentSystem":"VISA","pan":"400000**0002",` +
		`"product":"VISA TEST"}}`
	tests := []struct{ name, card, want string }{
		{"Visa", "411111" + "1111111111", `"paymentSystem":"VISA","pan":"411111**1111"`},
		{"Mastercard", "555555" + "5555554444", `"paymentSystem":"MASTERCARD","pan":"555555**4444"`},
		{"Mastercard, second range", "222300" + "3122003222",
			`"paymentSystem":"MASTERCARD","pan":"222300**3222"`},
		{"Mir", "220000" + "0000000004", `"paymentSystem":"MIR","pan":"220000**0004"`},
		{"a network with many names", "677777" + "0000000006", `"paymentSystem":"VISA"`},
	}
	for _, tt := range tests {
		s := replay(t, tape(
			registers("A-1")+` => {"orderId":"`+oldID+`"}`,
			pay+oldID+` => {"errorCode":0}`,
			status+oldID+` => `+order,
		))
		s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
		s.hit(strings.Replace(pay, "4000000000050002", tt.card, 1) + "$id$")
		if got := s.hit(status + "$id$"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s", tt.name, got)
		}
	}
}
