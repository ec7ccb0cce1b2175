package match

import (
	"fmt"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// SelfUnified unifies every exchange of a tape with its own request, when its variables have
// their recorded values, and tells what does not agree or gets another value.
func SelfUnified(t *Tape, set *profile.Set, xs []*leaf.Exchange) []string {
	vars := &values{}
	for _, e := range t.exchanges {
		for i := range e.request {
			e.request[i].value.bindAll(vars)
		}
		e.body.bindAll(vars)
	}
	var wrong []string
	for _, e := range t.exchanges {
		x := xs[e.number-1]
		r := NewRequest(set, x.Method, x.Target(), x.Request.Headers, x.Request.Body)
		r.atDeck([]string{strings.TrimSuffix(x.URL, x.Target())})
		t.hosts.locate(r)
		delta, ok := unify(vars, e, r, e.answered)
		if !ok {
			for _, d := range differences(vars, e, r, e.answered) {
				wrong = append(wrong, fmt.Sprintf("#%d %s: %s %s", e.number, e.operation, d.Path, d.Problem))
			}
		}
		for _, b := range delta {
			if b.value != b.v.text {
				wrong = append(wrong, fmt.Sprintf("#%d %s: a variable is bound anew", e.number, e.operation))
			}
		}
	}
	return wrong
}

// bindAll enters the recorded values of a template's variables.
func (t template) bindAll(vars *values) {
	for _, p := range t {
		if p.hole == nil {
			continue
		}
		p.hole.inner.bindAll(vars)
		for _, v := range p.hole.vars {
			vars.set(v, v.text)
		}
	}
}
