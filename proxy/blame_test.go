package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/paytape/paytape/proxy"
)

// endless answers with a body that goes on with what comes after "abc".
func endless(after io.Reader) fake {
	return func(*http.Request) (*http.Response, error) {
		res := reply(200, nil, "")
		res.Body = io.NopCloser(io.MultiReader(strings.NewReader("abc"), after))
		res.ContentLength = -1
		return res, nil
	}
}

// observed are the modes that ask a sandbox, with what they tell.
func observed(t *testing.T, s http.RoundTripper) map[string]func(*events) http.RoundTripper {
	return map[string]func(*events) http.RoundTripper{
		"record": func(ev *events) http.RoundTripper {
			return recorder(t, s, &tape{}, func(o *proxy.RecordOptions) { o.Observe = ev.add })
		},
		"pass": func(ev *events) http.RoundTripper { return passer(t, s.(fake), ev) },
	}
}

// Whoever reads events counts what upstreams have done wrong, so neither a client nor the
// deck may be taken for one.
func TestEventsBlameTheUpstreamAlone(t *testing.T) {
	refused := func(*http.Request) (*http.Response, error) { return nil, errors.New("refused") }
	whole := func(res *http.Response) { _, _ = io.ReadAll(res.Body) }
	leave := func(res *http.Response) { _, _ = res.Body.Read(make([]byte, 1)) }
	cut := iotest.ErrReader(io.ErrUnexpectedEOF)
	deck := http.Header{"Paytape-Error": {proxy.ProblemUpstream}}
	for _, tt := range []struct {
		name    string
		sandbox fake
		client  func(*http.Response)
		want    string
	}{
		{"a whole answer", always(500, nil, "x"), whole, ""},
		{"no answer", refused, whole, proxy.ProblemUpstream},
		{"a switch that nobody asked for", always(101, nil, ""), whole, proxy.ProblemUpstream},
		{"a cut answer", endless(cut), whole, proxy.ProblemCut},
		{"a client that leaves", endless(strings.NewReader("def")), leave, ""},
		{"an answer of another deck", always(502, deck, "x"), whole, ""},
	} {
		for name, mode := range observed(t, tt.sandbox) {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				ev := &events{}
				res, err := mode(ev).RoundTrip(request(t, "GET", "/x", ""))
				if err != nil {
					t.Fatal(err)
				}
				tt.client(res)
				_ = res.Body.Close()
				if got := ev.all(); len(got) != 1 || got[0].Problem != tt.want {
					t.Errorf("told %+v, want problem %q", got, tt.want)
				}
			})
		}
	}
}

// hanging is a sandbox that says no more when it should.
func hanging(head bool) fake {
	return func(req *http.Request) (*http.Response, error) {
		if !head {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}
		return endless(untilDone{req.Context()})(req)
	}
}

// untilDone is a body of which nothing comes until its request ends.
type untilDone struct{ ctx context.Context }

func (u untilDone) Read([]byte) (int, error) {
	<-u.ctx.Done()
	return 0, u.ctx.Err()
}

// An exchange that is ended because the deck stops is not one whose client has left.
func TestTheTapeSaysThatTheDeckStopped(t *testing.T) {
	for _, tt := range []struct {
		name string
		head bool // whether the sandbox has sent one
		want string
	}{
		{"before the answer", false, "the deck stopped before the answer"},
		{"in the answer", true, "the deck stopped after 3 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ln, tp := newPipes(), &tape{}
				mode := recorder(t, hanging(tt.head), tp)
				ctx, stop := context.WithCancel(t.Context())
				stopped := make(chan error)
				go func() {
					stopped <- proxy.Serve(ctx, ln, proxy.NewServer(proxy.NewDoor(mode, nil)), nil)
				}()
				conn := ln.dial()
				defer conn.Close()
				go func() { // a client that waits
					_, _ = io.WriteString(conn, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
					_, _ = io.Copy(io.Discard, bufio.NewReader(conn))
				}()
				synctest.Wait()
				stop()
				if err := <-stopped; err != nil {
					t.Errorf("Serve: %v", err)
				}
				if got := tp.only(t).Meta.Failure; got != tt.want {
					t.Errorf("failure on tape is %q, want %q", got, tt.want)
				}
			})
		})
	}
}
