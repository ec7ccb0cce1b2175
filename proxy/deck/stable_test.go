package deck_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/mock"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/internal/story/tour"
	"github.com/paytape/paytape/proxy/deck"
)

// telling is one path through an API, by a client with values of its own.
type telling struct {
	name string
	tell func(*story.Teller, context.Context) ([]story.Value, error)
}

var suite = []telling{
	{"checkout", (*story.Teller).Checkout}, {"card", (*story.Teller).CardLife},
	{"transfer", (*story.Teller).Transfer}, {"p2p", (*story.Teller).P2P},
	{"secure", tour.Secure}, {"page", tour.PaymentPage}, {"v2", tour.V2},
}

// recordStable records a suite on a stable tape and returns its text. Parallel clients have a path each.
func recordStable(t *testing.T, suite []telling, parallel bool) string {
	t.Helper()
	dir := t.TempDir()
	d, err := deck.Start(t.Context(), deck.Options{
		Mode: deck.Record, Dir: dir, Cassettes: []string{"suite"}, Sync: "none", Stable: true,
		Upstreams: []string{deck.Builtin},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, s := range suite {
		all.Add(1)
		tell := func() {
			defer all.Done()
			client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
			defer client.CloseIdleConnections()
			teller := &story.Teller{
				Base: d.URL, HTTP: client, OrderNumber: "order-" + s.name, ClientID: "client-" + s.name,
				Customer: "3100" + string(rune('0'+len(s.name))) + "7", Payee: "Payee " + s.name,
				Surname: "Surname" + s.name, Merchant: "SHOP-" + s.name, Today: time.Now(),
				Card: "555555" + "5555555599",
			}
			if _, err := s.tell(teller, t.Context()); err != nil {
				t.Error(err)
			}
		}
		if parallel {
			go tell()
		} else {
			tell()
		}
	}
	all.Wait()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if kept := d.Summary().Recorded.Kept; kept != "" && !parallel {
		t.Errorf("not all is stable: %s", kept)
	}
	text, err := os.ReadFile(filepath.Join(dir, "suite.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// changed counts the lines of a text that another does not have.
func changed(a, b string) (n, of int) {
	left := map[string]int{}
	for line := range strings.SplitSeq(b, "\n") {
		left[line]++
	}
	for line := range strings.SplitSeq(a, "\n") {
		of++
		if left[line]--; left[line] < 0 {
			n++
		}
	}
	return n, of
}

// TestRecordedAgain records one suite twice. What a plain recording changes in one line of six is the same
// on a stable tape.
func TestRecordedAgain(t *testing.T) {
	t.Parallel()
	n, of := changed(recordStable(t, suite, false), recordStable(t, suite, false))
	if 50*n > of {
		t.Errorf("%d of %d lines changed, want 2%% at most", n, of)
	}
}

// ids are what may be another in a suite in another order: ids, dates, the numbers of exchanges and
// surrogates, and the lengths that come of these.
var ids = regexp.MustCompile(`"Content-Length.*|[A-Za-z0-9+/_%=-]{40,}|[A-Za-z_-]*[0-9][A-Za-z0-9_-]*` +
	`|(?i)taper[a-z]*`)

// blocks returns the exchanges of a tape without ids, sorted.
func blocks(text string) []string {
	list := strings.Split(ids.ReplaceAllString(text, "N"), "- request:")[1:]
	list[len(list)-1], _, _ = strings.Cut(list[len(list)-1], "\n# ")
	slices.Sort(list)
	return list
}

// TestRecordedInAnotherOrder records a suite forwards, backwards, and by parallel clients: exchanges are
// elsewhere, and the same but for ids and dates.
func TestRecordedInAnotherOrder(t *testing.T) {
	t.Parallel()
	plain := blocks(recordStable(t, suite[:6], false))
	backwards := slices.Clone(suite[:6])
	slices.Reverse(backwards)
	for name, text := range map[string]string{
		"backwards": recordStable(t, backwards, false), "in parallel": recordStable(t, suite[:6], true),
	} {
		other := blocks(text)
		if len(other) != len(plain) {
			t.Fatalf("%s: %d exchanges, want %d", name, len(other), len(plain))
		}
		for i := range other {
			if strings.TrimSpace(other[i]) != strings.TrimSpace(plain[i]) {
				t.Errorf("%s: an exchange is another:\n%s\nand not:\n%s", name, other[i], plain[i])
				break
			}
		}
	}
}

// TestUnknownRecordedAgain records suites of APIs that no profile knows twice, at servers that make other
// ids.
func TestUnknownRecordedAgain(t *testing.T) {
	t.Parallel()
	for _, api := range mock.APIs {
		t.Run(api.Name, func(t *testing.T) {
			t.Parallel()
			var tapes [2]string
			for i := range tapes {
				tapes[i] = recordMock(t, api, uint64(i+1))
			}
			if n, of := changed(tapes[0], tapes[1]); 50*n > of {
				t.Errorf("%d of %d lines changed, want 2%% at most", n, of)
			}
		})
	}
}

// recordMock records the suite of an API on a stable tape and returns its text.
func recordMock(t *testing.T, api mock.API, seed uint64) string {
	t.Helper()
	shop := mock.NewShop()
	defer shop.Close()
	server := api.New(mock.Options{Seed: seed, Webhook: func() string { return shop.URL }})
	defer server.Close()
	srv := httptest.NewServer(server)
	defer srv.Close()
	dir := t.TempDir()
	d, err := deck.Start(t.Context(), deck.Options{
		Mode: deck.Record, Dir: dir, Cassettes: []string{"suite"}, Sync: "none", Stable: true,
		Upstreams: []string{srv.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	c := &mock.Client{API: api, Base: d.URL, HTTP: client, Run: "run", Shop: shop}
	c.Play(api.Checkouts...)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if kept := d.Summary().Recorded.Kept; kept != "" {
		t.Errorf("not all is stable: %s", kept)
	}
	text, err := os.ReadFile(filepath.Join(dir, "suite.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// stableKey is that of a shop and of its sandbox.
const stableKey = "stable-" + "tape-key-0001"

// checkoutWithShop tells a checkout whose shop waits to be told, at a deck.
func checkoutWithShop(t *testing.T, d *deck.Deck, number string) {
	t.Helper()
	shop := &story.Shop{Key: stableKey}
	served := httptest.NewServer(shop)
	defer served.Close()
	shop.URL = served.URL + "/paid"
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	teller := &story.Teller{
		Base: d.URL, HTTP: client, OrderNumber: number, ClientID: "client-" + number,
		Card: "555555" + "5555555599", Today: time.Now(), Callbacks: shop,
	}
	if _, err := teller.Checkout(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestCallbacksRecordedAgain has a shop that is called back, at another port each time. The stable tape
// calls a shop back as the recording does.
func TestCallbacksRecordedAgain(t *testing.T) {
	t.Parallel()
	keys := []deck.CallbackKey{{Text: stableKey}}
	var tapes []string
	var dir string
	for range 2 {
		dir = t.TempDir()
		d, err := deck.Start(t.Context(), deck.Options{
			Mode: deck.Record, Dir: dir, Cassettes: []string{"suite"}, Sync: "none", Stable: true,
			Upstreams: []string{deck.Builtin},
			Callbacks: deck.Callbacks{Mode: deck.CallbacksRelay, Keys: keys},
		})
		if err != nil {
			t.Fatal(err)
		}
		checkoutWithShop(t, d, "C-1")
		checkoutWithShop(t, d, "C-2")
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if kept := d.Summary().Recorded.Kept; kept != "" {
			t.Errorf("not all is stable: %s", kept)
		}
		text, err := os.ReadFile(filepath.Join(dir, "suite.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "callback:") {
			t.Fatal("no callback was recorded")
		}
		tapes = append(tapes, string(text))
	}
	if n, of := changed(tapes[0], tapes[1]); 50*n > of {
		t.Errorf("%d of %d lines changed, want 2%% at most", n, of)
	}
	d := start(t, deck.Options{
		Mode: deck.Replay, Dir: dir, Cassettes: []string{"suite"}, Callbacks: deck.Callbacks{Keys: keys},
	})
	checkoutWithShop(t, d, "D-7")
	if s := d.Summary(); s.Misses > 0 || s.Callbacks.Undelivered > 0 {
		t.Errorf("the stable tape was played with %d misses", s.Misses)
	}
}
