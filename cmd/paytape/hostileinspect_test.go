package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/paytape/paytape/proxy/deck"
)

// hostileTexts are what somebody may put into any field. The last is as large as a body in this test:
// large enough for what costs more than it is long.
var hostileTexts = map[string]string{
	"markup":   `<img src=x onerror=alert(1)><script>alert(1)</script>"'` + "`",
	"terminal": "\x1b[2J\x1b]0;title\x07\u009b31m\r\n\b",
	"bidi":     "\u202ereversed\u2066\u200b\u2028",
	"broken":   "\xff\xfe\xc0\x80\xed\xa0\x80",
	"nested":   strings.Repeat(`[{"a":"<a>`, 400),
	"large":    strings.Repeat("A<b>\u202e", 1<<13),
}

// carried is a request that has a text in a field of some kind.
func carried(t *testing.T, base, by, text string) *http.Request {
	t.Helper()
	quoted, _ := json.Marshal(text)
	path, kind, body, head := "/payment/rest/register.do", "application/x-www-form-urlencoded", "", "x"
	short := text[:min(len(text), 4<<10)] // heads of requests are bounded
	switch by {
	case "form":
		v := url.QueryEscape(text)
		body = "orderNumber=" + v + "&amount=" + v + "&currency=" + v + "&orderId=" + v + "&" + v + "=1"
	case "JSON":
		path, kind, body = "/anything", "application/json", fmt.Sprintf(`{"orderId":%s,%s:[%[1]s]}`, quoted, quoted)
	case "XML":
		path, kind, body = "/anything", "text/xml", "<a b='"+text+"'><![CDATA["+text+"]]></a>"
	case "multipart":
		kind = "multipart/form-data; boundary=b"
		body = "--b\r\nContent-Disposition: form-data; name=\"orderNumber\"\r\n\r\n" + text + "\r\n--b--\r\n"
	case "header":
		head = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, short)
	case "path":
		path = "/payment/rest/" + url.PathEscape(short)
	case "query":
		path += "?orderNumber=" + url.QueryEscape(short) + "&" + url.QueryEscape(short)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("X-Note", head)
	req.Header.Set("User-Agent", head)
	return req
}

// mirror is a sandbox that answers with what it was sent.
func mirror(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		kind := r.Header.Get("Content-Type")
		w.Header().Set("X-Note", r.Header.Get("X-Note"))
		if r.URL.Path == "/payment/rest/register.do" {
			kind = "application/json"
			_ = r.ParseForm()
			v, _ := url.ParseQuery(string(body))
			body, _ = json.Marshal(map[string]string{
				"errorCode": "5", "errorMessage": v.Get("orderNumber"), "orderId": v.Get("orderId"),
			})
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestHostileTrafficIsOnlyShown puts hostile texts into every kind of field of requests and answers,
// lets decks pass, record and replay them, and asks everything that there is to ask. Nothing is
// interpreted, and no answer is much larger than what it shows.
func TestHostileTrafficIsOnlyShown(t *testing.T) {
	t.Parallel()
	upstream, dir := mirror(t), t.TempDir()
	for _, mode := range []deck.Mode{deck.Pass, deck.Record, deck.Replay} {
		o := deck.Options{
			Mode: mode, Dir: dir, Keep: 1000, Inspect: &deck.Inspect{Listen: "127.0.0.1:0"},
		}
		if mode != deck.Pass {
			o.Cassettes = []string{"hostile"}
		}
		if mode != deck.Replay {
			o.Upstreams = []string{upstream}
		}
		d, err := deck.Start(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		ids := 0
		for name, text := range hostileTexts {
			for _, by := range []string{"form", "JSON", "XML", "multipart", "header", "path", "query"} {
				if name == "large" && by != "form" && by != "JSON" {
					continue // bodies of one size cost alike
				}
				req := carried(t, d.URL, by, text)
				res, err := (&http.Client{Transport: plainTransport()}).Do(req)
				if err != nil {
					continue // net/http does not send everything
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				ids++
			}
		}
		if ids < 25 {
			t.Errorf("%s: only %d requests were sent", mode, ids)
		}
		askEverything(t, d, ids)
		if err := d.Close(); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
	code, out, diagnostics := command("show", "--dir", dir, "--pretty", "hostile")
	if code != 0 {
		t.Errorf("show: exit %d: %.300s", code, diagnostics)
	}
	checkTerminal(t, "show", out)
}

// askEverything makes every call of the API, as JSON and as text, and the commands that make them.
func askEverything(t *testing.T, d *deck.Deck, ids int) {
	t.Helper()
	base := strings.TrimSuffix(d.Inspector, "/")
	calls := []string{
		"status", "rows?n=100", "exchanges?n=100", "exchanges?n=100&grouped=1&open=all", "tapes", "rules",
		"callbacks", "filter?q=order:&cursor=6", "flows/g1", "compare?a=g1&b=g2", "why/last-miss",
		"exchanges?q=body%3Ascript&n=100",
	}
	for id := 1; id <= ids; id++ {
		for _, form := range []string{"exchanges/%d", "exchanges/%d.har", "why/%d",
			"values?id=%d&side=request&path=orderNumber", "values?id=%d&side=answer&path=errorMessage"} {
			calls = append(calls, fmt.Sprintf(form, id))
		}
	}
	for _, call := range calls {
		for _, text := range []bool{false, true} {
			at := call
			if text {
				at += map[bool]string{true: "&", false: "?"}[strings.Contains(call, "?")] +
					"format=text&columns=100"
			}
			res, err := http.Get(base + "/api/" + at)
			if err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			kind := res.Header.Get("Content-Type")
			const most = 16 << 20 // an exchange in full has both bodies, raw and laid out
			switch {
			case err != nil || res.StatusCode >= 500:
				t.Errorf("%s: status %d, %v: %.200s", at, res.StatusCode, err, body)
			case len(body) > most:
				t.Errorf("%s: %d bytes", at, len(body))
			case res.Header.Get("X-Content-Type-Options") != "nosniff":
				t.Errorf("%s: a browser may take it for something else than %s", at, kind)
			case strings.HasPrefix(kind, "application/json"):
				if !json.Valid(body) {
					t.Errorf("%s: no JSON", at)
				}
			case strings.HasPrefix(kind, "text/plain"):
				checkTerminal(t, at, string(body))
			default:
				t.Errorf("%s: it is %s", at, kind)
			}
		}
	}
	for _, text := range []string{"rows?n=100", "exchanges?n=100&grouped=1&open=all"} {
		res, err := http.Get(base + "/api/" + text)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := io.Copy(io.Discard, res.Body); n > 1<<20 {
			t.Errorf("%s: %d bytes: rows are not clipped", text, n)
		}
		res.Body.Close()
	}
	ready := filepath.Join(t.TempDir(), "ready.json")
	if err := os.WriteFile(ready, fmt.Appendf(nil, `{"inspect":%q}`, d.Inspector), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"why", "1"}, {"why", fmt.Sprint(ids)}} {
		code, out, diagnostics := command(append(args, "--ready-file", ready)...)
		if code != 0 {
			t.Errorf("%v: exit %d: %.200s", args, code, diagnostics)
		}
		checkTerminal(t, strings.Join(args, " "), out)
	}
}

// checkTerminal fails if a text does anything to a terminal but to fill lines.
func checkTerminal(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s: a terminal would be told bytes that are no UTF-8", what)
	}
	for i, r := range text {
		bidi := unicode.Is(unicode.Bidi_Control, r)
		if bidi || unicode.IsControl(r) && r != '\n' && r != '\t' {
			t.Errorf("%s: a terminal would be told %q in %.80q", what, r, text[max(0, i-30):])
			return
		}
	}
}
