package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// cleanDeck records what an upstream does, cleaned by a real redactor.
func cleanDeck(t *testing.T, upstream string) recordingDoor {
	t.Helper()
	tp := &tape{}
	transport := proxy.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	m := recorder(t, transport, tp, func(o *proxy.RecordOptions) {
		o.Upstreams = upstreams(t, upstream)
		o.Cleaner = redact.New(redact.Options{Profiles: profiles(t)})
	})
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = proxy.NewServer(proxy.NewDoor(m, nil))
	srv.Start()
	t.Cleanup(srv.Close)
	return recordingDoor{srv.URL, srv.Listener.Addr().String(), tp, m, srv.Close}
}

// replayOf plays exchanges back at a door.
func replayOf(t *testing.T, xs []*leaf.Exchange, o match.Options) string {
	t.Helper()
	o.Profiles = profiles(t)
	m := replayer(t, match.NewPlayer(match.Compile(o, match.Cassette{Name: "a", Exchanges: xs})),
		func(o *proxy.ReplayOptions) { o.Quiet = true })
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = proxy.NewServer(proxy.NewDoor(m, nil))
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

// failing is a sandbox that sends some bytes and hangs up, and after that answers.
func failing(t *testing.T, bytes string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	first := true
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if !first {
			fmt.Fprint(w, "whole")
			return
		}
		first = false
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = out.WriteString(bytes)
		_ = out.Flush()
		conn.Close()
	}))
	srv.Listener = ln
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.URL
}

var dates = regexp.MustCompile(`Date: [^\r]*\r\n`)

// What a client sees of a failure, to the byte, it sees again when it is replayed.
func TestFailuresAreReplayedAsTheyWere(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	tests := []struct{ name, sandbox, fault, want string }{
		{"no answer", "", leaf.FaultNoAnswer, "the connection was closed"},
		{
			"cut in a body of known length", head + "Content-Length: 20\r\n\r\norder 70906e55",
			leaf.FaultCut, "Content-Length: 20\r\n",
		},
		{
			"cut in a chunked body",
			head + "Transfer-Encoding: chunked\r\n\r\nb\r\norder 70906\r\n20\r\ne55",
			leaf.FaultCut, "e55",
		},
		{
			"cut before the body", head + "Content-Length: 20\r\n\r\n",
			leaf.FaultCut, "Content-Length: 20\r\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const sent = "POST /pay/register.do HTTP/1.1\r\nHost: d\r\nConnection: close\r\n" +
				"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=b"
			d := cleanDeck(t, failing(t, tt.sandbox))
			live := []string{raw(t, d.addr, sent), raw(t, d.addr, sent)}
			xs := d.tape.exchanges()
			if len(xs) != 2 || xs[0].Meta.Fault != tt.fault || xs[1].Meta.Fault != "" {
				t.Fatalf("%d exchanges on tape, the first with fault %q", len(xs), xs[0].Meta.Fault)
			}
			if !strings.Contains(live[0], tt.want) {
				t.Fatalf("the case tells nothing: live was\n%s", live[0])
			}
			at := replayOf(t, xs, match.Options{Failures: true})
			for i, want := range live {
				got := dates.ReplaceAllString(raw(t, at, sent), "")
				if want = dates.ReplaceAllString(want, ""); !sameHead(want, got) {
					t.Errorf("answer %d (-live +replayed):\n%s", i+1, cmp.Diff(want, got))
				}
			}
			at = replayOf(t, xs, match.Options{})
			if got := raw(t, at, sent); !strings.HasSuffix(got, "whole") {
				t.Errorf("without being asked, replay serves\n%s", got)
			}
		})
	}
}

// sameHead compares answers without regard to the order of headers, and to how chunks were cut.
func sameHead(a, b string) bool {
	headA, bodyA, _ := strings.Cut(a, "\r\n\r\n")
	headB, bodyB, _ := strings.Cut(b, "\r\n\r\n")
	if strings.Contains(headA, "chunked") {
		bodyA, bodyB = unchunked(bodyA), unchunked(bodyB)
	}
	lines := func(s string) map[string]bool {
		m := map[string]bool{}
		for line := range strings.SplitSeq(s, "\r\n") {
			m[line] = line != ""
		}
		return m
	}
	return cmp.Equal(lines(headA), lines(headB)) && bodyA == bodyB
}

var chunkSize = regexp.MustCompile(`(^|\r\n)[0-9a-f]+\r\n`)

func unchunked(s string) string { return chunkSize.ReplaceAllString(s, "") }

// slow is a time-out as package net reports it.
type slow struct{ error }

func (slow) Timeout() bool   { return true }
func (slow) Temporary() bool { return true }

// A request that never got to a sandbox is on tape with its body, which nobody has read.
func TestFailuresBeforeTheRequestWasSent(t *testing.T) {
	tests := []struct {
		name    string
		err     error
		after   time.Duration
		fault   string
		message string
	}{
		{"refused", syscall.ECONNREFUSED, 0, leaf.FaultNoAnswer, "the connection was refused"},
		{"no name", &net.DNSError{}, 0, leaf.FaultNoAnswer, "its name could not be resolved"},
		{"a time-out", slow{io.EOF}, time.Minute, leaf.FaultTimeout, "it took too long"},
		{"a deadline", context.DeadlineExceeded, time.Minute, leaf.FaultTimeout, "it took too long"},
	}
	for _, path := range []string{"/pay/register.do", "/x"} { // read ahead, and not
		for _, tt := range tests {
			t.Run(tt.name+" "+path, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					tp := &tape{}
					m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
						time.Sleep(tt.after)
						req.Body.Close()
						return nil, tt.err
					}), tp)
					req := request(t, "POST", path, "amount=100")
					req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
					res, live := send(t, m, req)
					x := tp.only(t)
					if res.StatusCode != 502 || x.Meta.Fault != tt.fault ||
						x.Request.Body != "amount=100" || x.Meta.Withheld != "" {
						t.Fatalf("status %d, fault %q, request %q, withheld %q",
							res.StatusCode, x.Meta.Fault, x.Request.Body, x.Meta.Withheld)
					}
					if !strings.Contains(live, tt.message) {
						t.Errorf("the client was told %s", live)
					}
					checkStall(t, x, tt.after, live)
				})
			})
		}
	}
}

// checkStall replays a failure with its time, without it, and to a client that leaves.
func checkStall(t *testing.T, x *leaf.Exchange, after time.Duration, live string) {
	t.Helper()
	o := match.Options{Profiles: profiles(t), Failures: true}
	for _, atOnce := range []bool{false, true} {
		player := match.NewPlayer(match.Compile(o, match.Cassette{Exchanges: []*leaf.Exchange{x}}))
		m := replayer(t, player, func(o *proxy.ReplayOptions) { o.AtOnce = atOnce })
		again := func(ctx context.Context) *http.Request {
			req := request(t, "POST", x.Target(), "amount=100").WithContext(ctx)
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			return req
		}
		if after > 0 && !atOnce {
			ctx, leave := context.WithTimeout(t.Context(), after/2)
			defer leave()
			if _, err := m.RoundTrip(again(ctx)); !errors.Is(err, proxy.ErrAbort) {
				t.Errorf("to a client that leaves: %v", err)
			}
		}
		began, want := time.Now(), after
		if atOnce {
			want = 0
		}
		res, body := send(t, m, again(t.Context()))
		if res.StatusCode != 502 || body != live {
			t.Errorf("replayed %d %s, live was %s", res.StatusCode, body, live)
		}
		if took := time.Since(began); took != want {
			t.Errorf("replayed after %v, want %v", took, want)
		}
	}
}

// A client that waits to be told to go on is not told when there is no sandbox.
func TestNothingIsReadOfAClientThatWaits(t *testing.T) {
	tp := &tape{}
	m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
		req.Body.Close()
		return nil, syscall.ECONNREFUSED
	}), tp)
	req := request(t, "POST", "/x", "amount=100")
	req.Header.Set("Expect", "100-continue")
	send(t, m, req)
	x := tp.only(t)
	if x.Request.Body != "" || x.FailureReplayable() {
		t.Errorf("the tape holds %d bytes, withheld %q", len(x.Request.Body), x.Meta.Withheld)
	}
}

// What a client does by leaving is none of the sandbox's failures.
func TestAClientThatLeavesIsNoFaultOfTheSandbox(t *testing.T) {
	tp := &tape{}
	m := recorder(t, always(200, nil, "abcdef"), tp)
	res, err := m.RoundTrip(request(t, "GET", "/x", ""))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = res.Body.Read(make([]byte, 2))
	_ = res.Body.Close()
	if x := tp.only(t); x.Meta.Failure == "" || x.Meta.Fault != "" || x.FailureReplayable() {
		t.Errorf("failure %q, fault %q", x.Meta.Failure, x.Meta.Fault)
	}
}
