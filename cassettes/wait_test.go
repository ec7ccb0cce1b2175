package cassettes

import (
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// slowCleaner takes as long as it is told to look through a long text.
type slowCleaner struct {
	*redact.Redactor
	enter func()        // says that it looks
	leave chan struct{} // closed when it may go on
}

func (s slowCleaner) Stale(x *leaf.Exchange) bool {
	if len(x.Request.Body)+len(x.Response.Body) > longEntry {
		s.enter()
		<-s.leave
	}
	return s.Redactor.Stale(x)
}

// Nobody who appends waits while a long entry is looked through for what was learned since.
func TestNobodyWaitsForALongEntry(t *testing.T) {
	t.Parallel()
	const password = "hunter2-Secret-77"
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := slowCleaner{
		redact.New(redact.Options{}), sync.OnceFunc(func() { close(entered) }), leave,
	}
	l, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := l.Record("a", slow)
	if err != nil {
		t.Fatal(err)
	}
	cleaned := func(request, answer string) redact.Clean {
		x := exchangeOf("a", "k", "v")
		x.Meta.Number = c.Next()
		x.Request.Body, x.Response.Body = request, answer
		return slow.Clean(x)
	}
	put := func(x redact.Clean) {
		if err := c.Append(x); err != nil {
			t.Error(err)
		}
	}
	long := cleaned("", strings.Repeat("long ", longEntry)+password)
	lesson := cleaned("password="+password, "")
	done := make(chan struct{})
	go func() {
		defer close(done)
		put(long)
	}()
	<-entered
	put(lesson)
	for range 99 {
		put(cleaned("", "short"))
	}
	close(leave)
	<-done
	if got, err := c.Close(); err != nil || got.Exchanges != 101 {
		t.Errorf("%d exchanges are on tape, %v", got.Exchanges, err)
	}
}
