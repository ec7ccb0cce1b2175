package proxy

import (
	"net/http"
	"testing"
)

// A coding that the client rules out is never taken, whatever else its header says.
func FuzzAccepts(f *testing.F) {
	for _, seed := range []string{"gzip", "*;q=0.1, br", "x-gzip;q=x", ";;,,q=", "gzip;q=0"} {
		f.Add(seed, "gzip")
		f.Add(seed, "br, gzip")
	}
	f.Fuzz(func(t *testing.T, accept, codings string) {
		h := http.Header{"Accept-Encoding": {accept, "gzip;q=0, br;q=0, *;q=0"}}
		taken := accepts(h, "gzip") || accepts(h, "br, gzip")
		if taken {
			t.Errorf("%q takes what it rules out", accept)
		}
		accepts(h, codings)
		if !accepts(h, "identity") || !accepts(h, "") {
			t.Error("a body without coding is refused")
		}
	})
}

// What is taken for an origin is the beginning of the address, and reads the same again.
func FuzzOriginOf(f *testing.F) {
	for _, seed := range []string{
		"https://a.test/x?y#z", "HTTP://A.test:80", "//a.test", "http://", "x://y", "http://[::1]:80/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		origin, end := originOf(address)
		if origin == "" {
			return
		}
		if end > len(address) {
			t.Fatalf("%q ends at %d", address, end)
		}
		if again, _ := originOf(origin); again != origin {
			t.Errorf("%q is read as %q and then as %q", address, origin, again)
		}
	})
}
