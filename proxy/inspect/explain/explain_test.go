package explain_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/explain"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// Values that a client sends and nobody may see. The card is never written whole.
var card = "4111" + "1111" + "1111" + "1111"

const password, cvc, holder = "hunter2-of-the-shop", "739", "GRETA SECRETSON"

const orderID = "0193a1b2-0000-7000-8000-0000c0ffee00"

// Lines of a checkout: "METHOD TARGET BODY => ANSWER".
const (
	login    = "userName=u&password=REDACTED-token-1"
	register = "POST /payment/rest/register.do " + login +
		"&orderNumber=A-1&amount=12500&currency=978&returnUrl=https://shop.example/r"
	pay = "POST /payment/rest/paymentorder.do " + login + "&MDORDER=" + orderID +
		"&$PAN=4000000000050002&$CVC=000&$EXPIRY=203012&TEXT=X"
	refund = "POST /payment/rest/refund.do " + login + "&orderId=" + orderID + "&amount=2500"
	status = "POST /payment/rest/getOrderStatusExtended.do " + login + "&orderId=" + orderID
)

// deck is a replay whose exchanges are explained.
type deck struct {
	t    *testing.T
	mode *proxy.Replay
	hub  *hub.Hub
	o    explain.Options
	id   string // of the order, live
}

func newDeck(t *testing.T) *deck {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var xs []*leaf.Exchange
	for i, line := range []string{
		register + ` => {"orderId":"` + orderID + `","formUrl":"https://sandbox.example/payment/p.html?mdOrder=` +
			orderID + `"}`,
		pay + ` => {"errorCode":0,"info":"paid"}`,
		status + ` => {"errorCode":"0","orderNumber":"A-1","orderStatus":2,"amount":12500,"currency":"978",` +
			`"date":1795777521000,"cardAuthInfo":{"pan":"400000**0002"},"attributes":[{"name":"mdOrder",` +
			`"value":"` + orderID + `"}]}`,
		refund + ` => {"errorCode":"0"}`,
		status + ` => {"errorCode":"0","orderNumber":"A-1","orderStatus":4,"refundedAmount":2500}`,
	} {
		request, answer, _ := strings.Cut(line, " => ")
		method, target, body := cut(request)
		x := &leaf.Exchange{}
		x.Method, x.URL, x.Request.Body = method, "https://sandbox.example"+target, body
		x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		x.Code, x.Response.Body, x.Response.Status = 200, answer, "200 OK"
		x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
		x.Meta.Number, x.Meta.At = i+1, time.Date(2026, 11, 22, 11, i, 0, 0, time.UTC)
		xs = append(xs, x)
	}
	tape := match.Compile(match.Options{Profiles: set, Seed: 3}, match.Cassette{Name: "checkout", Exchanges: xs})
	r := redact.New(redact.Options{Profiles: set})
	d := &deck{t: t, hub: hub.New(hub.Options{Redactor: r, Bytes: 256 << 20})}
	d.mode, err = proxy.NewReplay(proxy.ReplayOptions{
		Player: match.NewSessions(tape), Profiles: set, Cleaner: redact.New(redact.Options{Profiles: set}),
		Observe: d.hub.Publish, Tape: tape.Recorded(),
	})
	if err != nil {
		t.Fatal(err)
	}
	d.o = explain.Options{
		Profiles: set, Redactor: r, Base: "http://127.0.0.1:8080", Trace: d.hub.Trace,
		Held: d.hub.Exchange, Flow: func(row view.Row) []view.Row {
			var rows []view.Row
			for id := uint64(1); id <= row.ID; id++ {
				rows = append(rows, d.row(id))
			}
			return rows
		},
	}
	return d
}

func cut(line string) (method, target, body string) {
	method, rest, _ := strings.Cut(line, " ")
	target, body, _ = strings.Cut(rest, " ")
	return method, target, body
}

// live turns a line of the tape into what a client of this run sends.
func (d *deck) live(line string, more ...string) string {
	return strings.NewReplacer(append(more,
		"REDACTED-token-1", password, "A-1", "B-7", orderID, d.id, "4000000000050002", card,
		"$CVC=000", "$CVC="+cvc, "TEXT=X", "TEXT="+strings.ReplaceAll(holder, " ", "+"),
	)...).Replace(line)
}

// send sends a line and returns the number of its event and the body of the answer.
func (d *deck) send(line string) (uint64, string) {
	d.t.Helper()
	method, target, body := cut(line)
	req, err := http.NewRequest(method, "http://127.0.0.1:8080"+target, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := d.mode.RoundTrip(req)
	if err != nil {
		d.t.Fatal(err)
	}
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.Body.Close() != nil {
		d.t.Fatal("the answer did not come to its end")
	}
	return d.hub.LastID(), string(answer)
}

// checkout registers, pays and asks, and returns the numbers of the events.
func (d *deck) checkout() (registered, paid, asked uint64) {
	d.t.Helper()
	registered, body := d.send(d.live(register))
	var answer struct{ OrderID string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.OrderID == "" {
		d.t.Fatalf("no order: %v", err)
	}
	d.id = answer.OrderID
	paid, _ = d.send(d.live(pay))
	asked, _ = d.send(d.live(status))
	return registered, paid, asked
}

// row is the row of an event, as far as explanations look at it.
func (d *deck) row(id uint64) view.Row {
	e := d.hub.Last(1 << 20)[id-1]
	r := view.Row{
		ID: id, Kind: string(e.Kind), Operation: e.Operation, Code: e.Code, Cassette: e.Cassette,
		Number: e.Number, Mark: e.Mark, State: e.State, Reason: string(e.Reason), Nearest: e.Nearest,
		Fields: e.Fields, Took: e.Took,
	}
	if e.Kind == proxy.Served {
		r.Served = "tape"
	}
	return r
}

func (d *deck) why(id uint64) view.Why {
	x, _ := d.hub.Exchange(id)
	return explain.Why(d.o, d.row(id), x, d.hub.Trace(id))
}

func (d *deck) exchange(id uint64) view.Exchange {
	x, _ := d.hub.Exchange(id)
	return explain.Exchange(d.o, d.row(id), x, d.hub.Trace(id))
}

// field returns a field by its path.
func field(fields []view.Field, path string) view.Field {
	for _, f := range fields {
		if f.Path == path {
			return f
		}
	}
	return view.Field{}
}

func TestWhyAMiss(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	d.checkout()
	id, _ := d.send(d.live(refund, "amount=2500", "amount=5000"))
	w := d.why(id)
	if got := w.Title.String(); got != "miss: field amount" {
		t.Errorf("the title is %q", got)
	}
	if got := w.Sentence.String(); got != "The tape has refund.do in this state (checkout#4), but amount differs: "+
		"sent 5000, on tape 2500." {
		t.Errorf("the sentence is %q", got)
	}
	var verdicts []view.Verdict
	for _, r := range w.Rungs {
		verdicts = append(verdicts, r.Verdict)
	}
	if got := fmt.Sprint(verdicts); got != "[yes yes yes no - -]" {
		t.Errorf("the checks came to %s", got)
	}
	if got := w.Rungs[3].Text.String(); !strings.HasPrefix(got,
		"amount differs: sent 5000, on tape 2500; exact (gateway.yaml:") {
		t.Errorf("the fields: %q", got)
	}
	if got := w.Rungs[1].Text.String(); w.Rungs[1].Name != "order" || got != "orderId "+d.id+" was issued in this run in #1" {
		t.Errorf("what it is about: %s: %q", w.Rungs[1].Name, got)
	}
	c := w.Candidates[0]
	if c.Exchange != "checkout#4" || !c.Equal || c.Served || len(c.Differs) != 1 ||
		c.Differs[0].Sent.String() != "5000" || c.Differs[0].Tape.String() != "2500" {
		t.Errorf("the nearest is %+v", c)
	}
	if !strings.HasPrefix(c.Answers, "200") {
		t.Errorf("it would have answered %q", c.Answers)
	}
	if len(w.Mends) != 4 || w.Mends[0].Text.String() != "send amount=2500" ||
		w.Mends[1].Code.String() != "paytape record --upstream https://sandbox.example checkout" {
		t.Errorf("it is mended by %v", w.Mends)
	}
	if x := d.exchange(id); x.Rule.String() != w.Mends[2].Code.String() || !field(x.RequestFields, "amount").Differs {
		t.Errorf("the rule of the miss is\n%s", x.Rule)
	}
}

func TestExchangeSideBySide(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	registered, paid, asked := d.checkout()
	x := d.exchange(asked)
	answer := []struct {
		path       string
		kind       view.ValueKind
		tape, live string // "": not compared
		human      string
	}{
		{"orderNumber", view.Echo, "A-1", "B-7", ""},
		{"orderStatus", view.Constant, "2", "2", "paid"},
		{"amount", view.Constant, "12500", "12500", "125.00 EUR"},
		{"date", view.Moved, "1795777521000", "", ""},
		{"cardAuthInfo.pan", view.Mask, "400000**0002", card[:6] + "**" + card[12:], ""},
		{"attributes[0].value", view.Fresh, orderID, d.id, ""},
	}
	for _, tt := range answer {
		f := field(x.ResponseFields, tt.path)
		if f.Kind != tt.kind || f.Tape.String() != tt.tape || tt.live != "" && f.Live.String() != tt.live ||
			tt.human != "" && f.Human.String() != tt.human || !f.HasLive || !f.HasTape {
			t.Errorf("%s is %+v, want %+v", tt.path, f, tt)
		}
	}
	for path, kind := range map[string]view.ValueKind{
		"orderId": view.Fresh, "password": view.Redacted, "userName": view.Echo,
	} {
		if f := field(x.RequestFields, path); f.Kind != kind || !f.HasTape {
			t.Errorf("%s is %+v, want %s", path, f, kind)
		}
	}
	if f := field(d.exchange(paid).RequestFields, "$PAN"); f.Kind != view.Redacted || f.Noun != "card" ||
		f.Live.String() == card {
		t.Errorf("the card is %+v", f)
	}
	if f := field(d.exchange(registered).ResponseFields, "orderId"); !strings.HasPrefix(f.Row,
		"minted order (gateway.yaml:") {
		t.Errorf("the row of the order is %q", f.Row)
	}
	if !strings.Contains(x.Response.Pretty.String(), "\n  \"orderNumber\": \"B-7\"") {
		t.Errorf("laid out, the answer is\n%s", x.Response.Pretty)
	}
	if !strings.HasPrefix(x.Curl.String(), "curl ") || x.Request.Media != "form" || x.Response.Media != "JSON" {
		t.Errorf("copied as %q, %s, %s", x.Curl, x.Request.Media, x.Response.Media)
	}
}

// TestWithoutATape explains an exchange that went to the sandbox: the profiles tell the kinds.
func TestWithoutATape(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	_, _, asked := d.checkout()
	x, _ := d.hub.Exchange(asked)
	row := d.row(asked)
	row.Kind, row.Cassette = string(proxy.Passed), ""
	shown := explain.Exchange(d.o, row, x, nil)
	for path, kind := range map[string]view.ValueKind{
		"orderNumber": view.Echo, "date": view.Moved, "cardAuthInfo.pan": view.Mask,
		"attributes[0].value": view.Fresh, "orderStatus": view.Constant,
	} {
		if f := field(shown.ResponseFields, path); f.Kind != kind || f.HasTape {
			t.Errorf("%s is %+v, want %s", path, f, kind)
		}
	}
	w := explain.Why(d.o, row, x, nil)
	if w.Gone || len(w.Rungs) != 2 || w.Sentence.String() != "The sandbox was asked, and nothing was recorded." {
		t.Errorf("it is explained by %+v", w)
	}
	if gone := explain.Why(d.o, d.row(asked), redact.Clean{}, nil); !gone.Gone {
		t.Error("an answer whose trace is gone is explained")
	}
	if gone := explain.Exchange(d.o, d.row(asked), redact.Clean{}, nil); !gone.Gone {
		t.Error("an exchange that is gone is shown")
	}
}

// TestWhyOfACallback explains attempts, which nobody has asked for.
func TestWhyOfACallback(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	for _, test := range []struct {
		row         view.Row
		title, says string
	}{
		{view.Row{Callback: 1, Attempt: 2, Attempts: 3, Operation: "deposited", Code: 500,
			CallbackOutcome: proxy.OutcomeRefused, Cassette: "checkout", Number: 3},
			"callback c1: deposited, attempt 2 of 3",
			"The shop is told what the sandbox has told on tape (checkout#3). " +
				"The shop has refused it: it said 500."},
		{view.Row{Callback: 2, Operation: "refunded", CallbackOutcome: proxy.OutcomeHeld},
			"callback c2: refunded", "paytape callbacks next sends it."},
		{view.Row{Callback: 3, Attempt: 1, Operation: "refunded", CallbackOutcome: proxy.OutcomeUnanswered,
			Problem: "refused"}, "callback c3: refunded, attempt 1", "The shop did not answer."},
	} {
		test.row.Kind, test.row.Profile = string(proxy.Callback), "gateway"
		w := explain.Why(d.o, test.row, redact.Clean{}, nil)
		if w.Title.String() != test.title || !strings.HasSuffix(w.Sentence.String(), test.says) || w.Gone ||
			w.Rungs[0].Text.String() != "a callback of gateway" {
			t.Errorf("%q, %q, %+v", w.Title, w.Sentence, w.Rungs)
		}
	}
}

// TestRulesThatAreArmed names the rules that are for a call, where none has fired.
func TestRulesThatAreArmed(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	_, _, asked := d.checkout()
	says := func() string {
		x, _ := d.hub.Exchange(asked)
		for _, r := range explain.Why(d.o, d.row(asked), x, d.hub.Trace(asked)).Rungs {
			if r.Name == match.RungRules {
				return r.Text.String()
			}
		}
		return ""
	}
	if got := says(); got != "none in force" {
		t.Errorf("without rules: %q", got)
	}
	for text, want := range map[string]string{
		"- {name: a, op: refund.do, then: {status: 503}}": "none of 1 rule is armed for " +
			"getOrderStatusExtended.do",
		"- {name: a, op: 'get*', when: asked, then: {status: 503}}\n" +
			"- {name: b, op: refund.do, then: {status: 503}}": "none fired; armed for " +
			"getOrderStatusExtended.do: a",
	} {
		f, err := rules.Parse("r.yaml", []byte("rules:\n"+text), rules.Source{Profiles: d.o.Profiles})
		if err != nil {
			t.Fatal(err)
		}
		d.o.Rules = rules.New(rules.Options{Profiles: d.o.Profiles})
		if err := d.o.Rules.Set(rules.FromFile, f); err != nil {
			t.Fatal(err)
		}
		if got := says(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBirthAndUses(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	registered, paid, asked := d.checkout()
	rows := []view.Row{d.row(registered), d.row(paid), d.row(asked)}
	v, found := explain.Value(d.o, rows, d.hub.Exchange, asked, explain.SideRequest, "orderId")
	if !found || v.Kind != view.Fresh || v.Text.String() != d.id || v.Tape.String() != orderID {
		t.Fatalf("the order is %+v", v)
	}
	if v.Born == nil || v.Born.ID != registered || v.Born.Path != "orderId" || v.Born.Side != explain.SideAnswer {
		t.Errorf("it was born at %+v", v.Born)
	}
	uses := map[string]string{}
	for _, u := range v.Used {
		uses[fmt.Sprintf("%d %s %s", u.ID, u.Side, u.Path)] = u.How
	}
	for use, how := range map[string]string{
		fmt.Sprintf("%d answer formUrl", registered):        "inside a longer text",
		fmt.Sprintf("%d request MDORDER", paid):             "",
		fmt.Sprintf("%d request orderId", asked):            "",
		fmt.Sprintf("%d answer attributes[0].value", asked): "",
	} {
		if got, found := uses[use]; !found || got != how {
			t.Errorf("%s: %q, %v in %v", use, got, found, uses)
		}
	}
	v, _ = explain.Value(d.o, rows, d.hub.Exchange, paid, explain.SideRequest, "$PAN")
	masked := false
	for _, u := range v.Used {
		masked = masked || u.ID == asked && u.Path == "cardAuthInfo.pan" && u.How == "masked"
	}
	if !masked {
		t.Errorf("the mask of the card is not among its uses: %+v", v.Used)
	}
	if _, found := explain.Value(d.o, rows, d.hub.Exchange, asked, explain.SideAnswer, "nothing"); found {
		t.Error("a field that is not there has a value")
	}
}

// TestRulesOfExchangesAreAccepted makes a rule of every exchange: a rules file may have each.
func TestRulesOfExchangesAreAccepted(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	d.checkout()
	d.send(d.live(refund, "amount=2500", "amount=5000"))
	d.send("POST /elsewhere?a=1 b=2")
	d.send(d.live(register) + "&language=en")
	for id := uint64(1); id <= d.hub.LastID(); id++ {
		for _, kind := range []proxy.Kind{proxy.Kind(d.row(id).Kind), proxy.Passed} {
			x, _ := d.hub.Exchange(id)
			row, trace := d.row(id), d.hub.Trace(id)
			if kind == proxy.Passed {
				row.Kind, row.Reason, trace = string(kind), "", nil
			}
			text := explain.Exchange(d.o, row, x, trace).Rule.String()
			f, err := rules.Parse("rule.yaml", []byte(text), rules.Source{Profiles: d.o.Profiles})
			if err != nil || len(f.Rules)+len(f.Rewrite) == 0 {
				t.Errorf("exchange %d as %s: %v\n%s", id, kind, err, text)
			}
		}
	}
}

// TestNoSecretIsExplained sends secrets in every field, and in fields that no profile knows, and looks for
// them in everything that is shown.
func TestNoSecretIsExplained(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	d.checkout()
	for _, line := range []string{
		d.live(refund, "amount=2500", "amount="+card),
		d.live(refund) + "&password=" + password + "&note=" + password + "&" + card + "=1",
		d.live(status, orderID, card),
		d.live(pay, "203012", "202001", "TEXT=X", "TEXT="+card),
		d.live(register, "A-1", card, "12500", password),
		"POST /cards/" + card + "/pin pin=" + cvc + "&password=" + password,
		"POST /elsewhere?card=" + card + " password=" + password,
	} {
		d.send(line)
	}
	secrets := []string{card, password, holder, "$CVC=" + cvc}
	var rows []view.Row
	for id := uint64(1); id <= d.hub.LastID(); id++ {
		rows = append(rows, d.row(id))
	}
	for id := uint64(1); id <= d.hub.LastID(); id++ {
		shown := []any{d.why(id), d.exchange(id)}
		for _, f := range d.exchange(id).RequestFields {
			v, _ := explain.Value(d.o, rows, d.hub.Exchange, id, explain.SideRequest, f.Path)
			shown = append(shown, v)
		}
		for _, v := range shown {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range secrets {
				if strings.Contains(string(text), s) {
					t.Errorf("exchange %d: %T shows secret %d", id, v, i)
				}
			}
		}
	}
}

// TestLargeMessagesAreBounded sends 10 MB in one field, and a thousand fields.
func TestLargeMessagesAreBounded(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	d.checkout()
	many := strings.Builder{}
	for i := range 1000 {
		fmt.Fprintf(&many, "&x%d=<script>alert(%d)</script>", i, i)
	}
	for _, more := range []string{"&note=" + strings.Repeat("<b>x</b>", 10<<20/8), many.String()} {
		id, _ := d.send(d.live(register, "A-1", "B-8") + more)
		x, w := d.exchange(id), d.why(id)
		if len(x.RequestFields) > explain.MaxFields || len(x.Request.Body.String()) > explain.MaxBody ||
			len(w.Compared) > explain.MaxFields {
			t.Errorf("%d fields, %d compared, a body of %d bytes", len(x.RequestFields), len(w.Compared),
				len(x.Request.Body.String()))
		}
		text, err := json.Marshal([]any{x, w})
		if err != nil || len(text) > 6<<20 {
			t.Errorf("%d bytes are shown: %v", len(text), err)
		}
		if x.More == 0 && !x.Request.Cut {
			t.Error("nothing says that something is left out")
		}
	}
}

// TestLookingFromManySides explains while traffic goes on.
func TestLookingFromManySides(t *testing.T) {
	t.Parallel()
	d := newDeck(t)
	d.checkout()
	last := d.hub.LastID()
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 50 {
			d.send(d.live(status))
		}
	})
	for range 3 {
		wg.Go(func() {
			for id := uint64(1); id <= last; id++ {
				if w := d.why(id); w.Gone || len(w.Rungs) != 6 {
					t.Errorf("exchange %d is explained by %d rungs", id, len(w.Rungs))
				}
				d.exchange(id)
			}
		})
	}
	wg.Wait()
}
