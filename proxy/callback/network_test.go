package callback_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
)

// TestShopsApart has sixty-four shops on ports of their own, each of which gets its own callbacks
// once, signed, in their order, and none of another's.
func TestShopsApart(t *testing.T) {
	t.Parallel()
	const shops = 64
	s, _ := newSender(t, nil, callback.SenderOptions{
		Keys: callback.Keys{gatewayKey}, Retry: time.Millisecond,
	})
	defer s.Close()
	var mu sync.Mutex // guards got
	got := map[int][]string{}
	var sending sync.WaitGroup
	for n := range shops {
		var calls atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if calls.Add(1) == 1 {
				w.WriteHeader(http.StatusInternalServerError) // the first attempt of the first
				return
			}
			m := callback.Message{Query: req.URL.RawQuery, Header: req.Header}
			v := callback.Verify(gateway, &gatewayKey, m)
			mu.Lock()
			defer mu.Unlock()
			got[n] = append(got[n], fmt.Sprint(req.FormValue("mdOrder"), " ", req.FormValue("operation"),
				" ", v.Checksum))
		}))
		defer server.Close()
		brought := []match.Callback{told(t, n, "approved", 200), told(t, n, "deposited", 200)}
		for i := range brought {
			brought[i].Address, brought[i].Signed = server.URL+"/hook?shop=1", true
		}
		sending.Go(func() { s.Send(brought) })
	}
	sending.Wait()
	s.Wait(t.Context())
	mu.Lock()
	defer mu.Unlock()
	for n := range shops {
		want := []string{
			fmt.Sprintf("order-%d approved good", n), fmt.Sprintf("order-%d deposited good", n),
		}
		if !slices.Equal(got[n], want) {
			t.Errorf("shop %d got %q", n, got[n])
		}
	}
	if c := s.Counts(); c.Accepted != 2*shops || c.Sent != 3*shops || c.Undelivered+c.Differing != 0 {
		t.Errorf("%+v", c)
	}
}

// TestRequestOnWire wants of a POST what was on tape, and nothing that net/http adds.
func TestRequestOnWire(t *testing.T) {
	t.Parallel()
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body := make([]byte, 100)
		n, _ := req.Body.Read(body)
		var names []string
		for name := range req.Header {
			names = append(names, name)
		}
		slices.Sort(names)
		got = fmt.Sprint(req.Method, " ", req.RequestURI, " ", names, " ", string(body[:n]))
	}))
	defer server.Close()
	s, _ := newSender(t, nil, callback.SenderOptions{})
	defer s.Close()
	cb := told(t, 1, "deposited", 200)
	cb.Method, cb.Address, cb.Query, cb.Body = http.MethodPost, server.URL, "", "mdOrder=1"
	cb.Header = http.Header{
		"Content-Type": {form}, "X-Own": {"1"}, "Connection": {"X-Gone"}, "Content-Length": {"99"},
		"Content-Encoding": {"gzip"}, "Host": {"sandbox.example"},
	}
	s.Send([]match.Callback{cb})
	s.Wait(t.Context())
	const want = "POST / [Connection Content-Length Content-Type X-Own] mdOrder=1"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestPasswordInAddress wants the name and password of the live address sent as a client does, in
// place of what cleaning has left on tape.
func TestPasswordInAddress(t *testing.T) {
	t.Parallel()
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		name, password, _ := req.BasicAuth()
		got = name + " " + password
	}))
	defer server.Close()
	s, _ := newSender(t, nil, callback.SenderOptions{})
	defer s.Close()
	cb := told(t, 1, "deposited", 200)
	cb.Address = strings.Replace(server.URL, "://", "://hook:a%20word@", 1)
	cb.Header = http.Header{"Authorization": {"Basic REDACTED-token-1"}}
	s.Send([]match.Callback{cb})
	s.Wait(t.Context())
	if got != "hook a word" {
		t.Errorf("the shop got %q", got)
	}
}

// TestHostile wants nobody called whom a shop or a client leads to: by redirects, and by addresses
// of other hosts.
func TestHostile(t *testing.T) {
	t.Parallel()
	var called atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		called.Add(1)
	}))
	defer inside.Close()
	redirecting := httptest.NewServer(http.RedirectHandler(inside.URL, http.StatusFound))
	defer redirecting.Close()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		for range 1 << 20 {
			if _, err := fmt.Fprint(w, strings.Repeat("x", 1<<10)); err != nil || req.Context().Err() != nil {
				return
			}
		}
	}))
	defer endless.Close()
	s, seen := newSender(t, nil, callback.SenderOptions{
		Own: []net.Addr{inside.Listener.Addr()}, Retry: time.Nanosecond,
	})
	defer s.Close()
	for flow, address := range []string{
		redirecting.URL, inside.URL, "http://192.0.2.1/", "http://192.0.2.1/", endless.URL,
	} {
		cb := told(t, flow, "deposited", 302)
		cb.Address = address
		s.Send([]match.Callback{cb})
		s.Wait(t.Context())
	}
	const want = "1 refused 302, 2 refused 302, 3 refused 302, 0 dropped forbidden, " +
		"0 dropped forbidden, 0 dropped forbidden, 1 accepted 200"
	if got := seen.story(); got != want || called.Load() != 0 {
		t.Errorf("%s; called %d times", got, called.Load())
	}
	if notes := seen.notes(); !slices.Equal(notes, []proxy.Note{proxy.NoteCallbackForbidden}) {
		t.Errorf("told %q", notes)
	}
}
