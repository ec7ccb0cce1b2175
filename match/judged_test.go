package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
)

// What the sandbox refuses for the way in which it is written is not what it takes in another: a
// recording of one does not answer the other.
func TestWaysOfWritingThatAreRefused(t *testing.T) {
	id := `$id$`
	for name, live := range map[string]string{
		"spaces in a card number": strings.Replace(pay, "4000000000050002", "4000+0000+0005+0002", 1) + id,
		"a slash behind the path": strings.Replace(pay, "paymentorder.do", "paymentorder.do/", 1) + id,
	} {
		t.Run(name, func(t *testing.T) {
			s := replay(t, tape(registers("A")+registered(oldID), pay+oldID+` => {"errorCode":0}`))
			s.keep("id", s.hit(registers("B")), `"orderId":"`)
			s.miss(live)
		})
	}
}

// A read between the births of two cards that have one mask shows the first.
func TestTwoCardsWithOneMask(t *testing.T) {
	const (
		at     = `POST /v1/apigate/ws/rest/`
		first  = "4276000000165269"
		second = "4276000020015269"
		info   = at + `getAccountData {"accountNumber":"40817978000000000011"} => `
	)
	create := func(card, id string) string {
		return at + `createVirtualCard {"accountNumber":"40817978000000000011"} => ` +
			fmt.Sprintf(`{"virtualCardIdentification":{"cardNumber":"%s","cardId":"%s"}}`, card, id)
	}
	lines := []string{
		at + `registerCustomer {"productName":"P","parameters":[{"name":"customer_number","value":"1"}]}` +
			` => {"customerNumber":"1","accountNumber":"40817978000000000011"}`,
		create(first, "1111111111"),
		info + `{"accountData":{"cards":[{"cardNumberMask":"427600******5269","cardId":"1111111111"}]}}`,
		create(second, "2222222222"),
	}
	s := replay(t, tape(lines...))
	s.keep("account", s.hit(strings.Split(lines[0], " => ")[0]), `"accountNumber":"`)
	live := func(line string) string {
		return strings.Replace(strings.Split(line, " => ")[0], "40817978000000000011", "$account$", 1)
	}
	for _, line := range lines[1:] {
		s.hit(live(line))
	}
}

// Keys that look like indexes are keys.
func TestBracketsInKeys(t *testing.T) {
	for _, key := range []string{`a]`, `[`, `]`, `a[`, `a[]`, `a[x]`, `[0]`, `]0[`} {
		replay(t, tape(fmt.Sprintf(`POST /things {"n":1} => {%q:"x1234567890ab","id":"x1234567890ac"}`, key),
			`GET /things/x1234567890ac => {"id":"x1234567890ac"}`))
	}
}

// A missed write says nothing of another API.
func TestAMissedWriteIsOfItsAPI(t *testing.T) {
	holder := `POST /v2/cardholders {"firstName":"A"} => {"id":"0193a1b2-3333-7333-8333-3333c0ffee00"}`
	s := replay(t, tape(registers("A")+registered(oldID), holder))
	s.miss(strings.Replace(registers("B"), "amount=100", "amount=77", 1))
	a, miss := s.serve(strings.Split(holder, " => ")[0])
	if miss != nil || a.Mark != "" {
		t.Errorf("got %v, %v", a, miss)
	}
}

// The expiry of a card that an answer has told must be that of the live card when it comes back.
func TestADateThatComesBackIsTheLiveOne(t *testing.T) {
	const number = "4276000020015269"
	pays := func(card, expiry string) string {
		return `POST /v2/transfers {"amount":100,"currency":"EUR","sourceCard":{"cardNumber":"` + card +
			`","expiryDate":"` + expiry + `"}}`
	}
	holder := `POST /v2/cardholders {"firstName":"A"}`
	card := `POST /v2/cards {"cardholder":"0193a1b2-3333-7333-8333-3333c0ffee00"}`
	s := replay(t, tape(
		holder+` => {"id":"0193a1b2-3333-7333-8333-3333c0ffee00"}`,
		card+` => {"id":"0193a1b2-4444-7444-8444-4444c0ffee00","number":"`+number+`","expiryDate":"202911"}`,
		pays(number, "202911")+` => {"id":"0193a1b2-5555-7555-8555-5555c0ffee00","status":"approved"}`,
	))
	s.keep("holder", s.hit(holder), `"id":"`)
	body := s.hit(strings.Replace(card, "0193a1b2-3333-7333-8333-3333c0ffee00", "$holder$", 1))
	s.keep("number", body, `"number":"`)
	s.keep("expiry", body, `"expiryDate":"`)
	if s.ids["expiry"] == "202911" {
		t.Error("the expiry has not moved")
	}
	s.miss(pays("$number$", "203512"))
	s.miss(pays("$number$", "202911"))
	s.hit(pays("$number$", "$expiry$"))
}

// What a missing call did is not known: behind it, nothing about what was there before is sure.
func TestACallThatIsMissing(t *testing.T) {
	refund := `POST /payment/rest/refund.do?orderId=` + oldID + `&amount=100`
	whole := tape(registers("A")+registered(oldID), pay+oldID+` => {"errorCode":0}`,
		refund+` => {"errorCode":"0"}`)
	gap := append(whole[:1:1], whole[2:]...)
	tapes := match.Compile(match.Options{Profiles: profiles(t)}, match.Cassette{Name: "t", Exchanges: gap})
	hints := match.Hints(tapes)
	if len(hints) != 1 || !strings.Contains(hints[0].Text, "before #3;") {
		t.Errorf("hints: %v", hints)
	}
	s := replay(t, gap)
	s.keep("id", s.hit(registers("B")), `"orderId":"`)
	a, miss := s.serve(strings.Replace(refund, oldID, "$id$", 1))
	if miss != nil || a.Mark != "assumed=gap" {
		t.Errorf("a refund of what nobody has seen paid: %v, %v", a, miss)
	}
}

// A miss tells states apart that the same calls led to, and a field of another JSON type.
func TestWordsOfAMiss(t *testing.T) {
	refund := `POST /payment/rest/refund.do?orderId=%s&amount=100`
	other := "b" + oldID[1:]
	s := replay(t, tape(registers("A")+registered(oldID),
		strings.Replace(registers("B"), "amount=100", "amount=200", 1)+registered(other),
		fmt.Sprintf(refund, other)+` => {"errorCode":"0"}`,
		`POST /payment/recurrentPayment.do {"orderNumber":"R","amount":5,"currency":"978"} => {"success":true}`))
	s.keep("id", s.hit(registers("C")), `"orderId":"`)
	for line, want := range map[string]string{
		fmt.Sprintf(refund, "$id$"): "comes after register.do (there amount=100); on tape it comes after " +
			"register.do (there amount=200) (t#3)",
		`POST /payment/recurrentPayment.do {"orderNumber":"S","amount":"5","currency":"978"}`: "amount is of " +
			"another JSON type",
	} {
		if m := s.miss(line); !strings.Contains(m.Sentence, want) {
			t.Errorf("got %q, want %q", m.Sentence, want)
		}
	}
}

// A call that is on tape without what was said may have done anything; one that failed has not.
func TestACallThatIsWithheld(t *testing.T) {
	for failure, want := range map[string]int{"": 1, "the client left before the answer": 0} {
		xs := tape(registers("A")+registered(oldID), pay+oldID+` => {"errorCode":0}`,
			registers("B")+registered(oldID2))
		xs[1].Meta.Withheld, xs[1].Meta.Failure = "the body was not read to its end", failure
		got := match.Hints(match.Compile(match.Options{Profiles: profiles(t)},
			match.Cassette{Name: "t", Exchanges: xs}))
		if len(got) != want {
			t.Errorf("failure %q: hints %v", failure, got)
		}
	}
}

// What was recorded at another sandbox, to which the cassette was appended, says nothing of the first.
func TestACassetteOfTwoSandboxes(t *testing.T) {
	const list = `POST /payment/rest/getLastOrdersForMerchants.do?size=10&from=20200101000000&to=20991231000000` +
		`&transactionStates=CREATED&searchByCreatedDate=true`
	xs := tape(registers("A")+registered(oldID),
		list+` => {"errorCode":"0","orderStatuses":[],"page":0,"pageSize":10,"totalCount":0}`)
	xs[1].URL = strings.Replace(xs[1].URL, "sandbox.example", "sandbox.example:8443", 1)
	s := replay(t, xs)
	if a, miss := s.serve(list); miss != nil || a.Mark != "" {
		t.Errorf("of nothing: %v, %v", a, miss)
	}
	s.hit(registers("B"))
	if m := s.miss(list); m.Reason != match.BadState {
		t.Errorf("of an order that no list of its sandbox shows: %s", m.Reason)
	}
}
