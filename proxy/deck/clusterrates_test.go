package deck_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSharedRates measures, for whoever asks by PAYTAPE_CLUSTER_TIME, what sharing costs: all is
// printed as ratios to one deck alone on the same machine.
func TestSharedRates(t *testing.T) {
	if os.Getenv("PAYTAPE_CLUSTER_TIME") == "" {
		t.Skip("it measures: see .ci/cluster")
	}
	x := newTrouble(t, 3)
	port := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	single := startProcess(t, "TestClusterProcess", clusterVariable, x.dir+"\n\n"+port)
	defer single.kill()
	aloneAt := "http://" + port
	var all []string
	for _, port := range x.ports {
		all = append(all, "http://"+port)
	}
	rate := func(at ...string) float64 {
		var n atomic.Int64
		var work sync.WaitGroup
		const lasting = 4 * time.Second
		until := time.Now().Add(lasting)
		for i := range 64 {
			work.Go(func() {
				client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
				asks(t, at[0]+fmt.Sprintf("/~rate-%d", i), "A-1") // of the first rate; later it is there
				for j := i; time.Now().Before(until); j++ {
					polls(t, client, at[j%len(at)], fmt.Sprintf("rate-%d", i))
					n.Add(1)
				}
			})
		}
		work.Wait()
		return float64(n.Load()) / lasting.Seconds()
	}
	latency := func(at, session string) time.Duration {
		client := &http.Client{}
		var took []time.Duration
		for range 1000 {
			begun := time.Now()
			polls(t, client, at, session)
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		return took[len(took)/2]
	}
	one := rate(aloneAt)
	three := rate(all...)
	asks(t, aloneAt+"/~owned", "A-1")
	asks(t, all[0]+"/~owned", "A-1") // claims it
	direct := latency(aloneAt, "owned")
	owner, forwarded := latency(all[0], "owned"), latency(all[1], "owned")
	fmt.Printf("rate: one deck alone %.0f/s, three decks %.0f/s: %.2f of it\n", one, three, three/one)
	fmt.Printf("median latency: one deck alone %s, at the owner %s: %.1f of it, forwarded %s: %.1f of it\n",
		direct, owner, float64(owner)/float64(direct), forwarded, float64(forwarded)/float64(direct))
}

// polls asks for the order of a session.
func polls(t *testing.T, client *http.Client, at, session string) {
	res, err := client.Post(at+"/~"+session+"/payment/rest/getOrderStatusExtended.do",
		"application/x-www-form-urlencoded", strings.NewReader("userName=sandbox-api&password=sandbox-"+
			"password&orderNumber=A-1"))
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
}
