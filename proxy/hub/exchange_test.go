package hub_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/redact"
)

// card is a published test number that is never written whole.
var card = "4111" + "1111" + "1111" + "1111"

const password, sessionToken = "hunter2-of-the-shop", "tok-7f3a9c51d2e84b60"

// redactor returns one that knows the built-in profiles.
func redactor(t testing.TB) (*redact.Redactor, *profile.Set) {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return redact.New(redact.Options{Profiles: set}), set
}

// sandbox answers every request with the same text.
type sandbox string

func (s sandbox) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	return &http.Response{
		StatusCode: 200, Status: "200 OK", Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(string(s))), ContentLength: int64(len(s)),
	}, nil
}

// passing returns a function that sends a form through a Pass whose events go to a hub.
func passing(t testing.TB, h *hub.Hub, answer string) func(path, form string) {
	t.Helper()
	cleaner, set := redactor(t)
	ups, err := proxy.ParseUpstreams(set, []string{"https://sandbox.test"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := proxy.NewPass(proxy.PassOptions{
		Route:   proxy.Route{Upstreams: ups, Transport: sandbox(answer), Observe: h.Publish},
		Cleaner: cleaner,
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(path, form string) {
		t.Helper()
		req, err := http.NewRequest("POST", "http://deck.test"+path, strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := m.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		if err != nil || res.Body.Close() != nil || string(got) != answer {
			t.Fatal("the answer did not pass unaltered")
		}
	}
}

func TestExchangesComeOutCleaned(t *testing.T) {
	t.Parallel()
	r, _ := redactor(t)
	h := hub.New(hub.Options{Redactor: r})
	send := passing(t, h, `{"errorCode":0,"pan":"`+card+`"}`)
	send("/payment/rest/paymentorder.do", "userName=shop&password="+password+"&%24PAN="+card)
	e := h.Last(1)[0]
	for _, printed := range []string{fmt.Sprintf("%+v", e), fmt.Sprintf("%#v", e.Exchange)} {
		if strings.Contains(printed, card) || strings.Contains(printed, password) {
			t.Fatal("an event prints what passed")
		}
	}
	for range 2 {
		clean, ok := h.Exchange(e.ID)
		if !ok {
			t.Fatal("there is no exchange")
		}
		x := clean.Exchange()
		for _, text := range []string{x.Request.Body, x.Response.Body} {
			if strings.Contains(text, card) || strings.Contains(text, password) {
				t.Fatal("a secret comes out")
			}
			if !strings.Contains(text, card[:6]) {
				t.Error("the card has no surrogate")
			}
		}
		if !strings.Contains(x.Request.Body, "userName=shop") || x.Code != 200 ||
			x.Meta.Operation != "paymentorder.do" {
			t.Error("what is no secret is gone")
		}
	}
	if _, ok := h.Exchange(e.ID + 1); ok {
		t.Error("an event that is not there has an exchange")
	}
}

// TestEarlierExchangesTeach looks at the second exchange alone, which repeats a secret of the first
// where nobody would look for one.
func TestEarlierExchangesTeach(t *testing.T) {
	t.Parallel()
	r, _ := redactor(t)
	h := hub.New(hub.Options{Redactor: r})
	send := passing(t, h, `{"errorCode":0}`)
	send("/payment/rest/register.do", "userName=shop&password="+sessionToken)
	send("/elsewhere", "remark="+sessionToken)
	clean, ok := h.Exchange(2)
	if !ok {
		t.Fatal("there is no exchange")
	}
	if strings.Contains(clean.Exchange().Request.Body, sessionToken) {
		t.Error("a secret that an earlier exchange taught comes out")
	}
}

// TestBytesAreBounded sends exchanges of which three fit. A larger one than all of the room is not
// held at all.
func TestBytesAreBounded(t *testing.T) {
	t.Parallel()
	r, _ := redactor(t)
	h := hub.New(hub.Options{Redactor: r, Bytes: 3 * 12 << 10})
	send := passing(t, h, `{}`)
	have := func() (ids []uint64) {
		for _, e := range h.Last(100) {
			if _, ok := h.Exchange(e.ID); ok {
				ids = append(ids, e.ID)
			}
		}
		return ids
	}
	for range 5 {
		send("/a", "remark="+strings.Repeat("a b ", 2<<10))
	}
	if got := fmt.Sprint(have()); got != "[3 4 5]" || len(h.Last(100)) != 5 {
		t.Errorf("of 5 events %d are held, with the exchanges of %s", len(h.Last(100)), got)
	}
	send("/a", "remark="+strings.Repeat("a b ", 20<<10))
	if got := have(); len(got) != 0 || len(h.Last(100)) != 6 {
		t.Errorf("the exchanges of %v are held, and %d events", got, len(h.Last(100)))
	}
	send("/a", "remark=short")
	if got := fmt.Sprint(have()); got != "[7]" {
		t.Errorf("the exchanges of %s are held", got)
	}
}

// TestLookingWhileTrafficGoesOn is for the race detector.
func TestLookingWhileTrafficGoesOn(t *testing.T) {
	t.Parallel()
	r, _ := redactor(t)
	h := hub.New(hub.Options{Redactor: r, Events: 16, Bytes: 64 << 10})
	send := passing(t, h, `{"errorCode":0}`)
	var sending, looking sync.WaitGroup
	for range 4 {
		sending.Go(func() {
			for range 25 {
				send("/payment/rest/paymentorder.do", "password="+password+"&%24PAN="+card)
			}
		})
	}
	for range 2 {
		looking.Go(func() {
			for e := range h.Follow(t.Context(), 0) {
				x, ok := h.Exchange(e.ID)
				if ok && strings.Contains(x.Exchange().Request.Body, card) {
					t.Error("a card comes out")
				}
			}
		})
	}
	sending.Wait()
	h.Close()
	looking.Wait()
}
