package proxy_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// slowSpy is a SpyPlayer that misses everything when it is told to.
type slowSpy struct{ leave chan struct{} }

func (s slowSpy) Spy(*match.Request) (*match.Answer, *match.Miss) {
	<-s.leave
	return nil, &match.Miss{Reason: match.BadField}
}

func (s slowSpy) Adopt(*match.Request, int, leaf.Message) {}

// What a spy reads ahead of requests is bounded: those that are too many are told so, and there
// is room again when the others have been answered.
func TestASpyReadsSoMuchAhead(t *testing.T) {
	t.Parallel()
	const large, all = 15 << 20, 24
	const fewest = all - proxy.DefaultBudget/large // are too many
	p := slowSpy{make(chan struct{})}
	m, err := proxy.NewSpy(proxy.SpyOptions{
		Player: p, Replay: replayer(t, &player{}), Record: recorder(t, unreached(t), &tape{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	codes := make(chan int, all)
	ask := func() {
		req := request(t, "POST", "/x", "")
		req.Body, req.ContentLength = io.NopCloser(io.LimitReader(zeros{}, large)), -1
		res, err := m.RoundTrip(req)
		if err != nil {
			t.Error(err)
		}
		codes <- res.StatusCode
	}
	for range all {
		go ask()
	}
	for range fewest {
		if got := <-codes; got != http.StatusServiceUnavailable {
			t.Errorf("one that is too many is answered %d", got)
		}
	}
	close(p.leave)
	for range all - fewest {
		if got := <-codes; got != http.StatusNotImplemented && got != http.StatusServiceUnavailable {
			t.Errorf("a request is answered %d", got)
		}
	}
	go ask()
	if <-codes != http.StatusNotImplemented {
		t.Error("there is no room when all have been answered")
	}
}
