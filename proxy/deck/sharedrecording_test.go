package deck_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
)

// countedSandbox is a sandbox that counts how often each thing is asked for.
type countedSandbox struct {
	*httptest.Server
	mu    sync.Mutex     // guards asked
	asked map[string]int // by operation and order
}

func newCountedSandbox(t *testing.T) *countedSandbox {
	t.Helper()
	c := &countedSandbox{asked: map[string]int{}}
	box := sandbox.New(sandbox.Options{})
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.asked[askedFor(req.URL.Path, string(body))]++
		c.mu.Unlock()
		req.Body = io.NopCloser(strings.NewReader(string(body)))
		box.ServeHTTP(w, req)
	}))
	t.Cleanup(func() { c.Close(); box.Close() })
	return c
}

// askedFor says which operation a form asks for, and of what order.
func askedFor(path, form string) string {
	values, _ := url.ParseQuery(form)
	return path[strings.LastIndex(path, "/")+1:] + " " + values.Get("orderNumber") + values.Get("MDORDER")
}

// twice returns what was asked for more than once.
func (c *countedSandbox) twice() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for what, n := range c.asked {
		if n > 1 {
			all = append(all, what)
		}
	}
	return all
}

// recordingTogether returns the options of a deck that records with others.
func recordingTogether(dir, servers, upstream string) deck.Options {
	return deck.Options{
		Mode: deck.Record, Cassettes: []string{"tape"}, Dir: dir, Sync: "none", Upstreams: []string{upstream},
		Cluster: &deck.Cluster{Servers: "nats://" + servers, Key: clusterKey, Lease: time.Second},
		Admin:   &deck.Admin{}, Inspect: &deck.Inspect{},
	}
}

func joinRecording(t *testing.T, o deck.Options) *deck.SharedRecording {
	t.Helper()
	s, err := deck.JoinRecording(t.Context(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// recordedOf counts the exchanges of the tape, by what was asked for.
func recordedOf(t *testing.T, dir string) map[string]int {
	t.Helper()
	library, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	r, err := library.Read("tape", redact.New(redact.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	found := map[string]int{}
	for c := range r.All {
		x := c.Exchange()
		u, err := url.Parse(x.URL)
		if err != nil {
			t.Fatal(err)
		}
		found[askedFor(u.Path, x.Request.Body)]++
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// registers registers an order, and returns status and body.
func registers(t *testing.T, client *http.Client, base, number string) (int, string) {
	t.Helper()
	res, err := client.PostForm(base+"/payment/rest/register.do", url.Values{
		"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"}, "orderNumber": {number},
		"amount": {"12500"}, "returnUrl": {"https://shop.example/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// asksAddress asks an address of a deck.
func asksAddress(t *testing.T, method, at, body string) string {
	t.Helper()
	req, err := http.NewRequest(method, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, _ := io.ReadAll(res.Body)
	if res.StatusCode >= 300 {
		t.Fatalf("%s: %d %s", at, res.StatusCode, all)
	}
	return string(all)
}

// TestDecksRecordTogether has three decks record one cassette: any of them leads to the owner, whose
// rules and metrics are those of all.
func TestDecksRecordTogether(t *testing.T) {
	t.Parallel()
	server, dir, box := newNATS(t), t.TempDir(), newCountedSandbox(t)
	var decks []*deck.SharedRecording
	for range 3 {
		decks = append(decks, joinRecording(t, recordingTogether(dir, server.address(), box.URL)))
	}
	for i, d := range decks {
		number := "A-" + string(rune('1'+i))
		if code, body := registers(t, http.DefaultClient, d.URL, number); code != 200 ||
			!strings.Contains(body, `"formUrl":"`+d.URL) {
			t.Errorf("deck %d: %d %s", i, code, body)
		}
	}
	asksAddress(t, "PUT", decks[1].Admin+"/rules/teapot", `{"op": "register.do", "where": {"orderNumber": "T-*"}, `+
		`"then": {"answer": {"status": 418, "body": "tea"}}}`)
	for i, d := range decks {
		number := "T-" + string(rune('1'+i))
		if code, body := registers(t, http.DefaultClient, d.URL, number); code != 418 {
			t.Errorf("deck %d does not obey the rule: %d %s", i, code, body)
		}
		metrics := asksAddress(t, "GET", d.Admin+"/metrics", "")
		for _, want := range []string{
			`code="2xx",mode="record",operation="register.do",outcome="recorded",profile="gateway"} 3`,
			`paytape_owned_sessions{deck="` + decks[0].URL + `",mode="record"} 1`,
		} {
			if !strings.Contains(metrics, want) {
				t.Errorf("deck %d has other metrics than %s:\n%s", i, want, metrics)
			}
		}
		status := asksAddress(t, "GET", d.Inspector+"api/status", "")
		if !strings.Contains(status, `"rules":1`) {
			t.Errorf("deck %d: %s", i, status)
		}
		if token := d.Admin[strings.LastIndex(d.Admin, "/"):]; !strings.HasSuffix(decks[0].Admin, token) {
			t.Errorf("deck %d has another token", i)
		}
	}
	for _, d := range decks { // the owner is the first to go
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	tape := recordedOf(t, dir)
	for what, n := range tape {
		if n != 1 {
			t.Errorf("%s is on tape %d times", what, n)
		}
	}
	if len(tape) != 3 || len(box.twice()) > 0 {
		t.Errorf("on tape: %v, asked twice: %v", tape, box.twice())
	}
}

// TestStoppedOwnerLosesNothing stops the owner while clients work at the other deck and at itself: each
// request that was sent on a connection of its own has its answer.
func TestStoppedOwnerLosesNothing(t *testing.T) {
	t.Parallel()
	server, dir, box := newNATS(t), t.TempDir(), newCountedSandbox(t)
	first := joinRecording(t, recordingTogether(dir, server.address(), box.URL))
	second := joinRecording(t, recordingTogether(dir, server.address(), box.URL))
	var work sync.WaitGroup
	stopped := make(chan struct{})
	for i := range 8 {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		work.Go(func() {
			for n := 0; ; n++ {
				number := string(rune('A'+i)) + "-" + time.Now().Format("150405.000000000")
				if code, body := registers(t, client, second.URL, number); code != 200 {
					t.Errorf("%d %s", code, body)
					return
				}
				select {
				case <-stopped:
					if n > 20 {
						return
					}
				default:
				}
			}
		})
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	close(stopped)
	work.Wait()
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if twice := box.twice(); len(twice) > 0 {
		t.Errorf("asked twice: %v", twice)
	}
	box.mu.Lock()
	defer box.mu.Unlock()
	if tape := recordedOf(t, dir); len(tape) != len(box.asked) {
		t.Errorf("%d exchanges are on tape, of %d", len(tape), len(box.asked))
	}
}

// TestJoiningIsRefused starts decks that do not belong to those which record.
func TestJoiningIsRefused(t *testing.T) {
	t.Parallel()
	server, dir, box := newNATS(t), t.TempDir(), newCountedSandbox(t)
	joinRecording(t, recordingTogether(dir, server.address(), box.URL))
	recordedOrders(t, filepath.Join(dir, "replayed"))
	for _, test := range []struct {
		name   string
		change func(*deck.Options)
		want   string
	}{
		{"another folder", func(o *deck.Options) { o.Dir = t.TempDir() }, "has another folder"},
		{"a folder that is not there", func(o *deck.Options) { o.Dir = filepath.Join(dir, "none") }, "has another folder"},
		{"another upstream", func(o *deck.Options) { o.Upstreams = []string{"http://127.0.0.1:1"} }, "--upstream"},
		{"another cassette", func(o *deck.Options) { o.Cassettes = []string{"other"} }, "the cassette"},
		{"another option", func(o *deck.Options) { o.Stable = true }, "--stable"},
		{"no inspector", func(o *deck.Options) { o.Inspect = nil }, "--inspect"},
		{"another key", func(o *deck.Options) { o.Cluster.Key = []byte(strings.Repeat("o", 32)) },
			cassettes.ErrTaken.Error()},
		{"the built-in sandbox", func(o *deck.Options) { o.Upstreams = []string{deck.Builtin} }, "would forget"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := recordingTogether(dir, server.address(), box.URL)
			test.change(&o)
			s, err := deck.JoinRecording(t.Context(), o, nil)
			if err == nil {
				_ = s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if _, option := errors.AsType[*deck.OptionError](err); !option {
				t.Errorf("%v names no option", err)
			}
		})
	}
	t.Run("a replay", func(t *testing.T) {
		t.Parallel()
		d, err := deck.Start(t.Context(), sharing(filepath.Join(dir, "replayed"), server.address()))
		if err == nil {
			_ = d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "the mode") {
			t.Errorf("got %v", err)
		}
	})
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("the folder was made")
	}
}

// TestRecordersDoNotJoinReplays starts a deck that records with the key of decks that replay.
func TestRecordersDoNotJoinReplays(t *testing.T) {
	t.Parallel()
	server, dir, _ := sharers(t, 1, nil)
	s, err := deck.JoinRecording(t.Context(), recordingTogether(dir, server.address(), "http://127.0.0.1:1"), nil)
	if err == nil {
		_ = s.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "the mode") {
		t.Errorf("got %v", err)
	}
}

// TestRecordingWithoutNATS takes NATS away: the owner serves for the length of its lease, the others say what is
// wrong, and when NATS is back all is well.
func TestRecordingWithoutNATS(t *testing.T) {
	t.Parallel()
	server, dir, box := newNATS(t), t.TempDir(), newCountedSandbox(t)
	owner := joinRecording(t, recordingTogether(dir, server.address(), box.URL))
	other := joinRecording(t, recordingTogether(dir, server.address(), box.URL))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	server.stop()
	if code, body := registers(t, client, owner.URL, "N-1"); code != 200 {
		t.Errorf("the owner: %d %s", code, body)
	}
	for _, d := range []*deck.SharedRecording{other, owner} {
		code, body := registers(t, client, d.URL, "N-2")
		if code != 503 || !strings.Contains(body, `"error":"cluster"`) || !strings.Contains(body, "NATS") {
			t.Errorf("%d %s", code, body)
		}
	}
	server.start(t)
	for _, d := range []*deck.SharedRecording{other, owner} {
		if code, body := registers(t, client, d.URL, "N-3"+d.URL); code != 200 {
			t.Errorf("%d %s", code, body)
		}
	}
	if twice := box.twice(); len(twice) > 0 {
		t.Errorf("asked twice: %v", twice)
	}
}
