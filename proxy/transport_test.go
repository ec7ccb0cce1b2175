package proxy_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/paytape/paytape/proxy"
)

func TestTransportDoesNotDialTheDeckItself(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	port := srv.Listener.Addr().(*net.TCPAddr).Port
	tests := []struct {
		name string
		own  net.Addr
		to   string
		loop bool
	}{
		{"its own address", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, "127.0.0.1", true},
		{"its own name", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, "localhost", true},
		{"all addresses", &net.TCPAddr{IP: net.IPv6unspecified, Port: port}, "127.0.0.1", true},
		{"no address", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, "0.0.0.0", true},
		{
			"mapped into IPv6",
			&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, "[::ffff:127.0.0.1]", true,
		},
		{"another port", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, "127.0.0.1", false},
		{"another address", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2), Port: port}, "127.0.0.1", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, number, err := net.SplitHostPort(srv.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			transport := proxy.NewTransport(tt.own)
			defer transport.CloseIdleConnections()
			m := recorder(t, transport, &tape{}, func(o *proxy.RecordOptions) {
				o.Upstreams = upstreams(t, "http://"+tt.to+":"+number)
			})
			res, body := send(t, m, request(t, "GET", "/x", ""))
			if looped := strings.Contains(body, "leads back to this deck"); looped != tt.loop {
				t.Errorf("got %d %s", res.StatusCode, body)
			}
		})
	}
}

// A certificate that nobody vouches for is a plain answer, not a Go error text.
func TestTransportTellsOfCertificates(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // it says what the test is about
	srv.StartTLS()
	defer srv.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	tests := []struct{ name, url, want string }{
		{"unknown authority", srv.URL, "its certificate is not trusted"},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), "TLS could not be agreed on"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := recorder(t, proxy.NewTransport(), &tape{}, func(o *proxy.RecordOptions) {
				o.Upstreams = upstreams(t, tt.url)
			})
			res, body := send(t, m, request(t, "GET", "/x", ""))
			if res.StatusCode != 502 || !strings.Contains(body, tt.want) {
				t.Errorf("got %d %s", res.StatusCode, body)
			}
		})
	}
}
