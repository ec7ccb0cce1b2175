package match_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	req "github.com/paytape/paytape/match/request"
)

// Cards of three orders on tape: paid, declined, and declined behind a while.
const (
	paidCard, declinedCard, lateCard = "4111110000041111", "5555550000035599", "4000000000050002"
	livePaidCard                     = "411111" + "1111111111"
	oldID3                           = "0193a1b2-2222-7222-8222-2222c0ffee00"
)

func paysWith(pan, id string) string { return strings.Replace(pay, lateCard, pan, 1) + id }

func refundsOf(id string) string {
	return `POST /payment/rest/refund.do userName=u&password=REDACTED-token-1&amount=100&orderId=` + id
}

func statusOf(order, action string) string {
	return ` => {"errorCode":"0","orderStatus":` + order + `,"actionCode":` + action + `}`
}

// fates are three orders that open alike.
func fates() []*leaf.Exchange {
	return tape(
		registers("A-1")+registered(oldID), // 1
		status+oldID+statusOf("0", "-100"),
		paysWith(paidCard, oldID)+` => {"errorCode":0,"info":"paid"}`,
		status+oldID+statusOf("2", "0"),
		refundsOf(oldID)+` => {"errorCode":"0"}`, // 5
		status+oldID+statusOf("4", "0"),
		registers("A-2")+registered(oldID2),
		paysWith(declinedCard, oldID2)+` => {"errorCode":0,"info":"declined"}`, // 8
		status+oldID2+statusOf("6", "116"),
		refundsOf(oldID2)+` => {"errorCode":"7"}`, // 10
		registers("A-3")+registered(oldID3),
		paysWith(lateCard, oldID3)+` => {"errorCode":0,"info":"wait"}`, // 12
		status+oldID3+statusOf("5", "-100"),
		status+oldID3+statusOf("6", "208"),
	)
}

// choosing serves a request line with a choice.
func (s *session) choosing(line string, c *req.Choice) (*match.Answer, *match.Miss) {
	s.t.Helper()
	for name, v := range s.ids {
		line = strings.ReplaceAll(line, "$"+name+"$", v)
	}
	method, target, body := requestLine(line)
	r := match.NewRequest(s.opts.Profiles, method, target, http.Header{}, body)
	r.Choice = c
	return s.player.Serve(r)
}

func numbered(cassette string, n int) *req.Choice {
	return &req.Choice{Takes: func(b req.Branch) bool {
		return b.Number == n && (cassette == "" || b.Cassette == cassette)
	}}
}

// showing takes a branch with a text in its answer, or in a later one.
func showing(text string) *req.Choice {
	return &req.Choice{Takes: func(b req.Branch) bool {
		for _, m := range append([]*leaf.Message{b.Answer}, b.Later()...) {
			if strings.Contains(m.Body, text) {
				return true
			}
		}
		return false
	}}
}

// A choice takes a branch of the tape, whatever the card, and all later answers agree with it.
func TestAChoiceTakesABranch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		choice *req.Choice
		number int // of the exchange that answers; 0: a miss by rule
		polls  string
		refund string
	}{
		{"declined", &req.Choice{Declined: "116"}, 8, "6 6", `{"errorCode":"7"}`},
		{"declined behind a while", &req.Choice{Declined: "208"}, 12, "5 6", ""},
		{"declined with a code that no branch has", &req.Choice{Declined: "101"}, 3, "0 0", ""},
		{"by number", numbered("", 8), 8, "6 6", `{"errorCode":"7"}`},
		{"by cassette and number", numbered("t", 12), 12, "5 6", ""},
		{"by the number that it is anyway", numbered("t", 3), 3, "2 2", `{"errorCode":"0"}`},
		{"of another cassette", numbered("u", 8), 0, "0 0", ""},
		{"a number of another call", numbered("t", 4), 0, "0 0", ""},
		{"by its answer", showing(`"declined"`), 8, "6 6", `{"errorCode":"7"}`},
		{"by a later answer", showing(`"orderStatus":6,"actionCode":116`), 8, "6 6", `{"errorCode":"7"}`},
		{"by an answer behind a while", showing(`"actionCode":208`), 12, "5 6", ""},
		{"by an answer after the next change", showing(`"orderStatus":4`), 0, "0 0", ""},
		{"by an answer before it", showing(`"orderStatus":0`), 0, "0 0", ""},
	} {
		s := replay(t, fates())
		s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
		a, miss := s.choosing(paysWith(livePaidCard, "$id$"), test.choice)
		switch {
		case test.number == 0:
			if miss == nil || miss.Reason != match.ByRule || test.choice.Found {
				t.Errorf("%s: %v, found %v", test.name, miss, test.choice.Found)
			}
		case miss != nil:
			t.Errorf("%s: missed: %s: %s", test.name, miss.Reason, miss.Sentence)
			continue
		case a.Number != test.number || test.choice.Found != (test.polls != "0 0"):
			t.Errorf("%s: #%d, found %v", test.name, a.Number, test.choice.Found)
		}
		if a != nil {
			a.Delivered(true)
		}
		var polls []string
		for range 2 {
			_, rest, _ := strings.Cut(s.hit(status+"$id$"), `"orderStatus":`)
			polls = append(polls, rest[:1])
		}
		if got := strings.Join(polls, " "); got != test.polls {
			t.Errorf("%s: polls say %s, want %s", test.name, got, test.polls)
		}
		if test.refund != "" {
			if got := s.hit(refundsOf("$id$")); got != test.refund {
				t.Errorf("%s: the refund says %s", test.name, got)
			}
		}
	}
}

// A choice is among the answers of the state that the order is in: in another state it is a miss.
func TestAChoiceInAnUnknownState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		choice *req.Choice
		want   match.Reason
	}{
		{&req.Choice{Declined: "116"}, match.BadState},
		{numbered("t", 8), match.ByRule},
	} {
		s := replay(t, fates())
		s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
		s.hit(paysWith(livePaidCard, "$id$"))
		s.hit(refundsOf("$id$"))
		_, miss := s.choosing(paysWith(livePaidCard, "$id$"), test.choice)
		if miss == nil || miss.Reason != test.want || test.choice.Found {
			t.Errorf("got %v, found %v, want %s", miss, test.choice.Found, test.want)
		}
	}
}

// Bad credentials stay bad, and an order that was marked stays marked, whatever a rule takes.
func TestAChoiceKeepsCredentialsAndMarks(t *testing.T) {
	t.Parallel()
	xs := fates()
	o := match.Options{
		Profiles: profiles(t), Seed: 3, Now: func() time.Time { return played },
		Credentials: match.Credentials{{Name: "password", Value: "wrong", Bad: true}},
	}
	s := &session{t: t, opts: o, ids: map[string]string{}}
	s.player = match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	c := &req.Choice{Declined: "116"}
	line := strings.Replace(paysWith(livePaidCard, "$id$"), "REDACTED-token-1", "wrong", 1)
	if _, miss := s.choosing(line, c); miss == nil || miss.Reason != match.BadField || c.Found {
		t.Errorf("with a bad password: %v, found %v", miss, c.Found)
	}

	s = replay(t, fates())
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	if _, miss := s.serve(refundsOf("$id$")); miss == nil {
		t.Fatal("a refund before the payment is on tape")
	}
	a, miss := s.choosing(paysWith(livePaidCard, "$id$"), &req.Choice{Declined: "116"})
	if miss != nil || a.Number != 8 || a.Mark != "assumed=miss" {
		t.Errorf("behind a miss: %+v, %v", a, miss)
	}
}

// A client that has not got the answer of a branch gets it again, and the rules know that it is of
// that branch.
func TestAChoiceThatIsSentAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code  string
		found bool
	}{{"116", true}, {"101", false}} {
		s := replay(t, fates())
		s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
		var numbers []int
		for range 3 {
			c := &req.Choice{Declined: test.code}
			a, miss := s.choosing(paysWith(livePaidCard, "$id$"), c)
			if miss != nil {
				t.Fatalf("%s: %s", miss.Reason, miss.Sentence)
			}
			if c.Found != test.found {
				t.Errorf("code %s: found %v", test.code, c.Found)
			}
			a.Delivered(false)
			numbers = append(numbers, a.Number)
		}
		if numbers[0] != numbers[1] || numbers[1] != numbers[2] {
			t.Errorf("code %s: answered by %v", test.code, numbers)
		}
	}
}

// A client that names a host gets the branches of that host alone.
func TestAChoiceAtAnAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		number int // 0: any
		want   string
	}{{0, "4"}, {4, "4"}, {3, "miss"}} {
		s := replay(t, twoHosts(""))
		r := match.NewRequest(s.opts.Profiles, "GET", "/api/ask?a=b", http.Header{}, "")
		r.Host, r.Address = "acs", acsHost
		r.Choice = &req.Choice{Takes: func(b req.Branch) bool {
			return test.number == 0 || b.Number == test.number
		}}
		got := "miss"
		if a, _ := s.player.Serve(r); a != nil {
			got = a.Body
		}
		if got != test.want {
			t.Errorf("take #%d: got %s, want %s", test.number, got, test.want)
		}
	}
}

// A branch that was recorded while what belongs to the card was in another state is marked as any
// other answer is.
func TestAChoiceOfAnotherFamilyIsMarked(t *testing.T) {
	t.Parallel()
	customer := func(n, account string) string {
		return `POST /v1/apigate/ws/rest/registerCustomer {"productName":"CRCU1001","parameters":[{"name":"customer_number","value":"` + n + `"}]}` +
			` => {"customerNumber":"` + n + `","accountNumber":"` + account + `"}`
	}
	card := func(account, id string) string {
		return `POST /v1/apigate/ws/rest/createVirtualCard {"accountNumber":"` + account + `"}` +
			` => {"virtualCardIdentification":{"cardId":"` + id + `"}}`
	}
	credit := func(id, code string) string {
		return `POST /v1/apigate/ws/rest/creditCard {"cardIdentification":{"cardId":"` + id + `"},"amount":1,"currency":978}` +
			` => {"responseCode":"` + code + `","systemTraceAuditNumber":1234` + code + `}`
	}
	const a1, a2, a3 = "40817978000000000011", "40817978000000000022", "40817978000000000033"
	xs := tape(
		customer("1", a1), card(a1, "9000000001"), credit("9000000001", "00"),
		customer("2", a2), card(a2, "9000000002"), credit("9000000002", "05"),
		customer("3", a3), card(a3, "9000000003"), card(a3, "9000000004"), credit("9000000003", "06"),
	)
	for _, test := range []struct {
		name, code, mark string
		cards            int
	}{
		{"the account has one card, as on tape", "05", "", 1},
		{"the account has two cards, and had one on tape", "05", "assumed=family", 2},
		{"the account has two cards, as on tape", "06", "", 2},
		{"the account has one card, and had two on tape", "06", "assumed=family", 1},
	} {
		s := replay(t, xs)
		request := func(line string) string { line, _, _ = strings.Cut(line, " => "); return line }
		s.keep("a", s.hit(request(customer("7", ""))), `"accountNumber":"`)
		for range test.cards {
			id := s.hit(request(card("$a$", "")))
			if s.ids["c"] == "" {
				s.keep("c", id, `"cardId":"`)
			}
		}
		a, miss := s.choosing(request(credit("$c$", "")), showing(`"responseCode":"`+test.code))
		if miss != nil || !strings.Contains(a.Body, test.code) || a.Mark != test.mark {
			t.Errorf("%s: %s %q %v", test.name, a.Body, a.Mark, miss)
		}
	}
}

// A list is put together of what there is: no recording of it is taken, and the miss says so.
func TestAListHasNoBranches(t *testing.T) {
	t.Parallel()
	s := replay(t, shopOf([]int{0, 0, 1, 1, 0, 0, 1, 1}))
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	c := numbered("", 2)
	_, miss := s.choosing(listing, c)
	if miss == nil || miss.Reason != match.ByRule || !strings.Contains(miss.Sentence, "list") || c.Found {
		t.Errorf("got %+v, found %v", miss, c.Found)
	}
	if got := s.hit(listing); !strings.Contains(got, s.ids["id"]) {
		t.Errorf("without the rule: %s", got)
	}
}

// What a choice would take if a recorded exchange came again is known without playing the tape.
func TestTheBranchOfARecordedExchange(t *testing.T) {
	t.Parallel()
	compiled := match.Compile(match.Options{Profiles: profiles(t), Seed: 3}, match.Cassette{Name: "t", Exchanges: fates()})
	for _, test := range []struct {
		name   string
		number int // of the exchange that comes again
		choice *req.Choice
		want   int // 0: none
	}{
		{"declined", 3, &req.Choice{Declined: "116"}, 8},
		{"declined behind a while", 8, &req.Choice{Declined: "208"}, 12},
		{"declined with a code that no branch has", 3, &req.Choice{Declined: "101"}, 0},
		{"by number", 12, numbered("t", 3), 3},
		{"by its answer", 3, showing(`"info":"wait"`), 12},
		{"of another call", 3, numbered("t", 4), 0},
		{"in another state", 5, numbered("t", 10), 0},
		{"of an exchange that is not there", 99, numbered("t", 3), 0},
	} {
		got, found := compiled.Branch("t", test.number, test.choice)
		if got.Number != test.want || found != (test.want > 0) {
			t.Errorf("%s: #%d, %v, want #%d", test.name, got.Number, found, test.want)
		}
	}
}
