package deck_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSharedRecordingRates measures, for whoever asks by PAYTAPE_CLUSTER_TIME, what it costs to record
// together: all is printed as ratios to one deck alone on the same machine.
func TestSharedRecordingRates(t *testing.T) {
	if os.Getenv("PAYTAPE_CLUSTER_TIME") == "" {
		t.Skip("it measures: see .ci/cluster")
	}
	x := newRecorders(t, 2) // the first is the owner
	port := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	single := startProcess(t, "TestSharedRecorderProcess", recordersVariable,
		strings.Join([]string{t.TempDir(), "", port, x.box.URL}, "\n"))
	defer single.kill()
	var numbers atomic.Int64
	ask := func(client *http.Client, at string) {
		_, _ = registers(t, client, "http://"+at, fmt.Sprintf("R-%d", numbers.Add(1)))
	}
	rate := func(at string) float64 {
		var n atomic.Int64
		var work sync.WaitGroup
		const lasting = 4 * time.Second
		until := time.Now().Add(lasting)
		for range 32 {
			work.Go(func() {
				client := &http.Client{Transport: &http.Transport{}}
				for time.Now().Before(until) {
					ask(client, at)
					n.Add(1)
				}
			})
		}
		work.Wait()
		return float64(n.Load()) / lasting.Seconds()
	}
	latency := func(at string) time.Duration {
		client := &http.Client{Transport: &http.Transport{}}
		var took []time.Duration
		for range 500 {
			begun := time.Now()
			ask(client, at)
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		return took[len(took)/2]
	}
	fresh := func(at string) time.Duration {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		begun := time.Now()
		for range 300 {
			ask(client, at)
		}
		return time.Since(begun) / 300
	}
	upload := func(at string) time.Duration {
		body := strings.Repeat("0123456789abcdef", 20<<20/16)
		begun := time.Now()
		res, err := http.Post("http://"+at+"/payment/rest/getOrderStatus.do?orderNumber="+url.QueryEscape(at),
			"application/octet-stream", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0
		}
		_ = res.Body.Close()
		return time.Since(begun)
	}
	show := func(what string, of func(at string) float64) {
		alone, owner, other := of(port), of(x.ports[0]), of(x.ports[1])
		fmt.Printf("%s: alone %.4g, at the owner %.4g: %.2f of it, at another deck %.4g: %.2f of it\n",
			what, alone, owner, owner/alone, other, other/alone)
	}
	ms := func(f func(string) time.Duration) func(string) float64 {
		return func(at string) float64 { return f(at).Seconds() * 1000 }
	}
	show("requests/s of 32 clients", rate)
	show("median latency, ms", ms(latency))
	show("with a new connection, ms", ms(fresh))
	show("20 MB upload, ms", ms(upload))
}
