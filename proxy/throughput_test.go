package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/redact"
)

// caller is a client that costs little beside a server: it writes requests made of text and
// reads no more of an answer than it must.
type caller struct {
	b    *testing.B
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	body []byte
	runs int // payments made
}

func call(b *testing.B, addr string) *caller {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	return &caller{b: b, conn: conn, in: bufio.NewReader(conn)}
}

// post sends a form and returns the body of the answer, which is valid until the next call.
func (c *caller) post(path, form string) []byte {
	c.out = append(c.out[:0], "POST "...)
	c.out = append(c.out, path...)
	c.out = append(c.out, " HTTP/1.1\r\nHost: deck.test\r\nUser-Agent: bench\r\nAccept: */*\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: "...)
	c.out = strconv.AppendInt(c.out, int64(len(form)), 10)
	c.out = append(append(c.out, "\r\n\r\n"...), form...)
	if _, err := c.conn.Write(c.out); err != nil {
		c.b.Error(err)
		return nil
	}
	return c.read()
}

func (c *caller) read() []byte {
	length, first := 0, true
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil || first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
			c.b.Errorf("answer: %q, %v", line, err)
			return nil
		}
		first = false
		if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(n)))
		}
		if len(line) == 2 {
			break
		}
	}
	c.body = append(c.body[:0], make([]byte, length)...)
	if _, err := io.ReadFull(c.in, c.body); err != nil {
		c.b.Error(err)
	}
	return c.body
}

// payment is a client's side of the measured traffic: it returns how many requests it made.
type payment func(c *caller, n int) int

// lookUp asks for what is the same in every run.
func lookUp(c *caller, _ int) int {
	c.post("/rates/today", "currency=978")
	return 1
}

// pay registers an order, pays it and asks for it twice.
func pay(c *caller, n int) int {
	answer := c.post("/payment/rest/register.do", "userName=u&password=p&amount=100&orderNumber=B-"+
		strconv.Itoa(n)+"&returnUrl=https%3A%2F%2Fshop.test%2Fr")
	if c.b.Failed() {
		return 1
	}
	id := string(answer[len(`{"orderId":"`):][:36])
	c.post("/payment/rest/paymentorder.do", "userName=u&password=p&%24PAN=4000000000050002&"+
		"%24CVC=000&%24EXPIRY=203012&TEXT=X&MDORDER="+id)
	for range 2 {
		c.post("/payment/rest/getOrderStatusExtended.do", "userName=u&password=p&orderId="+id)
	}
	return 4
}

// recording is the tape of both.
func recording() []*leaf.Exchange {
	const id = "0193a1b2-0000-7000-8000-0000c0ffee00"
	attributes := strings.Repeat(`{"name":"attribute","value":"a value that says nothing"},`, 12)
	answers := []struct{ target, form, answer string }{
		{"/rates/today", "currency=978", `{"errorCode":"0","attributes":[` + attributes + `{}]}`},
		{"/payment/rest/register.do", "userName=u&password=p&amount=100&orderNumber=A-1&" +
			"returnUrl=https%3A%2F%2Fshop.test%2Fr",
			`{"orderId":"` + id + `","formUrl":"https://sandbox.test/pay.html?mdOrder=` + id + `"}`},
		{"/payment/rest/paymentorder.do", "userName=u&password=p&%24PAN=4000000000050002&" +
			"%24CVC=000&%24EXPIRY=203012&TEXT=X&MDORDER=" + id,
			`{"errorCode":0,"redirect":"https://shop.test/r?orderId=` + id + `"}`},
		{"/payment/rest/getOrderStatusExtended.do", "userName=u&password=p&orderId=" + id,
			`{"errorCode":"0","orderNumber":"A-1","orderStatus":2,"date":1774953000000,"attributes":[` +
				attributes + `{"name":"mdOrder","value":"` + id + `"}]}`},
	}
	var xs []*leaf.Exchange
	for i, a := range answers {
		x := &leaf.Exchange{}
		x.Method, x.URL, x.Request.Body = "POST", "https://sandbox.test"+a.target, a.form
		x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		x.Code, x.Response.Body = 200, a.answer
		x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
		x.Meta.Number = i + 1
		x.Meta.At = time.Date(2026, 3, 31, 10, i, 0, 0, time.UTC)
		xs = append(xs, x)
	}
	return xs
}

// listening starts a server and returns its address.
func listening(b *testing.B, serve func(context.Context, net.Listener)) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	var served sync.WaitGroup
	served.Go(func() { serve(ctx, ln) })
	b.Cleanup(func() {
		stop()
		served.Wait()
	})
	return ln.Addr().String()
}

// replaying is a deck with the recording.
func replaying(b *testing.B, o proxy.ReplayOptions) string {
	set, err := profile.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	tape := match.Compile(match.Options{Profiles: set, Seed: 1},
		match.Cassette{Name: "tape", Exchanges: recording()})
	o.Player, o.Profiles = match.NewPlayer(tape), set
	o.Cleaner = redact.New(redact.Options{Profiles: set})
	m, err := proxy.NewReplay(o)
	if err != nil {
		b.Fatal(err)
	}
	srv := proxy.NewServer(proxy.NewDoor(m, o.Observe))
	return listening(b, func(ctx context.Context, ln net.Listener) {
		_ = proxy.Serve(ctx, ln, srv, nil) // a benchmark ends in the middle of things
	})
}

// bare is net/http with the bytes of the recording and nothing else.
func bare(b *testing.B) string {
	mux := http.NewServeMux()
	for _, x := range recording() {
		mux.HandleFunc(x.Target(), func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			w.Header()["Content-Type"] = x.Response.Headers["Content-Type"]
			_, _ = io.WriteString(w, x.Response.Body)
		})
	}
	srv := &http.Server{Handler: mux}
	return listening(b, func(ctx context.Context, ln net.Listener) {
		context.AfterFunc(ctx, func() { _ = srv.Close() })
		_ = srv.Serve(ln)
	})
}

// slice is how long one server is measured before it is the other's turn: what else the
// machine does then meets both alike.
const slice = 100 * time.Millisecond

// rate makes requests over some connections for a while.
func rate(b *testing.B, callers []*caller, run payment) (requests int, took time.Duration) {
	var wg sync.WaitGroup
	var mu sync.Mutex // guards requests
	began := time.Now()
	for i, c := range callers {
		wg.Go(func() {
			made := 0
			for ; time.Since(began) < slice && !b.Failed(); c.runs++ {
				made += run(c, i*1_000_000+c.runs) // no order number comes twice
			}
			mu.Lock()
			requests += made
			mu.Unlock()
		})
	}
	wg.Wait()
	return requests, time.Since(began)
}

// BenchmarkThroughput compares replay, whose events are kept as in a deck, with a bare server that
// returns the same bytes, in turns.
// The aims for "of-bare" are 0.8 for literal values and 0.6 for payments with fresh ids.
func BenchmarkThroughput(b *testing.B) {
	for name, run := range map[string]payment{"literal": lookUp, "payments": pay} {
		for _, connections := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/connections=%d", name, connections), func(b *testing.B) {
				compare(b, connections, run)
			})
		}
	}
}

func compare(b *testing.B, connections int, run payment) {
	events := hub.New(hub.Options{})
	servers := []string{bare(b), replaying(b, proxy.ReplayOptions{Observe: events.Publish})}
	var callers [2][]*caller
	for i, addr := range servers {
		for range connections {
			c := call(b, addr)
			b.Cleanup(func() { _ = c.conn.Close() })
			callers[i] = append(callers[i], c)
		}
	}
	var requests [2]int
	var took [2]time.Duration
	for b.Loop() {
		for i := range servers {
			n, t := rate(b, callers[i], run)
			requests[i] += n
			took[i] += t
		}
	}
	perSecond := func(i int) float64 { return float64(requests[i]) / took[i].Seconds() }
	b.ReportMetric(perSecond(0), "bare/s")
	b.ReportMetric(perSecond(1), "replay/s")
	b.ReportMetric(perSecond(1)/perSecond(0), "of-bare")
}
