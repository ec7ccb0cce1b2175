package proxy_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy"
)

// certified is a certificate for 127.0.0.1, and what trusts it.
func certified(t testing.TB, name string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool
}

// securely serves h over TLS until the test ends, and returns the address.
func securely(t *testing.T, h http.Handler, certificate tls.Certificate) string {
	t.Helper()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := proxy.Secure(plain, certificate, nil)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- proxy.Serve(ctx, ln, proxy.NewServer(h), nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("stopping: %v", err)
		}
	})
	return ln.Addr().String()
}

// Over TLS a deck is what it is without, in either version of HTTP; addresses of the sandbox
// lead to https.
func TestSecuredDeck(t *testing.T) {
	certificate, roots := certified(t, "deck")
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Location", "http://"+req.Host+"/next")
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.Copy(w, req.Body)
		w.Header().Set("X-Sum", "7")
	}))
	t.Cleanup(up.Close)
	tp := &tape{}
	m := recorder(t, proxy.NewTransport(), tp, func(o *proxy.RecordOptions) {
		o.Upstreams = upstreams(t, up.URL)
	})
	addr := securely(t, proxy.NewDoor(m, nil), certificate)
	for _, version := range []int{1, 2} {
		transport := &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: version == 2,
		}
		res, err := (&http.Client{Transport: transport}).Post("https://"+addr+"/a", "text/plain",
			strings.NewReader("abc"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		transport.CloseIdleConnections()
		if err != nil || string(body) != "abc" || res.ProtoMajor != version {
			t.Errorf("HTTP/%d: got %q in %s, %v", version, body, res.Proto, err)
		}
		if to := res.Header.Get("Location"); to != "https://"+addr+"/next" {
			t.Errorf("HTTP/%d: Location is %q", version, to)
		}
		if sum := res.Trailer.Get("X-Sum"); sum != "7" {
			t.Errorf("HTTP/%d: the trailer is %q", version, sum)
		}
	}
	if n := len(tp.exchanges()); n != 2 {
		t.Errorf("%d exchanges on tape, want 2", n)
	}
}

// What is ambiguous is refused inside TLS too, and HTTP without TLS gets an answer.
func TestSecuredDeckRefuses(t *testing.T) {
	certificate, roots := certified(t, "deck")
	addr := securely(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("it was let through")
	}), certificate)
	conn, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, rawChunks("0\r\n\r\n", "Content-Length: 5"))
	if got, err := io.ReadAll(conn); !strings.HasPrefix(string(got), "HTTP/1.1 400 ") {
		t.Errorf("got %q, %v", got, err)
	}
	got := raw(t, addr, rawGet("/a"))
	if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, "this port speaks TLS") {
		t.Errorf("without TLS: got %q", got)
	}
}

func TestSecuredStopsWhileClientsAreSilent(t *testing.T) {
	certificate, _ := certified(t, "deck")
	addr := securely(t, http.NotFoundHandler(), certificate) // which the test's end stops
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
}

// An upstream may want a certificate of the client and have an authority of its own.
func TestTransportSecureWith(t *testing.T) {
	server, roots := certified(t, "sandbox")
	mine, known := certified(t, "client")
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.WriteString(w, req.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	up.TLS = &tls.Config{
		Certificates: []tls.Certificate{server},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: known,
	}
	up.Config.ErrorLog = log.New(io.Discard, "", 0) // it says what the test is about
	up.StartTLS()
	t.Cleanup(up.Close)
	tests := []struct {
		name   string
		config *tls.Config
		want   string
	}{
		{"both", &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{mine}}, "client"},
		{
			"no authority", &tls.Config{Certificates: []tls.Certificate{mine}},
			"its certificate is not trusted",
		},
		{"no certificate", &tls.Config{RootCAs: roots}, "TLS could not be agreed on"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			transport := proxy.NewTransport()
			transport.SecureWith(tt.config)
			defer transport.CloseIdleConnections()
			m := recorder(t, transport, &tape{}, func(o *proxy.RecordOptions) {
				o.Upstreams = upstreams(t, up.URL)
			})
			for _, method := range []string{"GET", "POST"} {
				if _, body := send(t, m, request(t, method, "/x", "")); !strings.Contains(body, tt.want) {
					t.Errorf("%s: got %q, want %q", method, body, tt.want)
				}
			}
		})
	}
}
