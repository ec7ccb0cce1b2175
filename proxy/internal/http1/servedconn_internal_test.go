package http1

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A connection that waits for its next request holds nothing of the last one, and what came of the next
// one with it stays.
func TestIdleHoldsNothing(t *testing.T) {
	t.Parallel()
	const hidden, next = "hidden", "GET /next"
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != hidden || r.Header.Get("Authorization") != hidden {
			t.Errorf("the request came with %q, %v and %v", body, err, r.Header)
		}
		w.Header().Set("Date", "now")
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "6")
		_, _ = w.Write(body)
	})
	client, below := net.Pipe()
	defer client.Close()
	defer below.Close()
	go func() { // the connection writes to it
		// The head comes in two pieces, of which the first lies elsewhere from the second on.
		_, _ = io.WriteString(client, "POST /"+hidden+" HTTP/1.1\r\nHost: x\r\nAuthorization: "+hidden)
		_, _ = io.WriteString(client, "\r\nContent-Length: 6\r\n\r\n"+hidden+next)
		_, _ = io.Copy(io.Discard, client)
	}()
	c := &servedConn{
		Conn: &Conn{Conn: below}, header: http.Header{},
		listener: &Listener{srv: &http.Server{Handler: Handler(handler, nil)}},
	}
	c.ctx = WithConn(context.Background(), c.Conn)
	if err := c.fetchHead(); err != nil || !c.plain() {
		t.Fatalf("no plain exchange: %v", err)
	}
	if !c.exchange() {
		t.Fatal("the connection is not served any more")
	}
	if c.request.Header != nil || c.request.Body != nil || c.url.Path != "" || len(c.header) > 0 ||
		len(c.fields.header) > 0 || c.fields.values != [lentFields]string{} {
		t.Errorf("it holds the request %v, %v, %q and the header %v", c.request.Header, c.url,
			c.fields.values, c.header)
	}
	if bytes.Contains(c.room[:cap(c.room)], []byte(hidden)) {
		t.Errorf("its room holds %q", strings.Trim(string(c.room[:cap(c.room)]), "\x00"))
	}
	if string(c.buf) != next {
		t.Errorf("of the next request it has %q, not %q", c.buf, next)
	}
}
