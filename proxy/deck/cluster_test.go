package deck_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy/deck"
)

// clusterKey is what the decks of these tests have in common.
var clusterKey = bytes.Repeat([]byte("k"), 32)

// clusterSeed makes decks comparable.
const clusterSeed = 11

// sharing returns the options of a deck that shares sessions.
func sharing(dir, servers string) deck.Options {
	o := alone(dir)
	o.Cluster = &deck.Cluster{Servers: "nats://" + servers, Key: clusterKey, Lease: time.Second}
	return o
}

// alone returns the options of a deck that shares nothing.
func alone(dir string) deck.Options {
	return deck.Options{
		Cassettes: []string{"tape"}, Dir: dir, Play: deck.Play{Seed: clusterSeed, RecordedClock: true},
	}
}

// clusterVariable has this test be a process with a deck: its value is what it is told, separated by
// line feeds.
const clusterVariable = "PAYTAPE_TEST_CLUSTER"

// TestClusterProcess is no test, but a process that another test kills.
func TestClusterProcess(t *testing.T) {
	told := strings.Split(os.Getenv(clusterVariable), "\n")
	if len(told) != 3 {
		t.Skip("it is a part of another test")
	}
	o := sharing(told[0], told[1])
	if told[1] == "" {
		o = alone(told[0])
	}
	o.Listen = told[2]
	for {
		d, err := deck.Start(t.Context(), o)
		if err != nil { // NATS may be away
			time.Sleep(100 * time.Millisecond)
			continue
		}
		defer d.Close()
		break
	}
	fmt.Println("serving")
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or the test ends
}

// recordedOrders records an order that is paid and refunded, and that the shop hears of.
func recordedOrders(t *testing.T, dir string) {
	t.Helper()
	d := start(t, recording(dir))
	c := &orders{send: func(_ string, req func(base string) *http.Request) (int, string) {
		res, err := http.DefaultClient.Do(req(d.URL))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(body)
	}}
	c.order("A-1", "http://127.0.0.1:9/paid")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	addCallbacks(t, dir, c.last, "http://127.0.0.1:9/paid", false, http.StatusOK)
}

// orders is a client that has orders paid and refunded. send sends a request, again if need be.
type orders struct {
	session string
	send    func(name string, req func(base string) *http.Request) (int, string)
	last    string // the id of the last order
	said    []string
}

// volatile is what differs between two runs: times, and the hour in front of an rrn.
var volatile = regexp.MustCompile(`\b1[0-9]{12}\b|"authRefNum":"[0-9]{7}`)

func (c *orders) post(operation string, pairs ...string) string {
	form := url.Values{"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	code, body := c.send(operation, func(base string) *http.Request {
		at := base
		if c.session != "" {
			at += "/~" + c.session
		}
		req, err := http.NewRequest("POST", at+"/payment/rest/"+operation, strings.NewReader(form.Encode()))
		if err != nil {
			panic(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return req
	})
	c.said = append(c.said, fmt.Sprintf("%s %s: %d %s", operation, form.Get("orderNumber"), code,
		volatile.ReplaceAllString(body, "*")))
	return body
}

// order has one order go all its way.
func (c *orders) order(number, shop string) {
	var registered struct{ OrderID string }
	body := c.post("register.do", "orderNumber", number, "amount", "12500", "returnUrl",
		"https://shop.example/", "dynamicCallbackUrl", shop)
	if json.Unmarshal([]byte(body), &registered) != nil || registered.OrderID == "" {
		return
	}
	c.last = registered.OrderID
	c.post("getOrderStatusExtended.do", "orderId", c.last)
	c.post("paymentorder.do", "MDORDER", c.last, "$PAN", "411111"+"1111111111", "$CVC", "123",
		"$EXPIRY", "203112", "TEXT", "CARD HOLDER", "language", "en")
	c.post("getOrderStatusExtended.do", "orderId", c.last)
	c.post("refund.do", "orderId", c.last, "amount", "12500")
	c.post("getOrderStatusExtended.do", "orderId", c.last)
}

// countingShop counts how often it hears of each order.
type countingShop struct {
	*httptest.Server
	mu    sync.Mutex // guards heard
	heard map[string]int
}

func newCountingShop(t *testing.T) *countingShop {
	t.Helper()
	s := &countingShop{heard: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.heard[req.URL.Query().Get("mdOrder")]++
	}))
	t.Cleanup(s.Close)
	return s
}

// trouble is what happens to decks while clients work.
type trouble struct {
	t        *testing.T
	nats     *natsServer
	dir      string
	networks []*network
	ports    []string

	mu    sync.Mutex // guards decks
	decks []*process
}

func newTrouble(t *testing.T, n int) *trouble {
	t.Helper()
	x := &trouble{t: t, nats: newNATS(t), dir: t.TempDir(), decks: make([]*process, n)}
	recordedOrders(t, x.dir)
	for i := range n {
		x.networks = append(x.networks, newNetwork(t, x.nats.address()))
		x.ports = append(x.ports, fmt.Sprintf("127.0.0.1:%d", freePort(t)))
		x.start(i)
	}
	t.Cleanup(func() {
		for _, p := range x.decks {
			p.kill()
		}
	})
	return x
}

func (x *trouble) start(i int) {
	p := startProcess(x.t, "TestClusterProcess", clusterVariable,
		x.dir+"\n"+x.networks[i].address()+"\n"+x.ports[i])
	x.mu.Lock()
	x.decks[i] = p
	x.mu.Unlock()
}

// client returns a client of the session whose requests go to any deck, again and again until one
// answers, as those of a client behind a load balancer do.
func (x *trouble) client(session string, again *atomic.Int64) *orders {
	own := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: 30 * time.Second}
	return &orders{session: session, send: func(_ string, req func(string) *http.Request) (int, string) {
		for {
			r := req("http://" + x.ports[rand.IntN(len(x.ports))])
			r.Host = "decks.example" // all decks have one name
			res, err := own.Do(r)
			if err == nil {
				body, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err == nil && res.StatusCode != http.StatusServiceUnavailable {
					return res.StatusCode, string(body)
				}
			}
			again.Add(1)
			time.Sleep(5 * time.Millisecond) // it is not the deck's turn to tell
		}
	}}
}

// TestSharedSessionsSurvive has clients work for some time while decks are killed, NATS is restarted,
// and the network between one deck and NATS is cut and healed. Every answer is that of a deck alone.
// PAYTAPE_CLUSTER_TIME is for how long, as .ci/cluster has it.
func TestSharedSessionsSurvive(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	lasting := 8 * time.Second
	if text := os.Getenv("PAYTAPE_CLUSTER_TIME"); text != "" {
		var err error
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	x := newTrouble(t, 3)
	shop := newCountingShop(t)
	const clients = 64
	var again atomic.Int64
	all := make([]*orders, clients)
	counts := make([]int, clients)
	until := time.Now().Add(lasting)
	var work sync.WaitGroup
	for i := range all {
		session := fmt.Sprintf("client-%d", i)
		if i%4 == 0 {
			session = "" // a quarter shares the session without a name
		}
		all[i] = x.client(session, &again)
		work.Go(func() {
			for time.Now().Before(until) {
				counts[i]++
				all[i].order(fmt.Sprintf("C%d-%d", i, counts[i]), shop.URL)
			}
		})
	}
	killed := 0
	for beat := 1; time.Now().Before(until); beat++ {
		switch { // a deck is killed every two seconds; between that, once each, the other troubles
		case beat%2 == 0:
			i := rand.IntN(len(x.decks))
			x.decks[i].kill()
			killed++
			x.start(i)
		case beat == 3:
			x.nats.stop()
			time.Sleep(300 * time.Millisecond)
			x.nats.start(t)
		case beat == 5:
			x.networks[0].set(true)
			time.AfterFunc(1500*time.Millisecond, func() { x.networks[0].set(false) }) // longer than a lease
		}
		time.Sleep(time.Second)
	}
	work.Wait()
	single := start(t, alone(x.dir))
	compareOrders(t, single, all, counts, shop)
	t.Logf("%d decks were killed, and %d requests sent again", killed, again.Load())
}

// compareOrders plays what clients have done on a deck alone. Ids of the shared session depend on the
// order in which its clients came: there, ids differ.
func compareOrders(t *testing.T, single *deck.Deck, all []*orders, counts []int, shop *countingShop) {
	t.Helper()
	ids, requests, flows := map[string]string{}, 0, 0
	for i, c := range all {
		alone := &orders{session: c.session, send: func(_ string, req func(string) *http.Request) (int, string) {
			r := req(single.URL)
			r.Host = "decks.example"
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, _ := io.ReadAll(res.Body)
			return res.StatusCode, string(body)
		}}
		for n := 1; n <= counts[i]; n++ {
			alone.order(fmt.Sprintf("C%d-%d", i, n), "http://127.0.0.1:9/nobody")
		}
		requests, flows = requests+len(c.said), flows+counts[i]
		if len(c.said) != len(alone.said) {
			t.Fatalf("client %d has %d answers, of a deck alone %d: %s", i, len(c.said), len(alone.said),
				c.said[len(c.said)-1])
		}
		for j := range c.said {
			got, want := c.said[j], alone.said[j]
			if c.session == "" {
				got, want = sessionsOwn.ReplaceAllString(got, "*"), sessionsOwn.ReplaceAllString(want, "*")
			}
			if got != want {
				t.Fatalf("client %d, answer %d:\n got %s\nwant %s", i, j, got, want)
			}
			if id := anOrderID.FindString(c.said[j]); strings.HasPrefix(c.said[j], "register.do") {
				if who, twice := ids[id]; twice {
					t.Errorf("an order has the id of another: %s and %s", who, c.said[j])
				}
				ids[id] = c.said[j]
			}
		}
	}
	shop.mu.Lock()
	defer shop.mu.Unlock()
	for id, n := range shop.heard {
		if n > 1 {
			t.Errorf("the shop has heard of order %s %d times", id, n)
		}
	}
	missing := flows - len(shop.heard)
	t.Logf("%d requests, %d orders; the shop has heard of all but %d", requests, flows, missing)
	if missing > flows/20 {
		t.Errorf("the shop has not heard of %d of %d orders", missing, flows)
	}
}

// sessionsOwn is what a session makes of its own.
var sessionsOwn = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|"approvalCode":"[0-9]*"|"authRefNum":"[^"]*"|` +
	`\*[0-9]*"`)

var anOrderID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)
