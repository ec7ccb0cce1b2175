package match_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
)

// anID is what orderID makes, and what is made like it.
var anID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// playsAsRecorded plays a tape of an API that no profile knows in its own order, by a client that has its ids from
// answers, and wants each answer as recorded and without a mark.
func playsAsRecorded(t *testing.T, recordedIDs bool, lines []string) {
	t.Helper()
	xs := tape(lines...)
	foreign(xs)
	for _, x := range xs {
		if strings.HasPrefix(x.Response.Body, `{"error"`) {
			x.Code = http.StatusNotFound
		}
	}
	o := match.Options{Profiles: profiles(t), RecordedIDs: recordedIDs}
	p := match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))
	live, onTape := map[string]string{}, map[string]string{}
	in := func(ids map[string]string, text string) string {
		return anID.ReplaceAllStringFunc(text, func(id string) string {
			if other, known := ids[id]; known {
				return other
			}
			return id
		})
	}
	for i, line := range lines {
		request, want, _ := strings.Cut(line, " => ")
		method, target, body := requestLine(in(live, request))
		a, miss := p.Serve(match.NewRequest(o.Profiles, method, target, nil, body))
		if miss != nil {
			t.Errorf("%d: %s is a miss: %s", i, request, miss.Sentence)
			return
		}
		a.Delivered(true)
		made, recorded := anID.FindAllString(a.Body, -1), anID.FindAllString(want, -1)
		for n := range min(len(made), len(recorded)) {
			live[recorded[n]], onTape[made[n]] = made[n], recorded[n]
		}
		if got := in(onTape, a.Body); got != want || a.Mark != "" {
			t.Errorf("%d: %s: %s %s, want %s", i, request, got, a.Mark, want)
		}
	}
}

// TestInferredLists plays lists of APIs that no profile knows: that have nothing before the first and behind the
// last, of what is no part of the thing that is asked about, and answers that say more than what they list.
func TestInferredLists(t *testing.T) {
	t.Parallel()
	id := orderID
	item := func(i int) string { return fmt.Sprintf(`{"id":"%s","name":"%c"}`, id(i), 'a'+i) }
	makes := func(i int) string { return fmt.Sprintf(`POST /api/items {"name":"%c"} => %s`, 'a'+i, item(i)) }
	list := func(items ...string) string { return `GET /api/items => {"data":[` + strings.Join(items, ",") + `]}` }
	var orders, refunds []string
	for i := range 3 {
		o, r := id(10*i+50), id(10*i+51)
		asked := func(state, refunds string) string {
			return `GET /api/orders/` + o + ` => {"id":"` + o + `","state":"` + state + `","refunds":[` + refunds + `]}`
		}
		_, born, _ := strings.Cut(asked("new", ""), " => ")
		orders = append(orders, `POST /api/orders {"a":100} => `+born, asked("new", ""),
			`POST /api/orders/`+o+`/pay {"c":1} => {"ok":true}`, asked("pending", ""), asked("pending", ""), asked("paid", ""),
			asked("paid", ""), `POST /api/orders/`+o+`/refunds {"a":5} => {"refund":"`+r+`"}`, asked("paid", `{"refund":"`+r+`"}`))
		second := id(10*i + 52)
		refunds = append(refunds, `POST /api/orders {"n":"a"} => {"id":"`+o+`"}`,
			`POST /api/orders/`+o+`/refunds {"a":1} => {"refund":"`+r+`"}`,
			`POST /api/orders/`+o+`/refunds {"a":2} => {"refund":"`+second+`"}`,
			`GET /api/orders/`+o+`/refunds => [{"refund":"`+r+`"},{"refund":"`+second+`"}]`)
	}
	entry := func(i, amount int) string { return fmt.Sprintf(`{"id":"%s","amount":%d}`, id(i), amount) }
	transfer := func(i, from, to int) string {
		return fmt.Sprintf(`POST /api/transfers {"from":"%s","to":"%s","amount":7} => {"id":"%s"}`, id(from), id(to), id(i))
	}
	statement := func(of int, entries ...string) string {
		return `GET /api/accounts/` + id(of) + `/statement => {"entries":[` + strings.Join(entries, ",") + `]}`
	}
	group := func(members string) string {
		return `GET /api/groups/` + id(3) + ` => {"id":"` + id(3) + `","members":[` + members + `]}`
	}
	member := func(i int) string { return `{"id":"` + id(i) + `"}` }
	for name, lines := range map[string][]string{
		"none left":  {makes(1), list(item(1)), `DELETE /api/items/` + id(1) + ` => {"ok":true}`, list()},
		"none yet":   {list(), makes(1), makes(2), list(item(1), item(2)), `GET /api/items/` + id(1) + ` => ` + item(1)},
		"bare array": {`POST /api/notes {"n":1} => ` + item(1), `GET /api/notes => [` + item(1) + `]`, `DELETE /api/notes/` + id(1) + ` => {"ok":true}`, `GET /api/notes => []`},
		"gone": {`POST /api/orders {"a":100} => {"id":"` + id(1) + `","refunds":[]}`,
			`GET /api/orders/` + id(1) + ` => {"id":"` + id(1) + `","refunds":[]}`,
			`POST /api/orders/` + id(1) + `/refunds {"a":5} => {"refund":"` + id(2) + `"}`,
			`GET /api/orders/` + id(1) + ` => {"id":"` + id(1) + `","refunds":[{"refund":"` + id(2) + `"}]}`,
			`DELETE /api/orders/` + id(1) + ` => {"ok":true}`, `GET /api/orders/` + id(1) + ` => {"error":"no such order"}`},
		"payments by the cards of a customer": {`POST /api/customers {"n":"a"} => {"id":"` + id(1) + `"}`,
			`POST /api/customers/` + id(1) + `/cards {"k":1} => {"card":"` + id(2) + `"}`,
			`POST /api/payments {"card":"` + id(2) + `"} => {"payment":"` + id(3) + `","card":"` + id(2) + `"}`,
			`GET /api/payments/` + id(3) + ` => {"payment":"` + id(3) + `","card":"` + id(2) + `"}`,
			`GET /api/customers/` + id(1) + `/payments => {"payments":[{"payment":"` + id(3) + `"}]}`},
		"found by reference": {`GET /api/items?ref=r1 => {"data":[]}`,
			`POST /api/items {"ref":"r1"} => {"id":"` + id(1) + `","ref":"r1"}`,
			`GET /api/items?ref=r1 => {"data":[{"id":"` + id(1) + `","ref":"r1"}]}`},
		"an order and its refunds": orders,
		"refunds of two orders":    refunds,
		"statements of two accounts": {`POST /api/accounts {"o":"a"} => {"id":"` + id(1) + `"}`,
			`POST /api/accounts {"o":"b"} => {"id":"` + id(2) + `"}`, transfer(3, 1, 2), transfer(4, 2, 1),
			statement(1, entry(3, -7), entry(4, 7)), statement(2, entry(3, 7), entry(4, -7))},
		"members of a group": {`POST /api/customers {"n":"a"} => {"id":"` + id(1) + `"}`,
			`POST /api/customers {"n":"b"} => {"id":"` + id(2) + `"}`, `POST /api/groups {"n":"g"} => {"id":"` + id(3) + `","members":[]}`,
			`PUT /api/groups/` + id(3) + `/members/` + id(1) + ` => {"ok":true}`,
			`PUT /api/groups/` + id(3) + `/members/` + id(2) + ` => {"ok":true}`, group(member(1) + "," + member(2)),
			`DELETE /api/groups/` + id(3) + `/members/` + id(1) + ` => {"ok":true}`, group(member(2))},
	} {
		for _, recordedIDs := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, recorded ids %v", name, recordedIDs), func(t *testing.T) {
				t.Parallel()
				playsAsRecorded(t, recordedIDs, lines)
			})
		}
	}
}

// TestAnEmptyListIsOfItsState asks for an order with its refunds in a state in which nobody has asked on tape: that
// it has no refunds does not say that it is as it was when it had none.
func TestAnEmptyListIsOfItsState(t *testing.T) {
	t.Parallel()
	asked := func(i int, state, refunds string) string {
		return ` => {"id":"` + orderID(i) + `","state":"` + state + `","refunds":[` + refunds + `]}`
	}
	xs := tape(`POST /api/orders {"a":100}`+asked(1, "new", ""), `GET /api/orders/`+orderID(1)+asked(1, "new", ""),
		`POST /api/orders/`+orderID(1)+`/pay {"c":1} => {"ok":true}`,
		`POST /api/orders/`+orderID(1)+`/refunds {"a":5} => {"refund":"`+orderID(2)+`"}`,
		`GET /api/orders/`+orderID(1)+asked(1, "paid", `{"refund":"`+orderID(2)+`"}`))
	foreign(xs)
	o := match.Options{Profiles: profiles(t), RecordedIDs: true}
	d := &deck{t, o, match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))}
	d.hit(`POST /api/orders {"a":100}`)
	d.hit(`POST /api/orders/` + orderID(1) + `/pay {"c":1}`)
	d.miss(`GET /api/orders/` + orderID(1))
}

// TestAStatementIsOfItsAccount has two transfers between four accounts on tape, and the statement of the first. That of
// the third has what took part in a write with the third: the second transfer.
func TestAStatementIsOfItsAccount(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 4 {
		lines = append(lines, `POST /api/accounts {"o":"a"} => {"id":"`+orderID(i)+`"}`)
	}
	for i := range 2 {
		lines = append(lines, fmt.Sprintf(`POST /api/transfers {"from":"%s","to":"%s","amount":7} => {"id":"%s"}`,
			orderID(2*i), orderID(2*i+1), orderID(4+i)))
	}
	statement := func(of int) string { return `GET /api/accounts/` + orderID(of) + `/statement` }
	lines = append(lines, statement(0)+` => {"entries":[{"id":"`+orderID(4)+`"}]}`)
	xs := tape(lines...)
	foreign(xs)
	o := match.Options{Profiles: profiles(t), RecordedIDs: true}
	d := &deck{t, o, match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))}
	for _, line := range lines {
		request, _, _ := strings.Cut(line, " => ")
		d.hit(request)
	}
	for of, transfer := range map[int]int{2: 5, 0: 4} {
		method, target, body := requestLine(statement(of))
		a, miss := d.player.Serve(match.NewRequest(o.Profiles, method, target, nil, body))
		if miss != nil || a.Mark != "" || !strings.Contains(a.Body, orderID(transfer)) {
			t.Errorf("the statement of account %d is %+v, %+v", of, a, miss)
		}
	}
}

// TestAMemberThatChangesIsNoChangeByItself has a group whose member is blocked between two looks at it. Who looks twice
// and blocks nobody does not find the group changed.
func TestAMemberThatChangesIsNoChangeByItself(t *testing.T) {
	t.Parallel()
	customer, group := orderID(1), orderID(2)
	get := `GET /api/groups/` + group
	shown := func(status string) string {
		return ` => {"id":"` + group + `","members":[{"id":"` + customer + `","status":"` + status + `"}]}`
	}
	lines := []string{
		`POST /api/customers {"n":"a"} => {"id":"` + customer + `"}`, `POST /api/groups {"n":"g"} => {"id":"` + group + `"}`,
		`PUT /api/groups/` + group + `/members/` + customer + ` => {"ok":true}`, get + shown("ok"),
		`POST /api/customers/` + customer + `/block {"b":1} => {"ok":true}`, get + shown("blocked"),
		get + `/summary => {"blocked":1}`,
	}
	xs := tape(lines...)
	foreign(xs)
	o := match.Options{Profiles: profiles(t), RecordedIDs: true}
	d := &deck{t, o, match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))}
	_, want, _ := strings.Cut(shown("ok"), " => ")
	for _, line := range lines[:3] {
		request, _, _ := strings.Cut(line, " => ")
		d.hit(request)
	}
	for range 3 {
		if got := d.hit(get); got != want {
			t.Errorf("nobody was blocked: %s", got)
		}
	}
}

// TestAListOfWhatWasAttached attaches a card to a customer by a call of its own. What another client attaches to a
// customer of its own is in no list of the first.
func TestAListOfWhatWasAttached(t *testing.T) {
	t.Parallel()
	const customer, card = "cus_8hs72hgs82kq01", "pm_7ah29skw83lp44"
	s := replay(t, told(
		`POST /api/customers {"name":"a"} => {"id":"`+customer+`"}`,
		`POST /api/methods {"type":"card"} => {"id":"`+card+`"}`,
		`POST /api/methods/`+card+`/attach {"customer":"`+customer+`"} => {"id":"`+card+`","customer":"`+customer+`"}`,
		`GET /api/customers/`+customer+`/methods => {"data":[{"id":"`+card+`","customer":"`+customer+`"}]}`,
	))
	for n := range 3 {
		s.keep("customer", s.hit(`POST /api/customers {"name":"a"}`), `"id":"`)
		s.keep("card", s.hit(`POST /api/methods {"type":"card"}`), `"id":"`)
		s.hit(`POST /api/methods/$card$/attach {"customer":"$customer$"}`)
		a, miss := s.serve(`GET /api/customers/$customer$/methods`)
		if miss != nil || a.Mark != "" {
			t.Fatalf("client %d: %+v %+v", n, a, miss)
		}
		want := `{"data":[{"id":"` + s.ids["card"] + `","customer":"` + s.ids["customer"] + `"}]}`
		if a.Body != want {
			t.Errorf("client %d: got %s, want %s", n, a.Body, want)
		}
	}
}
