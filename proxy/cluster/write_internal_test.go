package cluster

import (
	"context"
	"strings"
	"testing"
)

// TestALogThatCannotBeWrittenIsTold takes the log from NATS, which is there otherwise. The operator reads
// why nothing is answered.
func TestALogThatCannotBeWrittenIsTold(t *testing.T) {
	t.Parallel()
	n, d := newTestNode(t, newTestNATS(t))
	asked(t, n, "a")
	if err := n.bus.js.DeleteStream(t.Context(), n.bus.log.CachedInfo().Config.Name); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _, _ = n.ask(ctx, &Request{requestFields: requestFields{ID: "b", Method: "POST", Target: "/"}})
	}()
	until(t, "a warning", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return strings.Contains(strings.Join(d.warned, ""), "cannot be written")
	})
	cancel()
	<-ended
}
