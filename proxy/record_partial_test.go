package proxy_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy"
)

func TestRecordMarksWhatIsNotWhole(t *testing.T) {
	cut := io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(io.ErrUnexpectedEOF))
	stream := http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}
	read := func(res *http.Response) { _, _ = io.ReadAll(res.Body) }
	leave := func(res *http.Response) { _, _ = res.Body.Read(make([]byte, 2)) }
	tests := []struct {
		name   string
		header http.Header
		body   io.Reader
		client func(*http.Response)
		want   string
	}{
		{"an answer that the sandbox cuts", nil, cut, read, "cut after 3 bytes"},
		{
			"an answer that the client leaves",
			nil, strings.NewReader("abcdef"), leave, "the client left after 2 bytes",
		},
		{"a stream that the client ends", stream, strings.NewReader("data: a\n\ndata: b\n\n"), leave, ""},
		{"a stream that the sandbox ends", stream, strings.NewReader("data: a\n\n"), read, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tp := &tape{}
			m := recorder(t, fake(func(*http.Request) (*http.Response, error) {
				res := reply(200, tt.header.Clone(), "")
				res.Body, res.ContentLength = io.NopCloser(tt.body), -1
				return res, nil
			}), tp)
			res, err := m.RoundTrip(request(t, "GET", "/x", ""))
			if err != nil {
				t.Fatal(err)
			}
			tt.client(res)
			_ = res.Body.Close()
			if got := tp.only(t).Meta.Failure; got != tt.want {
				t.Errorf("failure on tape is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRecordPassesTheCutOn(t *testing.T) {
	m := recorder(t, fake(func(*http.Request) (*http.Response, error) {
		res := reply(200, nil, "")
		res.ContentLength = 9
		res.Body = io.NopCloser(io.MultiReader(
			strings.NewReader("abc"), iotest.ErrReader(io.ErrUnexpectedEOF)))
		return res, nil
	}), &tape{})
	res, err := m.RoundTrip(request(t, "GET", "/x", ""))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(res.Body)
	if string(got) != "abc" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the client got %q, %v", got, err)
	}
}

func TestRecordWhenTheClientLeavesEarly(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	tp := &tape{}
	m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
		leave()
		<-req.Context().Done()
		return nil, req.Context().Err()
	}), tp)
	_, err := m.RoundTrip(request(t, "GET", "/x", "").WithContext(ctx))
	if !errors.Is(err, proxy.ErrAbort) {
		t.Errorf("got %v, want ErrAbort", err)
	}
	if got := tp.only(t).Meta.Failure; got != "the client left before the answer" {
		t.Errorf("failure on tape is %q", got)
	}
}

func TestRecordBoundsWhatItKeeps(t *testing.T) {
	small := func(o *proxy.RecordOptions) { o.Limit = 8 }
	tests := []struct{ name, sent, got, want string }{
		{"both fit", "12345678", "12345678", ""},
		{"a large request", "123456789", "1", "the body of the request is over the limit of 8 bytes"},
		{"a large answer", "1", "123456789", "the body of the answer is over the limit of 8 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tp := &tape{}
			passed := ""
			m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
				b, err := io.ReadAll(req.Body)
				passed = string(b)
				return reply(200, nil, tt.got), err
			}), tp, small)
			_, body := send(t, m, request(t, "POST", "/x", tt.sent))
			if body != tt.got || passed != tt.sent {
				t.Errorf("passed %q and %q", passed, body)
			}
			x := tp.only(t)
			if x.Meta.Withheld != tt.want {
				t.Errorf("withheld: %q, want %q", x.Meta.Withheld, tt.want)
			}
			for _, body := range []string{x.Request.Body, x.Response.Body} {
				marked := body == "[paytape: body of 9 bytes withheld: over the limit]"
				if len(body) > 8 && !marked {
					t.Errorf("the tape holds %q", body)
				}
			}
		})
	}
}

func TestRecordSaysWhenARequestWasNotReadToItsEnd(t *testing.T) {
	tp := &tape{}
	m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
		return reply(413, nil, "no"), nil // without reading
	}), tp)
	send(t, m, request(t, "POST", "/x", "abcdef"))
	if got := tp.only(t).Meta.Withheld; got != "the body of the request was not read to its end" {
		t.Errorf("withheld: %q", got)
	}
}

func TestRecordKeepsTrailers(t *testing.T) {
	tp := &tape{}
	m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
		_, err := io.ReadAll(req.Body)
		res := reply(200, nil, "x")
		res.ContentLength = -1
		res.Trailer = http.Header{"X-Sum": nil, "X-Never": nil}
		res.Body = &ends{res.Body, func() { res.Trailer["X-Sum"] = []string{"7"} }}
		return res, err
	}), tp)
	req := request(t, "POST", "/x", "abc")
	req.Trailer = http.Header{"X-Check": nil}
	req.Body = &ends{req.Body, func() { req.Trailer["X-Check"] = []string{"5"} }}
	res, _ := send(t, m, req)
	if got := res.Trailer.Get("X-Sum"); got != "7" {
		t.Errorf("the client's trailer is %q", got)
	}
	x := tp.only(t)
	if diff := cmp.Diff(http.Header{"X-Sum": {"7"}}, x.Meta.Trailers); diff != "" {
		t.Errorf("trailers on tape (-want +got):\n%s", diff)
	}
	if got := x.Request.Headers.Get("X-Check"); got != "5" {
		t.Errorf("the request's trailer on tape is %q", got)
	}
}

// ends is a body that does something when its end is met, as net/http fills trailers.
type ends struct {
	io.ReadCloser
	do func()
}

func (e *ends) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err == io.EOF {
		e.do()
	}
	return n, err
}

func TestRecordRefusesAPathWithoutUpstream(t *testing.T) {
	tp := &tape{}
	m := recorder(t, always(200, nil, ""), tp, func(o *proxy.RecordOptions) {
		o.Upstreams = upstreams(t, "shop=https://sandbox.test")
	})
	res, body := send(t, m, request(t, "GET", "/elsewhere", ""))
	if res.StatusCode != 404 || !strings.Contains(body, "no upstream is configured for this path") {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	if len(tp.exchanges()) != 0 {
		t.Error("what went nowhere is on tape")
	}
}

func TestRecordRefusesAProtocolSwitchNobodyAskedFor(t *testing.T) {
	tp := &tape{}
	m := recorder(t, always(101, http.Header{"Upgrade": {"x"}}, ""), tp)
	res, body := send(t, m, request(t, "GET", "/x", ""))
	if res.StatusCode != 502 || !strings.Contains(body, "switched protocols without being asked") {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
}

// A body that breaks before anything went upstream is on tape as what it is.
func TestRecordWhenTheRequestBreaks(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	tests := []struct {
		name string
		ctx  context.Context
		want string
	}{
		{"broken", t.Context(), "the body of the request could not be read to its end"},
		{"left by the client", gone, "the client left before the answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{"/pay/register.do", "/x"} { // read ahead, and not
				tp := &tape{}
				m := recorder(t, always(200, nil, "x"), tp)
				req := request(t, "POST", path, "abc").WithContext(tt.ctx)
				req.Body = io.NopCloser(iotest.ErrReader(errors.New("malformed chunk")))
				res, err := m.RoundTrip(req)
				if tt.ctx.Err() == nil && (err != nil || res.StatusCode != 400) {
					t.Errorf("%s: got %v, %v", path, res, err)
				}
				if tt.ctx.Err() != nil && !errors.Is(err, proxy.ErrAbort) {
					t.Errorf("%s: got %v, want ErrAbort", path, err)
				}
				if got := tp.only(t).Meta.Failure; got != tt.want {
					t.Errorf("%s: failure on tape is %q", path, got)
				}
			}
		})
	}
}
