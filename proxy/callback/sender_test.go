package callback_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/redact"
)

var profiles = sync.OnceValues(profile.Builtin)

// builtin returns the profiles of the documents, and that of the gateway.
func builtin(t testing.TB) (*profile.Set, *profile.Profile) {
	t.Helper()
	set, err := profiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Profiles() {
		if p.Name == "gateway" {
			return set, p
		}
	}
	t.Fatal("there is no gateway")
	return nil, nil
}

// shop is a fake shop that answers by number of the request, the last answer for ever. The status 0
// breaks the connection, and hang never answers.
type shop struct {
	statuses []int
	body     string

	mu    sync.Mutex // guards the rest
	begun time.Time
	calls []call
}

const hang = -1

// call is one request of a Sender: when it came, and what it asked for.
type call struct {
	after time.Duration
	url   string
	body  string
}

func (s *shop) RoundTrip(req *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	s.mu.Lock()
	n := min(len(s.calls), len(s.statuses)-1)
	s.calls = append(s.calls, call{time.Since(s.begun), req.URL.String(), string(body)})
	s.mu.Unlock()
	switch status := s.statuses[n]; status {
	case hang:
		<-req.Context().Done()
		return nil, req.Context().Err()
	case 0:
		return nil, io.ErrUnexpectedEOF
	default:
		return &http.Response{
			StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(s.body)),
			Request: req,
		}, nil
	}
}

// times returns when the shop was called.
func (s *shop) times() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []time.Duration
	for _, c := range s.calls {
		all = append(all, c.after)
	}
	return all
}

// urls returns what was called, in its order.
func (s *shop) urls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, c := range s.calls {
		all = append(all, c.url)
	}
	return all
}

// observed are the events of a Sender.
type observed struct {
	mu     sync.Mutex // guards events
	events []proxy.Event
}

func (o *observed) observe(e proxy.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, e)
}

// story tells the outcomes in words: "1 refused 500".
func (o *observed) story() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var words []string
	for _, e := range o.events {
		text := fmt.Sprintf("%d %s", e.Attempt, e.Outcome)
		if e.Callback == 0 {
			text += " without a number"
		}
		if e.Code != 0 {
			text += fmt.Sprintf(" %d", e.Code)
		}
		if e.Problem != "" {
			text += " " + e.Problem
		}
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

// newSender returns a Sender that calls a shop, or shops of the network if it is nil.
func newSender(t testing.TB, shop http.RoundTripper, o callback.SenderOptions) (*callback.Sender, *observed) {
	t.Helper()
	set, _ := builtin(t)
	seen := &observed{}
	o.Profiles, o.Redactor = set, redact.New(redact.Options{Profiles: set})
	o.Observe, o.Transport = seen.observe, shop
	s, err := callback.NewSender(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, seen
}

const address = "http://127.0.0.1:9/hook?shop=1"

// told returns a callback of the gateway about an order, as a shop has answered it on tape.
func told(t testing.TB, flow int, operation string, onTape ...int) match.Callback {
	t.Helper()
	_, gateway := builtin(t)
	cb := match.Callback{
		Operation: operation, Cassette: "checkout", Number: 3, Flow: flow, Profile: gateway,
		Method: http.MethodGet, Address: address,
		Query: fmt.Sprintf("mdOrder=order-%d&orderNumber=A-%d&operation=%s&status=1", flow, flow, operation),
	}
	for i, status := range onTape {
		a := match.CallbackAttempt{Status: status}
		if i > 0 {
			a.Gap = 30 * time.Second
		}
		cb.Attempts = append(cb.Attempts, a)
	}
	return cb
}

// TestRetries has shops fail in every way, against what the tape says of the shop.
func TestRetries(t *testing.T) {
	t.Parallel()
	second := func(ns ...float64) []time.Duration {
		var all []time.Duration
		for _, n := range ns {
			all = append(all, time.Duration(n*float64(time.Second)))
		}
		return all
	}
	for _, test := range []struct {
		name     string
		statuses []int
		onTape   []int
		retry    time.Duration
		want     string
		times    []time.Duration
		counts   callback.Counts
	}{
		{"taken", []int{200}, []int{200}, 0, "1 accepted 200", second(0),
			callback.Counts{Sent: 1, Accepted: 1}},
		{"taken at last", []int{500, 200}, []int{200}, 0, "1 refused 500, 2 accepted 200", second(0, 1),
			callback.Counts{Sent: 2, Accepted: 1}},
		{"as slowly as on tape", []int{500, 200}, []int{500, 200}, -1,
			"1 refused 500, 2 accepted 200", second(0, 30), callback.Counts{Sent: 2, Accepted: 1}},
		{"faster than usual", []int{500, 500, 200}, []int{200}, time.Millisecond,
			"1 refused 500, 2 refused 500, 3 accepted 200", second(0, .001, .002),
			callback.Counts{Sent: 3, Accepted: 1}},
		{"never taken, and taken on tape", []int{500}, []int{200}, 0,
			"1 refused 500, 2 refused 500, 3 refused 500", second(0, 1, 2),
			callback.Counts{Sent: 3, Refused: 1, Differing: 1}},
		{"never taken, as on tape", []int{404}, []int{500, 500, 500}, 0,
			"1 refused 404, 2 refused 404, 3 refused 404", second(0, 1, 2),
			callback.Counts{Sent: 3, Refused: 1}},
		{"taken, and not on tape", []int{200}, []int{500, 500, 500}, 0, "1 accepted 200", second(0),
			callback.Counts{Sent: 1, Accepted: 1, Differing: 1}},
		{"another success is none", []int{204, 200}, []int{200}, 0, "1 refused 204, 2 accepted 200",
			second(0, 1), callback.Counts{Sent: 2, Accepted: 1}},
		{"a redirect is not followed", []int{302}, []int{200}, 0,
			"1 refused 302, 2 refused 302, 3 refused 302", second(0, 1, 2),
			callback.Counts{Sent: 3, Refused: 1, Differing: 1}},
		{"broken", []int{0}, []int{200}, 0,
			"1 unanswered shop, 2 unanswered shop, 3 given up shop", second(0, 1, 2),
			callback.Counts{Sent: 3, GivenUp: 1, Undelivered: 1}},
		{"broken, as on tape", []int{0}, []int{0, 0, 0}, 0,
			"1 unanswered shop, 2 unanswered shop, 3 given up shop", second(0, 1, 2),
			callback.Counts{Sent: 3, GivenUp: 1}},
		{"hanging at first", []int{hang, 200}, []int{200}, 0, "1 unanswered shop, 2 accepted 200",
			second(0, 11), callback.Counts{Sent: 2, Accepted: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				shop := &shop{statuses: test.statuses, begun: time.Now()}
				s, seen := newSender(t, shop, callback.SenderOptions{Retry: test.retry})
				s.Send([]match.Callback{told(t, 1, "deposited", test.onTape...)})
				s.Wait(t.Context())
				if got := seen.story(); got != test.want {
					t.Errorf("%s, want %s", got, test.want)
				}
				if got := shop.times(); !slices.Equal(got, test.times) {
					t.Errorf("called at %v, want %v", got, test.times)
				}
				test.counts.Events = 1
				if got := s.Counts(); got != test.counts {
					t.Errorf("%+v, want %+v", got, test.counts)
				}
				if dropped := s.Close(); dropped != 0 {
					t.Errorf("%d dropped", dropped)
				}
			})
		})
	}
}

// TestOrder has callbacks of one order wait for each other, and those of others not.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{statuses: []int{hang, 200}, begun: time.Now()}
		s, _ := newSender(t, shop, callback.SenderOptions{})
		defer s.Close()
		s.Send([]match.Callback{told(t, 1, "approved", 200), told(t, 1, "deposited", 200)})
		synctest.Wait()
		s.Send([]match.Callback{told(t, 2, "approved", 200)})
		other := told(t, 1, "refunded", 200)
		other.Session = "other"
		s.Send([]match.Callback{other})
		s.Wait(t.Context())
		var got []string
		for i, u := range shop.urls() {
			got = append(got, fmt.Sprint(shop.times()[i], " ", u[strings.Index(u, "mdOrder="):]))
		}
		slices.Sort(got[1:3]) // two orders have none
		want := []string{
			"0s mdOrder=order-1&orderNumber=A-1&operation=approved&status=1",
			"0s mdOrder=order-1&orderNumber=A-1&operation=refunded&status=1",
			"0s mdOrder=order-2&orderNumber=A-2&operation=approved&status=1",
			"11s mdOrder=order-1&orderNumber=A-1&operation=approved&status=1",
			"11s mdOrder=order-1&orderNumber=A-1&operation=deposited&status=1",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s", strings.Join(got, "\n"))
		}
	})
}

// TestRecorded has callbacks come when they came on tape.
func TestRecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{statuses: []int{200}, begun: time.Now()}
		s, _ := newSender(t, shop, callback.SenderOptions{Recorded: true})
		defer s.Close()
		early, late := told(t, 1, "approved", 200), told(t, 1, "deposited", 200)
		early.Gap, late.Gap = -time.Second, 1500*time.Millisecond
		s.Send([]match.Callback{early, late})
		s.Wait(t.Context())
		if got := shop.times(); !slices.Equal(got, []time.Duration{0, late.Gap}) {
			t.Errorf("called at %v", got)
		}
	})
}

// TestHold has each attempt wait until somebody asks.
func TestHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{statuses: []int{500, 200}, body: "gone fishing", begun: time.Now()}
		s, seen := newSender(t, shop, callback.SenderOptions{Hold: true})
		defer s.Close()
		if _, err := s.Next(); err != callback.ErrNone {
			t.Errorf("there is something: %v", err)
		}
		s.Send([]match.Callback{told(t, 1, "approved", 200), told(t, 1, "deposited", 200)})
		s.Wait(t.Context()) // for nothing: what is held does not go out by itself
		if c := s.Counts(); c.Held != 2 || c.Pending != 0 || len(shop.times()) != 0 {
			t.Errorf("%+v", c)
		}
		for _, want := range []string{"approved 1 500", "approved 2 200", "deposited 1 200"} {
			sent, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(sent.Operation, " ", sent.Attempt, " ", sent.Code)
			if got != want || sent.Value("operation") != sent.Operation || sent.Answer != "gone fishing" {
				t.Errorf("%s, want %s", got, want)
			}
		}
		const story = "0 held, 0 held, 1 refused 500, 2 accepted 200, 1 accepted 200"
		if got := seen.story(); got != story {
			t.Errorf("%s", got)
		}
		if c := s.Counts(); c.Held != 0 || c.Accepted != 2 {
			t.Errorf("%+v", c)
		}
	})
}

// TestModes switches a Sender while callbacks wait: those that are held go out first, in their order,
// and what comes while callbacks are off is dropped.
func TestModes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{statuses: []int{200}, begun: time.Now()}
		s, seen := newSender(t, shop, callback.SenderOptions{Hold: true})
		defer s.Close()
		switchTo := func(m callback.Mode) {
			t.Helper()
			if err := s.SetMode(m); err != nil || s.Mode() != m {
				t.Fatalf("switched to %s: %s, %v", m, s.Mode(), err)
			}
			synctest.Wait()
		}
		gap := told(t, 1, "refunded", 200)
		gap.Gap = time.Minute
		s.Send([]match.Callback{told(t, 1, "approved", 200), told(t, 1, "deposited", 200)})
		switchTo(callback.Off)
		s.Send([]match.Callback{told(t, 1, "reversed", 200)})
		if c := s.Counts(); c.Held != 2 || c.Dropped != 1 || c.Undelivered != 0 || len(shop.urls()) != 0 {
			t.Errorf("off: %+v", c)
		}
		switchTo(callback.Recorded)
		s.Send([]match.Callback{gap})
		synctest.Wait()
		if c := s.Counts(); c.Held != 0 || c.Accepted != 2 || c.Pending != 1 {
			t.Errorf("recorded: %+v", c)
		}
		time.Sleep(time.Minute)
		switchTo(callback.Hold)
		s.Send([]match.Callback{told(t, 2, "approved", 200)})
		if number, err := s.ResendNumber(1); err != nil || number != 6 {
			t.Errorf("sent again: %d, %v", number, err)
		}
		synctest.Wait()
		switchTo(callback.Now)
		var got []string
		for _, u := range shop.urls() {
			at, err := url.Parse(u)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, at.Query().Get("mdOrder")+" "+at.Query().Get("operation"))
		}
		want := []string{"order-1 approved", "order-1 deposited", "order-1 refunded", "order-1 approved",
			"order-2 approved"}
		if !slices.Equal(got, want) {
			t.Errorf("the shop was told %q, want %q", got, want)
		}
		const story = "0 held, 0 held, 0 dropped off, 1 accepted 200, 1 accepted 200, 1 accepted 200, " +
			"0 held, 1 accepted 200, 1 accepted 200"
		if got := seen.story(); got != story {
			t.Errorf("%s", got)
		}
		if err := s.SetMode("later"); err == nil || s.Mode() != callback.Now {
			t.Errorf("a word that is none: %v", err)
		}
		if _, err := s.ResendNumber(99); err != callback.ErrNone {
			t.Errorf("a number that is none: %v", err)
		}
	})
}

// A held callback that is released asks the rules first, as one that somebody has asked for.
func TestReleasedCallbacksAskTheRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{statuses: []int{200}, begun: time.Now()}
		e := ruling(t, "{name: lost, op: callback, then: {lose: callback}}")
		s, seen := newSender(t, shop, callback.SenderOptions{Hold: true, Rules: e})
		defer s.Close()
		s.Send([]match.Callback{told(t, 1, "approved", 200)})
		if n := e.Report()[0].Matched; n != 0 {
			t.Errorf("the rules were asked %d times of what is held", n)
		}
		if err := s.SetMode(callback.Now); err != nil {
			t.Fatal(err)
		}
		s.Wait(t.Context())
		if len(shop.urls()) != 0 || !strings.Contains(seen.story(), "rule") {
			t.Errorf("%q, calls %q", seen.story(), shop.urls())
		}
	})
}

// TestReset drops what waits: held, late, and between two attempts.
func TestReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{statuses: []int{500, 500, hang, 200}, begun: time.Now()}
		s, seen := newSender(t, shop, callback.SenderOptions{Retry: -1})
		s.Send([]match.Callback{told(t, 1, "approved", 200), told(t, 1, "deposited", 200)})
		synctest.Wait()
		s.Reset()
		s.Wait(t.Context())
		const story = "1 refused 500, 1 dropped reset, 0 dropped reset"
		if got := seen.story(); got != story {
			t.Errorf("%s", got)
		}
		if c := s.Counts(); c.Undelivered != 0 || c.Dropped != 2 {
			t.Errorf("%+v", c)
		}
		s.Send([]match.Callback{told(t, 1, "refunded", 200)})
		time.Sleep(30*time.Second + time.Millisecond) // its second attempt hangs
		if n := s.Close(); n != 1 || s.Close() != 0 {
			t.Errorf("%d dropped", n)
		}
		s.Send([]match.Callback{told(t, 1, "reversed", 200)})
		if c := s.Counts(); c.Undelivered != 2 || c.Dropped != 4 || c.Pending != 0 {
			t.Errorf("%+v", c)
		}
	})
}

// TestFull bounds what waits.
func TestFull(t *testing.T) {
	t.Parallel()
	s, seen := newSender(t, &shop{statuses: []int{200}}, callback.SenderOptions{Hold: true})
	defer s.Close()
	many := slices.Repeat([]match.Callback{told(t, 1, "deposited")}, 5_001)
	s.Send(many)
	s.Send(many)
	c := s.Counts()
	if c.Held != 10_000 || c.Dropped != 2 || c.Undelivered != 2 {
		t.Errorf("%+v", c)
	}
	if notes := seen.notes(); !slices.Equal(notes, []proxy.Note{proxy.NoteCallbackFull}) {
		t.Errorf("told %q", notes)
	}
	if n := len(s.List().Callbacks); n > 1000 || n < 500 {
		t.Errorf("%d are shown", n)
	}
	large := told(t, 2, "deposited")
	large.Body = strings.Repeat("x", 64<<20)
	s.Reset()
	s.Send([]match.Callback{large})
	if c := s.Counts(); c.Held != 0 {
		t.Error("what is too large is held")
	}
}

// notes returns what the operator was told.
func (o *observed) notes() []proxy.Note {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []proxy.Note
	for _, e := range o.events {
		if e.Note != "" {
			all = append(all, e.Note)
		}
	}
	return all
}

// TestAddresses wants to know where callbacks go, and which go nowhere.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, address, path, query, to string
		want                           string // the URL; or the story if nothing is sent
		note                           proxy.Note
	}{
		{"a query of its own", "http://shop/hook?a=1", "", "b=2", "", "http://shop/hook?a=1&b=2", ""},
		{"a path behind it", "http://shop/hook?a=1#top", "/paid", "", "", "http://shop/hook/paid?a=1", ""},
		{"one slash", "http://shop/hook/", "/paid", "", "", "http://shop/hook/paid", ""},
		{"a bare host", "http://shop", "", "b=%D1%8B", "", "http://shop?b=%D1%8B", ""},
		{"a static one", "", "", "b=2", "http://shop/static", "http://shop/static?b=2", ""},
		{"its own before the static one", "http://shop/own", "", "", "http://shop/static",
			"http://shop/own", ""},
		{"none", "", "", "b=2", "", "0 dropped no-address", proxy.NoteCallbackAddress},
		{"no URL of the web", "app://paid", "", "", "", "0 dropped address", proxy.NoteCallbackAddress},
		{"no URL", "http://[", "", "", "", "0 dropped address", proxy.NoteCallbackAddress},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			shop := &shop{statuses: []int{200}}
			s, seen := newSender(t, shop, callback.SenderOptions{To: test.to})
			defer s.Close()
			cb := told(t, 1, "deposited", 200)
			cb.Address, cb.Path, cb.Query = test.address, test.path, test.query
			s.Send([]match.Callback{cb, cb})
			s.Wait(t.Context())
			if test.note != "" {
				if got := seen.story(); got != test.want+", "+test.want {
					t.Error(got)
				}
				if c := s.Counts(); c.Undelivered != 2 || len(shop.urls()) != 0 {
					t.Errorf("%+v", c)
				}
				if notes := seen.notes(); !slices.Equal(notes, []proxy.Note{test.note}) {
					t.Errorf("told %q", notes)
				}
			} else if got := shop.urls(); !slices.Equal(got, []string{test.want, test.want}) {
				t.Errorf("called %q", got)
			}
		})
	}
}

// TestSigned signs what had a signature on tape, over the final bytes, and nothing else.
func TestSigned(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		signed   bool
		unsigned bool
		keys     callback.Keys
		want     string // of the query
		story    string
	}{
		{"signed on tape", true, false, callback.Keys{gatewayKey}, vector + "&checksum=" + vectorSum,
			"1 accepted 200"},
		{"not signed on tape", false, false, callback.Keys{gatewayKey}, vector + "&checksum=TOKEN-1",
			"1 accepted 200"},
		{"unsigned", true, true, callback.Keys{gatewayKey}, vector, "1 accepted 200"},
		{"without the key", true, false, nil, "", "0 dropped no-key"},
		{"with a key of another API", true, false, callback.Keys{{Profile: "shop", Text: "k"}}, "",
			"0 dropped no-key"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			shop := &shop{statuses: []int{200}}
			s, seen := newSender(t, shop, callback.SenderOptions{Keys: test.keys, Unsigned: test.unsigned})
			defer s.Close()
			cb := told(t, 1, "approved", 200)
			cb.Address, cb.Signed = "http://127.0.0.1:9/hook", test.signed
			cb.Query = vector + "&checksum=TOKEN-1"
			s.Send([]match.Callback{cb})
			s.Wait(t.Context())
			if got := seen.story(); got != test.story {
				t.Error(got)
			}
			if test.want == "" {
				return
			}
			if got := shop.urls(); len(got) != 1 || got[0] != cb.Address+"?"+test.want {
				t.Errorf("called %q", got)
			}
		})
	}
}

// TestResend sends the latest callbacks of an order once more.
func TestResend(t *testing.T) {
	t.Parallel()
	shop := &shop{statuses: []int{200}}
	s, _ := newSender(t, shop, callback.SenderOptions{})
	defer s.Close()
	s.Send([]match.Callback{told(t, 1, "approved", 200)})
	s.Wait(t.Context())
	s.Send([]match.Callback{told(t, 1, "deposited", 200), told(t, 1, "bindingCreated", 200),
		told(t, 2, "deposited", 200)})
	s.Wait(t.Context())
	for _, order := range []string{"order-1", "A-1"} {
		before := len(shop.urls())
		numbers, err := s.Resend(order)
		if err != nil || len(numbers) != 2 {
			t.Fatalf("%v: %v", numbers, err)
		}
		s.Wait(t.Context())
		got := shop.urls()[before:]
		if len(got) != 2 || !strings.Contains(got[0], "deposited") || !strings.Contains(got[1], "bindingCreated") {
			t.Errorf("%s: sent %q", order, got)
		}
	}
	for _, order := range []string{"order-3", "", "deposited"} {
		if _, err := s.Resend(order); err != callback.ErrNone {
			t.Errorf("%q: %v", order, err)
		}
	}
}

// TestList shows what happened, without what is secret.
func TestList(t *testing.T) {
	t.Parallel()
	card := "411111" + "1111111111"
	shop := &shop{statuses: []int{500, 200}, body: "paid by " + card}
	s, _ := newSender(t, shop, callback.SenderOptions{Retry: time.Nanosecond})
	defer s.Close()
	cb := told(t, 7, "deposited", 200)
	cb.Address = "http://127.0.0.1:9/" + card
	cb.Session = "s"
	s.Send([]match.Callback{cb})
	s.Wait(t.Context())
	list := s.List()
	if len(list.Callbacks) != 1 {
		t.Fatalf("%d are shown", len(list.Callbacks))
	}
	e := list.Callbacks[0]
	got := fmt.Sprint(e.Number, " ", e.Session, " ", e.Flow, " ", e.Cassette, " ", e.OnTape, " ", e.Profile,
		" ", e.Operation, " ", e.Names, " ", e.To, " ", e.State, " ", e.Expected)
	const want = "1 s 7 checkout 3 gateway deposited [{mdOrder order-7} {orderNumber A-7}] " +
		"http://127.0.0.1:9 accepted 200"
	if got != want || len(e.Attempts) != 2 || e.Attempts[0].Code != 500 || e.Attempts[1].Code != 200 {
		t.Errorf("%s, %+v", got, e.Attempts)
	}
	if answer := e.Answer.String(); !strings.HasPrefix(answer, "paid by ") || strings.Contains(answer, card) {
		t.Errorf("the answer is shown as %q", answer)
	}
	if one, ok := s.Entry(1); !ok || one.State != callback.Accepted {
		t.Errorf("%+v", one)
	}
	if _, ok := s.Entry(2); ok {
		t.Error("there is a second")
	}
}

// TestTap has whoever taps stand in for a shop that has no address.
func TestTap(t *testing.T) {
	t.Parallel()
	shop := &shop{statuses: []int{200}}
	s, seen := newSender(t, shop, callback.SenderOptions{Keys: callback.Keys{gatewayKey}})
	defer s.Close()
	var got []*callback.Sent
	s.Tap(func(sent *callback.Sent) { got = append(got, sent) })
	cb := told(t, 1, "approved", 500)
	cb.Address, cb.Query, cb.Signed = "", vector, true
	s.Send([]match.Callback{cb})
	s.Wait(t.Context())
	if len(got) != 1 || got[0].Value("checksum") != vectorSum || got[0].Code != 0 || len(shop.urls()) != 0 {
		t.Fatalf("%d tapped, %d called", len(got), len(shop.urls()))
	}
	if c := s.Counts(); c.Accepted != 1 || c.Differing != 0 {
		t.Errorf("%+v", c)
	}
	if story := seen.story(); story != "1 accepted" {
		t.Error(story)
	}
}

// TestWaitEnds has Wait return when nobody wants to wait any more.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSender(t, &shop{statuses: []int{hang}}, callback.SenderOptions{})
		s.Send([]match.Callback{told(t, 1, "approved", 200)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s.Wait(ctx)
		if n := s.Close(); n != 1 {
			t.Errorf("%d dropped", n)
		}
	})
}

// TestHeldInOrder asks for the next callback while the first is about to be held again: the other
// callback of the order does not overtake it.
func TestHeldInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{statuses: []int{500, 200}, begun: time.Now()}
		s, seen := newSender(t, shop, callback.SenderOptions{Hold: true})
		defer s.Close()
		var early error
		s.Tap(func(sent *callback.Sent) {
			if sent.Code == 500 {
				_, early = s.Next()
			}
		})
		s.Send([]match.Callback{told(t, 1, "approved", 200), told(t, 1, "deposited", 200)})
		for range 3 {
			if _, err := s.Next(); err != nil {
				t.Error(err)
			}
		}
		const story = "0 held, 0 held, 1 refused 500, 2 accepted 200, 1 accepted 200"
		if got := seen.story(); got != story || early != callback.ErrNone {
			t.Errorf("%s; early: %v", got, early)
		}
	})
}
