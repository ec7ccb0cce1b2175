package proxy_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// slowPlayer is a player that takes as long as it is told, and counts who asks at once.
type slowPlayer struct {
	entered, leave chan struct{}
}

func (p slowPlayer) Serve(*match.Request) (*match.Answer, *match.Miss) {
	p.entered <- struct{}{}
	<-p.leave
	return nil, &match.Miss{Reason: match.BadField}
}

// What large requests cost is bounded: one is looked for at a time, and those that are too many
// are told so; small ones are looked for meanwhile.
func TestReplayOfLargeRequestsIsBounded(t *testing.T) {
	t.Parallel()
	const large, small = 15 << 20, 10
	p := slowPlayer{make(chan struct{}), make(chan struct{})}
	m := replayer(t, p)
	codes := make(chan int, 64)
	ask := func(size int64, known bool) {
		req := request(t, "POST", "/x", "")
		req.Body, req.ContentLength = io.NopCloser(io.LimitReader(zeros{}, size)), -1
		if known {
			req.ContentLength = size
		}
		res, err := m.RoundTrip(req)
		if err != nil {
			t.Error(err)
		}
		codes <- res.StatusCode
	}
	const most, all = proxy.DefaultBudget / large, 24
	for i := range all {
		go ask(large, i%2 == 0)
	}
	<-p.entered
	for range all - most {
		if got := <-codes; got != http.StatusServiceUnavailable {
			t.Errorf("one that is too many is answered %d", got)
		}
	}
	go ask(small, true)
	<-p.entered // although a large one is being looked for
	select {
	case <-p.entered:
		t.Error("two large requests are looked for at once")
	default:
	}
	go func() {
		for range p.entered {
			p.leave <- struct{}{}
		}
	}()
	p.leave <- struct{}{}
	p.leave <- struct{}{}
	misses := 0
	for range most + 1 {
		switch got := <-codes; got {
		case http.StatusNotImplemented:
			misses++
		case http.StatusServiceUnavailable:
		default:
			t.Errorf("a request is answered %d", got)
		}
	}
	close(p.entered)
	if misses < 2 {
		t.Errorf("%d requests were looked for, want more", misses)
	}
}

// A request that has more parameters than are compared is refused before anybody looks for it.
func TestReplayRefusesTooManyParameters(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		strings.Repeat("a&", match.MaxParams),
		"[" + strings.Repeat("1,", match.MaxParams) + "1]",
		"a=" + url.QueryEscape("["+strings.Repeat("1,", match.MaxParams)+"1]"),
	} {
		m := replayer(t, slowPlayer{}) // which would wait for ever
		req := request(t, "POST", "/x", body)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, text := send(t, m, req)
		if res.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, "parameters") {
			t.Errorf("got %d, %s", res.StatusCode, text)
		}
	}
}
