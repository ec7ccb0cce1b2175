package match_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

func TestForeignTapeWithoutMetadata(t *testing.T) {
	xs := checkout()
	for _, x := range xs {
		x.Meta = leaf.Meta{}
	}
	s := replay(t, xs)
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	s.hit(pay + "$id$")
	s.hit(status + "$id$")
}

func TestEveryAnswerHasItsOwnRequestID(t *testing.T) {
	const id = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
	xs := tape(`POST /v2/cardholders {"firstName":"A"} => {"id":"holder-00000001"}`,
		`GET /v2/cardholders/holder-00000001 => {"id":"holder-00000001"}`)
	xs[1].Response.Headers.Set("Request-Id", id)
	s := replay(t, xs)
	s.keep("h", s.hit(`POST /v2/cardholders {"firstName":"B"}`), `"id":"`)
	seen := map[string]bool{id: true}
	for range 3 {
		a, miss := s.serve("GET /v2/cardholders/$h$")
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		if got := a.Header.Get("Request-Id"); seen[got] || len(got) != len(id) {
			t.Errorf("Request-id %q is not a new one", got)
		}
		seen[a.Header.Get("Request-Id")] = true
	}
}

func TestAddressesOfTheSandbox(t *testing.T) {
	xs := tape(
		registers("A-1")+registered(oldID),
		`POST /payment/rest/paymentorder.do userName=u&password=p&MDORDER=`+
			oldID+` => {"errorCode":0,"acsUrl":"https://sandbox.example/up/acs"}`,
	)
	for _, x := range xs {
		x.URL = strings.Replace(x.URL, "sandbox.example/", "sandbox.example/up/", 1)
		x.Response.Body = strings.Replace(x.Response.Body, "sandbox.example/payment",
			"sandbox.example/up/payment", 1)
		x.Meta.Base = "/up"
	}
	xs[0].Response.Headers.Set("Location", "/up/payment/next?mdOrder="+oldID)
	s := replay(t, xs)
	r := match.NewRequest(s.opts.Profiles, "POST", "/payment/rest/register.do", http.Header{},
		strings.TrimPrefix(registers("B-1"), "POST /payment/rest/register.do "))
	r.Deck = "http://127.0.0.1:8080"
	a, miss := s.player.Serve(r)
	if miss != nil {
		t.Fatal(miss.Sentence)
	}
	s.keep("id", a.Body, `"orderId":"`)
	if want := `"http://127.0.0.1:8080/payment/p.html?mdOrder=` + s.ids["id"] + `"`; !strings.Contains(a.Body, want) {
		t.Errorf("formUrl: got %s, want %s", a.Body, want)
	}
	if got, want := a.Header.Get("Location"), "/payment/next?mdOrder="+s.ids["id"]; got != want {
		t.Errorf("Location: got %s, want %s", got, want)
	}
}

// TestIdsTakenOverFromTheClient has a sandbox that uses the customer's number as its own id.
func TestIdsTakenOverFromTheClient(t *testing.T) {
	const account = "40817978000000000011"
	register := func(n string) string {
		return `POST /v1/apigate/ws/rest/registerCustomer {"productName":"CRCU1001","parameters":[{"name":"customer_number","value":"` + n + `"}]}`
	}
	create := func(account, n string) string {
		return `POST /v1/apigate/ws/rest/createVirtualCard {"accountNumber":"` + account +
			`","cardIdentification":{"customerId":"` + n + `"}}`
	}
	data := func(id string) string {
		return `POST /v1/apigate/ws/rest/getCardData {"cardIdentification":{"cardId":"` + id + `"}}`
	}
	s := replay(t, tape(
		register("100001")+` => {"customerNumber":"100001","accountNumber":"`+account+`"}`,
		create(account, "100001")+` => {"virtualCardIdentification":{"cardId":"9000000001"}}`,
		data("9000000001")+` => {"cardData":{"customerId":"100001","personId":"100001"}}`,
	))
	s.keep("a", s.hit(register("777777")), `"accountNumber":"`)
	s.keep("c", s.hit(create("$a$", "777777")), `"cardId":"`)
	if got := s.hit(data("$c$")); !strings.Contains(got, `"customerId":"777777","personId":"777777"`) {
		t.Errorf("got %s", got)
	}
}

func TestRedirectFollowsTheReturnAddress(t *testing.T) {
	const own = "https://shop.example/r"
	tests := []struct{ name, recorded, appended, live, want string }{
		{"another", own, "?orderId=%O&lang=en", "https://o.example/x",
			"https://o.example/x?orderId=%O&lang=en"},
		{"with a query", own, "?orderId=%O", "https://o.example/x?a=1",
			"https://o.example/x?a=1&orderId=%O"},
		{"without one", own + "?a=1", "&orderId=%O", "https://o.example/x",
			"https://o.example/x?orderId=%O"},
		{"with a fragment", own, "?orderId=%O", "https://o.example/x#top",
			"https://o.example/x?orderId=%O#top"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			address := func(line, a string) string {
				escape := strings.NewReplacer("?", "%3F", "&", "%26", "#", "%23", "=", "%3D")
				return strings.Replace(line, own, escape.Replace(a), 1)
			}
			s := replay(t, tape(
				address(registers("A-1"), tt.recorded)+registered(oldID),
				pay+oldID+` => {"redirect":"`+tt.recorded+strings.Replace(tt.appended, "%O", oldID, 1)+`"}`,
			))
			s.keep("id", s.hit(address(registers("B-1"), tt.live)), `"orderId":"`)
			want := `"` + strings.Replace(tt.want, "%O", s.ids["id"], 1) + `"`
			if got := s.hit(pay + "$id$"); !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestIdsInsideLongerWords(t *testing.T) {
	s := replay(t, tape(
		registers("A-1")+` => {"orderId":"`+oldID+`","formUrl":"https://sandbox.example/payment/p?back=https%3A%2F%2Fs%3ForderId%3D`+oldID+`&t=REDACTED-token-9"}`,
		status+oldID+` => {"receipt":"receipt-`+oldID+`.pdf","x":"pay_`+oldID+`"}`,
	))
	body := s.hit(registers("B-1"))
	s.keep("id", body, `"orderId":"`)
	body += s.hit(status + "$id$")
	if strings.Contains(body, oldID) || strings.Count(body, s.ids["id"]) != 4 {
		t.Errorf("the recorded id is still there: %s", body)
	}
}

func TestConstantsAndDatesAreNoIds(t *testing.T) {
	const sends = `POST /api/buy {"product":"CRCU1001","on":"%s","total":"10000000.50","day":%s}`
	s := replay(t, tape(
		`POST /api/plans {"k":"v"} => {"product":"CRCU1001","on":"2026-03-31","total":10000000.50,"day":20260331}`,
		fmt.Sprintf(sends, "2026-03-31", "20260331")+` => {"ok":true}`,
	))
	want := `{"product":"CRCU1001","on":"2027-03-01","total":10000000.50,"day":20270301}`
	if got := s.hit(`POST /api/plans {"k":"v"}`); got != want {
		t.Errorf("got %s", got)
	}
	s.hit(fmt.Sprintf(sends, "2026-03-31", "20260331"))
	s.hit(fmt.Sprintf(sends, "2027-03-01", "20270301"))
}

func TestNumbersStayJSON(t *testing.T) {
	s := replay(t, tape(
		strings.Replace(registers("1001"), "&amount", "&language=en&amount", 1)+registered(oldID),
		status+oldID+` => {"orderNumber":1001}`,
	))
	s.keep("id", s.hit(strings.Replace(registers("007"), "&amount", "&language=en&amount", 1)),
		`"orderId":"`)
	if got := s.hit(status + "$id$"); got != `{"orderNumber":"007"}` {
		t.Errorf("got %s, which is no JSON", got)
	}
}

func TestDatesThatStandForNone(t *testing.T) {
	s := replay(t, tape(registers("A-1")+registered(oldID),
		status+oldID+` => {"date":253402300799000,"depositedDate":0}`))
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	if got := s.hit(status + "$id$"); got != `{"date":253402300799000,"depositedDate":0}` {
		t.Errorf("got %s", got)
	}
}

func TestPrintingKeepsLiveValues(t *testing.T) {
	s := replay(t, checkout())
	r := match.NewRequest(s.opts.Profiles, "POST", "/payment/rest/register.do", http.Header{},
		"password=live-secret&orderNumber=B")
	for _, v := range []any{r, s.player, match.Live("live-secret")} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, "live-secret") {
				t.Errorf("%s of %T prints a live value", verb, v)
			}
		}
	}
}
