package match_test

import (
	"fmt"
	"strings"
	"testing"

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
				switch conn := fmt.Sprint("conn", f); done[f] {
				case 0:
					s.keep(id, s.on(conn, registers(fmt.Sprint("B-", f))), `"orderId":"`)
				case 2:
					s.on(conn, pay+"$"+id+"$")
				default:
					own := fmt.Sprintf(`{"mdOrder":"%s","orderStatus":%d}`, s.ids[id], done[f]/3*2)
					if got := s.on(conn, listing); !strings.Contains(got, own) {
						t.Fatalf("recorded %v, played %v: client %d after %d calls: %s", order, played,
							f, done[f], got)
					}
				}
				done[f]++
			}
		}
	})
}

// on sends a request that must be answered, on a connection.
func (s *session) on(conn, line string) string {
	s.t.Helper()
	a, miss := s.over(conn, line)
	if miss != nil {
		s.t.Fatalf("%s\nmissed: %s: %s", line, miss.Reason, miss.Sentence)
	}
	a.Delivered(true)
	return a.Body
}

// over sends a request on a connection.
func (s *session) over(conn, line string) (*match.Answer, *match.Miss) {
	for name, v := range s.ids {
		line = strings.ReplaceAll(line, "$"+name+"$", v)
	}
	method, target, body := requestLine(line)
	r := match.NewRequest(s.opts.Profiles, method, target, nil, body)
	r.Conn = conn
	return s.player.Serve(r)
}

// A list that no state of the client's own orders allows is a miss that says which call it waits
// for, or which came since.
func TestListsAreNotOfAnotherState(t *testing.T) {
	xs := shopOf([]int{0, 1, 1, 1, 1, 0, 0}) // the first client's list has both, its own unpaid
	s := replay(t, xs)
	s.keep("a", s.on("one", registers("B-1")), `"orderId":"`)
	got := s.on("one", listing)
	if strings.Contains(got, oldID) || !strings.Contains(got, s.ids["a"]) {
		t.Errorf("a list without the client's own order, or with a recorded one: %s", got)
	}
	s.on("one", pay+"$a$")
	a, miss := s.over("one", listing)
	if miss == nil && !strings.Contains(a.Body, `{"mdOrder":"`+s.ids["a"]+`","orderStatus":2}`) {
		t.Errorf("an order that is paid is shown as it was before: %s", a.Body)
	}
	s.keep("b", s.on("one", registers("B-2")), `"orderId":"`)
	a, miss = s.over("one", listing)
	for id, state := range map[string]string{"a": "2", "b": "0"} {
		item := `{"mdOrder":"` + s.ids[id] + `","orderStatus":` + state + `}`
		if miss == nil && !strings.Contains(a.Body, item) {
			t.Errorf("a list of a state that the client has left: %s", a.Body)
		}
	}
}

// TestConfigurationInAllInterleavings has two clients make the same calls about one merchant,
// whose ids are the same in every run, in the order of the tape: what one does is there for the other.
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
			if _, miss := s.over(fmt.Sprint("conn", f), calls[played[f]]); miss != nil {
				t.Fatalf("recorded %v: call %d of client %d: %s", order, played[f], f, miss.Sentence)
			}
			played[f]++
		}
	})
}
