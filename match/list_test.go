package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// listing asks for all orders of a shop, with nothing of one order's own.
const listing = `POST /payment/rest/getLastOrdersForMerchants.do ` +
	`userName=u&password=REDACTED-token-1&size=20`

// shopOf records two clients who each register, list, pay and list again, in an order.
func shopOf(order []int) []*leaf.Exchange {
	ids := []string{oldID, oldID2}
	var lines []string
	done, orders := [2]int{}, []string{}
	for _, f := range order {
		switch done[f] {
		case 0:
			lines = append(lines, registers(fmt.Sprint("A-", f))+registered(ids[f]))
			orders = append(orders, ids[f])
		case 2:
			lines = append(lines, pay+ids[f]+` => {"errorCode":0,"info":"paid"}`)
		default:
			var rows []string
			for _, id := range orders {
				f := strings.Index(oldID+oldID2, id) / len(oldID)
				rows = append(rows, fmt.Sprintf(`{"mdOrder":"%s","orderStatus":%d}`, id, done[f]/3*2))
			}
			lines = append(lines,
				listing+` => {"errorCode":"0","orderStatuses":[`+strings.Join(rows, ",")+`]}`)
		}
		done[f]++
	}
	return tape(lines...)
}

// TestListsInAllInterleavings records two clients of one shop in every order of their requests,
// and replays one alone, both, and one after the other: each finds its own order in the list,
// in the state it is in.
func TestListsInAllInterleavings(t *testing.T) {
	interleavings(4, 4, func(order []int) {
		xs := shopOf(order)
		for _, played := range [][]int{
			{0, 0, 0, 0}, {0, 0, 0, 0, 1, 1, 1, 1}, order, {0, 1, 0, 1, 0, 1, 0, 1},
		} {
			s := replay(t, xs)
			done := [2]int{}
			for _, f := range played {
				id := fmt.Sprint("id", f)
				switch done[f] {
				case 0:
					s.keep(id, s.hit(registers(fmt.Sprint("B-", f))), `"orderId":"`)
				case 2:
					s.hit(pay + "$" + id + "$")
				default:
					own := fmt.Sprintf(`{"mdOrder":"%s","orderStatus":%d}`, s.ids[id], done[f]/3*2)
					if got := s.hit(listing); !strings.Contains(got, own) {
						t.Fatalf("recorded %v, played %v: client %d after %d calls: %s", order, played,
							f, done[f], got)
					}
				}
				done[f]++
			}
		}
	})
}

// A list that no state of the client's own orders allows is a miss that says which call it waits
// for, or which came since.
func TestListsAreNotOfAnotherState(t *testing.T) {
	xs := shopOf([]int{0, 1, 1, 1, 1, 0, 0}) // the first client's list has both, its own unpaid
	s := replay(t, xs)
	s.keep("a", s.hit(registers("B-1")), `"orderId":"`)
	got := s.hit(listing)
	if strings.Contains(got, oldID) || !strings.Contains(got, s.ids["a"]) {
		t.Errorf("a list without the client's own order, or with a recorded one: %s", got)
	}
	s.hit(pay + "$a$")
	a, miss := s.serve(listing)
	if miss == nil && !strings.Contains(a.Body, `{"mdOrder":"`+s.ids["a"]+`","orderStatus":2}`) {
		t.Errorf("an order that is paid is shown as it was before: %s", a.Body)
	}
	s.keep("b", s.hit(registers("B-2")), `"orderId":"`)
	a, miss = s.serve(listing)
	for id, state := range map[string]string{"a": "2", "b": "0"} {
		item := `{"mdOrder":"` + s.ids[id] + `","orderStatus":` + state + `}`
		if miss == nil && !strings.Contains(a.Body, item) {
			t.Errorf("a list of a state that the client has left: %s", a.Body)
		}
	}
}

// TestConfigurationInAllInterleavings has two clients make the same calls about one merchant,
// whose ids are the same in every run, in the order of the tape: what one does is there for the
// other.
func TestConfigurationInAllInterleavings(t *testing.T) {
	const (
		merchant = `{"merchantNumber":"M0000001","institutionId":"1001"`
		terminal = merchant + `,"terminalNumber":"T1"`
	)
	calls := []string{
		`POST /v1/apigate/ws/rest/changeMerchantStatus ` + merchant + `,"status":"ACTIVE"}`,
		`POST /v1/apigate/ws/rest/changeTerminalStatus ` + terminal + `,"status":"ACTIVE"}`,
		`POST /v1/apigate/ws/rest/changeTerminalStatus ` + terminal + `,"status":"BLOCKED"}`,
		`POST /v1/apigate/ws/rest/changeMerchantStatus ` + merchant + `,"status":"BLOCKED"}`,
	}
	interleavings(4, 4, func(order []int) {
		var lines []string
		done := [2]int{}
		for _, f := range order {
			lines = append(lines, calls[done[f]]+` => {"responseCode":"00"}`)
			done[f]++
		}
		xs := tape(lines...)
		s, played := replay(t, xs), [2]int{}
		for _, f := range order {
			if _, miss := s.serve(calls[played[f]]); miss != nil {
				t.Fatalf("recorded %v: call %d of client %d: %s", order, played[f], f, miss.Sentence)
			}
			played[f]++
		}
	})
}

// TestListsOfTheOneThatIsFollowed lists the one card of each of several customers. What each list says of its card
// alone is of the card of the customer who asks, with the ids on tape and with fresh ones.
func TestListsOfTheOneThatIsFollowed(t *testing.T) {
	t.Parallel()
	const flows = 6
	var lines []string
	for i := range flows {
		customer, card := orderID(2*i), orderID(2*i+1)
		lines = append(lines,
			fmt.Sprintf(`POST /api/customers {"email":"c%d@example.org"} => {"id":"%s"}`, i, customer),
			fmt.Sprintf(`POST /api/customers/%s/cards {"kind":"v"} => {"card":{"id":"%s","last4":"%04d"}}`, customer, card, i),
			fmt.Sprintf(`GET /api/customers/%s/cards => {"cards":[{"id":"%s","last4":"%04d"}]}`, customer, card, i))
	}
	xs := tape(lines...)
	foreign(xs)
	for _, recorded := range []bool{false, true} {
		o := match.Options{Profiles: profiles(t), RecordedIDs: recorded}
		d := &deck{t, o, match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))}
		for i := range flows {
			customer := gjson.Get(d.hit(fmt.Sprintf(`POST /api/customers {"email":"c%d@example.org"}`, i)), "id").Str
			born := gjson.Get(d.hit("POST /api/customers/"+customer+`/cards {"kind":"v"}`), "card.last4").Str
			listed := gjson.Get(d.hit("GET /api/customers/"+customer+"/cards"), "cards.0.last4").Str
			if born != fmt.Sprintf("%04d", i) || listed != born {
				t.Errorf("recorded ids %v: the card of customer %d is born with %q and listed with %q", recorded, i, born, listed)
			}
		}
	}
}
