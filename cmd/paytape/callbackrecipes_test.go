package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy/deck"
)

// Each recipe for callbacks on the page about rules is a rules file, and does what its heading says
// to a shop that pays and refunds, and is called by a deck that replays.
func TestCallbackRecipes(t *testing.T) {
	t.Parallel()
	page := readText(t, filepath.Join("help", "rules.md"))
	_, page, _ = strings.Cut(page, "\n## Callbacks\n")
	page, _, _ = strings.Cut(page, "\n## Twelve recipes\n")
	found := recipes.FindAllStringSubmatch(page, -1)
	if len(found) != len(calledBack) || strings.Count(page, "\n### ") != len(calledBack) {
		t.Fatalf("%d recipes", len(found))
	}
	dir := recordCallbacks(t)
	for _, recipe := range found {
		name, text := recipe[1], recipe[3]
		want, known := calledBack[name]
		if !known {
			t.Errorf("nobody plays %q", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shop := openTold(t)
			c := openCallingCounter(t, dir, text, shop)
			order := c.callable("A-1", shop.URL)
			c.pay(order, richCard)
			if n := len(shop.told); n < want.first {
				t.Errorf("the shop was told %d times when it had the answer, want %d", n, want.first)
			}
			var got []string
			for range want.paid {
				got = append(got, shop.next(t))
			}
			c.must("refund.do", "orderId", order, "amount", "12500")
			for range len(want.told) - want.paid {
				got = append(got, shop.next(t))
			}
			if diff := cmp.Diff(want.told, got); diff != "" {
				t.Errorf("the shop is told (-want +got):\n%s", diff)
			}
		})
	}
}

// toldRecipe is what a shop is told under a recipe, how much of that before the refund, and how
// much before the answer to the payment.
type toldRecipe struct {
	told        []string
	paid, first int
}

const paidTold, refundTold = "deposited 1 good", "refunded 1 good"

// calledBack are the recipes, by their headings.
var calledBack = map[string]toldRecipe{
	"The shop hears before it has the answer": {[]string{paidTold, refundTold}, 1, 1},
	"Two callbacks at once":                   {[]string{paidTold, paidTold, refundTold}, 2, 0},
	"The same callback once more":             {[]string{paidTold, paidTold, refundTold}, 2, 0},
	"Paid, told after the refund":             {[]string{refundTold, paidTold}, 0, 0},
	"The first attempt is lost":               {[]string{paidTold, refundTold}, 1, 0},
	"A wrong checksum":                        {[]string{"deposited 1 bad", refundTold}, 1, 0},
	"Another status":                          {[]string{"deposited 0 good", refundTold}, 1, 0},
}

// told is a shop that is called back. It tells what it is told, in words: the operation, the
// status, and whether the checksum is good.
type toldShop struct {
	*httptest.Server
	told chan string
}

const recipeKey = "secret-of-the-shop"

func openTold(t *testing.T) *toldShop {
	t.Helper()
	s := &toldShop{told: make(chan string, 100)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		text := q.Get("operation") + " " + q.Get("status") + " bad"
		if q.Get("checksum") == checksumOf(q) {
			text = strings.TrimSuffix(text, "bad") + "good"
		}
		s.told <- text
	}))
	t.Cleanup(s.Close)
	return s
}

// checksumOf makes the checksum of a callback, as a shop does (domain facts, Callbacks).
func checksumOf(q url.Values) string {
	var over strings.Builder
	names := make([]string, 0, len(q))
	for name := range q {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name != "checksum" && name != "sign_alias" {
			over.WriteString(name + ";" + q.Get(name) + ";")
		}
	}
	sum := hmac.New(sha256.New, []byte(recipeKey))
	sum.Write([]byte(over.String()))
	return strings.ToUpper(hex.EncodeToString(sum.Sum(nil)))
}

// next returns what the shop is told next.
func (s *toldShop) next(t *testing.T) string {
	t.Helper()
	select {
	case text := <-s.told:
		return text
	case <-time.After(20 * time.Second):
		t.Fatal("the shop is not called")
		return ""
	}
}

// recordCallbacks records a payment and a refund of a shop that is called back, and returns the
// folder of the cassette.
func recordCallbacks(t *testing.T) string {
	t.Helper()
	shop, dir := openTold(t), t.TempDir()
	d, err := deck.Start(t.Context(), deck.Options{
		Mode: deck.Record, Cassettes: []string{"shop"}, Dir: dir, Sync: "none",
		Upstreams: []string{deck.Builtin},
		Callbacks: deck.Callbacks{Mode: deck.CallbacksRelay, Keys: []deck.CallbackKey{{Text: recipeKey}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{TB: t, base: d.URL}
	order := c.callable("R-1", shop.URL)
	c.pay(order, richCard)
	shop.next(t)
	c.must("refund.do", "orderId", order, "amount", "12500")
	shop.next(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// callable registers an order of a shop that wants to be called back, and returns its id.
func (c *counter) callable(number, shop string) string {
	c.Helper()
	a := c.must("register.do", "orderNumber", number, "amount", "12500",
		"returnUrl", "https://shop.example/", "dynamicCallbackUrl", shop+"/told?shop=1")
	if a.field("orderId") == "" {
		c.Fatalf("register.do: status %d without an orderId: %s", a.code, a.body)
	}
	return a.field("orderId")
}

// openCallingCounter starts a deck that replays and calls the shop back, with a rules file. At the
// end each rule has fired, and nothing is undelivered or otherwise than on tape.
func openCallingCounter(t *testing.T, dir, text string, shop *toldShop) *counter {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recipe.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := deck.Start(t.Context(), deck.Options{
		Cassettes: []string{"shop"}, Dir: dir, RuleFiles: []string{file}, Play: deck.Play{Seed: 1},
		Callbacks: deck.Callbacks{
			Keys: []deck.CallbackKey{{Text: recipeKey}}, Retry: time.Millisecond, Wait: 10 * time.Second,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		for _, r := range d.Rules() {
			if r.Fired == 0 || len(r.Missed) > 0 {
				t.Errorf("rule %s fired %d times and missed %v", r.Name, r.Fired, r.Missed)
			}
		}
		if s := d.Summary().Callbacks; s.Undelivered+s.Differing > 0 || len(shop.told) > 0 {
			t.Errorf("%d calls more; the summary is %+v", len(shop.told), s)
		}
	})
	return &counter{TB: t, base: d.URL}
}
