package deck_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
)

// calledShop is a shop that is called back. It says what its statuses say, the last of them again
// and again.
type calledShop struct {
	*httptest.Server
	statuses []int

	mu  sync.Mutex // guards got
	got []called
	one chan struct{} // gets a value for each call
}

// called is a callback as a shop got it.
type called struct {
	method, target, host, body string
	header                     http.Header
}

func openCalledShop(t *testing.T, statuses ...int) *calledShop {
	t.Helper()
	s := &calledShop{statuses: statuses, one: make(chan struct{}, 1000)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *calledShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a broken body shows in what was called
	s.mu.Lock()
	s.got = append(s.got, called{r.Method, r.RequestURI, r.Host, string(body), r.Header.Clone()})
	status := http.StatusOK
	if n := len(s.statuses); n > 0 {
		status = s.statuses[min(len(s.got), n)-1]
	}
	s.mu.Unlock()
	w.Header().Set("X-Shop", "mine")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "shop says %d", status)
	s.one <- struct{}{}
}

// await waits until the shop was called, and returns all calls so far.
func (s *calledShop) await(t *testing.T) []called {
	t.Helper()
	select {
	case <-s.one:
	case <-time.After(10 * time.Second):
		t.Fatal("the shop was not called")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]called(nil), s.got...)
}

// ask sends a form and returns the answer.
func ask(t *testing.T, url string, form url.Values) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	form.Set("userName", "sandbox-api")
	form.Set("password", "sandbox-"+"password")
	res, err := client.PostForm(url, form)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// buy registers an order whose callbacks go to an address, and pays it. It returns the order's id.
func buy(t *testing.T, base, number, address string) string {
	t.Helper()
	form := url.Values{
		"orderNumber": {number}, "amount": {"12500"}, "returnUrl": {"https://shop.example/"},
	}
	if address != "" {
		form.Set("dynamicCallbackUrl", address)
	}
	answer := ask(t, base+"/payment/rest/register.do", form)
	var registered struct{ OrderID string }
	if json.Unmarshal([]byte(answer), &registered) != nil || registered.OrderID == "" {
		t.Fatalf("no order: %s", answer)
	}
	answer = ask(t, base+"/payment/rest/paymentorder.do", url.Values{
		"MDORDER": {registered.OrderID}, "$PAN": {"4000001" + "111111118"}, "$CVC": {"123"},
		"$EXPIRY": {"203012"}, "TEXT": {"CARD HOLDER"}, "language": {"en"},
	})
	if !strings.Contains(answer, `"errorCode":0`) {
		t.Fatalf("not paid: %s", answer)
	}
	return registered.OrderID
}

// onTape closes a deck and returns what it has recorded.
func onTape(t *testing.T, d *deck.Deck, dir string) []*leaf.Exchange {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	library, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	tape, err := library.Load("tape", redact.New(redact.Options{Profiles: set}))
	if err != nil {
		t.Fatal(err)
	}
	var all []*leaf.Exchange
	for _, c := range tape.Exchanges {
		all = append(all, c.Exchange())
	}
	return all
}

// callbacksOf returns the callbacks among exchanges, and the others.
func callbacksOf(all []*leaf.Exchange) (callbacks, calls []*leaf.Exchange) {
	for _, x := range all {
		if x.Meta.Callback != nil {
			callbacks = append(callbacks, x)
		} else {
			calls = append(calls, x)
		}
	}
	return callbacks, calls
}

// TestRelayedCallback tells the whole story: an order names its shop, is paid, and the shop is told
// through the deck.
func TestRelayedCallback(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		post bool
	}{{"GET", false}, {"POST", true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			shop := openCalledShop(t)
			o := recording(t.TempDir())
			o.Callbacks = deck.Callbacks{
				Mode: deck.CallbacksRelay, Keys: []deck.CallbackKey{{Text: "key-of-the-merchant"}},
				Sandbox: deck.SandboxCallbacks{Alias: "k1", Post: test.post},
			}
			events := make(chan proxy.Event, 100)
			o.Observe = func(e proxy.Event) { events <- e }
			d := start(t, o)
			order := buy(t, d.URL, "A-1", shop.URL+"/paid?tenant=7")
			got := shop.await(t)[0]
			text := got.target + got.body
			if !strings.HasPrefix(got.target, "/paid?tenant=7") || got.method != test.name ||
				!strings.Contains(text, "mdOrder="+order) || got.host != strings.TrimPrefix(shop.URL, "http://") {
				t.Errorf("the shop got %s %s at %s", got.method, got.target, got.host)
			}
			all := onTape(t, d, o.Dir)
			callbacks, calls := callbacksOf(all)
			if len(calls) != 2 || len(callbacks) != 1 {
				t.Fatalf("%d calls and %d callbacks on tape", len(calls), len(callbacks))
			}
			if form := calls[0].Request.Form; calls[0].Meta.Relayed != "dynamicCallbackUrl" ||
				form.Get("dynamicCallbackUrl") != shop.URL+"/paid?tenant=7" {
				t.Errorf("on tape the address is %q", form.Get("dynamicCallbackUrl"))
			}
			x := callbacks[0]
			mark := x.Meta.Callback
			if x.Meta.Number != 3 || x.Meta.Profile != "gateway" || x.Meta.Operation != "callback" ||
				x.Code != 200 || x.Response.Body != "shop says 200" ||
				x.Response.Headers.Get("X-Shop") != "mine" || !x.Replayable() {
				t.Errorf("on tape: %d %s %s %d %q", x.Meta.Number, x.Meta.Profile, x.Meta.Operation,
					x.Code, x.Response.Body)
			}
			if mark.Operation != "deposited" || mark.Attempt != 1 || mark.Via != leaf.ViaRelay ||
				mark.Of != 2 || mark.Gap == 0 || mark.Checksum != leaf.ChecksumGood {
				t.Errorf("the mark: %+v", *mark)
			}
			if !strings.HasPrefix(x.URL, leaf.CallbackOrigin+"/") || strings.Contains(x.URL, "tenant") ||
				!strings.Contains(x.URL+x.Request.Body, "checksum=REDACTED-token-") {
				t.Errorf("on tape its address is %s", x.URL)
			}
			e := awaitCallback(t, events)
			if e.Outcome != proxy.OutcomeRelayed || e.Operation != "deposited" || e.Code != 200 ||
				e.Checksum != leaf.ChecksumGood || e.Attempt != 1 || e.Number != 3 || e.Callback != 1 ||
				!strings.Contains(e.Text.String(), "mdOrder;"+order+";") {
				t.Errorf("told: %+v", e)
			}
			if d.CallbackURL == "" {
				t.Error("nobody knows where callbacks go")
			}
		})
	}
}

// awaitCallback returns the first event of a callback.
func awaitCallback(t *testing.T, events <-chan proxy.Event) proxy.Event {
	t.Helper()
	for {
		select {
		case e := <-events:
			if e.Kind == proxy.Callback {
				return e
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no event of a callback")
		}
	}
}

// TestStaticCallback: the built-in sandbox calls the deck, which leads to the shop.
func TestStaticCallback(t *testing.T) {
	t.Parallel()
	shop := openCalledShop(t)
	o := recording(t.TempDir())
	o.Callbacks.To = shop.URL + "/static?a=b"
	d := start(t, o)
	order := buy(t, d.URL, "A-1", "")
	got := shop.await(t)[0]
	if want := "/static?a=b&mdOrder=" + order + "&"; !strings.HasPrefix(got.target, want) {
		t.Errorf("the shop got %s", got.target)
	}
	callbacks, calls := callbacksOf(onTape(t, d, o.Dir))
	if len(callbacks) != 1 || calls[0].Meta.Relayed != "" {
		t.Fatalf("%d callbacks on tape", len(callbacks))
	}
	x := callbacks[0]
	if mark := x.Meta.Callback; mark.Via != leaf.ViaStatic || mark.Operation != "deposited" ||
		mark.Of != 2 || mark.Checksum != "" || x.Meta.Profile != "gateway" {
		t.Errorf("the mark: %+v", *mark)
	}
	if !strings.HasPrefix(x.URL, leaf.CallbackOrigin+"/?mdOrder="+order) {
		t.Errorf("on tape its address is %s", x.URL)
	}
}

// TestManyShops: each of sixty-four shops gets its own callbacks, once.
func TestManyShops(t *testing.T) {
	t.Parallel()
	o := recording(t.TempDir())
	o.Callbacks.Mode = deck.CallbacksRelay
	d := start(t, o)
	const shops = 64
	var all sync.WaitGroup
	for i := range shops {
		shop := openCalledShop(t)
		all.Go(func() {
			order := buy(t, d.URL, fmt.Sprint("A-", i), shop.URL)
			if got := shop.await(t); len(got) != 1 || !strings.Contains(got[0].target, order) {
				t.Errorf("shop %d got %d callbacks", i, len(got))
			}
		})
	}
	all.Wait()
	callbacks, calls := callbacksOf(onTape(t, d, o.Dir))
	if len(calls) != 2*shops || len(callbacks) != shops {
		t.Errorf("%d calls and %d callbacks on tape", len(calls), len(callbacks))
	}
	numbers := map[int]*leaf.Exchange{}
	for _, x := range calls {
		numbers[x.Meta.Number] = x
	}
	for _, x := range callbacks {
		cause := numbers[x.Meta.Callback.Of]
		order, _ := url.ParseQuery(strings.TrimPrefix(x.URL, leaf.CallbackOrigin+"/?"))
		if cause == nil || x.Meta.Number < cause.Meta.Number ||
			cause.Request.Form.Get("MDORDER") != order.Get("mdOrder") {
			t.Errorf("#%d has another cause: #%d", x.Meta.Number, x.Meta.Callback.Of)
		}
	}
}

// TestPassRelays: a deck that records nothing leads callbacks to the shop too.
func TestPassRelays(t *testing.T) {
	t.Parallel()
	shop := openCalledShop(t)
	o := recording(t.TempDir())
	o.Mode, o.Callbacks.Mode = deck.Pass, deck.CallbacksRelay
	events := make(chan proxy.Event, 100)
	o.Observe = func(e proxy.Event) { events <- e }
	d := start(t, o)
	buy(t, d.URL, "A-1", shop.URL+"/paid")
	if got := shop.await(t)[0]; !strings.HasPrefix(got.target, "/paid?") {
		t.Errorf("the shop got %s", got.target)
	}
	if e := awaitCallback(t, events); e.Code != 200 || e.Operation != "deposited" {
		t.Errorf("told: %+v", e)
	}
	if tapes, _ := filepath.Glob(o.Dir + "/*"); len(tapes) != 0 {
		t.Error("something was recorded")
	}
}

// TestOwnAddressesAreNotCalled: what a client names as its shop leads neither to the address that a
// deck is looked after at, nor to its callback door, on whichever way the callback goes out.
func TestOwnAddressesAreNotCalled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		begin func(t *testing.T, o *deck.Options) // prepares the options
		named func(d *deck.Deck) string           // what the client names
	}{
		{"a relay and the admin address", func(_ *testing.T, o *deck.Options) {
			o.Callbacks.Mode, o.Admin = deck.CallbacksRelay, &deck.Admin{}
		}, func(d *deck.Deck) string { return d.Admin + "/reset" }},
		{"a spy and its callback door", func(t *testing.T, o *deck.Options) {
			recordedShop(t, o.Dir, "http://127.0.0.1:9/cb", false, 200)
			o.Mode, o.Callbacks.To = deck.Spy, "http://127.0.0.1:9/cb"
		}, func(d *deck.Deck) string { return d.CallbackURL + "/paid" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := recording(t.TempDir())
			test.begin(t, &o)
			events := make(chan proxy.Event, 100)
			o.Observe = func(e proxy.Event) { events <- e }
			d := start(t, o)
			buy(t, d.URL, "B-1", test.named(d))
			e := awaitCallback(t, events)
			if e.Problem != proxy.ProblemForbidden || e.Cause != proxy.CauseLoop {
				t.Errorf("told: %s %d %s %s", e.Outcome, e.Code, e.Problem, e.Cause)
			}
		})
	}
}

// TestStaticAddressWithAQuery: the built-in sandbox signs the query of the shop's address, which stands
// once in the callback and not on tape. What the shop says does not bring the key on tape.
func TestStaticAddressWithAQuery(t *testing.T) {
	t.Parallel()
	const key = "a-key-of-the-shop-7f3a"
	var got []string
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.RequestURI)
		_, _ = io.WriteString(w, "debug: key="+key)
	}))
	defer shop.Close()
	o := recording(t.TempDir())
	o.Callbacks.To = shop.URL + "/paid?tenant=7"
	o.Callbacks.Keys = []deck.CallbackKey{{Text: key}}
	d := start(t, o)
	buy(t, d.URL, "A-1", "")
	callbacks, _ := callbacksOf(onTape(t, d, o.Dir))
	if len(callbacks) != 1 || len(got) != 1 {
		t.Fatalf("%d callbacks on tape, the shop got %q", len(callbacks), got)
	}
	x := callbacks[0]
	if !strings.HasPrefix(got[0], "/paid?tenant=7&mdOrder=") || strings.Count(got[0], "tenant") != 1 ||
		strings.Contains(x.URL, "tenant") || x.Meta.Callback.Checksum != leaf.ChecksumGood {
		t.Errorf("got %s; on tape %s, checksum %s", got[0], x.URL, x.Meta.Callback.Checksum)
	}
	form, err := url.ParseQuery(strings.TrimPrefix(got[0], "/paid?"))
	if err != nil || !signedBy(form, key) {
		t.Errorf("the checksum does not hold for what the shop has got: %s", got[0])
	}
	if strings.Contains(x.Response.Body, key) || !strings.Contains(x.Response.Body, "REDACTED-key") {
		t.Errorf("the shop's answer on tape: %s", x.Response.Body)
	}
}

// signedBy reports whether a form has the checksum of a key (domain facts, Callbacks).
func signedBy(form url.Values, key string) bool {
	mac := hmac.New(sha256.New, []byte(key))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if name != "checksum" && name != "sign_alias" {
			mac.Write([]byte(name + ";" + form.Get(name) + ";"))
		}
	}
	return strings.EqualFold(hex.EncodeToString(mac.Sum(nil)), form.Get("checksum"))
}
