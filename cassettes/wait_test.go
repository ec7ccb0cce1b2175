package cassettes

import (
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/redact"
)

// slowCleaner has learned something since any exchange was cleaned, and takes as long as it is told
// to look through a long text.
type slowCleaner struct {
	plain
	enter func()        // says that it looks
	leave chan struct{} // closed when it may go on
}

func (s slowCleaner) Outdated(redact.Clean) bool { return true }

func (s slowCleaner) Stale(text string) bool {
	if len(text) > longEntry {
		s.enter()
		<-s.leave
	}
	return false
}

// Nobody who appends waits while a long entry is looked through for what was learned since.
func TestNobodyWaitsForALongEntry(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := slowCleaner{plain{sealOf(t)}, sync.OnceFunc(func() { close(entered) }), leave}
	l, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := l.Record("a", slow)
	if err != nil {
		t.Fatal(err)
	}
	appendBody := func(body string) {
		number := c.Next()
		x := exchangeOf("a", "k", "v")
		x.Meta.Number, x.Response.Body = number, body
		if err := c.Append(sealOf(t).Reopen(x)); err != nil {
			t.Error(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		appendBody(strings.Repeat("long ", longEntry))
	}()
	<-entered
	for range 100 {
		appendBody("short")
	}
	close(leave)
	<-done
	if got, err := c.Close(); err != nil || got.Exchanges != 101 {
		t.Errorf("%d exchanges are on tape, %v", got.Exchanges, err)
	}
}
