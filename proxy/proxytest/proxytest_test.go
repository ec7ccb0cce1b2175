package proxytest_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/proxytest"
)

// The cassette of this package is recorded by this test:
//
//	PAYTAPE=record go test -count=1 -run '^TestCheckout$' ./proxy/proxytest
func TestCheckout(t *testing.T) {
	t.Parallel()
	checkout(t, proxytest.Replay(t, "checkout", proxytest.Upstream(deck.Builtin)), "A-1")
}

// BenchmarkReplay starts a deck and closes it, as a test does that is not the first.
func BenchmarkReplay(b *testing.B) {
	proxytest.Replay(b, "checkout")
	b.ReportAllocs()
	for b.Loop() {
		if try(b, func(t testing.TB) { proxytest.Replay(t, "checkout") }).Failed() {
			b.Fatal("it does not serve")
		}
	}
}

func TestAMissFailsTheTest(t *testing.T) {
	t.Parallel()
	got := try(t, func(t testing.TB) {
		register(t, proxytest.Replay(t, "checkout"), "C-1", "77700")
	})
	got.failed(t, "paytape: register.do: a miss (field): ", "amount", "nearest on tape: checkout#1",
		"hint: ")
	if strings.Contains(got.errors[0], password) {
		t.Error("the error repeats the password")
	}
	got = try(t, func(t testing.TB) {
		d := proxytest.Replay(t, "checkout", proxytest.AllowMisses())
		code, answer := call(t, d, "register.do", "orderNumber", "C-2", "amount", "77700",
			"returnUrl", "https://shop.example/")
		if s := d.Summary(); code != http.StatusNotImplemented || s.Misses != 1 {
			t.Errorf("status %d, %d misses, %v", code, s.Misses, answer["reason"])
		}
	})
	got.passed(t)
	if logs := strings.Join(got.logs, "\n"); !strings.Contains(logs, "a miss (field)") {
		t.Errorf("the miss is not logged:\n%s", logs)
	}
}

// A call that no profile knows is named by its request line, without what looks secret.
func TestAMissOfAnUnknownCall(t *testing.T) {
	t.Parallel()
	card := "400000" + "1111111118"
	got := try(t, func(t testing.TB) {
		d := proxytest.Replay(t, "checkout")
		res, err := d.Client().Get(d.URL + "/unknown/" + card)
		if err != nil {
			t.Fatalf("no answer")
		}
		_ = res.Body.Close() // the miss is what matters
	})
	got.failed(t, "GET /unknown/", "a miss (path)")
	if strings.Contains(got.errors[0], card) {
		t.Error("the error repeats a card number")
	}
}

// What one test does no other test sees, though both replay one tape.
func TestDecksAreApart(t *testing.T) {
	t.Parallel()
	one := proxytest.Replay(t, "checkout")
	other := proxytest.Replay(t, "checkout", proxytest.AllowMisses())
	if one.URL == other.URL {
		t.Error("two decks have one address")
	}
	id := register(t, one, "D-1", "12500")
	if code, _ := call(t, other, "getOrderStatusExtended.do", "orderId", id); code !=
		http.StatusNotImplemented {
		t.Errorf("the order of one deck is known to the other: status %d", code)
	}
	var clients sync.WaitGroup
	for _, number := range []string{"D-2", "D-3", "D-4"} {
		clients.Go(func() { checkout(t, one, number) })
	}
	clients.Wait()
	if s := one.Summary(); s.Misses != 0 || s.Hits != 10 {
		t.Errorf("counted %+v", s.Stats)
	}
}

func TestPlay(t *testing.T) {
	t.Parallel()
	seeded := proxytest.Play(deck.Play{Seed: 7})
	first := register(t, proxytest.Replay(t, "checkout", seeded), "E-1", "12500")
	again := register(t, proxytest.Replay(t, "checkout", seeded), "E-1", "12500")
	if first == "" || first != again {
		t.Errorf("with one seed the ids are %s and %s", first, again)
	}
	at := time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)
	d := proxytest.Replay(t, "checkout", proxytest.Play(deck.Play{
		Now: func() time.Time { return at },
	}))
	res, err := d.Client().Post(d.URL+"/payment/rest/register.do", "application/x-www-form-urlencoded",
		strings.NewReader("userName=sandbox-api&password="+password+
			"&orderNumber=E-2&amount=12500&returnUrl=https://shop.example/"))
	if err != nil {
		t.Fatal("no answer")
	}
	_ = res.Body.Close() // its date is in the header
	if got := res.Header.Get("Date"); got != "Sat, 17 May 2031 09:30:00 GMT" {
		t.Errorf("the answer is of %s", got)
	}
}

// Faults of the cassette and of options end the test, with what to do.
func TestWhatCannotBeReplayed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := "interactions: password=" + password
	if err := os.WriteFile(filepath.Join(dir, "broken.yaml"), []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, cassette, dir string
		wants               []string
	}{
		{"no cassette", "refund", proxytest.DefaultDir, []string{
			`paytape: no such cassette: "refund"`, "holds checkout",
			"PAYTAPE=record go test -count=1 -run '^TestTrial$'", "proxytest.Upstream"}},
		{"no folder", "refund", filepath.Join(dir, "none"),
			[]string{"there is no cassette folder", "PAYTAPE=record go test"}},
		{"a name that leads out", "../checkout", proxytest.DefaultDir, []string{"cassette name"}},
		{"no name", "", proxytest.DefaultDir, []string{"cassette name"}},
		{"a broken cassette", "broken", dir, []string{"broken"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := try(t, func(t testing.TB) {
				proxytest.Replay(t, test.cassette, proxytest.Dir(test.dir))
				t.Errorf("it goes on")
			})
			got.failed(t, test.wants...)
			if strings.Contains(got.errors[0], password) {
				t.Error("the error repeats a password")
			}
		})
	}
}

// A deck serves while functions of Cleanup run that were added after it, and not behind that.
func TestTheDeckIsClosedLast(t *testing.T) {
	t.Parallel()
	url := ""
	got := try(t, func(t testing.TB) {
		d := proxytest.Replay(t, "checkout")
		url = d.URL
		t.Cleanup(func() { register(t, d, "G-1", "12500") })
	})
	got.passed(t)
	if conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")); err == nil {
		_ = conn.Close()
		t.Error("the deck still listens")
	}
}

// TestNothingIsLeftRunning is not parallel: it counts goroutines.
func TestNothingIsLeftRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		try(t, func(t testing.TB) {
			d := proxytest.Replay(t, "checkout")
			checkout(t, d, "H-1")
			res, err := http.Get(d.URL) // by a client that is not the deck's
			if err != nil {
				t.Fatalf("no answer")
			}
			_ = res.Body.Close() // a miss, which is not looked at
		})
	}
	tick, end := time.NewTicker(5*time.Millisecond), time.NewTimer(5*time.Minute)
	defer tick.Stop()
	defer end.Stop()
	for runtime.NumGoroutine() > before { // connections end a moment after they are closed
		select {
		case <-tick.C:
		case <-end.C:
			stacks := make([]byte, 1<<20)
			t.Fatalf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
		}
	}
}
