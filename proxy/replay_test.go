package proxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// player is a Player of one answer or miss.
type player struct {
	answer *match.Answer
	miss   *match.Miss
	asked  []*match.Request
}

func (p *player) Serve(r *match.Request) (*match.Answer, *match.Miss) {
	own := *r // the request is somebody else's again as soon as it is answered
	own.Params = slices.Clone(r.Params)
	p.asked = append(p.asked, &own)
	return p.answer, p.miss
}

func (u uncleaned) Field(profile.Field, string) redact.Safe { return redact.Safe{} }

func replayer(t testing.TB, p proxy.Player, change ...func(*proxy.ReplayOptions)) *proxy.Replay {
	t.Helper()
	o := proxy.ReplayOptions{Player: p, Profiles: profiles(t), Cleaner: newUncleaned(t)}
	for _, c := range change {
		c(&o)
	}
	m, err := proxy.NewReplay(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestReplayServesTheRecordedAnswer(t *testing.T) {
	recorded := http.Header{
		"Content-Type": {"text/plain"}, "Set-Cookie": {"a", "b"}, "Connection": {"x-hop, close"},
		"X-Hop": {"1"}, "Transfer-Encoding": {"chunked"}, "Content-Length": {"99"},
		"Date": {"Thu, 01 Jan 1970 00:00:00 GMT"}, "Content-Encoding": {"gzip"},
	}
	before := recorded.Clone()
	p := &player{answer: &match.Answer{
		Code: 201, Header: recorded, Body: "answer", Cassette: "checkout", Number: 3, Flow: 2,
		State: "register.do", Mark: "ambiguous",
	}}
	m := replayer(t, p)
	res, body := send(t, m, request(t, "POST", "/pay/register.do?u=http://x.test", "a=b"))
	if res.StatusCode != 201 || body != "answer" {
		t.Errorf("got %d %q", res.StatusCode, body)
	}
	if at, err := http.ParseTime(res.Header.Get("Date")); err != nil || time.Since(at) > time.Hour {
		t.Errorf("the date is %s", res.Header.Get("Date"))
	}
	res.Header.Del("Date")
	want := http.Header{
		"Content-Type": {"text/plain"}, "Set-Cookie": {"a", "b"}, "Content-Length": {"6"},
		"Paytape-Served": {"checkout#3; state=register.do; ambiguous"},
	}
	if diff := cmp.Diff(want, res.Header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, recorded); diff != "" {
		t.Errorf("the recorded header was changed:\n%s", diff)
	}
	asked := p.asked[0]
	const url = "http://deck.test/pay/register.do?u=http://x.test"
	if asked.Target != url || asked.Deck != "http://deck.test" {
		t.Errorf("asked for %q at %q", asked.Target, asked.Deck)
	}
	if got := m.Stats(); got != (proxy.Stats{Hits: 1, Marked: 1}) {
		t.Errorf("counted %+v", got)
	}
}

func TestReplayQuiet(t *testing.T) {
	m := replayer(t, &player{answer: &match.Answer{Code: 200}}, func(o *proxy.ReplayOptions) {
		o.Quiet = true
	})
	res, _ := send(t, m, request(t, "GET", "/x", ""))
	if _, told := res.Header["Paytape-Served"]; told {
		t.Error("a quiet deck explains itself")
	}
}

func TestReplayRestoresTheCodingForThoseWhoTakeIt(t *testing.T) {
	text := strings.Repeat("text ", 100)
	tests := []struct {
		name, coding, accept, want string
	}{
		{"taken", "gzip", "deflate, gzip;q=0.5", "gzip"},
		{"an alias", "gzip", "x-gzip", "gzip"},
		{"anything", "br", "*", "br"},
		{"anything but this", "br", "*, br;q=0", ""},
		{"not named", "br", "gzip", ""},
		{"no header", "gzip", "", ""},
		{"stacked", "gzip, br", "br, gzip", "gzip, br"},
		{"half of the stack", "gzip, br", "br", ""},
		{"a coding that nobody knows", "snappy", "snappy", ""},
		{"a weight that is none", "gzip", "gzip;q=x", "gzip"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := replayer(t, &player{answer: &match.Answer{Code: 200, Body: text, Coding: tt.coding}})
			req := request(t, "GET", "/x", "")
			if tt.accept != "" {
				req.Header.Set("Accept-Encoding", tt.accept)
			}
			res, body := send(t, m, req)
			coding := res.Header.Get("Content-Encoding")
			plain, err := leaf.Decode(coding, []byte(body), 1<<20)
			if coding != tt.want || err != nil || string(plain) != text {
				t.Errorf("coding %q, %d bytes, %v; want coding %q", coding, len(plain), err, tt.want)
			}
		})
	}
}

// TestReplayRestoresWhatWasNotLabelled serves gzip without a header, as it was recorded, to whoever asks.

func TestReplayRestoresWhatWasNotLabelled(t *testing.T) {
	m := replayer(t, &player{answer: &match.Answer{Code: 200, Body: "text", Coding: leaf.Unlabelled}})
	res, body := send(t, m, request(t, "GET", "/x", ""))
	plain, err := leaf.Decode(leaf.CodingOf("", body), []byte(body), 1<<20)
	if res.Header.Get("Content-Encoding") != "" || body == "text" || err != nil || string(plain) != "text" {
		t.Errorf("got %d bytes, %v, header %v", len(body), err, res.Header)
	}
}

// TestReplayRestoresTheCharset serves bytes as they were recorded.
func TestReplayRestoresTheCharset(t *testing.T) {
	for charset, want := range map[string]string{
		"": "П", "windows-1251": "\xcf", "utf-16le": "\x1f\x04", "x-unknown": "П",
	} {
		p := &player{answer: &match.Answer{Code: 200, Body: "П", Charset: charset}}
		res, body := send(t, replayer(t, p), request(t, "GET", "/x", ""))
		if body != want || res.ContentLength != int64(len(want)) {
			t.Errorf("%q: got %q, %d bytes long", charset, body, res.ContentLength)
		}
	}
	p := &player{answer: &match.Answer{
		Code: 200, Body: "П", Charset: "windows-1251", Coding: "gzip",
	}}
	req := request(t, "GET", "/x", "")
	req.Header.Set("Accept-Encoding", "gzip")
	_, body := send(t, replayer(t, p), req)
	if plain, err := leaf.Decode("gzip", []byte(body), 10); string(plain) != "\xcf" || err != nil {
		t.Errorf("got %q under gzip, error %v", plain, err)
	}
}

// TestReplayReadsRequestsInAnyCharset finds on tape, where all is UTF-8, what a client sends in
// another charset, or in the parts of a multipart body with a delimiter of its own.
func TestReplayReadsRequestsInAnyCharset(t *testing.T) {
	part := func(delimiter, name, more, content string) string {
		return "--" + delimiter + "\r\nContent-Disposition: form-data; name=" + name + more +
			"\r\n\r\n" + content + "\r\n"
	}
	multipart := func(d string) string {
		return part(d, "a", "", "1") + part(d, "p", "; filename=x.jpg", "\xff\xd8\x00") +
			part(d, "z", "\r\nContent-Encoding: deflate", "x\x9cK\x04\x00\x00b\x00b") + "--" + d + "--\r\n"
	}
	tests := []struct{ name, recordedType, recorded, liveType, live string }{
		{"UTF-16", "application/json", "{\x00}\x00", "application/json", "{\x00}\x00"},
		{"windows-1251", "text/plain; charset=windows-1251", "\xcf", "text/plain; charset=koi8-r",
			"\xf0"},
		{"multipart", "multipart/form-data; boundary=B", multipart("B"),
			"multipart/form-data; boundary=other", multipart("other")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := &leaf.Exchange{}
			x.Method, x.URL, x.Code = "POST", "http://h/x", 200
			x.Request.Headers = http.Header{"Content-Type": {tt.recordedType}}
			x.Request.Body, x.Response.Body = tt.recorded, "found"
			set := profiles(t)
			clean := redact.New(redact.Options{Profiles: set}).Clean(x).Exchange()
			tape := match.Compile(match.Options{Profiles: set},
				match.Cassette{Name: "a", Exchanges: []*leaf.Exchange{clean}})
			req := request(t, "POST", "/x", tt.live)
			req.Header.Set("Content-Type", tt.liveType)
			if _, body := send(t, replayer(t, match.NewPlayer(tape)), req); body != "found" {
				t.Errorf("got %s", body)
			}
		})
	}
}

func TestReplayAnswersWithoutBody(t *testing.T) {
	tests := []struct {
		name, method string
		code         int
	}{{"HEAD", "HEAD", 200}, {"204", "GET", 204}, {"304", "GET", 304}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := replayer(t, &player{answer: &match.Answer{
				Code: tt.code, Body: "never", Trailer: http.Header{"X": {"y"}},
			}})
			res, body := send(t, m, request(t, tt.method, "/x", ""))
			if body != "" || res.Trailer != nil || res.Header["Content-Length"] != nil {
				t.Errorf("got %q with %v", body, res.Header)
			}
		})
	}
}

func TestReplayTrailers(t *testing.T) {
	recorded := http.Header{"X-Sum": {"7"}}
	m := replayer(t, &player{answer: &match.Answer{Code: 200, Body: "x", Trailer: recorded}})
	res, _ := send(t, m, request(t, "GET", "/x", ""))
	if diff := cmp.Diff(recorded, res.Trailer); diff != "" || res.ContentLength != -1 {
		t.Errorf("length %d, trailers (-want +got):\n%s", res.ContentLength, diff)
	}
	if res.Header.Get("Content-Length") != "" {
		t.Error("a body with trailers has a Content-Length")
	}
}

func TestReplayExplainsAMiss(t *testing.T) {
	ev := &events{}
	m := replayer(t, &player{miss: &match.Miss{
		Reason: "field", Operation: "register.do", Sentence: "amount differs", Hint: "send 100",
		Near: []match.Near{{
			Cassette: "checkout", Number: 3, Operation: "register.do", State: "register.do",
			Diffs: []match.Diff{{
				Place: leaf.Form, Path: "amount", Want: "100", Got: "4111 live", Problem: "differs",
			}},
		}},
	}}, func(o *proxy.ReplayOptions) { o.Observe = ev.add })
	res, body := send(t, m, request(t, "POST", "/pay/register.do", "amount=1"))
	if res.StatusCode != 501 || res.Header.Get("Paytape-Miss") != "field" ||
		res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}
	if strings.Contains(body, "4111") {
		t.Error("a live value is in the report uncleaned")
	}
	var report struct {
		Reason  string
		Nearest []struct {
			Exchange, State string
			Differs         []map[string]string
		}
	}
	if err := json.Unmarshal([]byte(body), &report); err != nil {
		t.Fatal(err)
	}
	if report.Reason != "field" || report.Nearest[0].Exchange != "checkout#3" ||
		report.Nearest[0].State != "register.do" ||
		report.Nearest[0].Differs[0]["want"] != "100" ||
		report.Nearest[0].Differs[0]["place"] != "form" {
		t.Errorf("the report is %s", body)
	}
	if got := m.Stats(); got != (proxy.Stats{Misses: 1}) {
		t.Errorf("counted %+v", got)
	}
	if got := ev.all(); len(got) != 1 || got[0].Kind != proxy.Missed || got[0].Reason != "field" ||
		got[0].Code != 501 || got[0].Operation != "register.do" || len(got[0].Fields) != 1 ||
		got[0].Fields[0].String() != report.Nearest[0].Differs[0]["field"] {
		t.Errorf("told %+v", got)
	}
}

// Two cards of which cleaning leaves the same are no two values that may be printed as a difference.
func TestAMissDoesNotSetEqualValuesAgainstEachOther(t *testing.T) {
	cleaner := redact.New(redact.Options{Profiles: profiles(t)})
	sent := "card " + "411111" + "1111111111"
	miss := &match.Miss{
		Reason: match.BadField, Sentence: "no recording agrees: note differs",
		Near: []match.Near{{Diffs: []match.Diff{{
			Place: leaf.Form, Path: "note", Problem: match.Differs, Got: match.Live(sent),
			Want: cleaner.Field(profile.Field{}, sent).String(),
		}}}},
	}
	m := replayer(t, &player{miss: miss}, func(o *proxy.ReplayOptions) { o.Cleaner = cleaner })
	_, body := send(t, m, request(t, "POST", "/own", "note=1"))
	if !strings.Contains(body, "note differs (sent (another value), on tape card ") {
		t.Error("the message sets a value against an equal one")
	}
}

// TestAMissLeadsToItsExplanation sends two misses to a replay that knows where they are explained: the
// body of each leads to it, and its event has the same number.
func TestAMissLeadsToItsExplanation(t *testing.T) {
	ev := &events{}
	m := replayer(t, &player{miss: &match.Miss{Reason: "field", Sentence: "amount differs"}},
		func(o *proxy.ReplayOptions) { o.Observe, o.Why = ev.add, "http://127.0.0.1:7070/why/" })
	for n := range 2 {
		_, body := send(t, m, request(t, "POST", "/pay/register.do", "amount=1"))
		var report struct{ Why string }
		if err := json.Unmarshal([]byte(body), &report); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("http://127.0.0.1:7070/why/m%d", n+1); report.Why != want {
			t.Errorf("miss %d is explained at %q, want %q", n+1, report.Why, want)
		}
		if got := ev.all()[n].Miss; got != uint64(n+1) {
			t.Errorf("miss %d has the number %d", n+1, got)
		}
	}
	quiet := replayer(t, &player{miss: &match.Miss{Reason: "field", Sentence: "amount differs"}})
	if _, body := send(t, quiet, request(t, "POST", "/pay/register.do", "amount=1")); strings.Contains(
		body, `"why"`) {
		t.Errorf("a miss that is explained nowhere leads somewhere: %s", body)
	}
}

// A miss says little, however much the client sent and the tape holds.
func TestReplayBoundsWhatAMissSays(t *testing.T) {
	long := strings.Repeat("a b ", 1<<18)
	many := make([]match.Diff, 1000)
	for i := range many {
		many[i] = match.Diff{Place: leaf.JSON, Path: long, Want: long, Got: match.Live(long)}
	}
	ev := &events{}
	m := replayer(t, &player{miss: &match.Miss{
		Reason: "field", Sentence: long, Hint: long,
		Near: []match.Near{{Diffs: many}, {Diffs: many[:1]}},
	}}, func(o *proxy.ReplayOptions) { o.Observe = ev.add })
	_, body := send(t, m, request(t, "POST", "/a", "b=1"))
	if len(body) > 256<<10 {
		t.Errorf("the report has %d bytes", len(body))
	}
	var report struct {
		Nearest []struct {
			Differs []map[string]string
			More    int
		}
	}
	if err := json.Unmarshal([]byte(body), &report); err != nil {
		t.Fatal(err)
	}
	for i, near := range report.Nearest {
		want := len(many)
		if i == 1 {
			want = 1
		}
		if got := len(near.Differs) + near.More; got != want {
			t.Errorf("near exchange %d tells of %d differences, want %d", i, got, want)
		}
	}
	if e := ev.all()[0]; len(e.Text.String()) > 2<<10 || len(e.Hint.String()) > 2<<10 {
		t.Errorf("told in %d and %d bytes", len(e.Text.String()), len(e.Hint.String()))
	}
}

func TestReplayRefusesBodiesThatItCannotRead(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	broken := io.NopCloser(iotest.ErrReader(errors.New("malformed chunk")))
	tests := []struct {
		name string
		req  func(*http.Request) *http.Request
		code int
	}{
		{"too large", func(r *http.Request) *http.Request { return r }, 413},
		{"broken", func(r *http.Request) *http.Request { r.Body = broken; return r }, 400},
		{"left by the client", func(r *http.Request) *http.Request {
			r.Body = broken
			return r.WithContext(gone)
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &player{answer: &match.Answer{Code: 200}}
			m := replayer(t, p, func(o *proxy.ReplayOptions) { o.Limit = 4 })
			res, err := m.RoundTrip(tt.req(request(t, "POST", "/x", "12345")))
			if tt.code == 0 {
				if !errors.Is(err, proxy.ErrAbort) {
					t.Errorf("got %v, want ErrAbort", err)
				}
				return
			}
			if err != nil || res.StatusCode != tt.code || len(p.asked) != 0 {
				t.Errorf("got %v, %v; the player was asked %d times", res, err, len(p.asked))
			}
		})
	}
}

func TestNewReplayRefusesMissingParts(t *testing.T) {
	whole := proxy.ReplayOptions{Player: &player{}, Profiles: profiles(t), Cleaner: newUncleaned(t)}
	tests := []struct {
		want   string
		change func(*proxy.ReplayOptions)
	}{
		{"replaying needs a player", func(o *proxy.ReplayOptions) { o.Player = nil }},
		{"replaying needs profiles", func(o *proxy.ReplayOptions) { o.Profiles = nil }},
		{"replaying needs a cleaner", func(o *proxy.ReplayOptions) { o.Cleaner = nil }},
		{"the limit of request bodies is negative", func(o *proxy.ReplayOptions) { o.Limit = -1 }},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			o := whole
			tt.change(&o)
			if _, err := proxy.NewReplay(o); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
