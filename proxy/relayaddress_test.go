package proxy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
)

// deckAddresses stand for shops in a way that a test can read.
type deckAddresses struct{ elsewhere bool }

const deckCallbacks = "http://callbacks.test:9"

func (deckAddresses) Public() string { return deckCallbacks }

func (deckAddresses) Relay(name, shop string) (string, bool) {
	if !strings.HasPrefix(shop, "http") {
		return "", false
	}
	return deckCallbacks + "/" + name + "/" + url.PathEscape(shop), true
}

func (deckAddresses) Shop(text string) (int, string, bool) {
	rest, ok := strings.CutPrefix(text, deckCallbacks+"/gateway/")
	if !ok {
		return 0, "", false
	}
	shop, err := url.PathUnescape(rest)
	return len(text), shop, err == nil
}

func (a deckAddresses) Reaches(here bool) bool { return here || a.elsewhere }

// calling is a deck in front of a sandbox that echoes what it was sent.
type calling struct {
	*httptest.Server
	tape   *tape
	got    *http.Request // by the sandbox; its body is sent
	sent   string
	events *noted
}

// noted collects notes.
type noted struct {
	mu  sync.Mutex // guards all
	all []proxy.Note
}

func (n *noted) observe(e proxy.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.Note != "" {
		n.all = append(n.all, e.Note)
	}
}

// openCalling starts a deck whose upstream has the given address, with hosts beside it. answer
// makes the sandbox's answer of the body that it was sent.
func openCalling(t *testing.T, upstream string, hosts []string, answer func(sent string) *http.Response,
) *calling {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	ups, err := proxy.ParseUpstreams(set, []string{upstream})
	if err != nil {
		t.Fatal(err)
	}
	if err := ups.AddHosts(hosts); err != nil {
		t.Fatal(err)
	}
	c := &calling{tape: &tape{}, events: &noted{}}
	sandbox := fake(func(req *http.Request) (*http.Response, error) {
		c.got, c.sent = req, ""
		if req.Body != nil {
			body, err := io.ReadAll(req.Body)
			if err != nil {
				return nil, err
			}
			c.sent = string(body)
		}
		return answer(c.sent), nil
	})
	mode, err := proxy.NewRecord(proxy.RecordOptions{
		Route: proxy.Route{
			Upstreams: ups, Transport: sandbox, Observe: c.events.observe,
			Callbacks: &proxy.CallbackRoute{Addresses: deckAddresses{}},
		},
		Tape: c.tape, Cleaner: newUncleaned(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	var door http.Handler = proxy.NewDoor(mode, nil)
	if len(hosts) > 0 {
		door = proxy.NewHosts(door, ups, nil)
	}
	c.Server = httptest.NewServer(door)
	t.Cleanup(c.Close)
	return c
}

// registered answers without an echo.
func registered(string) *http.Response {
	return reply(200, http.Header{"Content-Type": {"application/json"}}, `{"orderId":"3f1"}`)
}

// echoes answers with the form that was sent, as JSON.
func echoes(sent string) *http.Response {
	form, _ := url.ParseQuery(sent)
	body, _ := json.Marshal(map[string]any{
		"orderId": "3f1",
		"params":  []any{map[string]string{"name": "callback", "value": form.Get("dynamicCallbackUrl")}},
	})
	return reply(200, http.Header{"Content-Type": {"application/json"}}, string(body))
}

const (
	callingForm = "application/x-www-form-urlencoded"
	registerDo  = "/payment/rest/register.do"
)

// relayedTo is what the sandbox gets in place of http://shop.test/paid, escaped for a form.
var relayedTo = url.QueryEscape(deckCallbacks + "/gateway/" + url.PathEscape("http://shop.test/paid"))

func TestCallbackAddressInRequests(t *testing.T) {
	t.Parallel()
	const shop = "http%3A%2F%2Fshop.test%2Fpaid"
	plain, _ := url.QueryUnescape(relayedTo)
	packed := func(address string) string {
		return "amount=1&jsonParams=" + url.QueryEscape(`{ "dynamicCallbackUrl":"`+address+`","n":1.00}`)
	}
	for _, test := range []struct {
		name, target, kind, body  string
		wantTarget, want, relayed string // empty: as it was sent; and nothing is relayed
		note                      proxy.Note
		header, upstream          string
		chunked                   bool
	}{
		{name: "a form", kind: callingForm, body: "a=%7e&dynamicCallbackUrl=" + shop + "&b=+%2B",
			want: "a=%7e&dynamicCallbackUrl=" + relayedTo + "&b=+%2B", relayed: "dynamicCallbackUrl"},
		{name: "a form of another case", kind: callingForm, body: "DYNAMICCALLBACKURL=" + shop,
			want: "DYNAMICCALLBACKURL=" + relayedTo, relayed: "DYNAMICCALLBACKURL"},
		{name: "a query", target: registerDo + "?x=%7e&dynamicCallbackUrl=" + shop,
			wantTarget: registerDo + "?x=%7e&dynamicCallbackUrl=" + relayedTo,
			relayed:    "dynamicCallbackUrl"},
		{name: "JSON", kind: "application/json", body: "{ \"dynamicCallbackUrl\" : \"http:\\/\\/shop.test/paid\",\"n\":1.00}",
			want: `{ "dynamicCallbackUrl" : "` + plain + `","n":1.00}`, relayed: "dynamicCallbackUrl"},
		{name: "JSON in a form", kind: callingForm, body: packed("http://shop.test/paid"),
			want: packed(plain), relayed: "jsonParams>dynamicCallbackUrl"},
		{name: "in chunks", kind: callingForm, body: "dynamicCallbackUrl=" + shop, chunked: true,
			want: "dynamicCallbackUrl=" + relayedTo, relayed: "dynamicCallbackUrl"},
		{name: "no address", kind: callingForm, body: "dynamicCallbackUrl=soon"},
		{name: "another field", kind: callingForm, body: "returnUrl=" + shop},
		{name: "an API that nobody knows", target: "/other", kind: callingForm,
			body: "dynamicCallbackUrl=" + shop},
		{name: "signed", kind: callingForm, body: "dynamicCallbackUrl=" + shop, header: "X-Signature",
			note: proxy.NoteCallbackSigned},
		{name: "hashed", kind: callingForm, body: "dynamicCallbackUrl=" + shop, header: "X-Hash",
			note: proxy.NoteCallbackSigned},
		{name: "a sandbox elsewhere", kind: callingForm, body: "dynamicCallbackUrl=" + shop,
			upstream: "https://sandbox.example", note: proxy.NoteCallbackUnreachable},
		{name: "too long", kind: callingForm,
			body: "dynamicCallbackUrl=" + shop + strings.Repeat("x", 480), note: proxy.NoteCallbackTooLong},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.upstream == "" {
				test.upstream = "http://127.0.0.1:1"
			}
			if test.target == "" {
				test.target = registerDo
			}
			if test.want == "" {
				test.want = test.body
			}
			if test.wantTarget == "" {
				test.wantTarget = test.target
			}
			c := openCalling(t, test.upstream, nil, registered)
			for range 2 { // what is told is told once
				var body io.Reader = strings.NewReader(test.body)
				if test.chunked {
					body = io.MultiReader(body)
				}
				req, err := http.NewRequest("POST", c.URL+test.target, body)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", test.kind)
				if test.header != "" {
					req.Header.Set(test.header, "signed")
				}
				get(t, req)
			}
			if c.sent != test.want || c.got.URL.Opaque != test.wantTarget {
				t.Errorf("the sandbox got %s %s", c.got.URL.Opaque, c.sent)
			}
			if !test.chunked && c.got.ContentLength != int64(len(test.want)) {
				t.Errorf("its length is %d", c.got.ContentLength)
			}
			x := c.tape.exchanges()[0]
			if x.Request.Body != test.body || !strings.HasSuffix(x.URL, test.target) ||
				x.Meta.Relayed != test.relayed || !x.Replayable() {
				t.Errorf("on tape: %s %s, relayed %q, %s", x.URL, x.Request.Body, x.Meta.Relayed, x.Meta.Why())
			}
			if length := x.Request.Headers.Get("Content-Length"); !test.chunked && test.body != "" &&
				length != "" && length != strconv.Itoa(len(test.body)) {
				t.Errorf("on tape its length is %s of %d", length, len(test.body))
			}
			var notes []proxy.Note
			if test.note != "" {
				notes = []proxy.Note{test.note}
			}
			if got := c.events.all; len(got) != len(notes) || len(got) > 0 && got[0] != notes[0] {
				t.Errorf("told %q", got)
			}
		})
	}
}

// get sends a request and returns the body of its answer.
func get(t *testing.T, req *http.Request) string {
	t.Helper()
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
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

// TestCallbackAddressInAnswers: what the sandbox echoes is the shop's address again, for the client
// and on tape, under a content coding too.
func TestCallbackAddressInAnswers(t *testing.T) {
	t.Parallel()
	packs := func(sent string) *http.Response {
		res := echoes(sent)
		body, _ := io.ReadAll(res.Body)
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(body)
		_ = z.Close()
		res.Header.Set("Content-Encoding", "gzip")
		return reply(200, res.Header, b.String())
	}
	const want = `{"orderId":"3f1","params":[{"name":"callback","value":"http://shop.test/paid"}]}`
	for name, answer := range map[string]func(string) *http.Response{"plain": echoes, "gzip": packs} {
		c := openCalling(t, "http://127.0.0.1:1", nil, answer)
		req, err := http.NewRequest("POST", c.URL+registerDo,
			strings.NewReader("dynamicCallbackUrl=http%3A%2F%2Fshop.test%2Fpaid"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", callingForm)
		if got := get(t, req); got != want { // net/http undoes the coding
			t.Errorf("%s: the client got %s", name, got)
		}
		x := c.tape.exchanges()[0]
		body, err := leaf.Decode(x.Response.Headers.Get("Content-Encoding"), []byte(x.Response.Body), 1<<20)
		if err != nil || string(body) != want {
			t.Errorf("%s: on tape is %s (%v)", name, body, err)
		}
	}
}

// TestCallbackAddressOfAHost: a shop may be one of the hosts of the deck, under whose address its
// pages are served. Its callback address is the shop's all the same: a deck that stands for it
// there would be called in the place of the callback door.
func TestCallbackAddressOfAHost(t *testing.T) {
	t.Parallel()
	c := openCalling(t, "http://127.0.0.1:1", []string{"shop=http://shop.test"}, echoes)
	for name, address := range map[string]string{
		"its own address": "http://shop.test/paid", "that of the deck": c.URL + "/_host/shop/paid",
	} {
		req, err := http.NewRequest("POST", c.URL+registerDo,
			strings.NewReader("dynamicCallbackUrl="+url.QueryEscape(address)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", callingForm)
		answer := get(t, req)
		if c.sent != "dynamicCallbackUrl="+relayedTo {
			t.Errorf("%s: the sandbox got %s", name, c.sent)
		}
		if !strings.Contains(answer, `"http://shop.test/paid"`) {
			t.Errorf("%s: the client got %s", name, answer)
		}
	}
	for _, x := range c.tape.exchanges() {
		if x.Request.Body != "dynamicCallbackUrl=http%3A%2F%2Fshop.test%2Fpaid" {
			t.Errorf("on tape: %s", x.Request.Body)
		}
	}
}
