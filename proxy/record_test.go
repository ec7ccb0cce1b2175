package proxy_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy"
)

func TestRecordKeepsTheWholeExchange(t *testing.T) {
	tp := &tape{}
	m := recorder(t, always(200, http.Header{"X-Two": {"a", "b"}}, `{"ok":true}`), tp)
	req := request(t, "POST", "/pay/register.do?q=%zz", "amount=100")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header["User-Agent"] = []string{""} // how ReverseProxy says that there was none
	_, body := send(t, m, req)
	if body != `{"ok":true}` {
		t.Errorf("the client got %q", body)
	}
	x := tp.only(t)
	type facts struct {
		Method, URL, Sent, Got, Profile, Operation string
		Code, Number                               int
		Request, Response                          http.Header
		Replayable, Dated                          bool
	}
	got := facts{
		x.Request.Method, x.URL, x.Request.Body, x.Response.Body, x.Meta.Profile, x.Meta.Operation,
		x.Code, x.Meta.Number, x.Request.Headers, x.Response.Headers, x.Replayable(),
		!x.Meta.At.IsZero() && x.Duration > 0,
	}
	want := facts{
		"POST", "https://sandbox.test/pay/register.do?q=%zz", "amount=100", `{"ok":true}`,
		"shop", "register.do", 200, 1,
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		http.Header{"X-Two": {"a", "b"}}, true, true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exchange on tape (-want +got):\n%s", diff)
	}
}

// The last byte is with the client only after Append has returned.
func TestRecordHoldsTheLastByteBack(t *testing.T) {
	for _, media := range []string{"application/json", "text/event-stream"} { // of known length
		tp := &tape{entered: make(chan struct{}), release: make(chan struct{})}
		m := recorder(t, always(200, http.Header{"Content-Type": {media}}, "answer"), tp)
		res, err := m.RoundTrip(request(t, "GET", "/x", ""))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(res.Body, make([]byte, len("answe"))); err != nil {
			t.Fatal(err)
		}
		last := make(chan byte)
		go func() {
			var b [1]byte
			_, _ = io.ReadFull(res.Body, b[:])
			last <- b[0]
		}()
		<-tp.entered
		select {
		case b := <-last:
			t.Fatalf("%s: %q was released while Append had not returned", media, b)
		default:
		}
		close(tp.release)
		if b := <-last; b != 'r' {
			t.Errorf("%s: the last byte is %q", media, b)
		}
		tp.only(t)
	}
}

// An event stream without length has its end held back instead.
func TestRecordHoldsTheEndOfAStreamBack(t *testing.T) {
	tp := &tape{entered: make(chan struct{}), release: make(chan struct{})}
	m := recorder(t, fake(func(*http.Request) (*http.Response, error) {
		res := reply(200, http.Header{"Content-Type": {"text/event-stream"}}, "data: 1\n\n")
		res.ContentLength = -1
		return res, nil
	}), tp)
	res, err := m.RoundTrip(request(t, "GET", "/x", ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(res.Body, make([]byte, len("data: 1\n\n"))); err != nil {
		t.Fatal(err)
	}
	end := make(chan error)
	go func() {
		_, err := res.Body.Read(make([]byte, 1))
		end <- err
	}()
	<-tp.entered
	select {
	case <-end:
		t.Fatal("the end was told while Append had not returned")
	default:
	}
	close(tp.release)
	if err := <-end; err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	tp.only(t)
}

// Without a body it is the head that waits.
func TestRecordHoldsTheHeadBack(t *testing.T) {
	tests := []struct {
		name, method string
		res          *http.Response
	}{
		{"HEAD", "HEAD", &http.Response{StatusCode: 200, ContentLength: 5, Body: http.NoBody}},
		{"204", "DELETE", &http.Response{StatusCode: 204, Body: http.NoBody}},
		{"304", "GET", &http.Response{StatusCode: 304, ContentLength: -1, Body: http.NoBody}},
		{"no bytes", "POST", &http.Response{StatusCode: 200, Body: http.NoBody}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tp := &tape{entered: make(chan struct{}), release: make(chan struct{})}
			tt.res.Header = http.Header{}
			m := recorder(t, fake(func(*http.Request) (*http.Response, error) {
				return tt.res, nil
			}), tp)
			head := make(chan error)
			go func() {
				_, err := m.RoundTrip(request(t, tt.method, "/x", ""))
				head <- err
			}()
			<-tp.entered
			select {
			case <-head:
				t.Fatal("the head was released while Append had not returned")
			default:
			}
			close(tp.release)
			if err := <-head; err != nil {
				t.Fatal(err)
			}
			tp.only(t)
		})
	}
}

func TestRecordServesThoughTheTapeFails(t *testing.T) {
	full, broken := errors.New("no space left on device"), errors.New("input/output error")
	tp, ev := &tape{}, &events{}
	m := recorder(t, always(200, nil, "answer"), tp, func(o *proxy.RecordOptions) {
		o.Observe = ev.add
	})
	for _, err := range []error{full, full, broken, broken, nil, nil, full} {
		tp.err = err
		if _, body := send(t, m, request(t, "GET", "/x", "")); body != "answer" {
			t.Errorf("the client got %q", body)
		}
	}
	if err := m.Err(); !errors.Is(err, full) ||
		err.Error() != "recording: 5 exchanges not on tape: no space left on device" {
		t.Errorf("the error is not remembered: %v", err)
	}
	if got, want := m.Stats(), (proxy.RecordStats{Recorded: 2, Lost: 5}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	var told []string
	for _, e := range ev.all() {
		told = append(told, string(e.Kind)+": "+string(e.Note))
	}
	failed := "failed: " + string(proxy.NoteTapeFailed)
	want := []string{
		failed, "lost: ", failed, "lost: ", "warning: " + string(proxy.NoteTapeBack),
		"recorded: ", "recorded: ", failed,
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestRecordAnswersForASandboxThatDoesNot(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "the connection was refused"},
		{"no such name", &net.DNSError{Name: "secret.test"}, "its name could not be resolved"},
		{"slow", context.DeadlineExceeded, "it took too long"},
		{"closed", io.EOF, "the connection was closed"},
		{"closed while it was written to", syscall.EPIPE, "the connection was closed"},
		{
			"closed before the first byte", errors.New("http: server closed idle connection"),
			"the connection was closed",
		},
		{"something with a value", errors.New("GET https://secret.test/"), "the connection failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tp := &tape{}
			m := recorder(t, fake(func(*http.Request) (*http.Response, error) {
				return nil, tt.err
			}), tp)
			res, body := send(t, m, request(t, "POST", "/x", "a=b"))
			want := `{"error":"upstream","message":"the upstream gave no answer: ` + tt.want + "\"}\n"
			if res.StatusCode != 502 || body != want || res.Header.Get("Paytape-Error") != "upstream" {
				t.Errorf("got %d %q, want %q", res.StatusCode, body, want)
			}
			x := tp.only(t)
			if x.Meta.Failure != "the upstream gave no answer: "+tt.want || x.Code != 502 {
				t.Errorf("on tape: %d, failure %q", x.Code, x.Meta.Failure)
			}
		})
	}
}

func TestRecordManyAtOnce(t *testing.T) {
	tp := &tape{}
	m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
		b, err := io.ReadAll(req.Body)
		return reply(200, nil, "echo "+string(b)), err
	}), tp)
	var clients sync.WaitGroup
	for c := range 64 {
		clients.Go(func() {
			for range 10 {
				text := strings.Repeat("x", c+1)
				if _, body := send(t, m, request(t, "POST", "/x", text)); body != "echo "+text {
					t.Errorf("client %d got %d bytes", c, len(body))
				}
			}
		})
	}
	clients.Wait()
	numbers := map[int]bool{}
	for _, x := range tp.exchanges() {
		numbers[x.Meta.Number] = true
		if x.Response.Body != "echo "+x.Request.Body {
			t.Error("an exchange on tape mixes two")
		}
	}
	if len(numbers) != 640 {
		t.Errorf("%d numbers on tape, want 640", len(numbers))
	}
}

func TestNewRecordRefusesMissingSafety(t *testing.T) {
	whole := proxy.RecordOptions{
		Route: proxy.Route{Upstreams: upstreams(t, "http://a.test"), Transport: always(200, nil, "")},
		Tape:  &tape{}, Cleaner: newUncleaned(t),
	}
	tests := []struct {
		name   string
		change func(*proxy.RecordOptions)
		want   string
	}{
		{"no cleaner", func(o *proxy.RecordOptions) { o.Cleaner = nil }, "recording needs a cleaner"},
		{"no tape", func(o *proxy.RecordOptions) { o.Tape = nil }, "recording needs a tape"},
		{
			"no upstreams",
			func(o *proxy.RecordOptions) { o.Upstreams = nil }, "a mode that forwards needs upstreams",
		},
		{
			"no transport",
			func(o *proxy.RecordOptions) { o.Transport = nil }, "a mode that forwards needs a transport",
		},
		{
			"a negative limit",
			func(o *proxy.RecordOptions) { o.Limit = -1 }, "the limit of recorded bodies is negative",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := whole
			tt.change(&o)
			if _, err := proxy.NewRecord(o); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
