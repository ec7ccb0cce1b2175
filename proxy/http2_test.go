package proxy_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/paytape/paytape/proxy"
)

// secondVersion is a deck that speaks HTTP/2 to its client and to its sandbox.
func secondVersion(t *testing.T, h http.Handler) (*http.Client, string, *tape) {
	t.Helper()
	certificate, roots := certified(t, "deck")
	server, trusted := certified(t, "sandbox")
	up := httptest.NewUnstartedServer(h)
	up.EnableHTTP2 = true
	up.TLS = &tls.Config{Certificates: []tls.Certificate{server}}
	up.StartTLS()
	t.Cleanup(up.Close)
	transport := proxy.NewTransport()
	transport.SecureWith(&tls.Config{RootCAs: trusted})
	t.Cleanup(transport.CloseIdleConnections)
	tp := &tape{}
	m := recorder(t, transport, tp, func(o *proxy.RecordOptions) {
		o.Upstreams = upstreams(t, up.URL)
	})
	addr := securely(t, proxy.NewDoor(m, nil), certificate)
	client := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true,
	}
	t.Cleanup(client.CloseIdleConnections)
	return &http.Client{Transport: client}, "https://" + addr, tp
}

// A hundred streams of one connection go through at once, large bodies both ways, trailers too,
// whether they are read fast or slowly; each is one request at the sandbox.
func TestHTTP2Streams(t *testing.T) {
	t.Parallel()
	const streams, size = 100, 256 << 10
	var came [streams]atomic.Int32
	var all sync.WaitGroup // all streams are open at once
	all.Add(streams)
	client, deck, tp := secondVersion(t, http.HandlerFunc(
		func(w http.ResponseWriter, req *http.Request) {
			var n int
			_, _ = fmt.Sscanf(req.URL.Path, "/%d", &n)
			if came[n].Add(1) == 1 {
				all.Done()
			}
			all.Wait()
			w.Header().Set("Trailer", "X-Sum")
			_, _ = io.Copy(w, req.Body)
			w.Header().Set("X-Sum", fmt.Sprint(req.ProtoMajor, req.Trailer.Get("X-End")))
		}))
	var clients sync.WaitGroup
	for n := range streams {
		clients.Go(func() {
			req, err := http.NewRequest("POST", fmt.Sprint(deck, "/", n),
				io.NopCloser(io.LimitReader(zeros{}, size)))
			if err != nil {
				t.Error(err)
				return
			}
			req.Trailer = http.Header{"X-End": {"e"}}
			res, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			var body io.Reader = res.Body
			if n%10 == 0 {
				body = iotest.HalfReader(body)
			}
			got, err := io.Copy(io.Discard, body)
			if got != size || err != nil || res.ProtoMajor != 2 || res.Trailer.Get("X-Sum") != "2e" {
				t.Errorf("%d bytes, trailer %q, %v", got, res.Trailer.Get("X-Sum"), err)
			}
		})
	}
	clients.Wait()
	for n := range came {
		if got := came[n].Load(); got != 1 {
			t.Errorf("request %d was sent %d times", n, got)
		}
	}
	for _, x := range tp.exchanges() {
		if !x.Replayable() || len(x.Request.Body) != size || len(x.Response.Body) != size {
			t.Errorf("on tape: %d and %d bytes, %s", len(x.Request.Body), len(x.Response.Body),
				x.Meta.Why())
		}
	}
	if n := len(tp.exchanges()); n != streams {
		t.Errorf("%d exchanges are on tape, want %d", n, streams)
	}
}

// A stream that either side resets is reset for the other; its neighbours go on.
func TestHTTP2Resets(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	client, deck, tp := secondVersion(t, http.HandlerFunc(
		func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.WriteString(w, "abc")
			switch req.URL.Path {
			case "/cut":
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			case "/left":
				_ = http.NewResponseController(w).Flush()
				<-req.Context().Done()
				close(left)
			}
		}))
	get := func(path string) *http.Response {
		res, err := client.Get(deck + path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	leaving := get("/left")
	if got, err := io.ReadAll(get("/cut").Body); string(got) != "abc" || err == nil {
		t.Errorf("of a cut answer came %q, %v", got, err)
	}
	_ = leaving.Body.Close()
	<-left
	if got, err := io.ReadAll(get("/whole").Body); string(got) != "abc" || err != nil {
		t.Errorf("after that: %q, %v", got, err)
	}
	whole := 0
	for _, x := range tp.exchanges() {
		if x.Replayable() {
			whole++
		}
	}
	if whole != 1 {
		t.Errorf("%d exchanges are whole on tape, want 1", whole)
	}
}

// A sandbox that goes away after each answer gets each POST once.
func TestHTTP2GoAway(t *testing.T) {
	t.Parallel()
	const posts = 20
	var came atomic.Int32
	client, deck, _ := secondVersion(t, http.HandlerFunc(
		func(w http.ResponseWriter, req *http.Request) {
			came.Add(1)
			_, _ = io.Copy(io.Discard, req.Body)
			w.Header().Set("Connection", "close") // GOAWAY
		}))
	var clients sync.WaitGroup
	var good atomic.Int32
	for range posts {
		clients.Go(func() {
			res, err := client.Post(deck+"/x", "text/plain", io.LimitReader(zeros{}, 9))
			if err != nil {
				t.Error(err)
				return
			}
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				good.Add(1)
			}
		})
	}
	clients.Wait()
	if came, good := came.Load(), good.Load(); came > posts || good > came || good == 0 {
		t.Errorf("%d POSTs came for %d, and %d were answered", came, posts, good)
	} else {
		t.Logf("%d POSTs came for %d, and %d were answered", came, posts, good)
	}
}
