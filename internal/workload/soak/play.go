package main

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/workload"
)

// load is what play puts on a deck.
type load struct {
	base     string
	kinds    []workload.Kind
	requests int64 // that are sent
	variants int   // of each kind; 0: a new one each time
	from     int   // the first variant
	oddEach  int   // every such flow is an odd one; 0: none
	sessions int   // that every second flow is spread over; 0: none
	clients  int
	run      string
}

// play puts load on a deck until so many requests are sent, and says what came of it.
func play(args []string) error {
	var l load
	var w watch
	flags := flag.NewFlagSet("play", flag.ExitOnError)
	flags.StringVar(&l.base, "url", "", "URL of the deck")
	names := flags.String("kind", "all", "KIND of the flows; several in turns")
	flags.Int64Var(&l.requests, "n", 10_000, "requests")
	flags.IntVar(&l.variants, "variants", 1, "of each kind; 0 is a new one each time")
	flags.IntVar(&l.from, "from", 0, "the first variant")
	flags.IntVar(&l.oddEach, "odd", 0, "every such flow is an odd one")
	flags.IntVar(&l.sessions, "sessions", 0, "that every second flow is spread over")
	flags.IntVar(&l.clients, "c", 8, "clients")
	flags.IntVar(&w.pid, "pid", 0, "process of the deck, to be watched")
	flags.StringVar(&w.admin, "admin", "", "URL of the deck's admin address, for its goroutines")
	flags.Float64Var(&w.grows, "grows", 0, "fail if memory grows by more than this factor after seven tenths")
	flags.Int64Var(&w.slack, "slack", 0, "megabytes that memory may grow beside")
	flags.Float64Var(&w.slower, "slower", 0, "fail if p99 grows by more than this factor; 0: print it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if l.kinds, err = kinds(*names); err != nil {
		return err
	}
	l.run = fmt.Sprintf("S%d-%d", os.Getpid(), time.Now().UnixNano()%1e6)
	result := l.play(&w)
	fmt.Println(result)
	if result.bad > 0 {
		err = errors.New("flows failed")
	}
	return errors.Join(err, w.verdict())
}

// result is what came of a load.
type result struct{ requests, flows, bad int64 }

func (r result) String() string {
	return fmt.Sprintf("requests=%d flows=%d bad=%d", r.requests, r.flows, r.bad)
}

// play runs the clients. The tenths of the load are told to w.
func (l load) play(w *watch) result {
	timer := &timing{next: &http.Transport{MaxIdleConnsPerHost: l.clients, DisableCompression: true}}
	var sent, flows, bad atomic.Int64
	var first sync.Once
	var wg sync.WaitGroup
	for range l.clients {
		wg.Go(func() {
			for sent.Load() < l.requests {
				n := int(flows.Add(1)) - 1
				c, err := l.flow(timer, n)
				if err != nil {
					bad.Add(1)
					first.Do(func() { fmt.Fprintln(os.Stderr, "first failure:", err) })
				}
				now := sent.Add(int64(c.Sent))
				for tenth := (now-int64(c.Sent))*10/l.requests + 1; tenth <= min(10, now*10/l.requests); tenth++ {
					w.note(tenth, timer.take())
				}
			}
		})
	}
	wg.Wait()
	return result{sent.Load(), flows.Load(), bad.Load()}
}

// flow plays the nth flow of a load.
func (l load) flow(through http.RoundTripper, n int) (*workload.Client, error) {
	kind, turn := l.kinds[n%len(l.kinds)], n/len(l.kinds)
	variant := l.from + turn
	if l.variants > 0 {
		variant = l.from + turn%l.variants
	}
	if l.oddEach > 0 && n%l.oddEach == l.oddEach-1 {
		kind, variant = workload.Odd, n/l.oddEach
	}
	c := &workload.Client{Base: l.base, HTTP: through, Run: fmt.Sprintf("%s-%d", l.run, n)}
	if l.sessions > 0 && n%2 == 1 {
		c.Base += fmt.Sprintf("/~soak%d", n/2%l.sessions)
	}
	return c, c.Play(kind, variant)
}

// timing notes how long requests took up to the head of the answer.
type timing struct {
	next http.RoundTripper

	mu   sync.Mutex // guards took
	took []time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *timing) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	res, err := t.next.RoundTrip(r)
	took := time.Since(began)
	t.mu.Lock()
	t.took = append(t.took, took)
	t.mu.Unlock()
	return res, err
}

// take returns what was noted since take was called before, in order.
func (t *timing) take() []time.Duration {
	t.mu.Lock()
	took := t.took
	t.took = make([]time.Duration, 0, len(took))
	t.mu.Unlock()
	slices.Sort(took)
	return took
}
