package deck_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
)

// secret is a value that nobody may see, whom the inspector shows a deck.
type secret struct {
	name string
	text string
	at   *regexp.Regexp // the text as a value of its own
}

func newSecret(name, text string) secret {
	return secret{name, text, regexp.MustCompile(`(^|[^0-9A-Za-z-])` + text + `($|[^0-9A-Za-z-])`)}
}

// The secrets that the sweep sends. Card numbers are published test numbers.
var (
	sweepCards    = []string{"411111" + "1111111111", "378282" + "246310005"}
	sweepCVC      = "8391"
	sweepPassword = "unmistakable-" + "password-7"
)

// sweepSecrets returns all of them, the password at the end.
func sweepSecrets() []secret {
	all := []secret{newSecret("a CVC", sweepCVC)}
	for _, card := range sweepCards {
		all = append(all, secret{name: "card " + card[:6], text: card})
		all = append(all, secret{name: "spaced card " + card[:6], text: inGroups(card, " ")})
		all = append(all, secret{name: "dashed card " + card[:6], text: inGroups(card, "-")})
		all = append(all, secret{name: "plussed card " + card[:6], text: inGroups(card, "+")})
		all = append(all, secret{name: "escaped card " + card[:6], text: inGroups(card, "%20")})
	}
	return append(all, secret{name: "a password", text: sweepPassword})
}

func inGroups(number, between string) string {
	var b strings.Builder
	for i := 0; i < len(number); i += 4 {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(number[i:min(i+4, len(number))])
	}
	return b.String()
}

// sweep looks at everything that is shown.
type sweep struct {
	t       *testing.T
	mode    deck.Mode
	secrets []secret
	base    string // of the API, with the token
	looked  int
}

// look looks for secrets in a text.
func (s *sweep) look(where, text string) {
	s.t.Helper()
	s.looked++
	for _, secret := range s.secrets {
		at := strings.Index(text, secret.text)
		if secret.at != nil {
			at = -1
			if found := secret.at.FindStringIndex(text); found != nil {
				at = found[0]
			}
		}
		if at >= 0 {
			s.t.Errorf("%s: %s shows %s: ...%s[%s]%s", s.mode, where, secret.name,
				text[max(0, at-60):at], secret.name, tail(text, at+len(secret.text)))
		}
	}
}

func tail(text string, at int) string {
	if at >= len(text) {
		return ""
	}
	return text[at:min(len(text), at+30)]
}

// get asks the API, looks at the whole answer, and returns it.
func (s *sweep) get(call string) []byte { return s.ask("GET", call) }

func (s *sweep) ask(method, call string) []byte {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+call, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.look(method+" "+call, fmt.Sprint(res.Header)+string(body))
	return body
}

// sendOddly sends secrets in every place of a request.
func sendOddly(t *testing.T, base string) {
	t.Helper()
	client := &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second,
	}
	send := func(method, target, media, body string, headers ...string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, base+target, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if media != "" {
			req.Header.Set("Content-Type", media)
		}
		for i := 0; i+1 < len(headers); i += 2 {
			req.Header[headers[i]] = []string{headers[i+1]}
		}
		if res, err := client.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	}
	const form, js = "application/x-www-form-urlencoded", "application/json"
	login := url.Values{"userName": {"sweep-api"}, "password": {sweepPassword}}
	post := func(target string, fields ...string) {
		t.Helper()
		all := url.Values{}
		for name, values := range login {
			all[name] = values
		}
		for i := 0; i+1 < len(fields); i += 2 {
			all.Set(fields[i], fields[i+1])
		}
		send("POST", target, form, all.Encode())
	}
	for _, card := range sweepCards {
		spaced := inGroups(card, " ")
		for _, number := range []string{card, spaced, inGroups(card, "-")} {
			post("/payment/rest/register.do", "orderNumber", number, "amount", "12500",
				"returnUrl", "https://shop.example/"+url.QueryEscape(number)+"?"+number,
				"description", "for "+number+".", "jsonParams", `{"`+number+`":"`+number+`"}`,
				"dynamicCallbackUrl", "http://127.0.0.1:9/"+url.QueryEscape(number), number, number)
			post("/payment/rest/paymentorder.do", "MDORDER", number, "$PAN", number, "$CVC", sweepCVC,
				"$EXPIRY", "203012", "TEXT", number)
			post("/payment/rest/getOrderStatusExtended.do", "orderId", number, "orderNumber", number)
			escaped := url.PathEscape(number)
			for _, at := range []string{
				"/" + escaped, "/v2/cards/" + escaped, "/v2/" + escaped + "/x",
				"/payment/rest/" + escaped + ".do",
				"/payment/rest/register.do?" + url.QueryEscape(number) + "=" + url.QueryEscape(number),
				"/_host/" + escaped + "/x", "/v1/apigate/ws/rest/" + escaped,
			} {
				send("GET", at, "", "")
			}
			object := `{"` + number + `":{"` + number + `":["` + number + `"]},"number":"` + number +
				`","cvc":"` + sweepCVC + `","amount":` + `100` + `,"firstName":"` + number + `"}`
			for _, at := range []string{
				"/v2/cards", "/v2/transfers", "/v1/apigate/ws/rest/registerCustomer", "/unknown/path",
				"/v2/cardholders",
			} {
				send("POST", at, js, object, "X-"+strings.ReplaceAll(number, " ", ""), number,
					"Authorization", "Bearer "+number, "Cookie", number+"="+number)
			}
			send("PATCH", "/v2/cards/1", js+"; x="+card, object)
			send("POST", "/payment/rest/register.do", form, number+"="+number+"&"+url.QueryEscape(number))
			send("POST", "/payment/rest/register.do", "text/xml",
				"<a "+"x='"+number+"'><"+"b"+card+">"+number+"</b"+card+"></a>")
		}
		send("X"+card, "/payment/rest/register.do", "", "")
		send("GET", "/~"+card+"/payment/rest/getOrderStatus.do?orderId=1", "", "")
		send("POST", "/~s-"+inGroups(card, "-")+"/v2/transfers", js, `{"amount":1}`)
		send("GET", "/x", "", "", "User-Agent", card, "Referer", "http://"+card+".example/"+card,
			"X-Forwarded-For", card, "Paytape-Arm", card, "Origin", "http://"+card+".example")
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		part, _ := w.CreateFormFile(card, card+".txt")
		_, _ = io.WriteString(part, card)
		_ = w.WriteField("$PAN", card)
		_ = w.Close()
		send("POST", "/payment/rest/paymentorder.do", w.FormDataContentType(), b.String())
	}
	// A password is known when it was sent as one.
	send("GET", "/payment/rest/getOrderStatus.do?orderId="+sweepPassword, "", "")
	send("GET", "/"+sweepPassword+"?"+sweepPassword+"="+sweepPassword, "", "", "X-Any", sweepPassword)
	send("POST", "/v2/transfers", js, `{"`+sweepPassword+`":"`+sweepPassword+`"}`)
	post("/payment/rest/register.do", "orderNumber", sweepPassword, "amount", "12500", "returnUrl",
		"https://shop.example/"+sweepPassword, "description", sweepPassword, sweepPassword, "x")
}

// lookAtAll looks at everything that the inspector of a deck shows.
func (s *sweep) lookAtAll(d *deck.Deck) {
	s.t.Helper()
	var list struct {
		Rows []struct {
			ID    uint64
			Group string
			Kind  string
		}
	}
	// A row that nobody has read tells what was known when the request came, as its event does.
	secrets := s.secrets
	s.secrets = s.secrets[:len(s.secrets)-1] // without the password
	if err := json.Unmarshal(s.get("rows?n=2000"), &list); err != nil {
		s.t.Fatal(err)
	}
	s.secrets = secrets
	if len(list.Rows) < 100 {
		s.t.Fatalf("%s: there are %d rows", s.mode, len(list.Rows))
	}
	const text = "format=text&columns=200"
	groups := map[string]bool{}
	for _, row := range list.Rows {
		var x struct {
			RequestFields, ResponseFields []struct{ Path string }
		}
		at := fmt.Sprintf("exchanges/%d", row.ID)
		_ = json.Unmarshal(s.get(at), &x)
		s.get(at + "?" + text)
		s.get(at + ".har")
		s.get(fmt.Sprintf("why/%d", row.ID))
		s.get(fmt.Sprintf("why/%d?%s", row.ID, text))
		for _, f := range x.RequestFields[:min(4, len(x.RequestFields))] {
			s.get(fmt.Sprintf("values?id=%d&side=request&path=%s", row.ID, url.QueryEscape(f.Path)))
		}
		for _, f := range x.ResponseFields[:min(2, len(x.ResponseFields))] {
			s.get(fmt.Sprintf("values?id=%d&side=answer&path=%s", row.ID, url.QueryEscape(f.Path)))
		}
		if row.Group != "" && !groups[row.Group] {
			groups[row.Group] = true
			s.get("flows/" + row.Group)
			s.get("flows/" + row.Group + "?" + text)
		}
	}
	last := list.Rows[0].Group
	n := 0
	for g := range groups {
		if n++; n < 20 {
			s.get("compare?a=" + last + "&b=" + g)
		}
		last = g
	}
	for _, call := range []string{
		"rows?n=2000", "rows?n=2000&" + text, "status", "status?" + text,
		"exchanges?grouped=1&n=2000&open=all", "exchanges?n=2000",
		"exchanges?grouped=1&n=2000&open=all&" + text, "why/last-miss", "tapes", "tapes/tape/machine",
		"rules", "rules?" + text, "callbacks", "callbacks?" + text, "why/m1", "why/m2?" + text,
	} {
		s.get(call)
	}
	for _, key := range []string{
		"order", "card", "op", "served", "outcome", "status", "amount", "reason", "rule", "callback",
		"state", "session", "body", "has", "is", "id",
	} {
		s.get("filter?q=" + key + ":")
	}
	for _, secret := range s.secrets {
		q := url.QueryEscape(secret.text)
		p := url.PathEscape(secret.text)
		if secret.name == "a password" || secret.at != nil {
			continue // who asks with it is told what was asked; there is no way to know it
		}
		for _, call := range []string{
			"filter?q=" + q, "filter?q=order:" + q, "filter?q=card:%22" + q + "%22&cursor=14",
			"exchanges?q=nothing:" + q, "exchanges?q=" + q + ":", "exchanges?q=(" + q,
			"rows?q=amount%3E" + q,
			"exchanges?at=" + q, "flows/" + p, "why/" + p, "exchanges/" + p, "exchanges/" + p + ".har",
			"tapes/" + p + "/machine", "compare?a=" + q + "&b=" + q, "values?id=1&side=" + q,
			"values?id=1&side=request&path=" + q, p, "filter?cursor=" + q,
		} {
			s.get(call)
		}
		for _, call := range []string{
			"rules/" + p + "/arm", "rules/" + p + "/disarm", "rules/x/arm?times=" + q,
			"callbacks/mode?to=" + q, "callbacks/" + p + "/resend", "exchanges/" + p + "/resend",
		} {
			s.ask("POST", call)
		}
	}
	s.secrets = s.secrets[:len(s.secrets)-1]
	for _, e := range d.Events().Last(2000) {
		s.lookAtEvent(e.Event)
	}
	s.secrets = secrets
}

// lookAtEvent looks at what logs tell of an event.
func (s *sweep) lookAtEvent(e proxy.Event) {
	e.Exchange = nil
	s.look(fmt.Sprintf("an event of kind %s", e.Kind), fmt.Sprintf("%+v", e))
}

// stream returns what a stream of events has told when the deck has stopped.
func (s *sweep) stream(call string) func() string {
	s.t.Helper()
	res, err := http.Get(s.base + call)
	if err != nil {
		s.t.Fatal(err)
	}
	told := make(chan string, 1)
	go func() {
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body) // an error is the end, too
		told <- string(body)
	}()
	return func() string { return <-told }
}

// Whatever a client sends wherever, nothing that the inspector shows of it holds a secret: no call of
// the API, no text for a terminal, no event, archive, command or error.
func TestInspectorShowsNoSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	modes := []deck.Mode{deck.Record, deck.Replay, deck.Spy, deck.Pass}
	if raced.Enabled {
		modes = modes[:2] // one goroutine looks at thousands of answers
	}
	for _, mode := range modes {
		o := recording(dir)
		o.Mode, o.Inspect, o.Keep = mode, &deck.Inspect{}, 4000
		if mode == deck.Replay {
			o.Callbacks.Mode = deck.CallbacksHold
		} else {
			o.Callbacks.Mode = deck.CallbacksRelay
		}
		d, err := deck.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		s := &sweep{t: t, mode: mode, secrets: sweepSecrets(), base: d.Inspector + "api/"}
		asJSON, asText := s.stream("events"), s.stream("events?format=text&columns=200")
		sendOddly(t, d.URL)
		s.lookAtAll(d)
		s.resendSome()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		s.secrets = s.secrets[:len(s.secrets)-1] // a stream may be faster than whoever reads exchanges
		s.look("the stream of events", asJSON())
		s.look("the stream of lines", asText())
		t.Logf("%s: looked at %d answers", mode, s.looked)
	}
}

// resendSome sends some requests again, and looks at what that made.
func (s *sweep) resendSome() {
	s.t.Helper()
	for id := 1; id < 60; id++ {
		var saved struct{ ID uint64 }
		_ = json.Unmarshal(s.ask("POST", fmt.Sprintf("exchanges/%d/resend?sure=1", id)), &saved)
		if saved.ID != 0 {
			s.get(fmt.Sprintf("exchanges/%d", saved.ID))
			s.get(fmt.Sprintf("why/%d", saved.ID))
		}
	}
}
