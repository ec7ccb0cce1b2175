package deck_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
)

// shopKey is the key of the shop's account.
var shopKey = deck.CallbackKey{Text: "shop-" + "key"}

// gatewaySignature returns how the gateway signs.
func gatewaySignature(t *testing.T) *profile.Signature {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set.FindCallback("gateway").Profile.Callbacks.Sign
}

// post calls an operation of the gateway, and returns the fields of the answer.
func post(t *testing.T, base, operation string, pairs ...string) map[string]any {
	t.Helper()
	form := url.Values{"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.PostForm(base+"/payment/rest/"+operation, form)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %s", operation, res.StatusCode, text)
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// pays registers an order, pays it, and returns its id.
func pays(t *testing.T, base, number, shop string) string {
	t.Helper()
	pairs := []string{"orderNumber", number, "amount", "12500", "returnUrl", "https://shop.example/"}
	if shop != "" {
		pairs = append(pairs, "dynamicCallbackUrl", shop)
	}
	id, _ := post(t, base, "register.do", pairs...)["orderId"].(string)
	post(t, base, "paymentorder.do", "MDORDER", id, "$PAN", "411111"+"1111111111", "$CVC", "123",
		"$EXPIRY", "203112", "TEXT", "CARD HOLDER", "language", "en")
	return id
}

// recordedShop records a payment, of which the sandbox has told the shop as often as there are
// statuses that the shop has answered with.
func recordedShop(t *testing.T, dir, shop string, signed bool, statuses ...int) {
	t.Helper()
	d := start(t, recording(dir))
	id := pays(t, d.URL, "A-1", shop)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	addCallbacks(t, dir, id, shop, signed, statuses...)
}

// addCallbacks puts callbacks about an order behind what is on tape, as if the sandbox had called.
func addCallbacks(t *testing.T, dir, id, shop string, signed bool, statuses ...int) {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	library, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	r := redact.New(redact.Options{Profiles: set})
	recorder, err := library.RecordWith(cassettes.Options{Sync: cassettes.SyncNone}, "tape", r)
	if err != nil {
		t.Fatal(err)
	}
	via := leaf.ViaRelay
	if shop == "" {
		via = leaf.ViaStatic
	}
	for i, status := range statuses {
		x := &leaf.Exchange{}
		x.Method, x.URL = http.MethodGet, leaf.CallbackOrigin+"/?mdOrder="+id+
			"&orderNumber=A-1&operation=deposited&status=1"
		if signed {
			x.URL += "&checksum=" + strings.Repeat("0A", 32)
		}
		x.Code = status
		x.Meta = leaf.Meta{
			Number: recorder.Next(), At: time.Now(), Profile: "gateway", Operation: "callback",
			Callback: &leaf.Callback{Operation: "deposited", Attempt: i + 1, Via: via},
		}
		if err := recorder.Append(r.Clean(x)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
}

// shopServer is a shop that is called back: it verifies what it gets, and answers with statuses,
// the last for ever.
type shopServer struct {
	*httptest.Server
	came chan url.Values

	mu       sync.Mutex // guards statuses
	statuses []int
}

func newShop(t *testing.T, statuses ...int) *shopServer {
	t.Helper()
	s := &shopServer{came: make(chan url.Values, 100), statuses: statuses}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.mu.Lock()
		status := s.statuses[0]
		s.statuses = s.statuses[min(1, len(s.statuses)-1):]
		s.mu.Unlock()
		w.WriteHeader(status)
		s.came <- req.URL.Query()
	}))
	t.Cleanup(s.Close)
	return s
}

// next returns what the shop gets next.
func (s *shopServer) next(t *testing.T) url.Values {
	t.Helper()
	select {
	case got := <-s.came:
		return got
	case <-time.After(10 * time.Second):
		t.Fatal("the shop was not called back")
		return nil
	}
}

// TestShopIsCalledBack replays a payment against shops that answer otherwise each time.
func TestShopIsCalledBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	recordedShop(t, dir, "http://127.0.0.1:9/cb?s=1", true, 200)
	for _, test := range []struct {
		name     string
		statuses []int
		want     callback.Counts
	}{
		{"takes it", []int{200}, callback.Counts{Events: 1, Sent: 1, Accepted: 1}},
		{"takes it late", []int{500, 200}, callback.Counts{Events: 1, Sent: 2, Accepted: 1}},
		{"refuses it", []int{500}, callback.Counts{Events: 1, Sent: 3, Refused: 1, Differing: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			shop := newShop(t, test.statuses...)
			d := start(t, deck.Options{Dir: dir, Cassettes: []string{"tape"}, Callbacks: deck.Callbacks{
				Keys: []deck.CallbackKey{shopKey}, Retry: time.Millisecond, Wait: time.Minute,
			}})
			id := pays(t, d.URL, "B-7", shop.URL+"/hook?own=2")
			if err := d.Close(); err != nil { // waits
				t.Fatal(err)
			}
			got := shop.next(t)
			if got.Get("mdOrder") != id || got.Get("orderNumber") != "B-7" || got.Get("own") != "2" ||
				got.Get("operation") != "deposited" {
				t.Errorf("the shop got %v", got)
			}
			m := callback.Message{Query: got.Encode(), Header: http.Header{}}
			if v := callback.Verify(gatewaySignature(t), &shopKey, m); v.Checksum != leaf.ChecksumGood {
				t.Errorf("its checksum is %q", v.Checksum)
			}
			if s := d.Summary(); s.Callbacks != test.want {
				t.Errorf("%+v", s.Callbacks)
			}
			for e := range d.Events().Follow(t.Context(), 0) {
				if e.Kind != proxy.Callback {
					continue
				}
				x, ok := d.Events().Exchange(e.ID)
				if !ok || !strings.HasPrefix(x.Exchange().URL, leaf.CallbackOrigin+"/?mdOrder="+id) {
					t.Errorf("event %d has no exchange", e.ID)
				}
			}
		})
	}
}

// TestCallbacksWithoutKey wants the cure told before anything is started.
func TestCallbacksWithoutKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	recordedShop(t, dir, "", true, 200)
	for _, test := range []struct {
		name   string
		c      deck.Callbacks
		option string // that is wrong; empty for none
		said   string
	}{
		{"no key", deck.Callbacks{}, "Callbacks", "--callback-key-file gateway=FILE"},
		{"held and no key", deck.Callbacks{Mode: deck.CallbacksHold}, "Callbacks", "--callbacks unsigned"},
		{"unsigned", deck.Callbacks{Mode: deck.CallbacksUnsigned}, "", ""},
		{"off", deck.Callbacks{Mode: deck.CallbacksOff}, "", ""},
		{"a key", deck.Callbacks{Keys: []deck.CallbackKey{shopKey}}, "", ""},
		{"relay stands for now", deck.Callbacks{
			Mode: deck.CallbacksRelay, Keys: []deck.CallbackKey{{Profile: "gateway", Text: "k"}},
		}, "", ""},
		{"an empty key", deck.Callbacks{Keys: []deck.CallbackKey{{Text: "\n"}}}, "Callbacks.Keys", "empty"},
		{"two keys", deck.Callbacks{Keys: []deck.CallbackKey{shopKey, shopKey}}, "Callbacks.Keys", "two"},
		{"a key of nobody", deck.Callbacks{Keys: []deck.CallbackKey{{Profile: "cardv9", Text: "k"}}},
			"Callbacks.Keys", `(gateway), found "cardv9"`},
		{"another mode", deck.Callbacks{Mode: "later"}, "Callbacks.Mode", `found "later"`},
		{"no URL", deck.Callbacks{To: "shop"}, "Callbacks.To", "full URL"},
		{"no public URL", deck.Callbacks{PublicURL: "shop"}, "Callbacks.PublicURL", "http://"},
		{"no host", deck.Callbacks{Allow: []string{"http://shop"}}, "Callbacks.Allow", "HOST"},
		{"no time", deck.Callbacks{Wait: -1}, "Callbacks.Wait", "below 0"},
	} {
		d, err := deck.Start(t.Context(), deck.Options{
			Dir: dir, Cassettes: []string{"tape"}, Callbacks: test.c,
		})
		if err == nil {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
		wrong, _ := errors.AsType[*deck.OptionError](err)
		switch {
		case test.option == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.option != "" && (wrong == nil || wrong.Option != test.option ||
			!strings.Contains(err.Error(), test.said)):
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// holds waits until a deck holds one callback: it is held when the answer that causes it was delivered, which
// a client that has the answer cannot tell.
func holds(t *testing.T, s *callback.Sender) {
	t.Helper()
	for changed := s.Changed(); s.Counts().Held != 1; changed = s.Changed() {
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Fatal("no callback is held")
		}
	}
}

// TestDroppedCallbacks wants told what a deck does not send: at its end, and when it is reset.
func TestDroppedCallbacks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	recordedShop(t, dir, "http://127.0.0.1:9/cb", false, 200)
	d := start(t, deck.Options{Dir: dir, Cassettes: []string{"tape"}, Callbacks: deck.Callbacks{
		Mode: deck.CallbacksHold,
	}})
	pays(t, d.URL, "B-1", "http://127.0.0.1:9/cb")
	holds(t, d.Callbacks())
	if c := d.Summary().Callbacks; c.Held != 1 {
		t.Errorf("%+v", c)
	}
	d.Reset()
	pays(t, d.URL, "B-2", "http://127.0.0.1:9/cb")
	holds(t, d.Callbacks())
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if c := d.Summary().Callbacks; c.Dropped != 2 || c.Undelivered != 1 || c.Held != 0 {
		t.Errorf("%+v", c)
	}
	var problems []string
	for e := range d.Events().Follow(context.Background(), 0) {
		if e.Outcome == proxy.OutcomeDropped {
			problems = append(problems, e.Problem)
		}
	}
	if !slices.Equal(problems, []string{proxy.ProblemReset, proxy.ProblemStopped}) {
		t.Errorf("told %q", problems)
	}
}

// TestCallbacksAtAdmin looks at callbacks and sends them at the admin address.
func TestCallbacksAtAdmin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	recordedShop(t, dir, "http://127.0.0.1:9/cb", false, 200)
	shop := newShop(t, 200)
	d := start(t, deck.Options{Dir: dir, Cassettes: []string{"tape"}, Admin: &deck.Admin{},
		Callbacks: deck.Callbacks{Mode: deck.CallbacksHold}})
	ask := func(method, path string, into any) int {
		req, err := http.NewRequestWithContext(t.Context(), method, d.Admin+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode == http.StatusOK {
			if err := json.NewDecoder(res.Body).Decode(into); err != nil {
				t.Error(err)
			}
		}
		return res.StatusCode
	}
	var one struct {
		Number    int
		Operation string
		State     string
		Names     []struct{ Name, Value string }
	}
	if code := ask("POST", "/callbacks/next", &one); code != http.StatusNotFound {
		t.Errorf("next of none: %d", code)
	}
	id := pays(t, d.URL, "B-1", shop.URL)
	if code := ask("POST", "/callbacks/next", &one); code != http.StatusOK || one.State != "accepted" ||
		one.Operation != "deposited" || len(one.Names) != 2 || one.Names[0].Value != id {
		t.Errorf("next: %d, %+v", code, one)
	}
	shop.next(t)
	for _, order := range []string{id, "B-1"} {
		if code := ask("POST", "/callbacks/resend?order="+order, &[]any{}); code != http.StatusOK {
			t.Errorf("resend: %d", code)
		}
		if got := shop.next(t); got.Get("mdOrder") != id {
			t.Errorf("resent %v", got)
		}
	}
	if code := ask("POST", "/callbacks/resend?order=none", nil); code != http.StatusNotFound {
		t.Errorf("resend of none: %d", code)
	}
	if code := ask("POST", "/callbacks/resend", nil); code != http.StatusBadRequest {
		t.Errorf("resend of nothing: %d", code)
	}
	if code := ask("GET", "/callbacks/next", nil); code != http.StatusMethodNotAllowed {
		t.Errorf("next by GET: %d", code)
	}
	d.Callbacks().Wait(t.Context())
	var list struct {
		Counts    callback.Counts
		Callbacks []struct{ State string }
	}
	if code := ask("GET", "/callbacks", &list); code != http.StatusOK || list.Counts.Accepted != 3 ||
		len(list.Callbacks) != 3 {
		t.Errorf("list: %d, %+v", code, list)
	}
	plain := start(t, deck.Options{Mode: deck.Pass, Upstreams: []string{deck.Builtin}, Admin: &deck.Admin{}})
	d = plain
	if code := ask("GET", "/callbacks", nil); code != http.StatusConflict {
		t.Errorf("a deck without callbacks: %d", code)
	}
}

// TestSpyCallsBack has a spy send what is on tape for what it answers from tape.
func TestSpyCallsBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	recordedShop(t, dir, "http://127.0.0.1:9/cb", false, 200)
	shop := newShop(t, 200)
	o := recording(dir)
	o.Mode, o.Callbacks.Wait = deck.Spy, time.Minute
	d := start(t, o)
	id := pays(t, d.URL, "B-1", shop.URL)
	if got := shop.next(t); got.Get("mdOrder") != id {
		t.Errorf("the shop got %v", got)
	}
}
