package redact

import (
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/taint"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/surrogate"
)

// Past remembers what a journal holds well enough to say, when a secret is learned, whether it
// may stand there already, without reading the journal again. It is not safe for concurrent
// use.
type Past struct {
	leaf.Unprinted
	tape    *tape
	asked   int // how many learned values have been looked for
	written taint.Filter
}

// Past returns an empty memory. Secrets that are known already are not looked for.
func (r *Redactor) Past() *Past {
	return &Past{tape: r.s.tape, asked: r.Learned()}
}

// Learned counts what the redactor has learned to be secret.
func (r *Redactor) Learned() int { return r.s.tape.learnedCount() }

// Outdated reports whether something was learned since an exchange was cleaned.
func (r *Redactor) Outdated(x Clean) bool { return x.learned != r.Learned() }

// Add remembers a text that was clean when it was written.
func (p *Past) Add(text string) { p.written.Add(text) }

// Reached reports whether something that was learned since the last call, up to when n values were
// known, may stand in a text that was added. The texts are then cleaned again by whoever has them.
// What was learned later is asked about by a later call: there may be texts by then which were not
// added yet.
func (p *Past) Reached(n int) bool {
	learned := p.tape.learnedSince(p.asked)
	learned = learned[:max(0, n-p.asked)]
	p.asked = max(p.asked, n)
	return slices.ContainsFunc(learned, p.written.MayHold)
}

// Forget empties the memory, whose texts were replaced.
func (p *Past) Forget() { p.written = taint.Filter{} }

// Know has a secret searched for that no exchange teaches: a key of whoever runs the deck. A secret of
// less than eight characters is not, as everywhere.
func (r *Redactor) Know(secret string) {
	r.s.tape.learn(secret, surrogate.Constant(profile.Key))
}
