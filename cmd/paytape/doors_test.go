package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
)

// hardCoded is the address that clients of these tests know, and cannot be told another.
const hardCoded = "https://pay.example"

// through returns a client that reaches its hosts through a proxy and trusts an authority.
func through(t *testing.T, deck string, a *proxy.Authority) *http.Client {
	t.Helper()
	at, err := url.Parse(deck)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.PEM())
	transport := &http.Transport{
		Proxy: http.ProxyURL(at), TLSClientConfig: &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// tellThrough tells the three stories to a hard-coded host.
func tellThrough(t *testing.T, deck, run string, a *proxy.Authority) {
	t.Helper()
	s := teller(hardCoded, run)
	s.HTTP = through(t, deck, a)
	for _, tell := range stories(s) {
		if _, err := tell(t.Context()); err != nil {
			t.Errorf("client %s: %v", run, err)
		}
	}
}

// A client with a hard-coded host is recorded through the forward door and replayed there.
func TestStoriesThroughTheForwardDoor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	authority, err := proxy.CreateAuthority(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hosts := []string{"pay.example=sandbox"}
	d := recordingFrom(t, deck.Options{
		Dir: dir, Upstreams: []string{deck.Builtin}, Hosts: hosts, Authority: authority,
	})
	tellThrough(t, d.URL, "A", authority)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	checkNoSecrets(t, dir)

	played, err := deck.Start(t.Context(), deck.Options{
		Dir: dir, Cassettes: []string{"tape"}, Authority: authority, Tell: warned(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	tellThrough(t, played.URL, "B", authority)
	if err := played.Close(); err != nil {
		t.Error(err)
	}
	recorded := d.Summary().Recorded.Exchanges
	if s := played.Summary(); s.Misses != 0 || int(s.Hits) != recorded {
		t.Errorf("counted %+v for %d exchanges", s.Stats, recorded)
	}
}

func TestAddressesOfTapes(t *testing.T) {
	t.Parallel()
	empty := match.Compile(match.Options{}, match.Cassette{}, match.Cassette{Name: "b"})
	if got := empty.Addresses(); len(got) != 0 {
		t.Errorf("empty tapes have addresses %v", got)
	}
	u := proxy.Addresses([]string{
		"https://a.test/base", "", "/path", "https://user:pass@b.test", "name=https://c.test",
	})
	if all := u.All(); len(all) != 1 || all[0].Origin+all[0].Base != "https://a.test/base" {
		t.Errorf("%d addresses are taken", len(all))
	}
}

func TestOutcomeOfACommand(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]int{
		"exit 0": 0, "exit 1": 1, "exit 2": 2, "exit 42": 42, "kill -TERM $$": 143,
	} {
		err := exitOf(exec.Command("sh", "-c", script).Run())
		if got := (voice{w: &strings.Builder{}}).verdict(err); got != want {
			t.Errorf("%s: exit code %d, want %d", script, got, want)
		}
	}
}

func TestExists(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dir, name string
		want      bool
	}{
		{dir, "there", true}, {dir, "there.yaml", true}, {dir, "other", false},
		{filepath.Join(dir, "new"), "there", false},
	} {
		if got, err := exists(test.dir, test.name); got != test.want || err != nil {
			t.Errorf("%s in %s: %t, %v", test.name, test.dir, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("asking has made a folder")
	}
}

func TestTheNullDeviceIsNoTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if terminal(null) || terminal(strings.NewReader("")) || terminal(nil) {
		t.Error("nobody types there")
	}
}
