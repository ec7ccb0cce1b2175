package http1

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzPlain reads requests as plain exchanges and with net/http, and wants the same of both.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{
		"GET /a?b=c HTTP/1.1\r\nHost: x\r\nA: 1\r\nB: 2\r\na: 3\r\n\r\n",
		"POST /a%20b/%2F?%41#c HTTP/1.1\r\nhost: x:1\r\ncontent-length: 3\r\n\r\nabcGET",
		"PUT //a:b/../c;d HTTP/1.1\r\nHost:\r\nX-Empty:\r\nX-Space: \t a b \t\r\nConnection: Keep-Alive\r\n\r\n",
		"GET /a.b-c_d~e? HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a??b HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nPragma: no-cache\r\nCache-Control: max-age=0\r\nTe: trailers\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("Cookie: a=b\r\n", 20) + "\r\n",
		"GET http://y/a HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 00\r\nX_A: b\r\nX-\xc3: c\r\n\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		c := &servedConn{Conn: &Conn{Conn: spoken{said: strings.NewReader(said)}}, ctx: context.Background()}
		if c.fetchHead() != nil || !c.plain() {
			return
		}
		got := newExchange(c).request()
		want, err := http.ReadRequest(bufio.NewReader(strings.NewReader(said)))
		if err != nil {
			t.Fatalf("net/http refuses what is plain: %v", err)
		}
		h := &c.heads[0]
		h.restore(want)
		delete(want.Header, "Host") // as its server does
		if diff := cmp.Diff(described(want), described(got)); diff != "" {
			t.Error(diff)
		}
		kept := KeepHeader(got)
		if kept.head == "" {
			t.Error("the header of a plain exchange is kept as a map, which is used again")
		}
		if diff := cmp.Diff(got.Header, kept.Header()); diff != "" {
			t.Error(diff)
		}
	})
}

// heard is a client that takes any answer.
type heard struct{ spoken }

func (heard) Write(p []byte) (int, error) { return len(p), nil }

// A header that is kept stays as it was when the connection has gone on, and so does one that is not the
// connection's any more.
func TestKeepHeader(t *testing.T) {
	t.Parallel()
	var kept []KeptHeader
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept = append(kept, KeepHeader(r))
		own := *r
		own.Header = r.Header.Clone()
		own.Header.Set("Own", "yes")
		kept = append(kept, KeepHeader(&own))
		h := w.Header()
		h["Date"], h["Content-Type"], h["Content-Length"] = []string{"now"}, []string{"text/plain"}, []string{"0"}
		w.WriteHeader(http.StatusOK)
	})
	many := strings.Repeat("Many: x\r\nmany: y\r\n", lentFields)
	for i := range lentFields {
		many += "Field-" + strconv.Itoa(i) + ": z\r\n"
	}
	said := "GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\nB: 2\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nA: 3\r\n" + many +
		"\r\nGET / HTTP/1.1\r\nHost: x\r\nC: 4\r\n\r\n"
	c := &servedConn{
		Conn: &Conn{Conn: heard{spoken{said: strings.NewReader(said)}}}, header: http.Header{},
		listener: &Listener{srv: &http.Server{Handler: Handler(handler, nil)}},
	}
	c.ctx = WithConn(context.Background(), c.Conn)
	for range 3 {
		if err := c.fetchHead(); err != nil || !c.plain() || !c.exchange() {
			t.Fatalf("no plain exchange: %v", err)
		}
	}
	second := http.Header{"A": {"3"}}
	for i := range lentFields {
		second["Many"] = append(second["Many"], "x", "y")
		second["Field-"+strconv.Itoa(i)] = []string{"z"}
	}
	for i, want := range []http.Header{{"A": {"1"}, "B": {"2"}}, second, {"C": {"4"}}} {
		if diff := cmp.Diff(want, kept[2*i].Header()); diff != "" {
			t.Errorf("request %d: %s", i, diff)
		}
		want.Set("Own", "yes")
		if diff := cmp.Diff(want, kept[2*i+1].Header()); diff != "" {
			t.Errorf("request %d with a header of its own: %s", i, diff)
		}
	}
}

// described is what there is to know of a request; its body is read.
func described(req *http.Request) map[string]any {
	body, err := io.ReadAll(req.Body)
	return map[string]any{
		"method": req.Method, "url": *req.URL, "target": req.RequestURI, "proto": req.Proto,
		"major": req.ProtoMajor, "minor": req.ProtoMinor, "header": maps.Clone(req.Header),
		"host": req.Host, "length": req.ContentLength, "close": req.Close, "trailer": req.Trailer,
		"codings": req.TransferEncoding, "body": string(body), "error": err, "none": req.Body == http.NoBody,
	}
}
