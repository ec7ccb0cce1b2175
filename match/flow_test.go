package match_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
)

// TestBindingAcrossOrders pays a second order with the binding of the first: three threads
// of calls become one flow, and two customers at once keep theirs apart.
func TestBindingAcrossOrders(t *testing.T) {
	const (
		bindingID = "0193a1b2-2222-7222-8222-2222c0ffee00"
		with      = "&clientId=%C"
		bindings  = `POST /payment/rest/getBindings.do userName=u&password=p&bindingType=C&clientId=%C`
		payWith   = `POST /payment/rest/paymentOrderBinding.do userName=u&password=p&bindingId=%B&mdOrder=%O`
	)
	client := func(line, c string) string { return strings.ReplaceAll(line, "%C", c) }
	pays := func(b, o string) string {
		return strings.NewReplacer("%B", b, "%O", o).Replace(payWith)
	}
	xs := tape(
		registers("A-1")+client(with, "c1")+registered(oldID),
		pay+oldID+` => {"errorCode":0}`,
		status+oldID+` => {"orderStatus":2,"bindingInfo":{"clientId":"c1","bindingId":"`+bindingID+`"}}`,
		registers("A-2")+client(with, "c1")+registered(oldID2),
		client(bindings, "c1")+` => {"errorCode":"0","bindings":[{"bindingId":"`+bindingID+`"}]}`,
		pays(bindingID, oldID2)+` => {"errorCode":"0","info":"paid"}`,
	)
	s := replay(t, xs)
	clients := []string{"x", "y"}
	for _, c := range clients {
		s.keep("o"+c, s.hit(registers("B-"+c)+client(with, c)), `"orderId":"`)
		s.hit(pay + "$o" + c + "$")
		s.keep("b"+c, s.hit(status+"$o"+c+"$"), `"bindingId":"`)
	}
	for _, c := range clients {
		s.keep("p"+c, s.hit(registers("C-"+c)+client(with, c)), `"orderId":"`)
	}
	for _, c := range clients {
		if got := s.hit(client(bindings, c)); !strings.Contains(got, s.ids["b"+c]) {
			t.Errorf("client %s: got another binding: %s", c, got)
		}
		s.hit(pays("$b"+c+"$", "$p"+c+"$"))
	}
}

func TestShortIdsDoNotTieThreads(t *testing.T) {
	// Two customers whose cards have the same STAN: a number of six digits may come twice.
	register := func(n string) string {
		return `POST /v1/apigate/ws/rest/registerCustomer {"productName":"CRCU1001","parameters":[{"name":"customer_number","value":"` + n + `"}]}`
	}
	credit := func(id string) string {
		return `POST /v1/apigate/ws/rest/creditCard {"cardIdentification":{"cardId":"` + id +
			`"},"amount":1,"currency":978}`
	}
	create := func(account string) string {
		return `POST /v1/apigate/ws/rest/createVirtualCard {"accountNumber":"` + account + `"}`
	}
	answer := func(n, a string) string { return ` => {"customerNumber":"` + n + `","accountNumber":"` + a + `"}` }
	const a1, a2 = "40817978000000000011", "40817978000000000022"
	card := func(id string) string { return ` => {"virtualCardIdentification":{"cardId":"` + id + `"}}` }
	const done = ` => {"responseCode":"00","systemTraceAuditNumber":123456}`
	s := replay(t, tape(
		register("1")+answer("1", a1), create(a1)+card("9000000001"), credit("9000000001")+done,
		register("2")+answer("2", a2), create(a2)+card("9000000002"), credit("9000000002")+done,
	))
	s.keep("a", s.hit(register("7")), `"accountNumber":"`)
	s.keep("c", s.hit(create("$a$")), `"cardId":"`)
	if got := s.hit(credit("$c$")); !strings.Contains(got, `"systemTraceAuditNumber":`) {
		t.Errorf("got %s", got)
	}
	if !strings.HasPrefix(s.ids["a"], "40817978000") || s.ids["a"] == a1 {
		t.Errorf("account %q is not a fresh one of the same bank and currency", s.ids["a"])
	}
}

func TestUnknownOperationReplaysByInference(t *testing.T) {
	s := replay(t, tape(
		`POST /api/sessions {"kind":"x"} => {"session":"sess_8f3a99c01b","n":1}`,
		`GET /api/sessions/sess_8f3a99c01b => {"session":"sess_8f3a99c01b","state":"open"}`,
		`POST /api/sessions/sess_8f3a99c01b/close => {"state":"closed"}`,
		`GET /api/sessions/sess_8f3a99c01b => {"session":"sess_8f3a99c01b","state":"closed"}`,
	))
	s.keep("s", s.hit(`POST /api/sessions {"kind":"x"}`), `"session":"`)
	if s.ids["s"] == "sess_8f3a99c01b" || !strings.HasPrefix(s.ids["s"], "sess_") {
		t.Errorf("session %q is not a fresh one", s.ids["s"])
	}
	if got := s.hit("GET /api/sessions/$s$"); !strings.Contains(got, `"`+s.ids["s"]+`","state":"open"`) {
		t.Errorf("got %s", got)
	}
	s.hit("POST /api/sessions/$s$/close")
	if got := s.hit("GET /api/sessions/$s$"); !strings.Contains(got, "closed") {
		t.Errorf("got %s", got)
	}
}

// TestRefusedLogin plays a tape with a refused login: a tape does not hold the passwords, so only
// who knows the good one can have the refusal again.
func TestRefusedLogin(t *testing.T) {
	refused := strings.Replace(registers("A-0"), "token-1", "token-2", 1)
	xs := append(tape(refused+` => {"errorCode":"5","errorMessage":"Access denied"}`), checkout()...)
	for i, x := range xs {
		x.Meta.Number = i + 1
	}
	login := func(n, password string) string {
		return strings.Replace(registers(n), "REDACTED-token-1", password, 1)
	}
	s := replay(t, xs)
	if got := s.hit(login("B-1", "right")); !strings.Contains(got, "orderId") {
		t.Fatalf("the first credential was refused: %s", got)
	}
	if a, miss := s.serve(login("B-2", "other")); miss != nil || a.Mark == "" {
		t.Errorf("nobody said which credential is good, and the answer does not tell: %+v %v", a, miss)
	}
	s.opts.Credentials = match.Credentials{{Name: "password", Value: "right"}}
	s.player = match.NewPlayer(match.Compile(s.opts, match.Cassette{Name: "tape", Exchanges: xs}))
	if got := s.hit(login("B-3", "wrong")); !strings.Contains(got, "Access denied") {
		t.Errorf("another credential was let in: %s", got)
	}
	if got := s.hit(login("B-4", "right")); !strings.Contains(got, "orderId") {
		t.Errorf("the right credential was refused: %s", got)
	}
}

// TestFlowsComeAgainTogether replays, twice, two customers whose answers differ in a field
// that no profile knows: only the order of opening tells who is who.
func TestFlowsComeAgainTogether(t *testing.T) {
	holder := func(id, level string) string {
		return `POST /v2/cardholders {"firstName":"A"} => {"id":"` + id + `","level":"` + level + `"}`
	}
	s := replay(t, tape(
		holder("payer-00000001", "gold"), holder("payee-00000002", "plain"),
		`GET /v2/cardholders/payer-00000001 => {"id":"payer-00000001"}`,
		`POST /v2/cards {"cardholder":"payer-00000001","also":"payee-00000002"} => {}`,
	))
	for range 3 {
		s.keep("a", s.hit(`POST /v2/cardholders {"firstName":"X"}`), `"id":"`)
		s.keep("b", s.hit(`POST /v2/cardholders {"firstName":"Y"}`), `"id":"`)
		s.hit("GET /v2/cardholders/$a$")
		s.hit(`POST /v2/cards {"cardholder":"$a$","also":"$b$"}`)
	}
}

// TestCassettesTogether plays two tapes that open alike: the test card chooses the outcome,
// whichever tape has it and whatever their order.
func TestCassettesTogether(t *testing.T) {
	pays := func(pan, id string) string {
		return strings.Replace(pay, "4000000000050002", pan, 1) + id
	}
	outcome := func(number, id, pan, info string) []string {
		return []string{
			registers(number) + registered(id),
			pays(pan, id) + ` => {"errorCode":0,"info":"` + info + `"}`,
		}
	}
	good := tape(outcome("A-1", oldID, "4111110000041111", "paid")...)
	bad := tape(outcome("A-2", oldID2, "5555550000035599", "declined")...)
	for i := range bad {
		bad[i].URL = strings.Replace(bad[i].URL, "sandbox.example", "other.example:8443", 1)
		bad[i].Response.Body = strings.Replace(bad[i].Response.Body, "sandbox.example",
			"other.example:8443", 1)
	}
	o := match.Options{Profiles: profiles(t), Seed: 1}
	both := match.Compile(o, match.Cassette{Name: "good", Exchanges: good},
		match.Cassette{Name: "bad", Exchanges: bad})
	s := &session{t: t, player: match.NewPlayer(both), opts: o, ids: map[string]string{}}
	for i, first := range []string{"5", "4", "4", "5"} {
		r := match.NewRequest(o.Profiles, "POST", "/payment/rest/register.do", http.Header{},
			strings.TrimPrefix(registers("B-"+strconv.Itoa(i)), "POST /payment/rest/register.do "))
		r.Deck = "http://127.0.0.1:8080"
		a, miss := s.player.Serve(r)
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		a.Delivered(true)
		s.keep("id", a.Body, `"orderId":"`)
		pan, want := "411111"+"1111111111", "paid"
		if first == "5" {
			pan, want = "555555"+"5555555599", "declined"
		}
		if got := s.hit(pays(pan, "$id$")); !strings.Contains(got, want) {
			t.Errorf("card %s...: got %s, want %s", first, got, want)
		}
	}
}

// TestOrdersOfOneCustomerAlone plays the second of two orders that show one binding without
// the first, and the two in the other order.
func TestOrdersOfOneCustomerAlone(t *testing.T) {
	const bound = `,"bindingInfo":{"bindingId":"0193a1b2-2222-7222-8222-2222c0ffee00"}}`
	order := func(number, amount, id string) []string {
		return []string{
			strings.Replace(registers(number), "amount=100", "clientId=c1&amount="+amount, 1) +
				registered(id),
			pay + id + ` => {"errorCode":0}`,
			status + id + ` => {"errorCode":"0","amount":` + amount + bound,
		}
	}
	xs := tape(append(order("A-1", "100", oldID), order("A-2", "777", oldID2)...)...)
	for _, amounts := range [][]string{{"777"}, {"777", "100"}, {"100", "777"}} {
		s := replay(t, xs)
		for _, amount := range amounts {
			s.keep("id", s.hit(strings.Replace(registers("B-"+amount), "amount=100",
				"clientId=cx&amount="+amount, 1)), `"orderId":"`)
			s.hit(pay + "$id$")
			if got := s.hit(status + "$id$"); !strings.Contains(got, `"amount":`+amount) {
				t.Errorf("%v: got %s", amounts, got)
			}
		}
	}
}

// TestMissByTwoIDs misses with a minted and a unique value of one flow, which once made the
// flow appear twice and once not at all.
func TestMissByTwoIDs(t *testing.T) {
	const account = "40817978000000000011"
	register := func(n string) string {
		return `POST /v1/apigate/ws/rest/registerCustomer {"productName":"CRCU1001","parameters":[{"name":"customer_number","value":"` + n + `"}]}`
	}
	s := replay(t, tape(
		register("100001")+` => {"customerNumber":"100001","accountNumber":"`+account+`"}`,
		`POST /v1/apigate/ws/rest/getCustomerInfo {"customerNumber":"100001","accountNumber":"`+
			account+`"} => {"customerName":"A"}`,
	))
	s.keep("a", s.hit(register("7")), `"accountNumber":"`)
	m := s.miss(`POST /v1/apigate/ws/rest/getCustomerInfo {"customerNumber":"7","accountNumber":"$a$","amount":1}`)
	if m.Reason != match.BadField || !strings.Contains(m.Sentence, "amount is not on tape") {
		t.Errorf("got %s: %s", m.Reason, m.Sentence)
	}
}

// TestConfiguredIDs asks for an order that the tape never saw registered: it matches
// literally, whatever was done before, and state counts for it too.
func TestConfiguredIDs(t *testing.T) {
	const other = "01234567-89ab-7def-8123-456789abcdef"
	refund := `POST /payment/rest/refund.do userName=u&password=p&amount=100&orderId=` + other
	s := replay(t, append(checkout(), tape(
		status+other+` => {"errorCode":"0","orderStatus":2}`, refund+` => {"errorCode":"0"}`,
		status+other+` => {"errorCode":"0","orderStatus":4}`)...))
	if got := s.hit(status + other); !strings.Contains(got, `"orderStatus":2`) {
		t.Errorf("before the refund: %s", got)
	}
	s.hit(registers("B-1"))
	s.hit(refund)
	if got := s.hit(status + other); !strings.Contains(got, `"orderStatus":4`) {
		t.Errorf("after the refund: %s", got)
	}
	if m := s.miss(status + "01234567-89ab-7def-8123-000000000000"); m.Reason != match.UnknownIDs {
		t.Errorf("an id that neither tape nor run knows: %s: %s", m.Reason, m.Sentence)
	}
}

func TestRequestsWithoutValuesKeepTheirOrder(t *testing.T) {
	s := replay(t, tape(
		`GET /api/status => {"status":"pending"}`,
		`POST /api/approve {"yes":true} => {"ok":true}`,
		`GET /api/status => {"status":"approved"}`,
	))
	for range 3 {
		if got := s.hit("GET /api/status"); !strings.Contains(got, "pending") {
			t.Fatalf("before the write: %s", got)
		}
	}
	s.hit(`POST /api/approve {"yes":true}`)
	if got := s.hit("GET /api/status"); !strings.Contains(got, "approved") {
		t.Fatalf("after the write: %s", got)
	}
}
