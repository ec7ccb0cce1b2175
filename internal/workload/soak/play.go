package main

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/workload"
)

// play plays flows until so many requests are sent, and prints what came of them.
func play(args []string) error {
	flags := flag.NewFlagSet("play", flag.ExitOnError)
	base := flags.String("url", "", "URL of the deck")
	names := flags.String("kind", "alike", "KIND of the flows; several in turns")
	requests := flags.Int64("n", 10_000, "requests")
	variants := flags.Int("variants", 1, "of each kind, from 0 on; 0 is a new one each time")
	from := flags.Int("from", 0, "the first variant")
	clients := flags.Int("c", 8, "connections")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ks, err := kinds(*names)
	if err != nil {
		return err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: *clients, DisableCompression: true}
	var sent, flows, bad atomic.Int64
	var first sync.Once
	began := time.Now()
	var wg sync.WaitGroup
	for w := range *clients {
		wg.Go(func() {
			for sent.Load() < *requests {
				n := int(flows.Add(1)) - 1
				variant := n / len(ks)
				if *variants > 0 {
					variant %= *variants
				}
				c := workload.Client{Base: *base, HTTP: transport,
					Run: fmt.Sprintf("S%d-%d-%d-%d", os.Getpid(), began.UnixNano()%1e6, w, n)}
				if err := c.Play(ks[n%len(ks)], *from+variant); err != nil {
					bad.Add(1)
					first.Do(func() { fmt.Fprintln(os.Stderr, "first failure:", err) })
				}
				sent.Add(int64(c.Sent))
			}
		})
	}
	wg.Wait()
	fmt.Printf("requests=%d flows=%d bad=%d\n", sent.Load(), flows.Load(), bad.Load())
	if bad.Load() > 0 {
		return errors.New("flows failed")
	}
	return nil
}
