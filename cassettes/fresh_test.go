package cassettes

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// searching counts how often it looks for what is known to be secret.
type searching struct {
	plain
	looks *int
}

func (s searching) Stale(*leaf.Exchange) bool {
	*s.looks++
	return false
}

// TestFoldingLooksAtNothingThatIsClean ends recordings to which nothing new was taught: no entry is
// searched, however many there are.
func TestFoldingLooksAtNothingThatIsClean(t *testing.T) {
	for _, n := range []int{20, 80} {
		l, err := Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		looks := 0
		cleaner := searching{plain{sealOf(t)}, &looks}
		c, err := l.Record("a", cleaner)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			x := exchangeOf("body", "key", "value")
			x.Meta.Number = c.Next()
			if err := c.Append(cleaner.seal.Reopen(x)); err != nil {
				t.Fatal(err)
			}
		}
		if s, err := c.Close(); err != nil || s.New != n {
			t.Fatal(s.New, err)
		}
		if looks != 0 {
			t.Errorf("%d exchanges: %d entries were searched", n, looks)
		}
	}
}

// TestFoldingLooksForWhatTheLastHasTaught ends a recording after something was learned that nobody
// has appended: what may stand in the journal is taken out.
func TestFoldingLooksForWhatTheLastHasTaught(t *testing.T) {
	const secret = "Hunter-2-secret"
	r := redact.New(redact.Options{})
	l, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Record("a", r)
	if err != nil {
		t.Fatal(err)
	}
	x := &leaf.Exchange{Meta: leaf.Meta{Number: c.Next()}}
	x.Request.Method, x.Request.URL = "POST", "https://sandbox.example/pay"
	x.Request.Body = "note " + secret + " end"
	if err := c.Append(r.Clean(x)); err != nil {
		t.Fatal(err)
	}
	r.Know(secret)
	if _, err := c.Close(); err != nil {
		t.Fatal(err)
	}
	tape, err := l.Load("a", r)
	if err != nil || len(tape.Exchanges) != 1 {
		t.Fatal(err)
	}
	if got := tape.Exchanges[0].Exchange().Request.Body; got == x.Request.Body {
		t.Error("the secret is on the tape")
	}
}
