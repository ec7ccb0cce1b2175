package deck_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/proxy/deck"
)

// got is what a sandbox was asked.
type got struct {
	mu    sync.Mutex // guards the rest
	paths []string
	forms []url.Values
}

func (g *got) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	_ = req.ParseForm()
	g.mu.Lock()
	g.paths, g.forms = append(g.paths, req.URL.Path), append(g.forms, req.PostForm)
	g.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"errorCode":0}`)
}

// inspected asks the inspector of a deck, and returns the status and the answer.
func inspected(t *testing.T, method, at string) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	return res.StatusCode, answer
}

// A request is sent again as the deck holds it: in its session, below the base path of its sandbox,
// with a card number that passes Luhn and has the mask of the first, and without its password.
func TestResend(t *testing.T) {
	t.Parallel()
	sandbox := &got{}
	up := httptest.NewServer(sandbox)
	t.Cleanup(up.Close)
	d := start(t, deck.Options{
		Mode: deck.Pass, Upstreams: []string{up.URL + "/base"}, Inspect: &deck.Inspect{},
	})
	card := "411111" + "1111111111"
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.PostForm(d.URL+"/~one/payment/rest/paymentorder.do", url.Values{
		"MDORDER": {"11111111-2222-4333-8444-555555555555"}, "$PAN": {card}, "$CVC": {"123"},
		"userName": {"shop-api"}, "password": {"a-long-" + "password"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if code, answer := inspected(t, "POST", d.Inspector+"api/exchanges/1/resend"); code != 409 {
		t.Errorf("nobody was sure: %d %v", code, answer)
	}
	code, answer := inspected(t, "POST", d.Inspector+"api/exchanges/1/resend?sure=1")
	if code != 200 || answer["id"] != 2.0 {
		t.Fatalf("%d %v", code, answer)
	}
	if code, answer := inspected(t, "POST", d.Inspector+"api/exchanges/9/resend?sure=1"); code != 404 {
		t.Errorf("what never was: %d %v", code, answer)
	}
	sandbox.mu.Lock()
	defer sandbox.mu.Unlock()
	if len(sandbox.forms) != 2 || sandbox.paths[0] != sandbox.paths[1] {
		t.Fatalf("the sandbox was asked %q", sandbox.paths)
	}
	first, again := sandbox.forms[0], sandbox.forms[1]
	sent := again.Get("$PAN")
	ends, _ := pan.Ends(sent)
	if want, _ := pan.Ends(card); sent == card || pan.Residue(sent) != pan.Valid || ends != want {
		t.Errorf("the card number that is sent again is no surrogate, fails Luhn or has another mask")
	}
	if again.Get("password") == first.Get("password") || again.Get("$CVC") == "123" {
		t.Error("a secret was sent again")
	}
	if again.Get("MDORDER") != first.Get("MDORDER") {
		t.Error("another order was sent")
	}
}

// A card number that was printed in groups is sent again in the same groups.
func TestResendOfACardInGroups(t *testing.T) {
	t.Parallel()
	sandbox := &got{}
	up := httptest.NewServer(sandbox)
	t.Cleanup(up.Close)
	d := start(t, deck.Options{
		Mode: deck.Pass, Upstreams: []string{up.URL}, Inspect: &deck.Inspect{},
	})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for i, between := range []string{" ", "-"} {
		card := strings.Join([]string{"4111", "1111", "1111", "1111"}, between)
		res, err := client.PostForm(d.URL+"/payment/rest/paymentorder.do", url.Values{
			"MDORDER": {"11111111-2222-4333-8444-555555555555"}, "$PAN": {card},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		again := fmt.Sprintf("api/exchanges/%d/resend?sure=1", 2*i+1)
		if code, answer := inspected(t, "POST", d.Inspector+again); code != 200 {
			t.Fatalf("%d %v", code, answer)
		}
		sandbox.mu.Lock()
		sent := sandbox.forms[2*i+1].Get("$PAN")
		sandbox.mu.Unlock()
		ends, _ := pan.Ends(pan.Digits(sent))
		if strings.Count(sent, between) != 3 || pan.Residue(pan.Digits(sent)) != pan.Valid ||
			ends != "411111*1111" || sent == card {
			t.Errorf("between groups %q: it is no surrogate in groups that passes Luhn", between)
		}
	}
}

// A tape that somebody has edited has no seal; the recorder's own has.
func TestMachineTellsOfTheSeal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := start(t, recording(dir))
	call(t, d.URL, "12500")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, sealed := range []bool{true, false} {
		o := recording(dir)
		o.Mode, o.Inspect = deck.Replay, &deck.Inspect{}
		d := start(t, o)
		code, m := inspected(t, "GET", d.Inspector+"api/tapes/tape/machine")
		if code != 200 || m["sealed"] != sealed {
			t.Errorf("sealed is %v, want %v (%d)", m["sealed"], sealed, code)
		}
		name := filepath.Join(dir, "tape.yaml")
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, bytes.Replace(text, []byte("A-12500"), []byte("A-12501"), 1), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A miss says where it is explained, and there it is: by its number among the misses.
func TestAMissLeadsToItsExplanation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := start(t, recording(dir))
	call(t, d.URL, "12500")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	o := recording(dir)
	o.Mode, o.Inspect = deck.Replay, &deck.Inspect{Token: "0123456789abcdef"}
	d = start(t, o)
	call(t, d.URL, "12500")
	for range 2 {
		call(t, d.URL, "99900")
	}
	code, miss := inspected(t, "POST", d.URL+"/payment/rest/register.do?amount=1")
	why, _ := miss["why"].(string)
	if code != 501 || why != d.Inspector+"why/m3" {
		t.Fatalf("%d, explained at %q", code, why)
	}
	res, err := http.Get(why)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	code, got := inspected(t, "GET", d.Inspector+"0123456789abcdef/api/why/m3")
	row, _ := got["row"].(map[string]any)
	if res.StatusCode != 200 || code != 200 || row["miss"] != 3.0 || row["id"] != 4.0 {
		t.Errorf("the page %d, the API %d, of row %v", res.StatusCode, code, row)
	}
}

// Streams end when the deck stops, and say so; nobody has to wait for them.
func TestInspectorEndsWithTheDeck(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(&got{})
	t.Cleanup(up.Close)
	d, err := deck.Start(t.Context(), deck.Options{
		Mode: deck.Pass, Upstreams: []string{up.URL}, Inspect: &deck.Inspect{Token: "0123456789abcdef"},
		Admin: &deck.Admin{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(d.Inspector, "0123456789abcdef") {
		t.Error("the address tells a token that the operator knows")
	}
	res, err := http.Get(d.Inspector + "0123456789abcdef/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if code, answer := inspected(t, "GET", d.Admin+"/inspect/api/status"); code != 200 || answer["mode"] != "pass" {
		t.Errorf("below the admin address: %d %v", code, answer)
	}
	closed := make(chan time.Duration)
	begun := time.Now()
	go func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		closed <- time.Since(begun)
	}()
	body, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(body), `"stopped":true`) {
		t.Errorf("the stream ends with %v: %s", err, body)
	}
	if took := <-closed; took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
}

// TestSessionsOfWhatIsPassedOn wants the name of a session in the events of the modes that ask a
// sandbox, so that rows have it and what is sent again goes to the same session.
func TestSessionsOfWhatIsPassedOn(t *testing.T) {
	t.Parallel()
	sandbox := httptest.NewServer(&got{})
	defer sandbox.Close()
	for _, mode := range []deck.Mode{deck.Pass, deck.Record, deck.Spy} {
		d, err := deck.Start(t.Context(), deck.Options{
			Mode: mode, Cassettes: []string{"one"}, Dir: t.TempDir(), Upstreams: []string{sandbox.URL},
		})
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.PostForm(d.URL+"/~suite/payment/rest/register.do", url.Values{"amount": {"1"}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if err := d.Close(); err != nil { // then all has been told
			t.Error(err)
		}
		for _, e := range d.Events().Last(10) {
			if e.Operation == "register.do" && e.Session != "suite" {
				t.Errorf("%s: %s in session %q", mode, e.Kind, e.Session)
			}
		}
		if len(d.Events().Last(1)) == 0 {
			t.Errorf("%s: nothing was told", mode)
		}
	}
}
