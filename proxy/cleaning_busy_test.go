package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// slowCleaner is a redactor that cleans a large exchange when it is told to.
type slowCleaner struct {
	*redact.Redactor
	entered, leave chan struct{}
}

func (c slowCleaner) Clean(x *leaf.Exchange) redact.Clean {
	if len(x.Request.Body) > 1<<20 {
		c.entered <- struct{}{}
		<-c.leave
	}
	return c.Redactor.Clean(x)
}

// passing is a SpyPlayer that knows nothing.
type passing struct{}

func (passing) Spy(*match.Request) (*match.Answer, *match.Miss) { return nil, nil }
func (passing) Adopt(*match.Request, int, leaf.Message)         {}

// Small exchanges are recorded, replayed and spied on while a large one is being cleaned.
func TestSmallExchangesDoNotWaitForALargeOne(t *testing.T) {
	t.Parallel()
	const clients = 100
	slow := slowCleaner{redact.New(redact.Options{}), make(chan struct{}), make(chan struct{})}
	tp := &tape{}
	m := recorder(t, always(200, http.Header{"Content-Type": {"text/plain"}}, "a"), tp,
		func(o *proxy.RecordOptions) { o.Cleaner = slow })
	play := replayer(t, &player{miss: &match.Miss{Reason: match.BadField}})
	spy, err := proxy.NewSpy(proxy.SpyOptions{Player: passing{}, Replay: play, Record: m})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		send(t, m, request(t, "POST", "/pay/x", strings.Repeat("[", 15<<20)))
	}()
	<-slow.entered
	for range clients {
		for name, mode := range map[string]http.RoundTripper{"record": m, "replay": play, "spy": spy} {
			if res, _ := send(t, mode, request(t, "POST", "/pay/x", "a=1")); res.StatusCode == 0 {
				t.Errorf("%s gave no answer", name)
			}
		}
	}
	if got := len(tp.exchanges()); got != 2*clients {
		t.Errorf("%d exchanges are on tape while one is being cleaned, want %d", got, 2*clients)
	}
	close(slow.leave)
	<-done
	if got := len(tp.exchanges()); got != 2*clients+1 {
		t.Errorf("%d exchanges are on tape", got)
	}
}
