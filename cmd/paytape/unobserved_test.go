package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/tidwall/gjson"
)

// buyer is a shop that pays an order and asks for its state, of which the deck sees no more
// than the shop does.
type buyer struct {
	t    *testing.T
	base string
	http *http.Client
	id   string // of the order
	page string // the last answer, whatever it was
}

func newBuyer(t *testing.T, base string) *buyer {
	transport := plainTransport()
	t.Cleanup(transport.CloseIdleConnections)
	return &buyer{t: t, base: base, http: &http.Client{Transport: transport, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// post sends a form and returns the answer's JSON, or nothing for a page.
func (b *buyer) post(path string, pairs ...string) gjson.Result {
	b.t.Helper()
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	resp, err := b.http.PostForm(b.base+"/payment/"+path, v)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 400 {
		b.t.Fatalf("%s: status %d, %v: %s", path, resp.StatusCode, err,
			gjson.GetBytes(body, "message"))
	}
	b.page = string(body)
	return gjson.Parse(b.page)
}

// call is post with the shop's credentials.
func (b *buyer) call(operation string, pairs ...string) gjson.Result {
	b.t.Helper()
	return b.post("rest/"+operation, append(pairs, "userName", "sandbox-api",
		"password", "sandbox-"+"password", "language", "en")...)
}

func (b *buyer) register(number string) {
	b.t.Helper()
	b.id = b.call("register.do", "orderNumber", number, "amount", "900", "currency", "978",
		"returnUrl", "https://shop.example/return").Get("orderId").String()
}

// pay pays with a card that wants a challenge, and returns the message for the ACS.
func (b *buyer) pay() string {
	b.t.Helper()
	b.call("paymentorder.do", "MDORDER", b.id, "$PAN", "400000"+"0000001091", "$CVC", "123",
		"$EXPIRY", "203012", "TEXT", "TEST CARDHOLDER")
	return b.call("3ds/continue.do", "mdOrder", b.id).Get("packedCReq").String()
}

var hiddenCRes = regexp.MustCompile(`name="cres" value="([^"]+)"`)

// authenticate is what the payer does at the ACS, with nobody between.
func (b *buyer) authenticate(creq string) {
	b.t.Helper()
	b.post("acs/answer", "creq", creq, "action", "confirm", "password", "12345678")
	found := hiddenCRes.FindStringSubmatch(b.page)
	if found == nil {
		b.t.Fatal("the ACS brings no cres")
	}
	b.post("3ds/notification", "cres", found[1])
}

// polls asks for the state of the order n times.
func (b *buyer) polls(n int) []int64 {
	b.t.Helper()
	var states []int64
	for range n {
		states = append(states,
			b.call("getOrderStatusExtended.do", "orderId", b.id).Get("orderStatus").Int())
	}
	return states
}

// shopping is what a shop does through the deck; what is done directly, and time that is made
// to pass, the deck does not see.
type shopping func(via, direct *buyer, pass func(time.Duration))

// watched records what a shop does at a sandbox whose clock can be moved on, and returns the folder
// of the tape.
func watched(t *testing.T, shop shopping) string {
	t.Helper()
	var ahead atomic.Int64
	srv := httptest.NewServer(sandbox.New(sandbox.Options{Seed: 1, Now: func() time.Time {
		return time.Now().Add(time.Duration(ahead.Load()))
	}}))
	defer srv.Close()
	dir := t.TempDir()
	d := recordingFrom(t, deck.Options{Dir: dir, Upstreams: []string{srv.URL}})
	shop(newBuyer(t, d.URL), newBuyer(t, srv.URL),
		func(much time.Duration) { ahead.Add(int64(much)) })
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A state that changes without a call of the client's, because the payer was at the ACS or
// nobody paid in time, is served after as many polls as recorded, and the last goes on; a
// write moves on at once.
func TestChangesThatNoCallExplains(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		shop   shopping
		before func(b *buyer) // of the polls, in replay
		want   []int64        // states as recorded
		after  func(b *buyer) // of the polls
		last   int64          // state after that
	}{
		{
			name: "a time-out",
			shop: func(via, _ *buyer, pass func(time.Duration)) {
				via.register("A-1")
				via.polls(3)
				pass(21 * time.Minute)
				via.polls(2)
				via.call("addParams.do", "orderId", via.id, "params", `{"seen":"yes"}`)
				via.polls(1)
			},
			before: func(*buyer) {},
			want:   []int64{0, 0, 0, 6, 6},
			after: func(b *buyer) {
				b.call("addParams.do", "orderId", b.id, "params", `{"seen":"yes"}`)
			},
			last: 6,
		},
		{
			name: "a payer at the ACS",
			shop: func(via, direct *buyer, _ func(time.Duration)) {
				via.register("A-1")
				creq := via.pay()
				via.polls(2)
				direct.authenticate(creq)
				via.polls(2)
				via.call("refund.do", "orderId", via.id, "amount", "0")
				via.polls(1)
			},
			before: func(b *buyer) { b.pay() },
			want:   []int64{5, 5, 2, 2},
			after:  func(b *buyer) { b.call("refund.do", "orderId", b.id, "amount", "0") },
			last:   4,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := replayed(t, watched(t, test.shop), later)
			for n, polls := range []int{0, 1, 3, len(test.want), 40} {
				b := newBuyer(t, d.URL)
				b.register(fmt.Sprint("B-", n))
				test.before(b)
				want := slices.Clone(test.want)
				for len(want) < polls {
					want = append(want, test.want[len(test.want)-1])
				}
				if got := b.polls(polls); !slices.Equal(got, want[:polls]) {
					t.Errorf("%d polls: got %v, want %v", polls, got, want[:polls])
				}
				test.after(b)
				if got := b.polls(2); !slices.Equal(got, []int64{test.last, test.last}) {
					t.Errorf("after %d polls and a write: got %v", polls, got)
				}
			}
			if s := d.Summary(); s.Misses > 0 {
				t.Errorf("%d misses", s.Misses)
			}
		})
	}
}
