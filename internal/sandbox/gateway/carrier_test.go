package gateway

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Addresses as they are dialled, after names were looked up.
func TestOnlyHere(t *testing.T) {
	t.Parallel()
	for address, here := range map[string]bool{
		"127.0.0.1:80":          true,
		"127.8.9.10:80":         true,
		"[::1]:80":              true,
		"[::ffff:127.0.0.1]:80": true,
		"0.0.0.0:80":            false,
		"[::]:80":               false,
		"10.0.0.1:80":           false,
		"169.254.169.254:80":    false,
		"[fe80::1%eth0]:80":     false,
		"192.0.2.1:80":          false,
		"[::ffff:10.0.0.1]:80":  false,
		"/run/shop.sock":        false,
	} {
		if got := onlyHere("tcp", address, nil) == nil; got != here {
			t.Errorf("%s may be called: %t, want %t", address, got, here)
		}
	}
}

func allowing(host string) Callbacks { return Callbacks{Allow: []string{host}} }

func TestReach(t *testing.T) {
	t.Parallel()
	const https, http = "https://shop.example/cb", "http://shop.example/cb"
	for name, row := range map[string]struct {
		callbacks Callbacks
		dialled   string
		want      bool
	}{
		"nothing is allowed":         {Callbacks{}, "shop.example:443", false},
		"a host with any port":       {allowing("shop.example"), "shop.example:8443", true},
		"a host and its port":        {allowing("shop.example:1"), "shop.example:1", true},
		"a host and another port":    {allowing("shop.example:1"), "shop.example:11", false},
		"in capitals":                {allowing("Shop.Example"), "shop.example:443", true},
		"a host that ends alike":     {allowing("example"), "shop.example:443", false},
		"the static address":         {Callbacks{Address: https}, "shop.example:443", true},
		"the static one, plain":      {Callbacks{Address: http}, "shop.example:80", true},
		"the static one with a port": {Callbacks{Address: "http://a:1/"}, "a:1", true},
		"its host alone":             {Callbacks{Address: https}, "shop.example:80", false},
		"an IPv6 address":            {Callbacks{Address: "http://[::2]/"}, "[::2]:80", true},
	} {
		if got := reachOf(row.callbacks).allows(row.dialled); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}

// The way to the shops follows no redirect and no proxy, and reaches 127.0.0.1 but not the
// unspecified address, under which the same server answers.
func TestCarrier(t *testing.T) {
	t.Parallel()
	if newCarrier(Callbacks{}).Proxy != nil {
		t.Error("callbacks may go through a proxy")
	}
	called := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called++
		http.Redirect(w, r, "/", http.StatusFound)
	}))
	defer server.Close()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	c := newCourier(Callbacks{}, newCarrier(Callbacks{}))
	defer c.close()
	var code notOK
	err = c.attempt(callback{address: "http://localhost:" + port + "/"})
	if !errors.As(err, &code) || code != 302 || called != 1 {
		t.Errorf("a redirect: %d calls, answer %d", called, int(code))
	}
	for _, host := range []string{"0.0.0.0", "192.0.2.1"} {
		err = c.attempt(callback{address: "http://" + net.JoinHostPort(host, port) + "/"})
		if !errors.Is(err, errForeign) || called != 1 {
			t.Errorf("%s is called", host)
		}
	}
	for _, address := range []string{"", "shop://back", "http://[", "http://"} {
		if c.attempt(callback{address: address}) == nil {
			t.Errorf("%q is called", address)
		}
	}
	open := Callbacks{Allow: []string{"0.0.0.0"}}
	c = newCourier(open, newCarrier(open))
	defer c.close()
	err = c.attempt(callback{address: "http://" + net.JoinHostPort("0.0.0.0", port) + "/"})
	if !errors.As(err, &code) || called != 2 {
		t.Errorf("what is allowed is not called: %v", errors.As(err, new(*url.Error)))
	}
}
