package match_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// told writes a recording as tape does, in which a second passes between two exchanges. A line
// "callback PROFILE METHOD TARGET BODY => STATUS" is what the sandbox told the shop, "wait
// DURATION" is a pause, and "=> lost" no answer of the shop's.
func told(lines ...string) []*leaf.Exchange {
	var xs []*leaf.Exchange
	now := recorded
	for _, line := range lines {
		if pause, ok := strings.CutPrefix(line, "wait "); ok {
			d, err := time.ParseDuration(pause)
			if err != nil {
				panic(err)
			}
			now = now.Add(d)
			continue
		}
		now = now.Add(time.Second)
		rest, callback := strings.CutPrefix(line, "callback ")
		if !callback {
			x := tape(line)[0]
			x.Meta.Number, x.Meta.At = len(xs)+1, now
			xs = append(xs, x)
			continue
		}
		api, rest, _ := strings.Cut(rest, " ")
		rest, status, _ := strings.Cut(rest, " => ")
		x := tape(rest + " => -")[0]
		x.URL = leaf.CallbackOrigin + x.Target()
		x.Request.Headers = http.Header{
			"User-Agent": {"Sandbox/1"}, "Content-Length": {"5"}, "Host": {"127.0.0.1:5"},
			"Connection": {"X-Hop"}, "X-Hop": {"1"},
		}
		switch {
		case strings.HasPrefix(x.Request.Body, "{"):
			x.Request.Headers.Set("Content-Type", "application/json")
		case strings.HasPrefix(x.Request.Body, "<"):
			x.Request.Headers.Set("Content-Type", "application/xml")
		case x.Request.Body != "":
			x.Request.Headers.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		x.Meta = leaf.Meta{Number: len(xs) + 1, At: now, Operation: "callback"}
		x.Meta.Callback = &leaf.Callback{Attempt: 1, Via: leaf.ViaRelay}
		if api != "unknown" {
			x.Meta.Profile = api
		}
		if _, err := fmt.Sscan(status, &x.Code); err != nil {
			x.Meta.Failure, x.Meta.Fault = "the shop gave no answer", leaf.FaultNoAnswer
		}
		xs = append(xs, x)
	}
	return xs
}

// at a shop's address, orders of it. The shop listens at another port in each run.
const shopAt = "http://127.0.0.1:9001/cb?shop=1"

func registersAt(number, address string) string {
	return registers(number) + "&dynamicCallbackUrl=" + escaped(address)
}

func escaped(s string) string {
	return strings.NewReplacer("?", "%3F", "&", "%26", "=", "%3D").Replace(s)
}

// calledBack sends a request that must be answered, without a mark, and returns its callbacks.
func (s *session) calledBack(line string) []match.Callback {
	s.t.Helper()
	a, miss := s.serve(line)
	if miss != nil {
		s.t.Fatalf("%s\nmissed: %s: %s (%s)", line, miss.Reason, miss.Sentence, miss.Hint)
	}
	if a.Mark != "" {
		s.t.Errorf("%s\nis marked %s", line, a.Mark)
	}
	a.Delivered(true)
	return a.Callbacks
}

// events are what callbacks tell.
func events(cbs []match.Callback) string {
	var all []string
	for _, cb := range cbs {
		all = append(all, cb.Operation)
	}
	return strings.Join(all, " ")
}

// TestCallbackOfAPayment records a payment of which the sandbox tells the shop, in each of the ways
// in which it may, and pays under another number at another address.
func TestCallbackOfAPayment(t *testing.T) {
	for _, tt := range []struct{ name, callback, path, query, body string }{
		{"GET", "GET ?mdOrder=" + oldID + "&orderNumber=A-1&operation=deposited&maskedPan=400000**0002" +
			"&amount=100&status=1&date=%D",
			"", "mdOrder=$id$&orderNumber=B-9&operation=deposited&maskedPan=400000**0002" +
				"&amount=100&status=1&date=%D", ""},
		{"GET with a path", "GET /paid/" + oldID + "?operation=deposited",
			"/paid/$id$", "operation=deposited", ""},
		{"GET of the address itself", "GET /?operation=deposited&mdOrder=" + oldID,
			"", "operation=deposited&mdOrder=$id$", ""},
		{"POST of a form", "POST / orderNumber=A-1&operation=deposited&mdOrder=" + oldID, "", "",
			"orderNumber=B-9&operation=deposited&mdOrder=$id$"},
		{"POST of JSON", `POST ?v=1 {"operation":"deposited","order":{"mdOrder":"` + oldID + `","orderNumber":"A-1"}}`,
			"", "v=1", `{"operation":"deposited","order":{"mdOrder":"$id$","orderNumber":"B-9"}}`},
		{"POST of XML", `POST / <paid><operation>deposited</operation><mdOrder>` + oldID + `</mdOrder></paid>`,
			"", "", `<paid><operation>deposited</operation><mdOrder>$id$</mdOrder></paid>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stamp := func(at time.Time) string {
				return url.QueryEscape(at.UTC().Format("Mon Jan 02 15:04:05 MST 2006"))
			}
			s := replay(t, told(registersAt("A-1", shopAt)+registered(oldID),
				pay+oldID+` => {"errorCode":0}`,
				"callback gateway "+strings.Replace(tt.callback, "%D", stamp(recorded.Add(2*time.Second)), 1)+" => 200",
				status+oldID+` => {"errorCode":"0","orderStatus":2}`))
			const mine = "https://shop.other:444/hook/5?token=x"
			a, miss := s.serve(registersAt("B-9", mine))
			if miss != nil || a.Mark != "" || len(a.Callbacks) > 0 {
				t.Fatalf("register: %+v %+v", a, miss)
			}
			a.Delivered(true)
			s.keep("id", a.Body, `"orderId":"`)
			cbs := s.calledBack(pay + "$id$")
			if len(cbs) != 1 {
				t.Fatalf("%d callbacks", len(cbs))
			}
			fill := func(text string) string {
				text = strings.ReplaceAll(text, "%D", stamp(played))
				return strings.ReplaceAll(text, "$id$", s.ids["id"])
			}
			cb := cbs[0]
			got := []string{cb.Operation, cb.Address, cb.Path, cb.Query, cb.Body, cb.Mark}
			want := []string{"deposited", mine, fill(tt.path), fill(tt.query), fill(tt.body), ""}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if cb.Gap != time.Second || cb.Number != 3 || cb.Profile == nil ||
				len(cb.Attempts) != 1 || cb.Attempts[0].Status != 200 {
				t.Errorf("gap %v, #%d, attempts %v", cb.Gap, cb.Number, cb.Attempts)
			}
			for _, name := range []string{"Host", "Content-Length", "Connection", "X-Hop"} {
				if cb.Header.Get(name) != "" {
					t.Errorf("it has the header %s", name)
				}
			}
			if cb.Header.Get("User-Agent") != "Sandbox/1" {
				t.Error("it has lost its User-Agent")
			}
			if got := s.hit(status + "$id$"); !strings.Contains(got, `"orderStatus":2`) {
				t.Errorf("behind the callback: %s", got)
			}
		})
	}
}

// TestCallbackOfAnotherCard pays with a card that the tape does not have: the callback shows its
// mask, and says what the answer says.
func TestCallbackOfAnotherCard(t *testing.T) {
	s := replay(t, told(registersAt("A-1", shopAt)+registered(oldID), pay+oldID+done,
		"callback gateway GET ?mdOrder="+oldID+"&maskedPan=400000**0002&operation=deposited => 200"))
	s.keep("id", s.hit(registersAt("B-1", shopAt)), `"orderId":"`)
	a, miss := s.serve(strings.Replace(pay, "4000000000050002", oracleCards["W"], 1) + "$id$")
	if miss != nil || a.Mark != "assumed=card" || len(a.Callbacks) != 1 {
		t.Fatalf("%+v %+v", a, miss)
	}
	cb := a.Callbacks[0]
	query, err := url.QueryUnescape(cb.Query)
	if err != nil || cb.Mark != a.Mark || !strings.Contains(query, "maskedPan=411111**1111&") {
		t.Errorf("told %s, marked %q", cb.Query, cb.Mark)
	}
}

// tells is a callback about an order.
func tells(event, id, number string) string {
	return "callback gateway GET ?mdOrder=" + id + "&orderNumber=" + number + "&operation=" + event +
		"&status=1 => 200"
}

const (
	inShop     = "userName=u&password=REDACTED-token-1"
	refundHalf = "POST /payment/rest/refund.do " + inShop + "&amount=50&orderId="
	done       = ` => {"errorCode":"0"}`
)

// TestCallbacksOfTwoOrders records two orders in turns. The callback of the first payment comes
// when the refund has begun, and those of both orders come together.
func TestCallbacksOfTwoOrders(t *testing.T) {
	s := replay(t, told(
		registersAt("A-1", shopAt)+registered(oldID),
		registersAt("A-2", "http://127.0.0.1:9002/cb")+registered(oldID2),
		pay+oldID+done, pay+oldID2+done,
		tells("deposited", oldID2, "A-2"),
		refundHalf+oldID+done,
		tells("deposited", oldID, "A-1"), tells("refunded", oldID, "A-1"),
	))
	for _, n := range []string{"1", "2"} {
		a, miss := s.serve(registersAt("B-"+n, "http://127.0.0.1:700"+n+"/mine"))
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		s.keep("id"+n, a.Body, `"orderId":"`)
		a.Delivered(true)
	}
	for _, tt := range []struct{ send, want, id, at string }{
		{pay + "$id2$", "deposited", "id2", "http://127.0.0.1:7002/mine"},
		{pay + "$id1$", "deposited", "id1", "http://127.0.0.1:7001/mine"},
		{refundHalf + "$id2$", "refunded", "id2", "http://127.0.0.1:7002/mine"},
	} {
		cbs := s.calledBack(tt.send)
		if events(cbs) != tt.want {
			t.Fatalf("%s: told %q, want %q", tt.send, events(cbs), tt.want)
		}
		if !strings.Contains(cbs[0].Query, "mdOrder="+s.ids[tt.id]+"&") || cbs[0].Address != tt.at {
			t.Errorf("%s: told %s at %s", tt.send, cbs[0].Query, cbs[0].Address)
		}
	}
}

// TestCallbackBehindASilentEdge records a payer who confirms at the bank while the shop polls: the
// callback comes with the poll that sees it, or after as long a time.
func TestCallbackBehindASilentEdge(t *testing.T) {
	xs := told(registersAt("A-1", shopAt)+registered(oldID), pay+oldID+done,
		status+oldID+` => {"errorCode":"0","orderStatus":5}`,
		status+oldID+` => {"errorCode":"0","orderStatus":5}`,
		"wait 3s", tells("deposited", oldID, "A-1"),
		status+oldID+` => {"errorCode":"0","orderStatus":2}`)
	s := replay(t, xs)
	s.keep("id", s.hit(registersAt("B-1", shopAt)), `"orderId":"`)
	got := events(s.calledBack(pay + "$id$"))
	for range 4 {
		got += "|" + events(s.calledBack(status+"$id$"))
	}
	if want := "|||deposited|"; got != want {
		t.Errorf("polls: told %q, want %q", got, want)
	}

	s = replay(t, xs)
	s.keep("id", s.hit(registersAt("B-1", shopAt)), `"orderId":"`)
	a, miss := s.serve(pay + "$id$")
	if miss != nil {
		t.Fatal(miss.Sentence)
	}
	if want := played.Add(6 * time.Second); !a.Due.Equal(want) {
		t.Fatalf("due at %v, want %v", a.Due, want)
	}
	for _, tt := range []struct {
		at   time.Duration
		want string
	}{{5 * time.Second, ""}, {6 * time.Second, "deposited"}, {time.Hour, ""}} {
		cbs, next := s.player.Advance(played.Add(tt.at))
		if events(cbs) != tt.want || next.IsZero() == (tt.at < 6*time.Second) {
			t.Errorf("after %v: told %q, next %v", tt.at, events(cbs), next)
		}
	}
	if got := s.hit(status + "$id$"); !strings.Contains(got, `"orderStatus":2`) {
		t.Errorf("behind the callback: %s", got)
	}
}

// TestCallbackOfOneOfTwoPayers records two payers at the bank. The first confirms, of which nothing tells but
// the callback; the second does not, as a poll shows. Nobody knows what a third does, unless the second order
// was recorded where nobody listened.
func TestCallbackOfOneOfTwoPayers(t *testing.T) {
	const waits = ` => {"errorCode":"0","orderStatus":5}`
	confirms := []string{
		registersAt("A-1", shopAt) + registered(oldID), pay + oldID + done, status + oldID + waits,
		tells("deposited", oldID, "A-1"),
	}
	refuses := []string{
		registersAt("A-2", shopAt) + registered(oldID2), pay + oldID2 + done, status + oldID2 + waits,
		status + oldID2 + ` => {"errorCode":"0","orderStatus":6}`,
	}
	for _, tt := range []struct {
		name      string
		cassettes [][]string
		mark      string
	}{
		{"in one cassette", [][]string{append(slices.Clone(confirms), refuses...)}, "assumed=relation"},
		{"where nobody listened", [][]string{confirms, refuses}, ""},
		{"the one alone", [][]string{confirms}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return played }}
			var cassettes []match.Cassette
			for i, lines := range tt.cassettes {
				cassettes = append(cassettes, match.Cassette{Name: fmt.Sprint(i), Exchanges: told(lines...)})
			}
			s := &session{t: t, opts: o, ids: map[string]string{}}
			s.player = match.NewPlayer(match.Compile(o, cassettes...))
			s.keep("id", s.hit(registersAt("B-1", shopAt)), `"orderId":"`)
			cbs := s.calledBack(pay + "$id$")
			if events(cbs) != "deposited" || cbs[0].Mark != tt.mark {
				t.Errorf("told %q, want it marked %q: %v", events(cbs), tt.mark, cbs)
			}
		})
	}
}

// TestCallbackByTime records an order that nobody pays in time, without a look at it before. In
// replay an order is declined by time alone, and one that is paid is not.
func TestCallbackByTime(t *testing.T) {
	const declined = ` => {"errorCode":"0","orderStatus":6}`
	for name, after := range map[string][]string{
		"a look behind it": {status + oldID + declined}, "nothing behind it": nil,
	} {
		t.Run(name, func(t *testing.T) {
			lines := append([]string{registersAt("A-1", shopAt) + registered(oldID), "wait 20m",
				tells("declinedByTimeout", oldID, "A-1")}, after...)
			lines = append(lines, registersAt("A-2", shopAt)+registered(oldID2), pay+oldID2+done,
				tells("deposited", oldID2, "A-2"))
			s := replay(t, told(lines...))
			s.keep("late", s.hit(registersAt("B-1", shopAt)), `"orderId":"`)
			a, miss := s.serve(registersAt("B-2", shopAt))
			if miss != nil {
				t.Fatal(miss.Sentence)
			}
			s.keep("paid", a.Body, `"orderId":"`)
			if want := played.Add(20*time.Minute + time.Second); !a.Due.Equal(want) || len(a.Callbacks) > 0 {
				t.Errorf("due at %v, want %v; told %q", a.Due, want, events(a.Callbacks))
			}
			if got := events(s.calledBack(pay + "$paid$")); got != "deposited" {
				t.Errorf("paid: told %q", got)
			}
			cbs, _ := s.player.Advance(played.Add(21 * time.Minute))
			if events(cbs) != "declinedByTimeout" || !strings.Contains(cbs[0].Query, s.ids["late"]) {
				t.Fatalf("told %q", events(cbs))
			}
			if after == nil {
				s.miss(status + "$late$")
			} else if got := s.hit(status + "$late$"); !strings.Contains(got, `"orderStatus":6`) {
				t.Errorf("behind it: %s", got)
			}
			s.miss(pay + "$late$")
		})
	}
}

// TestCallbackByTimeComesAsOneOnTape records two orders that nobody pays. The sandbox looks for such orders
// now and then: it tells of one a second and of the other forty seconds after the twenty minutes, at which
// both were declined, as the callbacks say.
func TestCallbackByTimeComesAsOneOnTape(t *testing.T) {
	stamp := func(at time.Time) string {
		return url.QueryEscape(at.UTC().Format("Mon Jan 02 15:04:05 MST 2006"))
	}
	declined := func(id string, registered time.Duration) string {
		return "callback gateway GET ?mdOrder=" + id + "&operation=declinedByTimeout&date=" +
			stamp(recorded.Add(registered+20*time.Minute)) + " => 200"
	}
	for name, looks := range map[string][2]string{
		"the later first": {"wait 20m39s", "wait 20m"}, "the sooner first": {"wait 20m", "wait 20m39s"},
	} {
		t.Run(name, func(t *testing.T) {
			pause, err := time.ParseDuration(strings.TrimPrefix(looks[0], "wait "))
			if err != nil {
				t.Fatal(err)
			}
			s := replay(t, told(
				registersAt("A-1", shopAt)+registered(oldID), looks[0], declined(oldID, time.Second),
				registersAt("A-2", shopAt)+registered(oldID2), looks[1],
				declined(oldID2, pause+3*time.Second)))
			a, miss := s.serve(registersAt("B-1", shopAt))
			if miss != nil || !a.Due.Equal(played.Add(20*time.Minute+time.Second)) {
				t.Fatalf("%+v %+v", a, miss)
			}
			cbs, _ := s.player.Advance(played.Add(time.Hour))
			if want := "date=" + stamp(played.Add(20*time.Minute)); len(cbs) != 1 ||
				!strings.HasSuffix(cbs[0].Query, want) {
				t.Errorf("told %v, want %s", cbs, want)
			}
		})
	}
}

// TestCallbacksByTimeOfManyOrders has orders paid one after another, of each of which a callback
// tells later that leaves its state as it is. The player forgets the first of them, and tells of
// the last.
func TestCallbacksByTimeOfManyOrders(t *testing.T) {
	const kept, deposits = 16, "POST /payment/rest/deposit.do " + inShop + "&amount=50&orderId="
	now := played
	s := &session{t: t, ids: map[string]string{}, opts: match.Options{
		Profiles: profiles(t), Seed: 3, Now: func() time.Time { return now },
	}}
	s.player = match.NewPlayerOf(match.Compile(s.opts, match.Cassette{Name: "t", Exchanges: told(
		registersAt("A-1", shopAt)+registered(oldID), pay+oldID+done, deposits+oldID+done,
		"wait 20m", tells("approved", oldID, "A-1"))}), kept)
	for i := range 10 * kept {
		s.keep("id", s.hit(registersAt(fmt.Sprintf("B-%d", i), shopAt)), `"orderId":"`)
		s.hit(pay + "$id$")
		now = now.Add(21 * time.Minute)
		if cbs, _ := s.player.Advance(now); events(cbs) != "approved" {
			t.Fatalf("order %d: told %q", i, events(cbs))
		}
	}
	if n := s.player.Awaited(); n > kept+1 {
		t.Errorf("%d entities are remembered of %d", n, kept)
	}
}

// TestCallbacksWithoutACause records callbacks that nobody can place, and one that the shop
// refused.
func TestCallbacksWithoutACause(t *testing.T) {
	xs := told(registersAt("A-1", shopAt)+registered(oldID),
		tells("refunded", oldID, "A-1"), // nobody has refunded anything
		tells("deposited", oldID2, "A-7"),
		pay+oldID+done,
		"callback gateway GET ?mdOrder="+oldID+"&operation=deposited&checksum=REDACTED-token-2 => 500",
		"wait 29s",
		"callback gateway GET ?mdOrder="+oldID+"&operation=deposited&checksum=REDACTED-token-3 => lost",
		"wait 29s",
		"callback gateway GET ?mdOrder="+oldID+"&operation=deposited&checksum=REDACTED-token-3 => 200",
	)
	o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return played }}
	compiled := match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
	got := compiled.Callbacks()
	want := match.CallbackSummary{
		Events: 1, Signed: map[string]int{"gateway": 1}, Apart: []match.Recorded{
			{Cassette: "t", Number: 2, Operation: "refunded"},
			{Cassette: "t", Number: 3, Operation: "deposited"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if n := compiled.Exchanges(); n != 2 {
		t.Errorf("%d exchanges can be replayed", n)
	}
	s := replay(t, xs)
	s.keep("id", s.hit(registersAt("B-1", shopAt)), `"orderId":"`)
	cbs := s.calledBack(pay + "$id$")
	attempts := []match.CallbackAttempt{{0, 500}, {30 * time.Second, 0}, {30 * time.Second, 200}}
	if len(cbs) != 1 || !cbs[0].Signed || !slices.Equal(cbs[0].Attempts, attempts) {
		t.Errorf("told %q: %+v", events(cbs), cbs)
	}
}

// TestCallbacksComeOnce asks again without having read the answer, and by a call that the tape does
// not have.
func TestCallbacksComeOnce(t *testing.T) {
	s := replay(t, told(registersAt("A-1", shopAt)+registered(oldID), pay+oldID+done,
		tells("deposited", oldID, "A-1")))
	s.keep("id", s.hit(registersAt("B-1", shopAt)), `"orderId":"`)
	s.miss(strings.Replace(pay, "TEXT=X", "other=1", 1) + "$id$")
	a, _ := s.serve(registersAt("B-2", shopAt))
	s.keep("id", a.Body, `"orderId":"`)
	a.Delivered(true)
	first, _ := s.serve(pay + "$id$")
	again, _ := s.serve(pay + "$id$")
	third, _ := s.serve(pay + "$id$")
	got := []int{len(first.Callbacks), len(again.Callbacks), len(third.Callbacks)}
	if !slices.Equal(got, []int{1, 0, 0}) || again.Body != first.Body {
		t.Errorf("told so many: %v", got)
	}
	third.Delivered(true)
	s.miss(pay + "$id$")
}

// TestABindingThatACallbackShows records a binding that no answer has shown, and pays with it.
func TestABindingThatACallbackShows(t *testing.T) {
	const (
		binding = "0193a1b2-3333-7333-8333-0000c0ffee00"
		byBond  = "POST /payment/rest/paymentOrderBinding.do " + inShop + "&ip=10.0.0.1&mdOrder="
	)
	s := replay(t, told(
		registersAt("A-1", shopAt)+"&clientId=c-1"+registered(oldID), pay+oldID+done,
		"callback gateway GET ?mdOrder="+oldID+"&bindingId="+binding+"&clientId=c-1"+
			"&operation=bindingCreated => 200",
		registersAt("A-2", shopAt)+"&clientId=c-1"+registered(oldID2),
		byBond+oldID2+"&bindingId="+binding+done,
		"callback gateway GET ?mdOrder="+oldID2+"&bindingId="+binding+"&clientId=c-1"+
			"&operation=deposited => 200",
	))
	s.keep("id", s.hit(registersAt("B-1", shopAt)+"&clientId=c-9"), `"orderId":"`)
	cbs := s.calledBack(pay + "$id$")
	end := "&clientId=c-9&operation=bindingCreated"
	if events(cbs) != "bindingCreated" || !strings.HasSuffix(cbs[0].Query, end) {
		t.Fatalf("told %q", events(cbs))
	}
	s.keep("bond", cbs[0].Query, "bindingId=")
	if len(s.ids["bond"]) != len(binding) || s.ids["bond"] == binding {
		t.Fatalf("the binding is %s", s.ids["bond"])
	}
	s.keep("id2", s.hit(registersAt("B-2", shopAt)+"&clientId=c-9"), `"orderId":"`)
	cbs = s.calledBack(byBond + "$id2$&bindingId=$bond$")
	ids := "mdOrder=" + s.ids["id2"] + "&bindingId=" + s.ids["bond"]
	if events(cbs) != "deposited" || !strings.Contains(cbs[0].Query, ids) {
		t.Fatalf("told %q", events(cbs))
	}
}

// TestDateOfTheCause records a binding that is switched off, which a callback dates. In replay somebody pays
// with the binding before, which is something that is done to it, but changes nothing.
func TestDateOfTheCause(t *testing.T) {
	const (
		one, two = "0193a1b2-3333-7333-8333-0000c0ffee00", "0193a1b2-3333-7333-8333-1111c0ffee00"
		byBond   = "POST /payment/rest/paymentOrderBinding.do " + inShop + "&ip=10.0.0.1&mdOrder="
		unbind   = "POST /payment/rest/unBindCard.do " + inShop + "&bindingId="
	)
	stamp := func(at time.Time) string {
		return "&date=" + url.QueryEscape(at.UTC().Format("Mon Jan 02 15:04:05 MST 2006"))
	}
	tells := func(event, order, binding, more string) string {
		return "callback gateway GET ?mdOrder=" + order + "&bindingId=" + binding + "&operation=" + event + more +
			" => 200"
	}
	now := played
	s := &session{t: t, ids: map[string]string{}, opts: match.Options{
		Profiles: profiles(t), Seed: 3, Now: func() time.Time { return now },
	}}
	s.player = match.NewPlayer(match.Compile(s.opts, match.Cassette{Name: "t", Exchanges: told(
		registersAt("A-1", shopAt)+"&clientId=c-1"+registered(oldID), pay+oldID+done,
		tells("bindingCreated", oldID, one, ""),
		unbind+one+done, tells("bindingActivityChanged", oldID, one, stamp(recorded.Add(4*time.Second))),
		registersAt("A-2", shopAt)+"&clientId=c-2"+registered(oldID2), pay+oldID2+done,
		tells("bindingCreated", oldID2, two, ""),
		registersAt("A-3", shopAt)+"&clientId=c-2"+registered(oldID3), byBond+oldID3+"&bindingId="+two+done,
	)}))
	s.keep("id", s.hit(registersAt("B-1", shopAt)+"&clientId=c-9"), `"orderId":"`)
	s.keep("bond", s.calledBack(pay + "$id$")[0].Query, "bindingId=")
	s.keep("id2", s.hit(registersAt("B-2", shopAt)+"&clientId=c-9"), `"orderId":"`)
	for _, line := range []string{byBond + "$id2$&bindingId=$bond$", unbind + "$bond$"} {
		now = now.Add(time.Hour)
		cbs := s.calledBack(line)
		if strings.HasPrefix(line, unbind) && (len(cbs) != 1 || !strings.HasSuffix(cbs[0].Query, stamp(now))) {
			t.Errorf("told %v, want %s", cbs, stamp(now))
		}
	}
}

// bindingID is a binding on tape, and switchOff begins the call that switches one off.
const (
	bindingID = "0193a1b2-3333-7333-8333-0000c0ffee00"
	switchOff = "POST /payment/rest/unBindCard.do " + inShop + "&bindingId="
)

// tellsOfBinding returns the line of a callback for an order with the binding.
func tellsOfBinding(event, order, more string) string {
	return "callback gateway GET ?mdOrder=" + order + "&operation=" + event + "&bindingId=" + bindingID +
		"&clientId=c-1" + more + " => 200"
}

// TestABindingThatAPaymentSwitchesOn records a binding that is switched off, and on again by a payment that
// does not name it. What tells of that came with the payment and not with the call before it, which is a
// guess. A payment that finds the binding switched on tells nothing of it.
func TestABindingThatAPaymentSwitchesOn(t *testing.T) {
	s := replay(t, told(
		registersAt("A-1", shopAt)+"&clientId=c-1"+registered(oldID), pay+oldID+done,
		tellsOfBinding("bindingCreated", oldID, ""), tellsOfBinding("deposited", oldID, ""),
		switchOff+bindingID+done, tellsOfBinding("bindingActivityChanged", oldID, "&enabled=false"),
		registersAt("A-2", shopAt)+"&clientId=c-1"+registered(oldID2), pay+oldID2+done,
		tellsOfBinding("bindingActivityChanged", oldID, "&enabled=true"), tellsOfBinding("deposited", oldID2, ""),
	))
	paid := func(number string) []match.Callback {
		s.keep("id", s.hit(registersAt(number, shopAt)+"&clientId=c-9"), `"orderId":"`)
		return s.calledBack(pay + "$id$")
	}
	var got []string
	note := func(cbs []match.Callback) {
		for _, cb := range cbs {
			_, on, _ := strings.Cut(cb.Query, "&enabled=")
			got = append(got, strings.Join(strings.Fields(cb.Operation+" "+on+" "+cb.Mark), " "))
		}
		got = append(got, "")
	}
	cbs := paid("B-1")
	s.keep("bond", cbs[0].Query, "bindingId=")
	note(cbs)
	note(s.calledBack(switchOff + "$bond$"))
	cbs = paid("B-2")
	if len(cbs) > 0 && !strings.Contains(cbs[0].Query, "bindingId="+s.ids["bond"]) {
		t.Errorf("another binding is switched on: %s", cbs[0].Query)
	}
	note(cbs)
	want := []string{
		"bindingCreated", "deposited", "",
		"bindingActivityChanged false", "",
		"bindingActivityChanged true assumed=relation", "deposited assumed=relation", "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestABindingThatAnyPaymentSwitchesOn records a payment that switches a binding on, and plays one of another
// amount: the callback comes with every payment that finds a binding switched off.
func TestABindingThatAnyPaymentSwitchesOn(t *testing.T) {
	another := strings.NewReplacer("amount=", "amount=7")
	s := replay(t, told(
		registersAt("A-1", shopAt)+"&clientId=c-1"+registered(oldID), pay+oldID+done,
		tellsOfBinding("bindingCreated", oldID, ""), tellsOfBinding("deposited", oldID, ""),
		switchOff+bindingID+done, tellsOfBinding("bindingActivityChanged", oldID, "&enabled=false"),
		another.Replace(registersAt("A-2", shopAt))+"&clientId=c-1"+registered(oldID2), pay+oldID2+done,
		tellsOfBinding("bindingActivityChanged", oldID, "&enabled=true"), tellsOfBinding("deposited", oldID2, ""),
	))
	paid := func(number string) []match.Callback {
		s.keep("id", s.hit(registersAt(number, shopAt)+"&clientId=c-9"), `"orderId":"`)
		return s.calledBack(pay + "$id$")
	}
	s.keep("bond", paid("B-1")[0].Query, "bindingId=")
	s.calledBack(switchOff + "$bond$")
	cbs := paid("B-2")
	if got := events(cbs); got != "bindingActivityChanged deposited" {
		t.Fatalf("told %q", got)
	}
	if on := cbs[0]; !strings.Contains(on.Query, "bindingId="+s.ids["bond"]) || on.Mark != "assumed=relation" {
		t.Errorf("told %s, marked %q", on.Query, on.Mark)
	}
}

// TestRecordedWhereNobodyListened plays a tape with callbacks beside one without.
func TestRecordedWhereNobodyListened(t *testing.T) {
	silent := told(registersAt("A-1", shopAt)+registered(oldID), pay+oldID+done)
	loud := told(registersAt("A-1", shopAt)+registered(oldID), pay+oldID+done,
		tells("deposited", oldID, "A-1"))
	o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return played }}
	compiled := match.Compile(o, match.Cassette{Name: "a", Exchanges: silent},
		match.Cassette{Name: "b", Exchanges: loud})
	s := &session{t: t, player: match.NewPlayer(compiled), opts: o, ids: map[string]string{}}
	for n := range 3 {
		s.keep("id", s.hit(registersAt(fmt.Sprint("B-", n), shopAt)), `"orderId":"`)
		if got := events(s.calledBack(pay + "$id$")); got != "deposited" {
			t.Errorf("order %d: told %q", n, got)
		}
	}
}

// TestCallbackOfAnUnknownAPI records an API that no profile knows. The shop's address is known for
// one by what was done with it while recording.
func TestCallbackOfAnUnknownAPI(t *testing.T) {
	const (
		opens = `POST /api/payments {"amount":5,"reference":"ref-44118271","notifyUrl":"%U"}`
		takes = `POST /api/payments/%I/capture {"amount":5}`
	)
	open := func(url string) string { return strings.Replace(opens, "%U", url, 1) }
	xs := told(
		open("http://127.0.0.1:9/cb")+` => {"id":"pay_8hs72hgs82","state":"open"}`,
		strings.Replace(takes, "%I", "pay_8hs72hgs82", 1)+` => {"state":"captured"}`,
		`callback unknown POST / {"id":"evt_71hhs72hs92","type":"captured",`+
			`"data":{"payment":"pay_8hs72hgs82","ref":"ref-44118271"}} => 200`,
		open("http://127.0.0.1:9/cb")+` => {"id":"pay_9kd83jdk33","state":"open"}`,
		strings.Replace(takes, "%I", "pay_9kd83jdk33", 1)+` => {"state":"captured"}`,
		`callback unknown POST / {"id":"evt_92jjd83ks11","type":"captured",`+
			`"data":{"payment":"pay_9kd83jdk33","ref":"ref-99117733"}} => 200`,
	)
	xs[3].Request.Body = strings.Replace(xs[3].Request.Body, "ref-44118271", "ref-99117733", 1)
	xs[0].Meta.Relayed, xs[3].Meta.Relayed = "notifyUrl", "notifyUrl"
	s := replay(t, xs)
	seen := map[string]bool{"evt_71hhs72hs92": true, "evt_92jjd83ks11": true}
	for n := range 2 {
		mine := fmt.Sprintf("https://shop%d.example:77/in?x=%d", n, n)
		line := strings.Replace(open(mine), "ref-44118271", fmt.Sprintf("ref-7700415%d", n), 1)
		a, miss := s.serve(line)
		if miss != nil || a.Mark != "" {
			t.Fatalf("%+v %+v", a, miss)
		}
		a.Delivered(true)
		s.keep("id", a.Body, `"id":"`)
		cbs := s.calledBack(strings.Replace(takes, "%I", "$id$", 1))
		if len(cbs) != 1 {
			t.Fatalf("%d callbacks", len(cbs))
		}
		cb := cbs[0]
		want := fmt.Sprintf(`"payment":"%s","ref":"ref-7700415%d"`, s.ids["id"], n)
		if cb.Address != mine || !strings.Contains(cb.Body, want) {
			t.Errorf("told %s at %s, want %s", cb.Body, cb.Address, want)
		}
		_, event, _ := strings.Cut(cb.Body, `"id":"`)
		event, _, _ = strings.Cut(event, `"`)
		if seen[event] || len(event) != len("evt_71hhs72hs92") {
			t.Errorf("the event is %s", event)
		}
		seen[event] = true
	}
}

// TestWhereTheShopIs records one address of the shop and is sent others, one of them that of a host
// with a name of the deck's.
func TestWhereTheShopIs(t *testing.T) {
	const opens = `POST /api/payments {"amount":5,"notifyUrl":"%U"}`
	unknown := told(
		strings.Replace(opens, "%U", shopAt, 1)+` => {"id":"pay_8hs72hgs82","state":"open"}`,
		"POST /api/payments/pay_8hs72hgs82/capture {} => {}",
		"callback unknown GET ?payment=pay_8hs72hgs82 => 200",
		"GET /page => -",
	)
	unknown[0].Meta.Relayed = "notifyUrl"
	at(unknown[3], "shop", "http://127.0.0.1:9001")
	gateway := told(registersAt("A-1", shopAt)+registered(oldID), pay+oldID+done,
		tells("deposited", oldID, "A-1"), "GET /page => -")
	at(gateway[3], "shop", "http://127.0.0.1:9001")
	for _, address := range []string{
		shopAt, "http://127.0.0.1:9001/cb", "http://127.0.0.1:65001/cb?shop=1", "https://shop.example",
		"https://shop.example:8443/other/path?a=b&c=d", "http://[::1]:5/x", "http://127.0.0.1:8088/",
	} {
		for name, xs := range map[string][]*leaf.Exchange{"unknown": unknown, "gateway": gateway} {
			s := replay(t, xs)
			open, capture := strings.Replace(opens, "%U", address, 1), "POST /api/payments/$id$/capture {}"
			key := `"id":"`
			if name == "gateway" {
				open, capture, key = registersAt("B-1", address), pay+"$id$", `"orderId":"`
			}
			method, target, body := requestLine(open)
			r := match.NewRequest(s.opts.Profiles, method, target, http.Header{}, body)
			r.Deck, r.Bases = "http://127.0.0.1:808", []string{"http://127.0.0.1:9001"}
			a, miss := s.player.Serve(r)
			if miss != nil || a.Mark != "" {
				t.Errorf("%s, %s: %+v %+v", name, address, a, miss)
				continue
			}
			a.Delivered(true)
			s.keep("id", a.Body, key)
			if cbs := s.calledBack(capture); len(cbs) != 1 || cbs[0].Address != address {
				t.Errorf("%s: told %+v, want a call at %s", name, cbs, address)
			}
		}
	}
}

// TestCallbacksOfSessions lets an order be declined by time in one session of two.
func TestCallbacksOfSessions(t *testing.T) {
	o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return played }}
	xs := told(registersAt("A-1", shopAt)+registered(oldID), "wait 20m",
		tells("declinedByTimeout", oldID, "A-1"),
		registersAt("A-2", shopAt)+registered(oldID2), pay+oldID2+done)
	all := match.NewSessions(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))
	numbers := map[string]string{"one": "B-1", "two": "B-2"}
	for session, number := range numbers {
		method, target, body := requestLine(registersAt(number, "http://127.0.0.1:70/"+session))
		r := match.NewRequest(o.Profiles, method, target, http.Header{}, body)
		r.Session = session
		a, miss := all.Serve(r)
		if miss != nil || a.Due.IsZero() {
			t.Fatalf("%+v %+v", a, miss)
		}
		a.Delivered(true)
	}
	cbs, next := all.Advance(played.Add(time.Minute))
	if len(cbs) > 0 || !next.Equal(played.Add(20*time.Minute+time.Second)) {
		t.Errorf("told %q, next %v", events(cbs), next)
	}
	cbs, next = all.Advance(next)
	if len(cbs) != 2 || !next.IsZero() {
		t.Fatalf("told %q, next %v", events(cbs), next)
	}
	for _, cb := range cbs {
		at := "http://127.0.0.1:70/" + cb.Session
		if cb.Address != at || !strings.Contains(cb.Query, "orderNumber="+numbers[cb.Session]+"&") {
			t.Errorf("session %s: told %s at %s", cb.Session, cb.Query, cb.Address)
		}
	}
	if cbs, _ = all.Advance(played.Add(time.Hour)); len(cbs) > 0 {
		t.Errorf("told %q again", events(cbs))
	}
}

// Rows of callbacks count as those of any call do, and what the shop answers has none.
func TestRowUsesOfCallbacks(t *testing.T) {
	xs := told(tells("deposited", oldID, "A-1"))
	xs[0].Response.Body = `{"orderId":"` + oldID + `"}`
	var keys []string
	for at, uses := range match.RowUses(profiles(t), match.Cassette{Exchanges: xs}) {
		if uses["callback"] > 0 && at.Origin.File != "http.yaml" {
			keys = append(keys, at.Origin.File)
		}
	}
	if len(keys) != 4 || keys[0] != "gateway.yaml" {
		t.Errorf("%d rows are in use: %v", len(keys), keys)
	}
}
