//go:build unix

package proxy_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/redact"
)

// BenchmarkDoor is what a deck adds to net/http where the answer need not be searched for: the rows
// differ in what answers, and the client, which is the same, costs little.
func BenchmarkDoor(b *testing.B) {
	rows := []struct {
		name  string
		start func(*testing.B) string
	}{{"bare", bare}, {"replay", foundAtOnce}, {"page", pageAtOnce}}
	for _, row := range rows {
		for _, connections := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/connections=%d", row.name, connections), func(b *testing.B) {
				var callers []*caller
				addr := row.start(b)
				for range connections {
					c := call(b, addr)
					b.Cleanup(func() { _ = c.conn.Close() })
					callers = append(callers, c)
				}
				b.ReportAllocs()
				began := processorTime(b)
				for b.Loop() {
					done := make(chan struct{}, connections)
					for _, c := range callers {
						go func() {
							for range 100 {
								lookUp(c, 0)
							}
							done <- struct{}{}
						}()
					}
					for range callers {
						<-done
					}
				}
				n := float64(b.N * connections * 100)
				b.ReportMetric(float64((processorTime(b)-began).Nanoseconds())/1000/n, "cpu-us/request")
			})
		}
	}
}

// foundAtOnce is a deck as package deck makes it, whose player need not search.
func foundAtOnce(b *testing.B) string {
	answer := recording()[0]
	return answering(b, answer.Response.Headers, answer.Response.Body)
}

// pageAtOnce is foundAtOnce for a page, such as those of 3-D Secure: net/http would send it in several
// writes.
func pageAtOnce(b *testing.B) string {
	page := strings.Repeat("<p>a line of a page</p>\n", 500)
	return answering(b, http.Header{"Content-Type": {"text/html"}}, page)
}

// answering is a deck that has one answer.
func answering(b *testing.B, h http.Header, body string) string {
	set := profiles(b)
	cleaner := redact.New(redact.Options{Profiles: set})
	events := hub.New(hub.Options{Redactor: cleaner})
	replay, err := proxy.NewReplay(proxy.ReplayOptions{
		Player: found{&match.Answer{
			Code: 200, Status: "200 OK", Header: h, Body: body,
			Cassette: "tape", Number: 1,
		}},
		Profiles: set, Cleaner: cleaner, Observe: events.Publish,
	})
	if err != nil {
		b.Fatal(err)
	}
	mode, err := proxy.NewRuled(proxy.RuledOptions{
		Mode: replay, Rules: rules.New(rules.Options{}), Profiles: set, Cleaner: cleaner,
		Observe: events.Publish,
	})
	if err != nil {
		b.Fatal(err)
	}
	door := proxy.NewDoor(mode, events.Publish)
	return listening(b, func(ctx context.Context, ln net.Listener) {
		_ = proxy.Serve(ctx, ln, proxy.NewServer(door), nil)
	})
}
