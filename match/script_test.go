package match_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// tape writes a recording by hand, an exchange a line: "METHOD TARGET BODY => ANSWER". A
// minute passes between two exchanges.
func tape(lines ...string) []*leaf.Exchange {
	var xs []*leaf.Exchange
	for i, line := range lines {
		request, answer, _ := strings.Cut(line, " => ")
		method, target, body := requestLine(request)
		x := &leaf.Exchange{}
		x.Method, x.URL, x.Request.Body = method, "https://sandbox.example"+target, body
		x.Code, x.Response.Body = 200, answer
		x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
		x.Meta.Number = i + 1
		x.Meta.At = recorded.Add(time.Duration(i) * time.Minute)
		xs = append(xs, x)
	}
	return xs
}

func requestLine(s string) (method, target, body string) {
	method, rest, _ := strings.Cut(s, " ")
	target, body, _ = strings.Cut(rest, " ")
	return method, target, body
}

// session is a replay that a test talks to in the same lines.
type session struct {
	t      *testing.T
	player *match.Player
	opts   match.Options
	ids    map[string]string // values that answers brought, by name
}

func replay(t *testing.T, xs []*leaf.Exchange) *session {
	t.Helper()
	o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return played }}
	compiled := match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
	return &session{t: t, player: match.NewPlayer(compiled), opts: o, ids: map[string]string{}}
}

// serve sends a request line, in which $NAME stands for a value kept before.
func (s *session) serve(line string) (*match.Answer, *match.Miss) {
	s.t.Helper()
	for name, v := range s.ids {
		line = strings.ReplaceAll(line, "$"+name+"$", v)
	}
	method, target, body := requestLine(line)
	a, miss := s.player.Serve(match.NewRequest(s.opts.Profiles, method, target, http.Header{}, body))
	explained(s.t, a, miss)
	return a, miss
}

// hit sends a request that must be answered and returns the body.
func (s *session) hit(line string) string {
	s.t.Helper()
	a, miss := s.serve(line)
	if miss != nil {
		s.t.Fatalf("%s\nmissed: %s: %s (%s)", line, miss.Reason, miss.Sentence, miss.Hint)
	}
	a.Delivered(true)
	return a.Body
}

// keep notes what stands in body between before and the next quote or comma.
func (s *session) keep(name, body, before string) {
	s.t.Helper()
	_, rest, ok := strings.Cut(body, before)
	if !ok {
		s.t.Fatalf("no %q in the answer", before)
	}
	s.ids[name] = rest[:strings.IndexAny(rest, `",}&`)]
}

// miss sends a request that must not be answered.
func (s *session) miss(line string) *match.Miss {
	s.t.Helper()
	a, miss := s.serve(line)
	if miss == nil {
		s.t.Fatalf("%s\nwas answered from %s#%d: %s", line, a.Cassette, a.Number, a.Body)
	}
	return miss
}

// Lines of a checkout, as the gateway speaks.
const (
	register = `POST /payment/rest/register.do userName=u&password=REDACTED-token-1&orderNumber=%N&amount=100&returnUrl=https://shop.example/r`
	oldID    = "0193a1b2-0000-7000-8000-0000c0ffee00"
	oldID2   = "0193a1b2-1111-7111-8111-1111c0ffee00"
	status   = `POST /payment/rest/getOrderStatusExtended.do userName=u&password=REDACTED-token-1&orderId=`
	pay      = `POST /payment/rest/paymentorder.do userName=u&password=REDACTED-token-1&$PAN=4000000000050002&$CVC=000&$EXPIRY=203012&TEXT=X&MDORDER=`
)

func registers(number string) string { return strings.Replace(register, "%N", number, 1) }

func registered(id string) string {
	return ` => {"orderId":"` + id + `","formUrl":"https://sandbox.example/payment/p.html?mdOrder=` +
		id + `"}`
}

// checkout is one payment with polls before and after it.
func checkout() []*leaf.Exchange {
	return tape(
		registers("A-1")+registered(oldID),
		status+oldID+` => {"errorCode":"0","orderNumber":"A-1","orderStatus":0}`,
		status+oldID+` => {"errorCode":"0","orderNumber":"A-1","orderStatus":5}`,
		pay+oldID+` => {"errorCode":0,"redirect":"https://shop.example/r?orderId=`+oldID+`&lang=en"}`,
		status+oldID+` => {"errorCode":"0","orderNumber":"A-1","orderStatus":7}`,
		status+oldID+` => {"errorCode":"0","orderNumber":"A-1","orderStatus":2,"date":1774953000000}`,
	)
}

func TestPollingAroundAChange(t *testing.T) {
	for _, polls := range []int{1, 2, 3, 50} {
		s := replay(t, checkout())
		s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
		want := []string{`"orderStatus":0`, `"orderStatus":5`}
		for n := range polls {
			if got := s.hit(status + "$id$"); !strings.Contains(got, want[min(n, 1)]) {
				t.Fatalf("poll %d before the payment: %s", n, got)
			}
		}
		s.hit(pay + "$id$")
		want = []string{`"orderStatus":7`, `"orderStatus":2`}
		for n := range polls {
			if got := s.hit(status + "$id$"); !strings.Contains(got, want[min(n, 1)]) {
				t.Fatalf("poll %d after the payment: %s", n, got)
			}
		}
	}
}

// TestPollsInTwoWays asks by id and by number in turns around an unobserved change: it comes after
// as many polls as on tape, whichever way they go.
func TestPollsInTwoWays(t *testing.T) {
	const byNumber = `POST /payment/rest/getOrderStatusExtended.do userName=u&password=REDACTED-token-1&orderNumber=`
	state := func(n string) string {
		return ` => {"errorCode":"0","orderNumber":"A-1","orderStatus":` + n + `}`
	}
	xs := tape(registers("A-1")+registered(oldID),
		byNumber+"A-1"+state("0"), status+oldID+state("0"),
		byNumber+"A-1"+state("5"), status+oldID+state("5"), status+oldID+state("2"))
	for _, tt := range []struct{ polls, want string }{
		{"nini", "0055"}, {"inin", "0055"}, {"iinn", "0055"}, {"iiin", "0055"}, {"nnii", "0055"},
		{"nin", "005"}, {"in", "00"}, {"nnnni", "00552"},
	} {
		s := replay(t, xs)
		s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
		got := ""
		for _, way := range tt.polls {
			line := status + "$id$"
			if way == 'n' {
				line = byNumber + "B-1"
			}
			_, rest, _ := strings.Cut(s.hit(line), `"orderStatus":`)
			got += rest[:1]
		}
		if got != tt.want {
			t.Errorf("polls %s: got %s, want %s", tt.polls, got, tt.want)
		}
	}
}

func TestAnswersFollowTheClient(t *testing.T) {
	s := replay(t, checkout())
	body := s.hit(strings.Replace(registers("B-1"), "shop.example/r", "other.example/back", 1))
	s.keep("id", body, `"orderId":"`)
	if s.ids["id"] == oldID || !strings.HasSuffix(s.ids["id"], "c0ffee00") || s.ids["id"][14] != '7' {
		t.Errorf("order id %q is not a fresh one of the same shape", s.ids["id"])
	}
	if !strings.Contains(body, "mdOrder="+s.ids["id"]) {
		t.Errorf("the id in formUrl is another: %s", body)
	}
	paid := s.hit(pay + "$id$")
	if want := `"https://other.example/back?orderId=` + s.ids["id"] + `&lang=en"`; !strings.Contains(paid, want) {
		t.Errorf("redirect: got %s, want %s", paid, want)
	}
	if got := s.hit(status + "$id$"); !strings.Contains(got, `"orderNumber":"B-1"`) {
		t.Errorf("order number is not echoed: %s", got)
	}
}

func TestOneCallInFiveForms(t *testing.T) {
	const query = "?userName=u&password=p&orderNumber=B-1&amount=100&returnUrl=https%3A%2F%2Fs.example"
	for _, line := range []string{
		"POST /payment/rest/register.do amount=100&orderNumber=B-1&password=p&userName=u&returnUrl=https://s.example",
		"POST /payment/rest/register.do" + query,
		"GET /payment/rest/register.do" + query,
		"POST /payment/rest/register.do" + query + " {}",
		"GET /payment/rest/register.do userName=u&password=p&orderNumber=B-1&amount=100&returnUrl=https%3A%2F%2Fs.example",
	} {
		replay(t, checkout()).hit(line)
	}
	// Of JSON, the sandbox sees no parameters.
	const inJSON = `POST /payment/rest/register.do ` +
		`{"userName":"u","password":"p","orderNumber":"B-1","amount":100,"returnUrl":"https://s.example"}`
	m := replay(t, checkout()).miss(inJSON)
	if want := "amount is in a body of another kind"; strings.Count(m.Sentence, want) != 1 {
		t.Errorf("got %q", m.Sentence)
	}
}

func TestMissSaysWhy(t *testing.T) {
	tests := []struct {
		name   string
		before []string
		send   string
		reason match.Reason
		says   string
		hint   string
	}{
		{"a changed amount", nil, strings.Replace(registers("B"), "amount=100", "amount=101", 1),
			match.BadField, "amount differs", "send amount=100, record this call too"},
		{"a parameter more", nil, registers("B") + "&language=en", match.BadField,
			"language is not on tape", "leave out language, record"},
		{"many parameters more", nil, registers("B") +
			"&xa=1&xb=1&xc=1&xd=1&xe=1&xf=1&xg=1&xh=1&xi=1&xj=1&xk=1&xl=1", match.BadField,
			"xj is not on tape, and 2 more", "leave out xa and xb and xc, record"},
		{"a parameter less", nil, strings.Replace(registers("B"), "&amount=100", "", 1),
			match.BadField, "amount is missing", "send amount=100"},
		{"an expired card", []string{registers("B")},
			strings.Replace(pay, "203012", "202001", 1) + "$id$",
			match.BadField, "$EXPIRY is expired", "send $EXPIRY as far in the future or past"},
		{"an id of the recording", []string{registers("B")}, status + oldID, match.UnknownIDs,
			"this orderId was not issued in this run: it is the one on tape",
			"call register.do (t#1) first: its answer brings one, or start replay with --ids recorded"},
		{"an id of nobody's", nil, status + oldID2, match.UnknownIDs,
			"this orderId was not issued in this run", "ids of an earlier run are not served"},
		{"an operation not on tape", nil, "POST /payment/rest/refund.do orderId=1",
			match.NoOperation, "no call of refund.do", "record one"},
		{"a path nobody knows", nil, "POST /elsewhere a=1", match.BadPath, "no profile knows",
			"check the base URL"},
		{"a path that is spelled almost so", nil, "POST /payment/rest/registr.do a=1", match.BadPath,
			"no profile knows", "did you mean /payment/rest/register.do?"},
		{"a path with a parameter", nil, "GET /v2/card/77", match.BadPath,
			"no profile knows", "did you mean /v2/cards/{id}?"},
		{"a path below another base", nil, "POST /rest/register.do a=1", match.BadPath,
			"no profile knows", "did you mean /payment/rest/register.do?"},
		{"a payment twice", []string{registers("A"), registers("B"), pay + "$id$"}, pay + "$id$",
			match.BadState,
			"paymentorder.do comes after register.do, (a change by itself), paymentorder.do; " +
				"on tape it comes after register.do, (a change by itself) (t#4)",
			"record this call in this state"},
		{"an order number twice", []string{registers("B")}, registers("B"), match.BadState,
			"this orderNumber names a thing that is there already", "send another orderNumber"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := replay(t, checkout())
			for _, line := range tt.before {
				if body := s.hit(line); strings.Contains(body, `"orderId"`) {
					s.keep("id", body, `"orderId":"`)
				}
			}
			m := s.miss(tt.send)
			if m.Reason != tt.reason || !strings.Contains(m.Sentence, tt.says) {
				t.Errorf("got %s: %s\nwant %s: ...%s", m.Reason, m.Sentence, tt.reason, tt.says)
			}
			if !strings.Contains(m.Hint, tt.hint) {
				t.Errorf("got the hint %q\nwant ...%q", m.Hint, tt.hint)
			}
		})
	}
}

// Of a refund that is on tape twice, the third is one too many.
func TestAWriteTooManyTellsAllOnTape(t *testing.T) {
	const refund = `POST /payment/rest/refund.do userName=u&password=p&amount=10&orderId=`
	xs := tape(registers("A")+registered(oldID), refund+oldID+` => {"errorCode":"0"}`,
		refund+oldID+` => {"errorCode":"0"}`)
	s := replay(t, xs)
	s.keep("id", s.hit(registers("B")), `"orderId":"`)
	s.hit(refund + "$id$")
	s.hit(refund + "$id$")
	m := s.miss(refund + "$id$")
	want := "refund.do comes after register.do, refund.do, refund.do; on tape it comes " +
		"after register.do (t#2), after register.do, refund.do (t#3)"
	if m.Sentence != want || m.Reason != match.BadState || len(m.Near) != 2 {
		t.Errorf("got %s: %s, near %d exchanges", m.Reason, m.Sentence, len(m.Near))
	}
}

func TestWritesKeepTheirOrder(t *testing.T) {
	const refund = `POST /payment/rest/refund.do userName=u&password=p&amount=100&orderId=`
	xs := append(checkout(), tape(refund+oldID+` => {"errorCode":"0"}`)...)
	for i, x := range xs {
		x.Meta.Number = i + 1
	}
	s := replay(t, xs)
	s.keep("id", s.hit(registers("B")), `"orderId":"`)
	m := s.miss(refund + "$id$")
	if m.Reason != match.BadState || !strings.Contains(m.Sentence, "paymentorder.do (t#") {
		t.Errorf("got %s: %s", m.Reason, m.Sentence)
	}
	s.hit(pay + "$id$")
	s.hit(refund + "$id$")
	if m := s.miss(status + "$id$"); m.Reason != match.BadState {
		t.Errorf("a read of a past state: got %s: %s", m.Reason, m.Sentence)
	}
}

// TestChoosingLate records two orders that open alike, the first declined, the second paid,
// with different cards. The live card decides, whatever the order of the tests.
func TestChoosingLate(t *testing.T) {
	pays := func(pan, id string) string {
		return strings.Replace(pay, "4000000000050002", pan, 1) + id
	}
	// On tape stand surrogates, which keep the first six and the last four digits.
	xs := tape(
		registers("A-1")+registered(oldID),
		pays("4111110000041111", oldID)+` => {"errorCode":0,"info":"declined"}`,
		registers("A-2")+registered(oldID2),
		pays("5555550000035599", oldID2)+` => {"errorCode":0,"info":"paid"}`,
	)
	for _, order := range [][]string{{"1", "5"}, {"5", "1"}, {"5", "5", "1"}} {
		s := replay(t, xs)
		for i, first := range order {
			s.keep("id", s.hit(registers("B-"+string(rune('0'+i)))), `"orderId":"`)
			pan, want := "411111"+"1111111111", "declined"
			if first == "5" {
				pan, want = "555555"+"5555555599", "paid"
			}
			if got := s.hit(pays(pan, "$id$")); !strings.Contains(got, want) {
				t.Errorf("order %v, payment %d: got %s, want %s", order, i, got, want)
			}
		}
	}
}
