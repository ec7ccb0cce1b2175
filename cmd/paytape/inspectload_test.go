package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// checkoutCalls is how many calls checkouts makes of one order.
const checkoutCalls = 5

// inspectLoad is traffic of a deck that people look at.
type inspectLoad struct {
	t       *testing.T
	deck    string // its address
	inspect string // that of its inspector with the token, and without a slash at the end
	clients int
	rate    int // calls a second of all clients; 0 is as fast as they can

	calls, failed atomic.Int64
}

// checkouts plays orders for a client until it has made so many, or until ctx ends: register, two
// questions, a payment, a question.
func (l *inspectLoad) checkouts(ctx context.Context, client, orders int) {
	c := &http.Client{Transport: plainTransport(), Timeout: time.Minute}
	defer c.CloseIdleConnections()
	began, made := time.Now(), 0
	call := func(op string, pairs ...string) gjson.Result {
		if l.rate > 0 {
			due := began.Add(time.Duration(made*l.clients) * time.Second / time.Duration(l.rate))
			time.Sleep(time.Until(due))
		}
		made++
		v := url.Values{"userName": {"sandbox-api"}, "password": {story.GatewayPassword}}
		for i := 0; i+1 < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		res, err := c.PostForm(l.deck+"/payment/rest/"+op, v)
		if err != nil {
			l.failed.Add(1)
			return gjson.Result{}
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if l.calls.Add(1); err != nil || res.StatusCode != http.StatusOK {
			l.failed.Add(1)
		}
		return gjson.ParseBytes(body)
	}
	for n := 0; ctx.Err() == nil && (orders == 0 || n < orders); n++ {
		id := call("register.do", "orderNumber", fmt.Sprintf("L%d-%d", client, n), "amount", "12500",
			"currency", "978", "returnUrl", "https://shop.example/").Get("orderId").String()
		call("getOrderStatusExtended.do", "orderId", id)
		call("paymentorder.do", "MDORDER", id, "$PAN", testCards[0], "$CVC", "123", "YYYY", "2030",
			"MM", "12", "TEXT", "TEST CARD", "language", "en")
		call("getOrderStatusExtended.do", "orderId", id)
		call("getOrderStatusExtended.do", "orderId", id)
	}
}

// drive plays orders with all clients: so many each, or for a time.
func (l *inspectLoad) drive(orders int, during time.Duration) time.Duration {
	ctx := l.t.Context()
	if during > 0 {
		timed, cancel := context.WithTimeout(ctx, during)
		defer cancel()
		ctx = timed
	}
	began := time.Now()
	var all sync.WaitGroup
	for i := range l.clients {
		all.Go(func() { l.checkouts(ctx, i, orders) })
	}
	all.Wait()
	return time.Since(began)
}

// window returns the newest rows.
func (l *inspectLoad) window(query string) view.Window {
	res, err := http.Get(l.inspect + "/api/exchanges?n=40&" + query)
	if err != nil {
		l.t.Error("asking for a window:", err)
		return view.Window{}
	}
	defer res.Body.Close()
	var w struct {
		view.Window
		Lines []struct {
			Row *struct {
				ID   uint64 `json:"id"`
				Read bool   `json:"read"`
			} `json:"row"`
		} `json:"lines"`
	}
	if err := json.NewDecoder(res.Body).Decode(&w); err != nil || res.StatusCode != http.StatusOK {
		l.t.Errorf("a window: status %d, %v", res.StatusCode, err)
	}
	for _, line := range w.Lines {
		if line.Row != nil {
			w.Window.Lines = append(w.Window.Lines, view.Line{
				Row: &view.Row{ID: line.Row.ID, Read: line.Row.Read},
			})
		}
	}
	return w.Window
}

// streamed is what a stream of events has told.
type streamed struct{ rows, read, lost int64 }

// stream follows events, as a query asks for them, until there are as many as wanted, or until ctx ends.
func (l *inspectLoad) stream(ctx context.Context, query string, wanted int64) (s streamed) {
	req, err := http.NewRequestWithContext(ctx, "GET", l.inspect+"/api/events?"+query, nil)
	if err != nil {
		l.t.Error(err)
		return s
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Error("following the events:", err)
		return s
	}
	defer res.Body.Close()
	lines, event := bufio.NewScanner(res.Body), ""
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, is := strings.CutPrefix(lines.Text(), "event: "); is {
			event = name
		}
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case !is:
		case event == "gap":
			s.lost += gjson.Get(data, "lost").Int()
		case event == "row":
			if s.rows++; gjson.Get(data, "read").Bool() {
				s.read++
			}
		}
		if wanted > 0 && s.rows+s.lost == wanted {
			return s
		}
	}
	return s
}

// Everything that clients did is counted and has a row, however fast it was; nothing is told twice,
// and all rows are read when the traffic is over. Nothing here is decided by time.
func TestInspectLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rec := startedRecord(t, dir)
	l := &inspectLoad{t: t, deck: rec.URL, clients: 1}
	l.drive(1, 0)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	const clients, orders = 4, 100
	const wanted = clients * orders * checkoutCalls
	d, err := deck.Start(t.Context(), deck.Options{
		Mode: deck.Replay, Cassettes: []string{"tape"}, Dir: dir, Keep: wanted,
		Inspect: &deck.Inspect{Listen: "127.0.0.1:0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	l = &inspectLoad{t: t, deck: d.URL, inspect: strings.TrimSuffix(d.Inspector, "/"), clients: clients}
	var told streamed
	var all sync.WaitGroup
	all.Go(func() { told = l.stream(t.Context(), "after=0", wanted) })
	driven := make(chan struct{})
	all.Go(func() {
		for {
			l.window("q=served:miss")
			l.window("")
			select {
			case <-driven:
				return
			default:
			}
		}
	})
	l.drive(orders, 0)
	close(driven)
	all.Wait()
	if n := l.failed.Load(); n > 0 {
		t.Errorf("%d calls failed", n)
	}
	if told.rows+told.lost != wanted || told.lost != 0 {
		t.Errorf("the stream has told %d rows and lost %d of %d", told.rows, told.lost, wanted)
	}
	if got := d.Status().Requests; got != wanted {
		t.Errorf("%d requests are counted, want %d", got, wanted)
	}
	w := l.window("")
	if w.Total != wanted || w.Counts.All != wanted || w.Counts.Misses != 0 {
		t.Errorf("of %d rows %d are listed: %+v", wanted, w.Total, w.Counts)
	}
	for at := 0; at < wanted; at += 40 {
		for _, line := range l.read(at).Lines {
			if !line.Row.Read {
				t.Fatalf("row %d is not read", line.Row.ID)
			}
		}
	}
	if g := l.window("grouped=1"); g.Total != clients*orders {
		t.Errorf("there are %d flows, want %d", g.Total, clients*orders)
	}
}

// read asks for a window until all of its rows are read: each look reads more of them.
func (l *inspectLoad) read(at int) view.Window {
	for range 10_000 {
		w, all := l.window(fmt.Sprintf("at=%d", at)), true
		for _, line := range w.Lines {
			all = all && line.Row.Read
		}
		if all {
			return w
		}
	}
	return l.window(fmt.Sprintf("at=%d", at))
}

// TestInspectRun is what .ci/inspect-load runs: it drives a deck of another process, looks at it or
// does not, and prints what came of it. It decides nothing.
func TestInspectRun(t *testing.T) {
	env := func(name string) string { return os.Getenv("PAYTAPE_LOAD_" + name) }
	if env("DECK") == "" {
		t.Skip("run by .ci/inspect-load")
	}
	number := func(name string) int {
		n, err := strconv.Atoi(env(name))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	l := &inspectLoad{
		t: t, deck: env("DECK"), inspect: strings.TrimSuffix(env("INSPECT"), "/"),
		clients: number("CLIENTS"), rate: number("RATE"),
	}
	during := time.Duration(number("SECONDS")) * time.Second
	pid := env("PID")
	watched := &loadWatch{load: l, page: env("PAGE")}
	stop := watched.begin()
	before := processorTime(pid)
	took := l.drive(0, during)
	spent := processorTime(pid) - before
	last := l.calls.Load()
	stop()
	fmt.Printf("%-8s %6.0f/s %7d calls %d failed; deck: %4.1f us a call, %3.0f%% of a core, RSS MB%s\n",
		watched.page, float64(last)/took.Seconds(), last, l.failed.Load(),
		float64(spent.Microseconds())/float64(last), 100*spent.Seconds()/took.Seconds(), watched.memory)
	if watched.windows > 0 {
		fmt.Printf("         %s\n", watched)
	}
}

// loadWatch looks at a deck under load.
type loadWatch struct {
	load *inspectLoad
	page string // "none", "browser" or "stream"

	memory                     string // of the deck, over time
	windows, shown, read, lost int
	slowest                    time.Duration
	streamed                   streamed
}

// begin begins to look; the function that it returns ends it, and waits.
func (w *loadWatch) begin() func() {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { w.watch(ctx) })
	switch w.page {
	case "browser":
		tab := startChromium(w.load.t, 1)[0]
		tab.do("opening the page", chromedp.Navigate(w.load.inspect+"/"))
	case "stream":
		all.Go(func() { w.streamed = w.load.stream(ctx, "most=20", 0) })
	}
	return func() { cancel(); all.Wait() }
}

func (w *loadWatch) watch(ctx context.Context) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n%6 == 0 {
			w.memory += " " + residentMB(os.Getenv("PAYTAPE_LOAD_PID"))
		}
		if w.page == "none" {
			continue
		}
		began := time.Now()
		w.load.window("q=-op:register")
		v := w.load.window("")
		w.slowest = max(w.slowest, time.Since(began)/2)
		w.windows, w.lost = w.windows+1, int(v.Lost)
		for _, line := range v.Lines {
			if w.shown++; line.Row.Read {
				w.read++
			}
		}
	}
}

func (w *loadWatch) String() string {
	return fmt.Sprintf("%d windows, %d of %d newest rows read, %d left the list, slowest %v; stream: %+v",
		w.windows, w.read, w.shown, w.lost, w.slowest.Round(100*time.Microsecond), w.streamed)
}

// processorTime returns how long a process has computed so far; 0 where nobody can tell.
func processorTime(pid string) time.Duration {
	const perSecond = 100 // USER_HZ, which is 100 wherever Go runs on Linux
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if err != nil || len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / perSecond
}

// residentMB returns how much memory a process has; "?" where nobody can tell.
func residentMB(pid string) string {
	text, _ := os.ReadFile("/proc/" + pid + "/status")
	_, rest, found := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		return "?"
	}
	kb, _ := strconv.Atoi(fields[0])
	return strconv.Itoa(kb / 1024)
}
