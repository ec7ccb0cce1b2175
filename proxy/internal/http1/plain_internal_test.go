package http1

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net/http"
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
	})
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
