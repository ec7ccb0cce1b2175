package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/proxy/deck"
)

// cashier calls the gateway.
type cashier struct {
	testing.TB
	base   string
	client *http.Client
}

func newCashier(t testing.TB, base string) *cashier {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &cashier{t, base, &http.Client{Transport: transport}}
}

// call calls an operation and returns the status and the body of its answer.
func (c *cashier) call(operation string, pairs ...string) (int, string) {
	form := url.Values{"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	res, err := c.client.PostForm(c.base+"/payment/rest/"+operation, form)
	if err != nil {
		c.Error(err)
		return 0, ""
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.Error(err)
	}
	return res.StatusCode, string(body)
}

// register opens an order and returns its id.
func (c *cashier) register(number string) string {
	_, body := c.call("register.do", "orderNumber", number, "amount", "12500", "currency", "978",
		"returnUrl", "https://shop.example/")
	var answer struct{ OrderID string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.OrderID == "" {
		c.Errorf("registering %s: %s", number, body)
	}
	return answer.OrderID
}

func (c *cashier) status(order string) (int, string) {
	return c.call("getOrderStatusExtended.do", "orderId", order)
}

func (c *cashier) pay(order, card string) (int, string) {
	return c.call("paymentorder.do", "MDORDER", order, "$PAN", card, "$CVC", "123",
		"$EXPIRY", "203012", "TEXT", "X")
}

const (
	wealthyCard = "400000" + "1111111118"
	brokeCard   = "400000" + "0000009995"
)

// outcomes are the fields that tell what became of a payment.
var outcomes = regexp.MustCompile(`"(errorCode|orderStatus|actionCode|paymentState|` +
	`refundedAmount|depositedAmount)":"?([^",}]*)`)

// story pays an order and asks what became of it, in all ways.
func (c *cashier) story(number, card string) []string {
	order := c.register(number)
	var got []string
	tell := func(_ int, body string) {
		var fields []string
		for _, f := range outcomes.FindAllStringSubmatch(body, -1) {
			fields = append(fields, f[1]+"="+f[2])
		}
		got = append(got, strings.Join(fields, " "))
	}
	tell(c.status(order))
	tell(c.pay(order, card))
	tell(c.status(order))
	tell(c.status(order))
	tell(c.call("refund.do", "orderId", order, "amount", "5000"))
	tell(c.status(order))
	return got
}

// ruledDeck starts a deck with rules.
func ruledDeck(t *testing.T, o deck.Options, rules ...string) *deck.Deck {
	t.Helper()
	d := started(t, o)
	for _, r := range rules {
		if _, _, err := d.AddRules(r); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// A payment that a rule declines goes on as one that the sandbox has declined: in a replay whose
// tape has such a branch all agrees with a fresh sandbox and a poor card, and in one without it the
// order is declined in all that asks for it.
func TestADeclinedPaymentIsAsAtTheSandbox(t *testing.T) {
	t.Parallel()
	live := httptest.NewServer(sandbox.New(sandbox.Options{}))
	t.Cleanup(live.Close)
	want := newCashier(t, live.URL).story("L-1", brokeCard)
	const rule = "{name: poor, op: paymentorder.do, where: {$PAN: '400000*1118'}, then: {decline: 116}}"
	for _, test := range []struct {
		name string
		both bool // branches are on tape
		same []int
	}{{"a branch", true, []int{0, 1, 2, 3, 4, 5}}, {"no branch", false, []int{0, 1}}} {
		dir := t.TempDir()
		rec := started(t, deck.Options{
			Mode: deck.Record, Cassettes: []string{"tape"}, Dir: dir, Sync: "none",
			Upstreams: []string{deck.Builtin},
		})
		newCashier(t, rec.URL).story("R-1", wealthyCard)
		if test.both {
			newCashier(t, rec.URL).story("R-2", brokeCard)
		}
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		d := ruledDeck(t, deck.Options{Cassettes: []string{"tape"}, Dir: dir}, rule)
		got := newCashier(t, d.URL).story("B-1", wealthyCard)
		for _, i := range test.same {
			if diff := cmp.Diff(want[i], got[i]); diff != "" {
				t.Errorf("%s, step %d (-sandbox +replay):\n%s", test.name, i+1, diff)
			}
		}
		for _, i := range []int{2, 3} {
			if !strings.Contains(got[i], "orderStatus=6 actionCode=116") {
				t.Errorf("%s, step %d: %s", test.name, i+1, got[i])
			}
		}
	}
}

// Sixty-four clients at once: each order has two failures of its own, whatever the mode.
func TestParallelClientsHaveTheirOwnFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rec := started(t, deck.Options{
		Mode: deck.Record, Cassettes: []string{"tape"}, Dir: dir, Sync: "none",
		Upstreams: []string{deck.Builtin},
	})
	newCashier(t, rec.URL).status(newCashier(t, rec.URL).register("R-1"))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]deck.Options{
		"replay": {Cassettes: []string{"tape"}, Dir: dir},
		"pass":   {Mode: deck.Pass, Upstreams: []string{deck.Builtin}},
		"record": {Mode: deck.Record, Cassettes: []string{"new"}, Dir: dir, Sync: "none",
			Upstreams: []string{deck.Builtin}},
	} {
		d := ruledDeck(t, o,
			"{name: flaky, op: getOrderStatusExtended.do, when: first 2, then: {answer: {status: 503}}}",
			"{name: by-number, op: getOrderStatusExtended.do, when: nth 3, then: {status: 202}}")
		c := newCashier(t, d.URL)
		var all sync.WaitGroup
		for n := range 64 {
			all.Go(func() {
				number := fmt.Sprintf("C-%d", n)
				order := c.register(number)
				var codes []int
				for i := range 5 { // by either name
					code := 0
					if i%2 == 0 {
						code, _ = c.status(order)
					} else {
						code, _ = c.call("getOrderStatusExtended.do", "orderNumber", number)
					}
					codes = append(codes, code)
				}
				if name == "replay" {
					codes[3] = 200 // a poll by number is not on tape
				}
				if diff := cmp.Diff([]int{503, 503, 202, 200, 200}, codes); diff != "" {
					t.Errorf("%s, client %d (-want +got):\n%s", name, n, diff)
				}
			})
		}
		all.Wait()
		for _, r := range d.Rules() {
			if want := map[string]int64{"flaky": 128, "by-number": 64}[r.Name]; int64(r.Fired) != want {
				t.Errorf("%s: %s fired %d times, want %d", name, r.Name, r.Fired, want)
			}
		}
	}
}
