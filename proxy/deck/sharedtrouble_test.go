package deck_test

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact/audit"
)

// recordersVariable has a test be a process with a deck that records with others: folder, address of
// NATS, own address and upstream, separated by line feeds. Without an address of NATS it records alone.
const recordersVariable = "PAYTAPE_TEST_RECORDERS"

// TestSharedRecorderProcess is no test, but a process that another test kills.
func TestSharedRecorderProcess(t *testing.T) {
	told := strings.Split(os.Getenv(recordersVariable), "\n")
	if len(told) != 4 {
		t.Skip("it is a part of another test")
	}
	o := recordingTogether(told[0], told[1], told[3])
	o.Listen, o.Admin, o.Inspect = told[2], nil, nil
	if told[1] == "" {
		o.Cluster = nil
		d, err := deck.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
	}
	for o.Cluster != nil {
		d, err := deck.JoinRecording(t.Context(), o, nil)
		if err == nil {
			defer d.Close()
			break
		}
		fmt.Fprintln(os.Stderr, err)
		time.Sleep(100 * time.Millisecond) // NATS may be away
	}
	fmt.Println("serving")
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or the test ends
}

// recorders are processes that record one cassette together, and what happens to them.
type recorders struct {
	t        *testing.T
	nats     *natsServer
	box      *countedSandbox
	dir      string
	networks []*network
	ports    []string
	decks    []*process
}

func newRecorders(t *testing.T, n int) *recorders {
	t.Helper()
	x := &recorders{t: t, nats: newNATS(t), box: newCountedSandbox(t), dir: t.TempDir()}
	for i := range n {
		x.networks = append(x.networks, newNetwork(t, x.nats.address()))
		x.ports = append(x.ports, fmt.Sprintf("127.0.0.1:%d", freePort(t)))
		x.decks = append(x.decks, x.start(i))
	}
	t.Cleanup(x.stop)
	return x
}

func (x *recorders) start(i int) *process {
	return startProcess(x.t, "TestSharedRecorderProcess", recordersVariable,
		strings.Join([]string{x.dir, x.networks[i].address(), x.ports[i], x.box.URL}, "\n"))
}

// stop stops all decks in order.
func (x *recorders) stop() {
	for _, p := range x.decks {
		_ = p.stdin.Close()
	}
	for _, p := range x.decks {
		_ = p.cmd.Wait()
	}
	x.decks = nil
}

// buyer is a client that has orders paid. What it has seen complete is in done, as the sandbox counts it.
type buyer struct {
	x      *recorders
	name   string
	keeps  *http.Client // keeps its connections
	fresh  *http.Client // has one for each request
	orders int
	done   []string
	broken *atomic.Int64 // requests without an answer, of all buyers
	whole  *atomic.Int64 // those with one
}

// post asks any deck, and returns what it has answered; false if there was no answer. 503 says that the
// request has not reached the sandbox.
func (b *buyer) post(operation string, form url.Values) (string, bool) {
	client := b.keeps
	if rand.IntN(2) == 0 {
		client = b.fresh
	}
	form.Set("userName", "sandbox-api")
	form.Set("password", "sandbox-"+"password")
	text := form.Encode()
	at := "http://" + b.x.ports[rand.IntN(len(b.x.ports))] + "/payment/rest/" + operation
	for {
		req, err := http.NewRequest("POST", at, strings.NewReader(text))
		if err != nil {
			panic(err)
		}
		req.GetBody = nil // net/http does not send it again by itself
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := client.Do(req)
		if err != nil {
			b.broken.Add(1)
			time.Sleep(5 * time.Millisecond) // whoever refuses connections is starting
			return "", false
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		switch {
		case err != nil:
			b.broken.Add(1)
			return "", false
		case res.StatusCode == http.StatusServiceUnavailable:
			continue
		}
		b.done = append(b.done, askedFor("/"+operation, text))
		b.whole.Add(1)
		return string(body), true
	}
}

// order has one order go all its way, as far as there are answers.
func (b *buyer) order() {
	b.orders++
	number := fmt.Sprintf("%s-%d", b.name, b.orders)
	body, ok := b.post("register.do", url.Values{
		"orderNumber": {number}, "amount": {"12500"}, "returnUrl": {"https://shop.example/"},
	})
	var registered struct{ OrderID string }
	if !ok || json.Unmarshal([]byte(body), &registered) != nil || registered.OrderID == "" {
		return
	}
	b.post("paymentorder.do", url.Values{
		"MDORDER": {registered.OrderID}, "$PAN": {paidCard}, "$CVC": {"123"}, "$EXPIRY": {"203112"},
		"TEXT": {"CARD HOLDER"}, "language": {"en"},
	})
}

var paidCard = "411111" + "1111111111"

// TestSharedRecordingSurvives has clients work while decks that record together are killed, NATS is
// restarted, and the network between one deck and NATS is cut and healed. What a client has seen complete
// is on tape once, and nothing was asked of the sandbox twice. PAYTAPE_CLUSTER_TIME is for how long a
// deck is killed every two seconds, as .ci/cluster has it; without it the clients say when.
func TestSharedRecordingSurvives(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	lasting, err := time.ParseDuration(os.Getenv("PAYTAPE_CLUSTER_TIME"))
	bounded := err != nil
	x := newRecorders(t, 3)
	var broken, whole atomic.Int64
	ended := make(chan struct{})
	var work sync.WaitGroup
	buyers := make([]*buyer, 64)
	for i := range buyers {
		b := &buyer{
			x: x, name: fmt.Sprintf("C%d", i), broken: &broken, whole: &whole,
			keeps: &http.Client{Timeout: time.Minute, Transport: &http.Transport{}},
			fresh: &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}},
		}
		buyers[i] = b
		work.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					b.order()
				}
			}
		})
	}
	// answered waits until clients have had so many answers more.
	answered := func(n int64) {
		for until := whole.Load() + n; whole.Load() < until; {
			time.Sleep(time.Millisecond) // the clients run on
		}
	}
	killed, begun := 0, time.Now()
	for beat := 1; bounded && beat <= 8 || !bounded && time.Since(begun) < lasting; beat++ {
		switch beat {
		case 3:
			x.nats.stop()
			x.nats.start(t)
		case 5:
			x.networks[beat%3].set(true)
			time.Sleep(1500 * time.Millisecond) // longer than a lease
			x.networks[beat%3].set(false)
		default:
			i := rand.IntN(len(x.decks))
			x.decks[i].kill()
			killed++
			x.decks[i] = x.start(i)
		}
		answered(300)
		if !bounded {
			time.Sleep(time.Until(begun.Add(time.Duration(beat) * 2 * time.Second)))
		}
	}
	close(ended)
	work.Wait()
	x.stop()
	checkRecorded(t, x, buyers)
	t.Logf("%d decks were killed; %d requests had an answer, and %d none", killed, whole.Load(), broken.Load())
}

// checkRecorded compares what clients have seen with the tape and with what the sandbox was asked.
func checkRecorded(t *testing.T, x *recorders, buyers []*buyer) {
	t.Helper()
	d := start(t, deck.Options{Cassettes: []string{"tape"}, Dir: x.dir})
	if code, body := registers(t, http.DefaultClient, d.URL, "after"); code != 200 || !strings.Contains(body, "orderId") {
		t.Errorf("the tape does not replay: %d %s", code, body)
	}
	tape := recordedOf(t, x.dir)
	for what, n := range tape {
		if n != 1 {
			t.Errorf("%s is on tape %d times", what, n)
		}
	}
	missing := 0
	for _, b := range buyers {
		for _, what := range b.done {
			if tape[what] == 0 {
				missing++
			}
		}
	}
	if missing > 0 {
		t.Errorf("%d answers that clients have had are not on tape", missing)
	}
	if twice := x.box.twice(); len(twice) > 0 {
		t.Errorf("asked of the sandbox twice: %v", twice)
	}
	for _, dir := range []string{x.dir, x.nats.dir} {
		err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(file)
			text := string(data)
			if strings.Contains(text, paidCard) || strings.Contains(text, "sandbox-"+"password") {
				t.Errorf("%s holds a secret", file)
			}
			if dir == x.dir {
				if found := audit.Find(text); len(found) > 0 {
					t.Errorf("%s: %v", file, slices.Compact(found)[0])
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d exchanges on tape", len(tape))
}
