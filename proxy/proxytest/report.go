package proxytest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
)

// report tells a test what happens at its deck. It is safe for concurrent use.
type report struct {
	t           testing.TB
	allowMisses bool

	mu    sync.Mutex // guards the rest
	ended bool       // a test that is done must not be told anything
	// later is told when the deck is closed: a fuzz test must not be told anything by f while
	// its fuzz function runs.
	later []func()
}

// observe tells the test of misses and of what else is not as it should be.
func (r *report) observe(e proxy.Event) {
	switch e.Kind {
	case proxy.Missed:
		if r.allowMisses {
			r.tell(r.t.Logf, missed(e))
		} else {
			r.tell(r.t.Errorf, missed(e))
		}
	case proxy.Lost, proxy.Warning, proxy.Failed, proxy.Refused:
		r.tell(r.t.Logf, troubled(e))
	}
}

// notice tells the test what there is to know of the tape.
func (r *report) notice(n deck.Notice) {
	if n.Warning {
		r.tell(r.t.Logf, "warning: "+n.Text)
		return
	}
	r.tell(r.t.Logf, n.Text)
}

// tell tells the test something now or, in a fuzz test, when the deck is closed.
func (r *report) tell(say func(format string, args ...any), text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	if _, fuzzed := r.t.(*testing.F); fuzzed {
		r.later = append(r.later, func() { say("paytape: %s", text) })
		return
	}
	say("paytape: %s", text)
}

// end tells what is left to tell, and why the deck did not end well, if it did not.
func (r *report) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, say := range r.later {
		say()
	}
	if err != nil {
		r.t.Errorf("paytape: closing the deck: %v", err)
	}
	r.ended = true
}

// missed explains a miss: what was called, what was in the way, what came closest, and what would
// have made it match. All of it has been cleaned.
func missed(e proxy.Event) string {
	lines := []string{fmt.Sprintf("%s: a miss (%s): %s", called(e), e.Reason, e.Text)}
	if e.Nearest != "" {
		lines = append(lines, "nearest on tape: "+e.Nearest)
	}
	if hint := e.Hint.String(); hint != "" {
		lines = append(lines, "hint: "+hint)
	}
	if row := e.Row.String(); row != "" {
		lines = append(lines, "a row that would mend it: "+row)
	}
	return strings.Join(lines, "\n")
}

// troubled tells of an event that is no miss and not as it should be.
func troubled(e proxy.Event) string {
	parts := []string{string(e.Kind)}
	for _, part := range []string{
		e.Operation, e.Method.String(), e.Target.String(), e.Problem, e.Cause, string(e.Note),
		e.Text.String(), e.Hint.String(),
	} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// called names a call: an operation, or the request line of a call that no profile knows.
func called(e proxy.Event) string {
	if e.Operation != "" {
		return e.Operation
	}
	return e.Method.String() + " " + e.Target.String()
}
