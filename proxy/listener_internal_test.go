package proxy

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A connection is told from an earlier one of the same address, whose flows it must not get.
func TestConnectionsAreToldApart(t *testing.T) {
	var reqs []*http.Request
	for range 2 {
		client, server := net.Pipe()
		t.Cleanup(func() { _, _ = client.Close(), server.Close() })
		req := httptest.NewRequest("GET", "/", nil)
		if got := connOf(req); got != req.RemoteAddr {
			t.Errorf("one that came past the listener is called %q", got)
		}
		reqs = append(reqs, req.WithContext(knowWire(t.Context(), server)))
	}
	if a, b := connOf(reqs[0]), connOf(reqs[1]); a == b {
		t.Errorf("two connections are called %q and %q", a, b)
	}
}
