package renumber_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/renumber"
)

// Published test numbers, in two parts so that no scanner stumbles on them.
const (
	visa       = "411111" + "1111111111"
	mastercard = "555555" + "5555554444"
	long       = "603367" + "0000000000" + "000" // fails Luhn
)

// builtin reads the profiles once: a fuzz target asks for them with every text.
var builtin = sync.OnceValues(profile.Builtin)

func redactor(t *testing.T) *redact.Redactor {
	t.Helper()
	set, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	return redact.New(redact.Options{Profiles: set})
}

// exchange is a request with a body of a type, and its answer.
func exchange(target, contentType, body, answer string) *leaf.Exchange {
	return &leaf.Exchange{Interaction: cassette.Interaction{
		Request: cassette.Request{
			Method: "POST", URL: "https://gw.example" + target, Body: body,
			Headers: http.Header{"Content-Type": {contentType}},
		},
		Response: cassette.Response{
			Status: "200 OK", Code: 200, Body: answer,
			Headers: http.Header{"Content-Type": {"application/json"}},
		},
	}}
}

const formType = "application/x-www-form-urlencoded"

// recorded are exchanges with secrets of all kinds in all places that replay can tell apart.
func recorded() []*leaf.Exchange {
	form := url.Values{
		"userName": {"shop-api"}, "password": {"trub4dor-gw"}, "$PAN": {visa}, "$CVC": {"123"},
		"TEXT": {"IVAN IVANOV"}, "email": {"ivan@shop.test"}, "jsonParams": {`{"phone":"+49301234567"}`},
	}
	pay := exchange("/payment/rest/paymentorder.do", formType, form.Encode(),
		`{"info":"card `+visa+` of IVAN IVANOV","token":"a1b2c3d4e5f6a7b8","ip":"93.184.216.34"}`)
	blob := base64.RawURLEncoding.EncodeToString([]byte(`{"acctNumber":"` + mastercard +
		`","password":"an0ther-Secret"}`))
	auth := exchange("/card/v1/transfer", "application/json",
		`{"from":"`+mastercard[:4]+" "+mastercard[4:8]+" "+mastercard[8:12]+" "+mastercard[12:]+
			`","phone":"+49301234567","creq":"`+blob+`","pan":`+visa+`}`, `{"`+visa+`":"frozen"}`)
	auth.Request.Headers.Set("Authorization", "Basic "+
		base64.StdEncoding.EncodeToString([]byte("shop:trub4dor-gw")))
	auth.Request.Headers.Set("Cookie", "sid=0123456789abcdef")
	odd := exchange("/payment/rest/paymentorder.do", formType,
		"password=trub4dor-gw&$PAN="+long+"&birthDate=1980-02-03&TEXT=ANNA+MARIA", `{"errorCode":5}`)
	return []*leaf.Exchange{pay, auth, odd}
}

func cleaned(t *testing.T, all []*leaf.Exchange) []*leaf.Exchange {
	t.Helper()
	var out []*leaf.Exchange
	for _, c := range redactor(t).CleanAll(all) {
		out = append(out, c.Exchange())
	}
	return out
}

// TestOutlineOfCards wants two cards to be two, though their numbers on two tapes are one.
func TestOutlineOfCards(t *testing.T) {
	t.Parallel()
	outline := func(card string) string {
		x := exchange("/payment/rest/paymentorder.do", formType, "$PAN="+card+"&$CVC=123", `{"errorCode":0}`)
		all := cleaned(t, []*leaf.Exchange{x})
		text, found := renumber.Read(redactor(t), slices.Values(all)).Outline(all[0])
		if len(found) == 0 || found[0].N != 1 {
			t.Errorf("the surrogates of a card are %v", found)
		}
		return text
	}
	if outline(visa) == outline(mastercard) {
		t.Error("two cards have one outline")
	}
	if once, again := outline(visa), outline(visa); once != again {
		t.Errorf("a card has two outlines: %q and %q", once, again)
	}
}

// moved returns a table that moves all surrogates of a tape up, and the table back.
func moved(tape *renumber.Tape) (to, back map[renumber.Surrogate]int) {
	to, back = map[renumber.Surrogate]int{}, map[renumber.Surrogate]int{}
	for s := range tape.All {
		n := s.N + tape.Highest(s.Kind)
		to[s], back[renumber.Surrogate{Kind: s.Kind, N: n}] = n, s.N
	}
	return to, back
}

// TestApply wants every surrogate to get its other number wherever it stands, a redactor to find
// nothing to do afterwards, and the way back to lead to the very same text.
func TestApply(t *testing.T) {
	t.Parallel()
	all := cleaned(t, recorded())
	tape := renumber.Read(redactor(t), slices.Values(all))
	for _, kind := range []profile.Sensitivity{
		profile.PAN, profile.Token, profile.Name, profile.Email, profile.Phone, profile.IP,
	} {
		if tape.Highest(kind) == 0 {
			t.Errorf("the tape has no surrogate of kind %s", kind)
		}
	}
	to, back := moved(tape)
	var other []*leaf.Exchange
	for i, x := range all {
		before, had := tape.Outline(x)
		y := tape.Apply(x, to)
		other = append(other, y)
		moved := renumber.Read(redactor(t), slices.Values([]*leaf.Exchange{y}))
		after, has := moved.Outline(y)
		if before != after {
			t.Errorf("exchange %d: another outline:\n%q\n%q", i+1, before, after)
		}
		for j := range had {
			if j < len(has) && has[j].N != to[had[j]] {
				t.Errorf("exchange %d: %v became %v, want %d", i+1, had[j], has[j], to[had[j]])
			}
		}
	}
	for i, c := range redactor(t).RecleanAll(other) {
		if same(t, c.Exchange(), other[i]); len(c.Exchange().Meta.Redactions) != len(all[i].Meta.Redactions) {
			t.Errorf("exchange %d: cleaned again it has other notes: %q", i+1, c.Exchange().Meta.Redactions)
		}
	}
	tape = renumber.Read(redactor(t), slices.Values(other))
	for i, y := range other {
		same(t, tape.Apply(y, back), all[i])
	}
}

// same wants two cleaned exchanges to have the same text.
func same(t *testing.T, got, want *leaf.Exchange) {
	t.Helper()
	for _, pair := range [][2]string{
		{got.URL, want.URL}, {got.Request.Body, want.Request.Body},
		{got.Response.Body, want.Response.Body},
		{strings.Join(got.Meta.Redactions, "\n"), strings.Join(want.Meta.Redactions, "\n")},
		{got.Request.Headers.Get("Authorization"), want.Request.Headers.Get("Authorization")},
		{got.Request.Headers.Get("Content-Length"), want.Request.Headers.Get("Content-Length")},
	} {
		if pair[0] != pair[1] {
			t.Errorf("got\n%s\nwant\n%s", pair[0], pair[1])
		}
	}
}

// TestApplyLeavesOthersAlone wants what only looks like a surrogate to stay: words, and numbers of
// which no tape has given out so many.
func TestApplyLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	all := cleaned(t, recorded()[:1])
	all[0].Response.Body = `{"note":"tapered taper99@example.com Taper Street 12, 4111119999911111",` +
		`"at":1795445483604}`
	tape := renumber.Read(redactor(t), slices.Values(all))
	to, _ := moved(tape)
	if got := tape.Apply(all[0], to); got.Response.Body != all[0].Response.Body {
		t.Errorf("got %s", got.Response.Body)
	}
}

// TestFits wants ordinals that make a long card number hold a shorter one to be skipped.
func TestFits(t *testing.T) {
	t.Parallel()
	x := exchange("/payment/rest/paymentorder.do", formType, "$PAN="+long, "{}")
	all := cleaned(t, []*leaf.Exchange{x})
	tape := renumber.Read(redactor(t), slices.Values(all))
	for s := range tape.All {
		fits := 0
		for n := 1; n <= 100; n++ {
			if tape.Fits(s, n) {
				fits++
			}
		}
		if fits < 50 {
			t.Errorf("%v fits %d of 100 numbers", s, fits)
		}
	}
}
