package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy/deck"
)

// recipes finds the recipes of the page about rules: a heading, and a block of YAML under it.
var recipes = regexp.MustCompile("(?s)\n### ([^\n]+)\n([^#]*?)```yaml\n(.*?)```")

// Each recipe of the page is a rules file, and does what its heading says to the shop of a deck that
// replays.
func TestRecipes(t *testing.T) {
	t.Parallel()
	page := readText(t, filepath.Join("help", "rules.md"))
	_, page, _ = strings.Cut(page, "\n## Twelve recipes\n")
	found := recipes.FindAllStringSubmatch(page, -1)
	if len(found) != 12 || strings.Count(page, "\n### ") != 12 {
		t.Fatalf("%d recipes", len(found))
	}
	dir := recordPayments(t)
	for _, recipe := range found {
		name, text := recipe[1], recipe[3]
		play := played[name]
		if play == nil {
			t.Errorf("nobody plays %q", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(openCounter(t, dir, text))
		})
	}
}

// played are the recipes, by their headings.
var played = map[string]func(*counter){
	"The answer is lost after the money moved": func(c *counter) {
		held := c.hold("A-1")
		c.lost("deposit.do", "orderId", held, "amount", "5000")
		c.wants(c.status(held), "orderStatus", "2") // it was done
	},
	"A poor card that stays poor in polls": func(c *counter) {
		poor, rich := c.register("A-1"), c.register("A-2")
		c.pay(poor, poorCard)
		c.pay(rich, richCard)
		for range 2 {
			c.wants(c.status(poor), "orderStatus", "6")
			c.wants(c.status(poor), "actionCode", "116")
			c.wants(c.status(rich), "orderStatus", "2")
		}
	},
	"The status is flaky, for each order": func(c *counter) {
		a, b := c.register("A-1"), c.register("A-2")
		for i, order := range []string{a, b, a, b, a, b} {
			want := 503
			if i >= 4 {
				want = 200
			}
			if res := c.status(order); res.code != want {
				c.Errorf("poll %d: status %d, want %d", i+1, res.code, want)
			}
		}
	},
	"Held, not paid": func(c *counter) {
		order := c.register("A-1")
		c.wants(c.status(order), "orderStatus", "0")
		c.pay(order, richCard)
		res := c.status(order)
		c.wants(res, "orderStatus", "1")
		c.wants(res, "paymentState", "APPROVED")
		c.wants(res, "depositedAmount", "0")
		c.wants(res, "approvedAmount", "12500")
	},
	"A slow issuer": func(c *counter) {
		order := c.register("A-1")
		begun := time.Now()
		res := c.pay(order, richCard)
		if took := time.Since(begun); took < 30*time.Millisecond { // one of a hundred takes 44 ms
			c.Errorf("the issuer took %v", took)
		}
		c.explained(res, "slow-issuer(1)")
	},
	"An outage for 20 s after register": func(c *counter) {
		order, other := c.register("A-1"), ""
		c.lost("getOrderStatusExtended.do", "orderId", order)
		c.wait(19 * time.Second)
		other = c.register("A-2")
		c.lost("getOrderStatusExtended.do", "orderId", order)
		c.wait(2 * time.Second)
		c.wants(c.status(order), "orderStatus", "0")
		c.lost("getOrderStatusExtended.do", "orderId", other)
	},
	"A wrong amount": func(c *counter) {
		c.wants(c.status(c.register("A-1")), "amount", "1")
		c.wants(c.status(c.register("B-1")), "amount", "12500")
	},
	"No rrn": func(c *counter) {
		order := c.register("A-1")
		c.pay(order, richCard)
		res := c.status(order)
		c.wants(res, "authRefNum", "")
		c.wants(res, "orderStatus", "2")
	},
	"A 3-D Secure challenge on demand": func(c *counter) {
		plain, challenged := c.register("A-1"), c.register("A-2")
		c.wants(c.pay(plain, richCard), "acsUrl", "")
		c.ask = "challenge"
		res := c.pay(challenged, richCard)
		if res.field("acsUrl") == "" {
			c.Errorf("there is no acsUrl: %s", res.body)
		}
		c.wants(c.status(plain), "orderStatus", "2")
	},
	"A rate limit with Retry-After": func(c *counter) {
		order := c.register("A-1")
		c.status(order)
		c.wants(c.status(order), "orderStatus", "0")
		res := c.status(order)
		if res.code != 429 || res.header.Get("Retry-After") != "1" {
			c.Errorf("status %d, Retry-After %q", res.code, res.header.Get("Retry-After"))
		}
	},
	"A maintenance page in HTML": func(c *counter) {
		order := c.register("A-1")
		c.ask = "maintenance"
		res := c.status(order)
		if res.code != 503 || !strings.HasPrefix(res.header.Get("Content-Type"), "text/html") ||
			!strings.Contains(res.body, "<p>We are back at 20") {
			c.Errorf("status %d: %s", res.code, res.body)
		}
		c.ask = ""
		c.wants(c.status(order), "orderStatus", "0")
	},
	"JSON that breaks off": func(c *counter) {
		order := c.register("A-1")
		res, err := c.call("getOrderStatusExtended.do", "orderId", order)
		if err == nil || len(res.body) != 40 || json.Valid([]byte(res.body)) {
			c.Errorf("error %v after %d bytes", err, len(res.body))
		}
		c.wants(c.status(order), "orderStatus", "0")
	},
}

const (
	richCard   = "400000" + "1111111118"
	poorCard   = "411111" + "1111111111"
	secureCard = "421234" + "5678901237" // 3-D Secure 1
)

// recordPayments records what the recipes are about: a payment, a payment in two steps, and a
// payment with a challenge. It returns the folder of the cassette.
func recordPayments(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	d, err := deck.Start(t.Context(), deck.Options{
		Mode: deck.Record, Cassettes: []string{"shop"}, Dir: dir, Sync: "none",
		Upstreams: []string{deck.Builtin},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{TB: t, base: d.URL}
	paid := c.register("R-1")
	c.status(paid)
	c.pay(paid, richCard)
	c.wants(c.status(paid), "orderStatus", "2")
	held := c.hold("R-2")
	c.must("deposit.do", "orderId", held, "amount", "5000")
	c.wants(c.status(held), "orderStatus", "2")
	secured := c.register("R-3")
	if c.pay(secured, secureCard).field("acsUrl") == "" {
		t.Fatal("the sandbox asks for no challenge")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// counter is where a shop pays: a deck, and a clock that the test turns.
type counter struct {
	testing.TB
	base string
	ask  string // the rule that requests ask for; "" for none

	mu  sync.Mutex // guards now
	now time.Time
}

// openCounter starts a deck that replays, with a rules file.
func openCounter(t *testing.T, dir, text string) *counter {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recipe.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &counter{TB: t, now: time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)}
	d, err := deck.Start(t.Context(), deck.Options{
		Cassettes: []string{"shop"}, Dir: dir, RuleFiles: []string{file},
		Play: deck.Play{Seed: 1, Now: c.clock},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.base = d.URL
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		for _, r := range d.Rules() {
			if r.Fired == 0 || len(r.Missed) > 0 {
				t.Errorf("rule %s fired %d times and missed %v", r.Name, r.Fired, r.Missed)
			}
		}
	})
	return c
}

func (c *counter) clock() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *counter) wait(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// answer is what the shop gets.
type shopAnswer struct {
	code   int
	header http.Header
	body   string
}

// field returns the first value of a name in the JSON of an answer, as it is written; "" for none.
func (a shopAnswer) field(name string) string {
	m := regexp.MustCompile(`"` + name + `":\s*"?([^",}\]]*)`).FindStringSubmatch(a.body)
	if m == nil {
		return ""
	}
	return m[1]
}

// call calls an operation of the gateway. What has come of an answer that breaks off is returned
// beside the error.
func (c *counter) call(operation string, pairs ...string) (shopAnswer, error) {
	form := url.Values{"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	req, err := http.NewRequest("POST", c.base+"/payment/rest/"+operation,
		strings.NewReader(form.Encode()))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c.ask != "" {
		req.Header.Set("Paytape-Rule", c.ask)
	}
	transport := plainTransport()
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(req)
	if err != nil {
		return shopAnswer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return shopAnswer{res.StatusCode, res.Header, string(body)}, err
}

// must is call for an answer that comes.
func (c *counter) must(operation string, pairs ...string) shopAnswer {
	c.Helper()
	a, err := c.call(operation, pairs...)
	if err != nil {
		c.Fatalf("%s: no answer", operation)
	}
	return a
}

// lost is call for an answer that does not come.
func (c *counter) lost(operation string, pairs ...string) {
	c.Helper()
	if a, err := c.call(operation, pairs...); err == nil {
		c.Errorf("%s: status %d", operation, a.code)
	}
}

// register registers an order and returns its id.
func (c *counter) register(number string) string {
	c.Helper()
	return c.order("register.do", number, "12500")
}

// hold registers an order in two steps, holds the money and returns the id.
func (c *counter) hold(number string) string {
	c.Helper()
	id := c.order("registerPreAuth.do", number, "5000")
	c.pay(id, richCard)
	c.wants(c.status(id), "orderStatus", "1")
	return id
}

func (c *counter) order(operation, number, amount string) string {
	c.Helper()
	a := c.must(operation, "orderNumber", number, "amount", amount, "returnUrl", "https://shop.example/")
	if a.field("orderId") == "" {
		c.Fatalf("%s: status %d without an orderId: %s", operation, a.code, a.body)
	}
	return a.field("orderId")
}

func (c *counter) pay(order, card string) shopAnswer {
	c.Helper()
	a := c.must("paymentorder.do", "MDORDER", order, "$PAN", card, "$CVC", "123", "$EXPIRY", "203112",
		"TEXT", "CARD HOLDER", "language", "en")
	if a.code != http.StatusOK || a.field("errorCode") != "0" {
		c.Errorf("paymentorder.do: status %d: %s", a.code, a.body)
	}
	return a
}

func (c *counter) status(order string) shopAnswer {
	c.Helper()
	return c.must("getOrderStatusExtended.do", "orderId", order)
}

// wants compares a field of an answer.
func (c *counter) wants(a shopAnswer, field, want string) {
	c.Helper()
	if got := a.field(field); got != want {
		c.Errorf("%s is %q, want %q: status %d, %s", field, got, want, a.code, a.header.Get("Paytape-Rules"))
	}
}

// explained wants an answer that says which rule fired.
func (c *counter) explained(a shopAnswer, want string) {
	c.Helper()
	if got := a.header.Get("Paytape-Rules"); got != want {
		c.Errorf("the answer explains itself by %q, want %q", got, want)
	}
}
