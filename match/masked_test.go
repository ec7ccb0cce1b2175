package match_test

import (
	"strconv"
	"testing"
)

// Two cards of one issuer may end alike, as one of a hundred does among fourteen.
const (
	maskedCard  = "427600" + "1111111118"
	maskedCard2 = "427600" + "2222221118"
)

const v1 = "POST /v1/apigate/ws/rest/"

func customerWithCard(number, account, card string) []string {
	return []string{
		v1 + `registerCustomer {"productName":"CRCU1001","parameters":[` +
			`{"name":"customer_number","value":"` + number + `"}]} => {"accountNumber":"` + account + `"}`,
		v1 + `createVirtualCard {"accountNumber":"` + account + `"} => ` +
			`{"virtualCardIdentification":{"cardNumber":"` + card + `"}}`,
	}
}

// TestOneMaskOfTwoCards asks by a mask and what else names a customer on a tape on which two
// customers have cards with that mask.
func TestOneMaskOfTwoCards(t *testing.T) {
	lines := append(customerWithCard("30000001", "40817978000000000001", maskedCard),
		customerWithCard("30000002", "40817978000000000002", maskedCard2)...)
	for _, last := range []string{"1", "2"} {
		for _, other := range [][3]string{
			{"cardholderId", "3000000" + last, "77000009"},
			{"accountNumber", "4081797800000000000" + last, "$account$"},
		} {
			ask := func(mask, value string) string {
				return v1 + `cardStatusInquiry {"cardIdentification":{"cardNumberMask":"427600******` +
					mask + `","` + other[0] + `":"` + value + `"}}`
			}
			s := replay(t, tape(append(lines, ask("1118", other[1])+` => {"hotCardStatus":0}`)...))
			card := s.customer("77000009")
			s.hit(ask(card[len(card)-4:], other[2]))
		}
	}
}

// customer registers one with a card, and returns the card's number.
func (s *session) customer(number string) string {
	s.t.Helper()
	s.keep("account", s.hit(v1+`registerCustomer {"productName":"CRCU1001","parameters":[`+
		`{"name":"customer_number","value":"`+number+`"}]}`), `"accountNumber":"`)
	s.keep("card", s.hit(v1+`createVirtualCard {"accountNumber":"$account$"}`), `"cardNumber":"`)
	return s.ids["card"]
}

// TestFreshMasks has many cards made, and none has the mask of another.
func TestFreshMasks(t *testing.T) {
	s := replay(t, tape(customerWithCard("30000001", "40817978000000000001", maskedCard)...))
	seen := map[string]bool{}
	for i := range 400 {
		card := s.customer(strconv.Itoa(77000009 + i))
		if ends := card[len(card)-4:]; seen[ends] {
			t.Fatalf("two cards end with %s", ends)
		} else {
			seen[ends] = true
		}
	}
}
