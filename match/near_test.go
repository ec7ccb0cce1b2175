package match_test

import (
	"fmt"
	"strings"
	"testing"
)

// An id that an answer shows in an address alone is an id all the same, of the noun that a
// request has for it.
func TestAnIDInAnAddress(t *testing.T) {
	const (
		transaction = "1d0b2a57-7ada-43dd-a99c-07fbf1f03974"
		frame       = "GET /payment/3ds/frame?threeDSServerTransID="
	)
	xs := tape(
		registers("A-1")+registered(oldID),
		pay+oldID+` => {"threeDSMethodURLServer":"https://sandbox.example/m?id=`+transaction+`"}`,
		frame+transaction+` => {"threeDSServerTransId":"`+transaction+`"}`,
	)
	s := replay(t, xs)
	for _, number := range []string{"B-1", "B-2"} {
		s.keep("id", s.hit(registers(number)), `"orderId":"`)
		s.keep("transaction", s.hit(pay+"$id$"), "?id=")
		if s.ids["transaction"] == transaction {
			t.Error("the id is not fresh")
		}
		want := `{"threeDSServerTransId":"` + s.ids["transaction"] + `"}`
		if got := s.hit(frame + "$transaction$"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	s.miss(frame + transaction)
}

// What is no card number is answered with what came of one that was none, and a number never
// is, whichever of the orders comes first.
func TestAMistypedCard(t *testing.T) {
	const number = "411111" + "1111111111"
	pays := func(card string) string { return strings.Replace(pay, "4000000000050002", card, 1) }
	xs := tape(
		registers("A-1")+registered(oldID),
		pays("REDACTED-pan-1")+oldID+` => {"errorCode":1}`,
		registers("A-2")+registered(oldID2),
		pays("4000000000050002")+oldID2+` => {"errorCode":0}`,
	)
	for _, cards := range [][]string{{"4111", number}, {number, "4111"}, {number, "4111", number}} {
		s := replay(t, xs)
		for i, card := range cards {
			s.keep("id", s.hit(registers("B-"+string(rune('0'+i)))), `"orderId":"`)
			want := `{"errorCode":0}`
			if card != number {
				want = `{"errorCode":1}`
			}
			if got := s.hit(pays(card) + "$id$"); got != want {
				t.Errorf("payment %d of %d: got %s, want %s", i+1, len(cards), got, want)
			}
		}
	}
}

// A payment with a stored card shows the card and the expiry with which it was stored.
func TestAStoredCardIsShown(t *testing.T) {
	const (
		binding = "0193a1b2-2222-7222-8222-2222c0ffee00"
		byIt    = `POST /payment/rest/paymentOrderBinding.do userName=u&password=p&bindingId=`
		shown   = `"cardAuthInfo":{"maskedPan":"400000**0002","expiration":"%s"}`
	)
	for name, expiry := range map[string][3]string{
		"in one field":  {"$EXPIRY=203012", "$EXPIRY=203109", "203012"},
		"in two fields": {"YYYY=2030&MM=12", "YYYY=2031&MM=09", "203012"},
		"as numbers":    {"YYYY=2030&MM=8", "YYYY=2031&MM=9", "203008"},
	} {
		t.Run(name, func(t *testing.T) {
			pays := strings.Replace(pay, "$EXPIRY=203012", expiry[0], 1)
			s := replay(t, tape(
				registers("A-1")+registered(oldID),
				pays+oldID+` => {"errorCode":0}`,
				status+oldID+` => {"orderNumber":"A-1","bindingInfo":{"bindingId":"`+binding+`"}}`,
				registers("A-2")+registered(oldID2),
				byIt+binding+"&mdOrder="+oldID2+` => {"errorCode":0}`,
				status+oldID2+` => {"orderNumber":"A-2",`+fmt.Sprintf(shown, expiry[2])+`}`,
			))
			s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
			live := strings.Replace(pays, expiry[0], expiry[1], 1)
			s.hit(strings.Replace(live, "4000000000050002", "411111"+"1111111111", 1) + "$id$")
			s.keep("binding", s.hit(status+"$id$"), `"bindingId":"`)
			s.keep("id", s.hit(registers("B-2")), `"orderId":"`)
			s.hit(byIt + "$binding$&mdOrder=$id$")
			want := `"maskedPan":"411111**1111","expiration":"203109"`
			if got := s.hit(status + "$id$"); !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
