//go:build unix

package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// BenchmarkCost is what a deck adds to a call: the rows differ in what stands between one
// client and the upstream, and the time of a row is the latency of a call. CPU time is that
// of client and upstream too, which is the same in all rows.
func BenchmarkCost(b *testing.B) {
	up := httptest.NewServer(small)
	defer up.Close()
	to, err := url.Parse(up.URL)
	if err != nil {
		b.Fatal(err)
	}
	route := proxy.Route{Upstreams: upstreams(b, up.URL), Transport: proxy.NewTransport()}
	cleaner := redact.New(redact.Options{Profiles: profiles(b)})
	pass, err := proxy.NewPass(proxy.PassOptions{Route: route, Cleaner: cleaner})
	if err != nil {
		b.Fatal(err)
	}
	record, err := proxy.NewRecord(proxy.RecordOptions{
		Route: route, Cleaner: cleaner, Tape: onDisk(b, cleaner),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("direct", func(b *testing.B) { cost(b, up.URL) })
	bare := &httputil.ReverseProxy{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64}, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
	}
	plain := httptest.NewServer(bare)
	defer plain.Close()
	b.Run("ReverseProxy", func(b *testing.B) { cost(b, plain.URL) })
	b.Run("pass", func(b *testing.B) { cost(b, "http://"+serve(b, proxy.NewDoor(pass, nil))) })
	b.Run("record", func(b *testing.B) { cost(b, "http://"+serve(b, proxy.NewDoor(record, nil))) })
}

// onDisk is a tape in a folder of its own.
func onDisk(b *testing.B, cleaner *redact.Redactor) *cassettes.Recorder {
	b.Helper()
	lib, err := cassettes.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	tape, err := lib.Record("tape", cleaner)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if _, err := tape.Close(); err != nil {
			b.Error(err)
		}
		lib.Close()
	})
	return tape
}

// cost makes calls one after the other.
func cost(b *testing.B, to string) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	const form = "orderNumber=1&amount=100&returnUrl=https%3A%2F%2Fshop.test%2F"
	b.ReportAllocs()
	began := processorTime(b)
	for b.Loop() {
		res, err := client.Post(to+"/pay/register.do", "application/x-www-form-urlencoded",
			strings.NewReader(form))
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	spent := processorTime(b) - began
	b.ReportMetric(float64(spent.Microseconds())/float64(b.N), "cpu-us/op")
}

// processorTime is what this process has spent of it.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
