package hub_test

import (
	"context"
	"sync"
	"testing"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
)

// BenchmarkPublish is what an event costs whoever publishes it.
func BenchmarkPublish(b *testing.B) {
	event := proxy.Event{
		Kind: proxy.Served, Number: 3, Cassette: "checkout", Profile: "gateway",
		Operation: "register.do", Code: 200,
	}
	for _, test := range []struct {
		name      string
		subscribe func(h *hub.Hub, ended <-chan struct{})
	}{
		{"subscribers=none", nil},
		{"subscribers=one", func(h *hub.Hub, _ <-chan struct{}) {
			for range h.Follow(context.Background(), 0) {
			}
		}},
		{"subscribers=slow", func(h *hub.Hub, ended <-chan struct{}) {
			for range h.Follow(context.Background(), 0) {
				<-ended // it is at its first event until the others have been published
			}
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			h := hub.New(hub.Options{})
			ended := make(chan struct{})
			var subscribed sync.WaitGroup
			if test.subscribe != nil {
				subscribed.Go(func() { test.subscribe(h, ended) })
			}
			b.ReportAllocs()
			for b.Loop() {
				h.Publish(event)
			}
			close(ended)
			h.Close()
			subscribed.Wait()
		})
	}
}
