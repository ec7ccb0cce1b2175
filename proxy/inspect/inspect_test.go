package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

const token = "0123456789abcdef-OF_THE_TEST"

// deck is a fake of all that an inspector shows.
type deck struct {
	cleaner *redact.Redactor
	asked   inspect.Query
	coming  chan view.Row // of Follow; closed when the deck stops
	lost    uint64        // before the first row
	resent  uint64
	asks    bool
}

var errFilter = errors.New("column 3: expected a value")

func (d *deck) Window(q inspect.Query) (view.Window, error) {
	d.asked = q
	if q.Filter == "bad:" {
		return view.Window{}, errFilter
	}
	w := view.Window{Total: 3, At: q.At, Lines: []view.Line{}}
	for i := q.At; i < min(3, q.At+q.N); i++ { // the newest is on top
		w.Lines = append(w.Lines, view.Line{Index: i, Row: &view.Row{ID: uint64(3 - i)}})
	}
	return w, nil
}

func (d *deck) Follow(ctx context.Context, _ uint64, _ string) iter.Seq2[view.Row, uint64] {
	return func(yield func(view.Row, uint64) bool) {
		lost := d.lost
		for {
			select {
			case row, more := <-d.coming:
				if !more || !yield(row, lost) {
					return
				}
				lost = 0
			case <-ctx.Done():
				return
			}
		}
	}
}

func (d *deck) Row(id uint64) (view.Row, bool) { return view.Row{ID: id}, id <= 3 }

func (d *deck) Flow(id string) (view.Flow, bool) {
	return view.Flow{Group: view.Group{ID: id}}, id == "g1"
}

func (d *deck) Compare(a, b string) (view.Comparison, error) {
	return view.Comparison{Sentence: a + b}, nil
}

func (d *deck) Complete(text string, cursor int) view.Completion {
	return view.Completion{Reads: text, From: cursor}
}

func (d *deck) Exchange(id uint64) (view.Exchange, bool) {
	x := view.Exchange{Row: view.Row{ID: id}}
	x.Request.Body = d.cleaner.Text("<script>alert(1)</script>")
	return x, id <= 3
}

func (d *deck) Why(id uint64) (view.Why, bool) {
	return view.Why{Row: view.Row{ID: id}, Title: d.cleaner.Text("miss: field amount")}, id <= 3
}

func (d *deck) Value(id uint64, side, path string) (view.Value, bool) {
	return view.Value{Says: side + " " + path}, id <= 3
}

func (d *deck) HAR(id uint64) ([]byte, bool) { return []byte(`{"log":{}}`), id <= 3 }

func (d *deck) Names() []string { return []string{"checkout"} }

func (d *deck) Machine(name string) (view.Machine, bool) {
	return view.Machine{Cassette: name}, name == "checkout"
}

func (d *deck) status() view.Status {
	return view.Status{Mode: "replay", CanResend: true, Asks: d.asks, Requests: 3}
}

func (d *deck) resend(_ context.Context, id uint64) (uint64, error) {
	if id > 3 {
		return 0, inspect.ErrGone
	}
	d.resent = id
	return 4, nil
}

// newInspector returns an inspector of a fake deck.
func newInspector(t testing.TB) (*inspect.Inspector, *deck) {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	d := &deck{cleaner: redact.New(redact.Options{Profiles: set}), coming: make(chan view.Row)}
	events := hub.New(hub.Options{})
	events.Publish(proxy.Event{Kind: proxy.Served})
	events.Publish(proxy.Event{Kind: proxy.Missed, Miss: 1})
	events.Publish(proxy.Event{Kind: proxy.Callback, Callback: 7})
	e := rules.New(rules.Options{Profiles: set})
	f, err := rules.Parse("run.yaml", []byte("rules:\n- {name: down, when: asked, then: {status: 503}}\n"+
		"- {name: slow, then: {delay: 2s}}"), rules.Source{Profiles: set})
	if err == nil {
		err = e.Set(rules.FromFile, f)
	}
	if err != nil {
		t.Fatal(err)
	}
	i, err := inspect.New(inspect.Options{
		Traffic: d, Explainer: d, Events: events, Cleaner: d.cleaner, Status: d.status, Rules: e,
		Machines: d, Resend: d.resend, Token: token,
	})
	if err != nil {
		t.Fatal(err)
	}
	return i, d
}

// send sends a request without a socket, behind the token if its path begins with "api".
func send(t testing.TB, h http.Handler, call string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	method, target, _ := strings.Cut(call, " ")
	if strings.HasPrefix(target, "api") {
		target = "/" + token + "/" + target
	}
	req := httptest.NewRequest(method, target, nil)
	req.Host = "127.0.0.1:4711"
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ":")
		req.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

// The calls of the table follow upon each other.
func TestTheAPI(t *testing.T) {
	t.Parallel()
	i, d := newInspector(t)
	for _, test := range []struct {
		call string
		code int
		want string // part of the answer
	}{
		{"GET api/status", 200, `"mode":"replay"`},
		{"GET api/exchanges?at=1&n=1", 200, `"total":3,"at":1,"lines":[{"index":1`},
		{"GET api/exchanges?q=bad:", 400, `{"error":"column 3: expected a value"}`},
		{"GET api/exchanges?n=x", 400, "n: expected a number"},
		{"GET api/exchanges?at=-1", 400, "at: expected a number from 0"},
		{"GET api/exchanges?before=x", 400, "before: expected the number"},
		{"GET api/exchanges?q=" + strings.Repeat("x", 5000), 400, "4096 bytes at most"},
		{"GET api/rows?n=2", 200, `{"rows":[{"id":2,`},
		{"GET api/rows?after=2", 200, `{"rows":[{"id":3,`},
		{"GET api/rows?after=3", 200, `{"rows":[],"lost":0}`},
		{"GET api/exchanges/2", 200, `"id":2`},
		{"GET api/exchanges/2", 200, `\u003cscript\u003e`},
		{"GET api/exchanges/9", 404, "held no longer"},
		{"GET api/exchanges/x", 400, "expected the number"},
		{"GET api/exchanges/0", 400, "expected the number"},
		{"GET api/exchanges/99999999999999999999", 400, "expected the number"},
		{"GET api/exchanges/2.har", 200, `{"log":{}}`},
		{"GET api/exchanges/9.har", 404, "held no longer"},
		{"GET api/values?id=2&side=answer&path=mdOrder", 200, `"says":"answer mdOrder"`},
		{"GET api/values?id=2&side=left&path=mdOrder", 400, "side: expected"},
		{"GET api/flows/g1", 200, `"id":"g1"`},
		{"GET api/flows/g2", 404, "not there"},
		{"GET api/compare?a=g1&b=g2", 200, `"sentence":"g1g2"`},
		{"GET api/compare?a=g1", 400, "two flows"},
		{"GET api/why/1", 200, `"id":1`},
		{"GET api/why/m1", 200, `"id":2`},
		{"GET api/why/m9", 404, "held no longer"},
		{"GET api/why/m0", 400, "expected the number"},
		{"GET api/why/last-miss", 200, `"id":2`},
		{"GET api/why/c7", 200, `"id":3`},
		{"GET api/why/c8", 404, "no such callback"},
		{"GET api/why/c", 400, "expected the number"},
		{"GET api/why/first-miss", 400, "expected the number"},
		{"GET api/filter?q=served&cursor=3", 200, `"reads":"served"`},
		{"GET api/filter?q=served&cursor=900", 200, `"from":6`},
		{"GET api/tapes", 200, `["checkout"]`},
		{"GET api/tapes/checkout/machine", 200, `"cassette":"checkout"`},
		{"GET api/tapes/..%2F..%2Fetc%2Fpasswd/machine", 404, "nothing at that path"},
		{"GET api/tapes/other/machine", 404, "no such cassette"},
		{"GET api/rules", 200, `"name":"slow"`},
		{"POST api/rules/slow/disarm", 200, `{"ok":true,"message":"rule slow is disarmed"}`},
		{"GET api/rules", 200, `"armed":false,"source":"{name: slow`},
		{"POST api/rules/slow/arm", 200, `"ok":true`},
		{"POST api/rules/slow/arm", 409, "fires without being armed"},
		{"POST api/rules/down/arm?times=2", 200, "rule down is armed"},
		{"POST api/rules/down/arm?times=0", 400, "times: expected"},
		{"POST api/rules/none/arm", 404, "no rule has that name"},
		{"POST api/rules/none/disarm", 404, "no rule has that name"},
		{"GET api/callbacks", 200, "This deck sends no callbacks"},
		{"POST api/callbacks/mode?to=now", 409, "This deck sends no callbacks"},
		{"POST api/callbacks/next", 409, "This deck sends no callbacks"},
		{"POST api/callbacks/3/resend", 409, "This deck sends no callbacks"},
		{"POST api/exchanges/2/resend", 200, `"message":"sent again as #4","id":4`},
		{"POST api/exchanges/9/resend", 404, "held no longer"},
		{"GET api/rules/slow/arm", 404, "no such call"},
		{"DELETE api/rules", 404, "no such call"},
		{"GET api/", 404, "no such call"},
		{"GET api/tapes?format=text", 400, "no form for a terminal"},
	} {
		w := send(t, i, test.call)
		if w.Code != test.code || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: status %d with %s, want %d with %s", test.call, w.Code, w.Body, test.code, test.want)
		}
		if media := w.Header().Get("Content-Type"); media != "application/json" {
			t.Errorf("%s: type %q", test.call, media)
		}
		if !json.Valid(w.Body.Bytes()) || strings.ContainsAny(w.Body.String(), "<>") {
			t.Errorf("%s: no JSON, or one with markup: %s", test.call, w.Body)
		}
	}
	send(t, i, "GET api/exchanges?grouped=1&open=all&fold=g1,g2&before=7&n=99999")
	if q := d.asked; !q.Grouped || !q.All || !slices.Equal(q.Folded, []string{"g1", "g2"}) || q.Before != 7 {
		t.Errorf("asked %+v", q)
	}
}

// Where a sandbox would get the request somebody must be sure.
func TestResendAsks(t *testing.T) {
	t.Parallel()
	i, d := newInspector(t)
	d.asks = true
	if w := send(t, i, "POST api/exchanges/2/resend"); w.Code != 409 || d.resent != 0 {
		t.Errorf("not sure: %d, sent %d", w.Code, d.resent)
	}
	if w := send(t, i, "POST api/exchanges/2/resend?sure=1"); w.Code != 200 || d.resent != 2 {
		t.Errorf("sure: %d, sent %d", w.Code, d.resent)
	}
}

// What changes something has no body, needs the token, and comes from our own page or from none.
func TestChangesAreGuarded(t *testing.T) {
	t.Parallel()
	i, d := newInspector(t)
	for _, call := range []string{"rules/slow/arm", "rules/slow/disarm", "callbacks/mode?to=now",
		"callbacks/next", "callbacks/3/resend", "exchanges/2/resend?sure=1"} {
		if w := send(t, i, "POST /api/"+call); w.Code != 401 {
			t.Errorf("%s without the token: %d", call, w.Code)
		}
		for _, header := range []string{"Origin:http://evil.example", "Sec-Fetch-Site:cross-site"} {
			if w := send(t, i, "POST api/"+call, header); w.Code != 403 {
				t.Errorf("%s with %s: %d", call, header, w.Code)
			}
		}
		req := httptest.NewRequest("POST", "/"+token+"/api/"+call, strings.NewReader("a=b"))
		req.Host = "localhost"
		w := httptest.NewRecorder()
		if i.ServeHTTP(w, req); w.Code != 400 || !strings.Contains(w.Body.String(), "no body") {
			t.Errorf("%s with a form: %d %s", call, w.Code, w.Body)
		}
	}
	if d.resent != 0 {
		t.Errorf("%d was sent again", d.resent)
	}
}

// The page is there for whoever asks, under its own policy, and tells nothing.
func TestThePageNeedsNoToken(t *testing.T) {
	t.Parallel()
	i, _ := newInspector(t)
	for _, at := range []string{"/", "/x/52", "/why/52", "/flow/g12", "/compare/g12/g13", "/tape/checkout",
		"/rules", "/callbacks", "/assets/app.js", "/" + token + "/", "/" + token + "/x/52"} {
		w := send(t, i, "GET "+at)
		policy := w.Header().Get("Content-Security-Policy")
		if w.Code != 200 || !strings.Contains(policy, "script-src 'self'") ||
			strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %d under %q", at, w.Code, policy)
		}
		if strings.Contains(w.Body.String(), token) || w.Header().Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: the page holds the token, or may be framed", at)
		}
	}
	if w := send(t, i, "GET /0123456789abcdef-WRONG/"); w.Code != 401 {
		t.Errorf("another token: %d", w.Code)
	}
}

// Below another address the page knows its base, and the API is behind the guard of that address.
func TestMount(t *testing.T) {
	t.Parallel()
	i, _ := newInspector(t)
	open, closed := http.NewServeMux(), http.NewServeMux()
	i.Mount("/inspect/", open, closed)
	for _, at := range []string{"/inspect/", "/inspect", "/inspect/x/52"} {
		w := send(t, open, "GET "+at)
		if w.Code != 200 || !strings.Contains(w.Body.String(), `content="/inspect/"`) {
			t.Errorf("%s: %d %s", at, w.Code, w.Body)
		}
	}
	if w := send(t, closed, "GET /inspect/api/status"); w.Code != 200 {
		t.Errorf("status: %d", w.Code)
	}
	if _, pattern := open.Handler(httptest.NewRequest("GET", "/inspect/api/status", nil)); pattern != "" {
		t.Error("the API is open")
	}
}

// served returns the address of an inspector on a socket, with the token.
func served(t testing.TB, i http.Handler) string {
	t.Helper()
	s := httptest.NewServer(i)
	t.Cleanup(s.Close)
	return s.URL + "/" + token + "/"
}

func TestEvents(t *testing.T) {
	t.Parallel()
	i, d := newInspector(t)
	d.lost = 7
	res, err := http.Get(served(t, i) + "api/events?after=1")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	go func() {
		d.coming <- view.Row{ID: 2, Kind: "served"}
		d.coming <- view.Row{ID: 3, Kind: "missed"}
		close(d.coming)
	}()
	body, err := io.ReadAll(res.Body) // the deck stops, so there is an end
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for event := range strings.SplitSeq(strings.TrimSpace(string(body)), "\n\n") {
		data := event[strings.Index(event, "data: ")+len("data: "):]
		if !json.Valid([]byte(data)) {
			t.Errorf("no JSON: %q", event)
		}
		got = append(got, strings.ReplaceAll(event[:strings.Index(event, "data: ")], "\n", " "))
	}
	want := "event: status |event: gap |event: row id: 2 |event: row id: 3 |event: status "
	if strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(string(body), `{"lost":7}`) || !strings.Contains(string(body), `"stopped":true`) {
		t.Errorf("got %s", body)
	}
	if media := res.Header.Get("Content-Type"); !strings.HasPrefix(media, "text/event-stream") {
		t.Errorf("type %q", media)
	}
}

func TestEventsForATerminal(t *testing.T) {
	t.Parallel()
	i, d := newInspector(t)
	res, err := http.Get(served(t, i) + "api/events?format=text&columns=80")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	go func() {
		d.coming <- view.Row{ID: 2, Kind: "served"}
		close(d.coming)
	}()
	if body, err := io.ReadAll(res.Body); err != nil || strings.Count(string(body), "\n") != 1 ||
		!strings.Contains(string(body), " 2 ") {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestEventsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	i, _ := newInspector(t)
	for call, header := range map[string]string{
		"GET api/events?q=bad:": "X:y", "GET api/events?after=x": "X:y", "GET api/events": "Last-Event-ID:x",
	} {
		if w := send(t, i, call, header); w.Code != 400 {
			t.Errorf("%s with %s: %d", call, header, w.Code)
		}
	}
}

// Streams are bounded, and the place of a reader who has gone is free again.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	i, _ := newInspector(t)
	at := served(t, i) + "api/events"
	ctx, stop := context.WithCancel(t.Context())
	open := func(ctx context.Context) int {
		req, err := http.NewRequestWithContext(ctx, "GET", at, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res.StatusCode
	}
	for range 64 {
		if code := open(ctx); code != 200 {
			t.Fatalf("status %d", code)
		}
	}
	if code := open(t.Context()); code != 503 {
		t.Errorf("one too many: %d", code)
	}
	stop()
	for try := time.Now(); open(t.Context()) != 200; {
		if time.Since(try) > 10*time.Second {
			t.Fatal("no place is free")
		}
	}
}
