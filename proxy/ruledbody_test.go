package proxy_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy"
)

var jsonHeader = http.Header{"Content-Type": {"application/json"}}

// doorTo is a client of a door before a mode, and the URL of the door.
func doorTo(t *testing.T, mode http.RoundTripper) string {
	t.Helper()
	return "http://" + serve(t, proxy.NewDoor(mode, nil))
}

// ask polls at a door and returns the answer, whose body has been read to its end.
func askAt(t *testing.T, url string) (*http.Response, string, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Post(url+pollPath, "application/x-www-form-urlencoded", strings.NewReader("orderId=1"))
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

// A status that has no body takes the body away; the connection does not break.
func TestARuledStatusWithoutABody(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"replay", "record"} {
		for _, then := range []string{"then: {status: 204}", "then: {status: 304}",
			"then: {answer: {status: 204, body: x}}",
			"answer: {orderStatus: 2}, then: {answer: {status: 204, body: x}}",
			"then: {status: 204, fail: cut}"} {
			m := newRuled(t, mode)
			m.rule(t, then)
			res, body, err := askAt(t, doorTo(t, m))
			cut := strings.Contains(then, "cut")
			if err != nil && !cut || err == nil && (body != "" || res.StatusCode >= 400 ||
				res.Header.Get("Content-Length") != "") {
				t.Errorf("%s, %s: %v, %q, %v", mode, then, res, body, err)
			}
		}
	}
}

// An answer whose body a rule changes keeps its trailers, and so does a request.
func TestRuledMessagesKeepTheirTrailers(t *testing.T) {
	t.Parallel()
	m := newRuled(t, "record")
	var end http.Header
	m.sandbox.answer = func(req *http.Request) *http.Response {
		end = req.Trailer.Clone()
		if req.ContentLength >= 0 {
			end = nil // the transport sends none
		}
		res := reply(200, jsonHeader.Clone(), polled)
		res.ContentLength, res.Trailer = -1, http.Header{"X-Sum": {"1"}}
		return res
	}
	m.rule(t, "then: {set: {amount: 5}, request: {set: {amount: 6}}}")
	req, err := http.NewRequest("POST", doorTo(t, m)+pollPath, io.NopCloser(strings.NewReader("amount=12500")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Trailer = http.Header{"X-End": {"e"}}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	const want = `{"errorCode":"0","orderStatus":2,"amount":5}`
	if err != nil || string(body) != want || res.Trailer.Get("X-Sum") != "1" {
		t.Errorf("%q, trailer %v, %v", body, res.Trailer, err)
	}
	if got := m.sandbox.received(); len(got) != 1 || got[0].body != "amount=6" || end.Get("X-End") != "e" {
		t.Errorf("the sandbox got %+v with %v", got, end)
	}
}

// Of an answer over the limit rules see the head; it passes whole.
func TestRuledAnswersOverTheLimit(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("x", 5000)
	for media, long := range map[string]string{
		"application/json":                  `{"amount":12500,"pad":"` + pad + `"}`,
		"application/x-www-form-urlencoded": "amount=12500&pad=" + pad,
	} {
		for _, test := range []struct{ rule, want, explained string }{
			{"then: {set: {amount: 1}, status: 202}", long, "x(1; field not found)"},
			{"answer: {http-status: 200}, then: {answer: {status: 202, body: short}}", "short", "x(1)"},
			{"answer: {http-status: 200}, then: {answer: {status: 202}}", "", "x(1)"},
			{"then: {drip: 1s, status: 202}", long, "x(1)"},
		} {
			m := newRuled(t, "record", func(o *proxy.RuledOptions) { o.Limit = 1000 })
			m.rule(t, test.rule)
			m.answers(200, http.Header{"Content-Type": {media}}, long)
			res, body := send(t, m, poll(t))
			if body != test.want || res.Header.Get("Paytape-Rules") != test.explained ||
				res.StatusCode != 202 {
				t.Errorf("%s, %s: %d, %d bytes, explained %q", media, test.rule, res.StatusCode,
					len(body), res.Header.Get("Paytape-Rules"))
			}
			if x := m.tape.only(t); x.Response.Body != long || !x.Replayable() {
				t.Errorf("%s: %d bytes on tape, %s", test.rule, len(x.Response.Body), x.Meta.Why())
			}
		}
	}
}

// A stream passes unheld and unchanged: rules see its head, and can break it.
func TestRulesAndStreams(t *testing.T) {
	t.Parallel()
	const text = "data: 12500\n\n"
	for _, test := range []struct {
		rule, want string
		code       int
		fails      bool
	}{
		{rule: "then: {set: {amount: 1}, status: 202}", want: text, code: 202},
		{rule: "answer: {http-status: 200}, then: {status: 202}", want: text, code: 202},
		{rule: "answer: {amount: present}, then: {status: 202}", want: text, code: 200},
		{rule: "then: {delay: 1h, drip: 1h}", want: text, code: 200},
		{rule: "then: {fail: {cut: 4}}", want: "data", code: 200},
		{rule: "then: {fail: cut}", want: "", code: 200},
		{rule: "then: {fail: reset}", fails: true},
		{rule: "then: {lose: answer}", fails: true},
		{rule: "answer: {http-status: 200}, then: {answer: {body: other}}", want: "other", code: 200},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := newRuled(t, "record")
			m.rule(t, test.rule)
			stream := newPieces(text)
			m.sandbox.answer = func(*http.Request) *http.Response {
				res := reply(200, http.Header{"Content-Type": {"text/event-stream"}}, "")
				res.Body, res.ContentLength = stream, -1
				return res
			}
			res, err := m.RoundTrip(poll(t))
			if err != nil || test.fails {
				if errors.Is(err, proxy.ErrAbort) != test.fails {
					t.Errorf("%s: error %v", test.rule, err)
				}
				<-stream.closed
				return
			}
			got := make([]byte, len(test.want))
			_, err = io.ReadFull(res.Body, got)
			if err != nil || string(got) != test.want || res.StatusCode != test.code {
				t.Errorf("%s: %d, %q, %v", test.rule, res.StatusCode, got, err)
			}
			_ = res.Body.Close()
			<-stream.closed
		})
	}
}

// A request that a rule changes goes upstream in its own charset and content coding.
func TestRuledRequestsKeepTheirCoding(t *testing.T) {
	t.Parallel()
	in := func(text, charset, coding string) string {
		encoded, err := leaf.EncodeText(charset, text)
		if err != nil {
			t.Fatal(err)
		}
		body, err := leaf.Encode(coding, []byte(encoded))
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for _, charset := range []string{"", "windows-1251"} {
		for _, coding := range []string{"", "gzip", "br"} {
			name := fmt.Sprintf("charset %q, coding %q", charset, coding)
			m := newRuled(t, "record")
			m.rule(t, "then: {request: {set: {amount: 1}}, set: {amount: 2}}")
			h := http.Header{"Content-Type": {"application/json"}}
			if charset != "" {
				h.Set("Content-Type", "application/json; charset="+charset)
			}
			if coding != "" {
				h.Set("Content-Encoding", coding)
			}
			const text = `{"amount":%d,"name":"Ирина"}`
			m.answers(200, h, in(fmt.Sprintf(text, 12500), charset, coding))
			req := request(t, "POST", "/payment/recurrentPayment.do",
				in(fmt.Sprintf(text, 12500), charset, coding))
			req.Header = h.Clone()
			res, body := send(t, m, req)
			got := m.sandbox.received()
			if len(got) != 1 || got[0].body != in(fmt.Sprintf(text, 1), charset, coding) {
				t.Errorf("%s: the sandbox got %+v", name, got)
			}
			if body != in(fmt.Sprintf(text, 2), charset, coding) || res.ContentLength != int64(len(body)) ||
				res.Header.Get("Content-Encoding") != coding {
				t.Errorf("%s: the client got %q with %v", name, body, res.Header)
			}
		}
	}
}

// A whole answer of a rule is in the charset that its header tells.
func TestRuledAnswersAreInTheirCharset(t *testing.T) {
	t.Parallel()
	const then = `{answer: {headers: {Content-Type: text/html; charset=windows-1251}, body: "Да"}}`
	for _, rule := range []string{"then: " + then, "answer: {orderStatus: 2}, then: " + then} {
		m := newRuled(t, "replay")
		m.rule(t, rule)
		res, body := send(t, m, poll(t))
		if body != "\xc4\xe0" || res.ContentLength != 2 {
			t.Errorf("%s: %q, %d bytes", rule, body, res.ContentLength)
		}
	}
}

// A body drips over the time that the rule says, whatever its size.
func TestDripTakesItsTime(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 19, 20, 21, 1000, 3 << 20} {
		synctest.Test(t, func(t *testing.T) {
			m := newRuled(t, "record")
			m.rule(t, "then: {drip: 5s}")
			m.answers(200, nil, strings.Repeat("x", size))
			begun := time.Now()
			_, body := send(t, m, poll(t))
			took := time.Since(begun)
			if len(body) != size || size > 0 && (took < 4900*time.Millisecond || took > 5*time.Second) {
				t.Errorf("%d of %d bytes in %v", len(body), size, took)
			}
		})
	}
}

// A failure of the deck's own is no answer: rules do not look at it, and none fires for it.
func TestRulesLeaveTheDecksOwnFailuresAlone(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"record", "pass", "spy upstream"} {
		m := newRuled(t, mode)
		m.rules(t, `
rules:
- {name: late, answer: {http-status: ">= 500"}, then: {answer: {status: 200, body: fine}}}
- {name: slow, then: {set: {amount: 1}}}
`)
		m.sandbox.err = errors.New("refused")
		res, _ := send(t, m, poll(t))
		if res.StatusCode != 502 || res.Header.Get("Paytape-Error") != proxy.ProblemUpstream ||
			res.Header.Get("Paytape-Rules") != "slow(1)" {
			t.Errorf("%s: %d, %v", mode, res.StatusCode, res.Header)
		}
		if e := m.told.all(); len(e) != 1 || strings.Join(e[0].Rules, " ") != "slow" {
			t.Errorf("%s: told %+v", mode, e)
		}
	}
}

// An answer of the sandbox is one whatever headers it has, those of another deck's misses too.
func TestRulesKnowTheDecksOwnFailuresNotByTheirHeaders(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"record", "pass", "spy upstream"} {
		for _, name := range []string{"Paytape-Error", "Paytape-Miss"} {
			m := newRuled(t, mode)
			m.rule(t, "answer: {amount: 100}, then: {set: {amount: 1}}")
			h := jsonHeader.Clone()
			h.Set(name, "state")
			m.answers(200, h, `{"amount":100}`)
			res, body := send(t, m, poll(t))
			if body != `{"amount":1}` || res.Header.Get("Paytape-Rules") != "x(1)" {
				t.Errorf("%s, %s: %s, %v", mode, name, body, res.Header)
			}
		}
	}
}

// Rules look at the head of an answer to HEAD, which has no body and tells the length of one.
func TestRulesAndHead(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"record", "pass"} {
		for _, test := range []struct {
			rule, length string
			code         int
		}{
			{"then: {set: {amount: 1, 'header:X-A': b}}", "400", 200},
			{"then: {status: 202, drip: 1h}", "400", 202},
			{"then: {answer: {status: 202, body: abc}}", "3", 202},
			{"answer: {http-status: 200}, then: {answer: {status: 202, body: abc}}", "3", 202},
			{"then: {fail: cut}", "400", 0},
		} {
			m := newRuled(t, mode)
			m.rule(t, test.rule)
			m.sandbox.answer = func(req *http.Request) *http.Response {
				res := reply(200, jsonHeader.Clone(), "")
				res.Header.Set("Content-Length", "400")
				res.Body, res.ContentLength = http.NoBody, 400
				return res
			}
			res, err := http.Head(doorTo(t, m) + "/payment/x")
			if err != nil {
				if test.code != 0 {
					t.Errorf("%s, %s: %v", mode, test.rule, err)
				}
				continue
			}
			_ = res.Body.Close()
			if test.code != 0 && res.StatusCode != test.code || res.Header.Get("Content-Length") != test.length {
				t.Errorf("%s, %s: %d, %v", mode, test.rule, res.StatusCode, res.Header)
			}
		}
	}
}

// A client that waits to be told to go on is told so once, and its body goes upstream as a rule has
// it.
func TestRulesAndContinue(t *testing.T) {
	t.Parallel()
	for _, mode := range ruledModes {
		m := newRuled(t, mode)
		m.rule(t, "then: {request: {set: {amount: 1}}, status: 202}")
		url := doorTo(t, m)
		got := raw(t, strings.TrimPrefix(url, "http://"), "POST "+pollPath+" HTTP/1.1\r\nHost: x\r\n"+
			"Content-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n"+
			"Connection: close\r\nContent-Length: 9\r\n\r\namount=12")
		if strings.Count(got, "HTTP/1.1 100 ") != 1 || !strings.Contains(got, "\r\n\r\nHTTP/1.1 202 ") ||
			!strings.Contains(got, polled) {
			t.Errorf("%s: got %q", mode, got)
		}
		if all := m.sandbox.received(); asks(mode) && (len(all) != 1 || all[0].body != "amount=1") {
			t.Errorf("%s: the sandbox got %+v", mode, all)
		}
	}
}

// What follows a switch of protocols is left alone, and says which rules fired.
func TestRulesAndSwitchedProtocols(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{
		"then: {status: 500, set: {amount: 1}}", "answer: {http-status: 101}, then: {status: 500}",
	} {
		m := newRuled(t, "pass")
		m.rule(t, rule)
		connection := newPieces("hello")
		m.sandbox.answer = func(*http.Request) *http.Response {
			res := reply(101, http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}}, "")
			res.Body = connection
			return res
		}
		req := request(t, "GET", "/socket", "")
		req.Header = http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}}
		res, err := m.RoundTrip(req)
		explained := map[bool]string{true: "", false: "x(1)"}[strings.HasPrefix(rule, "answer")]
		if err != nil || res.StatusCode != 101 || res.Body != io.ReadCloser(connection) ||
			res.Header.Get("Paytape-Rules") != explained {
			t.Errorf("%s: %v, %v", rule, res, err)
		}
	}
}
