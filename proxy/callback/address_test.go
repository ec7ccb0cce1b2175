package callback

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// addresses returns addresses below a public URL.
func addresses(t testing.TB, public string) *Addresses {
	t.Helper()
	a, err := NewAddresses(public, []byte(strings.Repeat("k", keySize)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// split returns path and query of an address of the deck.
func split(t testing.TB, address string) (path, query string) {
	t.Helper()
	s, ok := parseShop(address)
	if !ok {
		t.Fatalf("%q is no address", address)
	}
	return s.path, s.query
}

func TestRelayAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, public, shop, extra, wantExtra string }{
		{"a path", "http://127.0.0.1:9", "http://127.0.0.1:3000/paid", "", ""},
		{"no path", "http://127.0.0.1:9", "http://127.0.0.1:3000", "", ""},
		{"no path, and more behind it", "http://127.0.0.1:9", "http://127.0.0.1:3000", "/x", "/x"},
		{"a path below", "http://127.0.0.1:9", "http://127.0.0.1:3000/paid", "/ok/1", "/ok/1"},
		{"a slash at the end", "http://127.0.0.1:9", "https://shop.example/paid/", "", ""},
		{"a slash at the end, and more", "http://127.0.0.1:9", "https://shop.example/p/", "ok", "ok"},
		{"a query of its own", "https://deck.example", "https://shop.example/p?tenant=7&x=%20", "", ""},
		{"an empty query", "https://deck.example", "https://shop.example/p?", "", ""},
		{"escapes", "https://deck.example", "https://shop.example/%7Ea%2Fb/c", "", ""},
		{"IPv6", "http://[::1]:9", "http://[::1]:3000/paid", "", ""},
		{"a public URL with a path", "https://deck.example/cb/", "http://127.0.0.1:3000/p", "/y", "/y"},
		{"a user", "https://deck.example", "https://me:pw@shop.example/p", "", ""},
	} {
		a := addresses(t, test.public)
		address, ok := a.Relay("gateway", test.shop)
		if !ok || !strings.Contains(address, "/pt1.") {
			t.Errorf("%s: no address", test.name)
			continue
		}
		path, query := split(t, address)
		if _, own := split(t, test.shop); query != own {
			t.Errorf("%s: the query is %q, want the shop's own %q", test.name, query, own)
		}
		got, err := a.target(path + test.extra)
		if err != nil || got.shop != test.shop || got.profile != "gateway" ||
			got.extra != test.wantExtra || !got.relayed {
			t.Errorf("%s: the address leads to %q, extra %q (%v)", test.name, got.shop, got.extra, err)
		}
		n, shop, ok := a.Shop(address)
		if !ok || shop+address[n:] != test.shop {
			t.Errorf("%s: turned back it is %q", test.name, shop+address[n:])
		}
	}
}

// TestRelayAddressThroughTunnel: some tunnels take off the path of the public URL.
func TestRelayAddressThroughTunnel(t *testing.T) {
	t.Parallel()
	a := addresses(t, "https://deck.example/cb")
	address, _ := a.Relay("", "http://127.0.0.1:3000/paid")
	path, _ := split(t, address)
	got, err := a.target(strings.TrimPrefix(path, "/cb"))
	if err != nil || got.shop != "http://127.0.0.1:3000/paid" {
		t.Errorf("leads to %q (%v)", got.shop, err)
	}
}

// TestRefusedToken: only what this install has made leads anywhere.
func TestRefusedToken(t *testing.T) {
	t.Parallel()
	a := addresses(t, "http://127.0.0.1:9")
	address, _ := a.Relay("gateway", "http://127.0.0.1:3000/paid")
	path, _ := split(t, address)
	other, err := NewAddresses("http://127.0.0.1:9", NewKey())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.target(path); err == nil {
		t.Error("another install takes the token")
	}
	for i := len("/pt1."); i < len(path); i++ {
		changed := []byte(path)
		changed[i] ^= 1
		if got, err := a.target(string(changed)); err == nil && got.relayed {
			t.Fatalf("the token is taken with another byte at %d", i)
		}
	}
	for _, path := range []string{"/pt1.", "/pt1.AAAA", path + "A", path[:len(path)-2]} {
		if _, err := a.target(path); err == nil {
			t.Errorf("the path of %d bytes is taken", len(path))
		}
	}
	for path, want := range map[string]string{"": "", "/": "", "/paid": "/paid", "/a/b": "/a/b"} {
		if got, err := a.target(path); err != nil || got.relayed || got.extra != want {
			t.Errorf("static %q leads to %q (%v)", path, got.extra, err)
		}
	}
}

func TestNoRelayAddress(t *testing.T) {
	t.Parallel()
	a := addresses(t, "http://127.0.0.1:9/cb")
	own, _ := a.Relay("gateway", "http://127.0.0.1:3000/paid")
	for _, shop := range []string{
		"", "paid", "/paid", "ftp://shop.example/", "http://", "http:shop", "mailto:me@shop.example",
		"http://127.0.0.1:9/cb", own, "http://shop.example/%zz",
	} {
		if address, ok := a.Relay("gateway", shop); ok {
			t.Errorf("%q gets %q", shop, address)
		}
	}
	for _, public := range []string{
		"", "deck.example", "ftp://deck.example", "http://deck.example?x", "http://deck.example#x",
		"http://u@deck.example", "http://",
	} {
		if _, err := NewAddresses(public, NewKey()); err == nil {
			t.Errorf("%q is taken for a public URL", public)
		}
	}
}

func TestInstallKey(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "paytape")
	var keys [8]string
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			key, err := InstallKey(dir)
			if err != nil {
				t.Error(err)
			}
			keys[i] = string(key)
		})
	}
	all.Wait()
	for _, key := range keys {
		if key != keys[0] || len(key) != keySize {
			t.Error("processes that begin together have different keys")
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	file := filepath.Join(dir, keyFile)
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := InstallKey(dir); err == nil || !strings.Contains(err.Error(), "others may read") {
		t.Errorf("a key that others can read: %v", err)
	}
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := InstallKey(dir); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("a file without a key: %v", err)
	}
}

// FuzzTarget: nothing but an address that was made leads to a shop, and what leads there is what
// was put in.
func FuzzTarget(f *testing.F) {
	a := addresses(f, "https://deck.example/cb")
	for _, shop := range []string{"http://127.0.0.1:3000/paid", "https://s.example/a/?b=c", "x"} {
		address, _ := a.Relay("gateway", shop)
		f.Add(strings.TrimPrefix(address, "https://deck.example"), shop)
	}
	f.Add("/pt1.", "http://a/b?c#d")
	f.Add("/cb/pt1.AAAA/x", "http://u:p@h:1")
	address, _ := a.Relay("gateway", "http://a/b")
	_, path, _ := strings.Cut(address, "deck.example")
	f.Add(path[:len(path)-4]+"\r\n"+path[len(path)-4:], "http://a/b")
	f.Fuzz(func(t *testing.T, path, shop string) {
		if got, err := a.target(path); err == nil && got.relayed {
			if again, ok := a.Relay(got.profile, got.shop); !ok || !strings.Contains(path, tokenOf(again)) {
				t.Errorf("%q leads to a shop by a token that was not made", path)
			}
		}
		address, ok := a.Relay("p", shop)
		if !ok {
			return
		}
		shop, _, _ = strings.Cut(shop, "#")
		n, back, ok := a.Shop(address)
		if !ok || back+address[n:] != shop {
			t.Errorf("%q comes back as %q", shop, back+address[n:])
		}
	})
}

// tokenOf returns the path segment with the token of an address.
func tokenOf(address string) string {
	_, rest, _ := strings.Cut(address, tokenMark)
	rest, _, _ = strings.Cut(rest, "?")
	token, _, _ := strings.Cut(rest, "/")
	return tokenMark + token
}
