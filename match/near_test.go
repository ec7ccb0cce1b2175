package match_test

import (
	"fmt"
	"strings"
	"testing"
)

const orders = `POST /payment/rest/getLastOrdersForMerchants.do userName=u&password=p&size=9`

// listed is an entry of a list of orders.
func listed(number, id, date string) string {
	return `{"orderNumber":"` + number + `","date":` + date +
		`,"attributes":[{"name":"mdOrder","value":"` + id + `"}]}`
}

// twoOrders are two orders and a list of them.
func twoOrders() []string {
	return []string{
		registers("A-1") + registered(oldID),
		status + oldID + ` => {"orderNumber":"A-1","orderStatus":0,"date":1774953000000}`,
		registers("A-2") + registered(oldID2),
		status + oldID2 + ` => {"orderNumber":"A-2","orderStatus":0,"date":1774953100000}`,
		orders + ` => {"orderStatuses":[` + listed("A-2", oldID2, "1774953100000") + "," +
			listed("A-1", oldID, "1774953000000") + `]}`,
	}
}

// Every client sees its own orders in the list, although the request says nothing of whose it
// wants and an earlier client's orders are of one flow since it saw them listed.
func TestAListIsOfTheClientWhoAsks(t *testing.T) {
	s := replay(t, tape(twoOrders()...))
	for _, client := range []string{"B", "C", "D"} {
		var want []string
		for _, n := range []string{"1", "2"} {
			s.keep("id", s.hit(registers(client+"-"+n)), `"orderId":"`)
			s.keep("date", s.hit(status+"$id$"), `"date":`)
			want = append([]string{listed(client+"-"+n, s.ids["id"], s.ids["date"])}, want...)
		}
		got := s.hit(orders)
		if got != `{"orderStatuses":[`+strings.Join(want, ",")+`]}` {
			t.Errorf("client %s: got %s, want %v", client, got, want)
		}
	}
}

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

// However many orders have the same login, the client whose bindings are asked for is the one
// whose clientId it is.
func TestARareValueSaysMore(t *testing.T) {
	const bindings = `POST /payment/rest/getBindings.do userName=u&password=p&clientId=`
	lines := []string{
		registers("A-1") + "&clientId=a" + registered(oldID),
	}
	for n := range 70 {
		id := fmt.Sprintf("0193a1b2-%04d-7000-8000-0000c0ffee00", n+1)
		lines = append(lines, registers(fmt.Sprint("A-", n+2))+registered(id))
	}
	lines = append(lines, bindings+`a => {"errorCode":"2"}`,
		pay+oldID+` => {"errorCode":0}`, bindings+`a => {"errorCode":"0"}`)
	s := replay(t, tape(lines...))
	s.keep("mine", s.hit(registers("B-1")+"&clientId=b"), `"orderId":"`)
	for n := range 70 {
		s.hit(registers(fmt.Sprint("B-", n+2)))
	}
	if got := s.hit(bindings + "b"); got != `{"errorCode":"2"}` {
		t.Errorf("before the payment: got %s", got)
	}
	s.hit(pay + "$mine$")
	if got := s.hit(bindings + "b"); got != `{"errorCode":"0"}` {
		t.Errorf("after the payment: got %s", got)
	}
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
		shown   = `"cardAuthInfo":{"maskedPan":"400000**0002","expiration":"203012"}`
	)
	for name, expiry := range map[string][2]string{
		"in one field":  {"$EXPIRY=203012", "$EXPIRY=203109"},
		"in two fields": {"YYYY=2030&MM=12", "YYYY=2031&MM=09"},
		"as numbers":    {"YYYY=2030&MM=12", "YYYY=2031&MM=9"},
	} {
		t.Run(name, func(t *testing.T) {
			pays := strings.Replace(pay, "$EXPIRY=203012", expiry[0], 1)
			s := replay(t, tape(
				registers("A-1")+registered(oldID),
				pays+oldID+` => {"errorCode":0}`,
				status+oldID+` => {"orderNumber":"A-1","bindingInfo":{"bindingId":"`+binding+`"}}`,
				registers("A-2")+registered(oldID2),
				byIt+binding+"&mdOrder="+oldID2+` => {"errorCode":0}`,
				status+oldID2+` => {"orderNumber":"A-2",`+shown+`}`,
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
