package redact

import (
	"iter"
	"slices"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/taint"
	"github.com/paytape/paytape/redact/surrogate"
)

// Past remembers the exchanges of a journal well enough to say, when a secret is learned, whether it
// may stand in one of them already, without reading the journal again. It says so now and then
// where the secret is not there, and never says no where Stale would find it, but for a key under
// escapes inside a packed document. It is safe for concurrent use.
type Past struct {
	leaf.Unprinted
	tape    *tape
	written taint.Filter

	// known are short texts that were added: nearly all headers, notes and targets of an exchange are
	// those of the exchange before. Bodies are not among them.
	known *scan.Memo

	mu    sync.Mutex // guards asked
	asked int        // how many learned values have been looked for
}

// Past returns an empty memory. Secrets that are known already are not looked for.
func (r *Redactor) Past() *Past {
	return &Past{
		tape: r.s.tape, written: taint.Filter{Runs: r.s.runs}, known: scan.NewMemo(),
		asked: r.Learned(),
	}
}

// Learned counts what the redactor has learned to be secret.
func (r *Redactor) Learned() int { return r.s.tape.learnedCount() }

// Outdated reports whether something was learned since an exchange was cleaned.
func (r *Redactor) Outdated(x Clean) bool { return x.learned != r.Learned() }

// Add remembers an exchange. Whoever puts exchanges into a journal adds them before.
func (p *Past) Add(x Clean) {
	if x.x == nil {
		return
	}
	texts := p.unknown(x)
	var room [2]taint.FlatText
	bodies, flat := texts, room[:0]
	for i, body := range [...]string{x.x.Request.Body, x.x.Response.Body} {
		if x.bodies[i].flat {
			flat = append(flat, taint.FlatText{Text: body, Ungrouped: x.bodies[i].ungrouped})
		} else {
			bodies = append(bodies, body)
		}
	}
	p.written.Add(bodies, flat)
	for _, text := range texts {
		p.known.Note(text)
	}
}

// unknown returns the texts of an exchange that have to be added.
func (p *Past) unknown(x Clean) []string {
	const some = 16 // that most exchanges have, and two bodies
	texts := make([]string, 0, some)
	add := func(text string) bool {
		if len(text) >= taint.MinLength && !p.known.Has(text) {
			texts = append(texts, text)
		}
		return true
	}
	textsOf(x.x)(add)
	for _, text := range x.hidden {
		add(text)
	}
	return texts
}

// textsOf yields all that is text in an exchange but the bodies, and but the names that a profile
// gave it. A form holds what its URL and body hold.
func textsOf(x *leaf.Exchange) iter.Seq[string] {
	return func(yield func(string) bool) {
		m := &x.Meta
		all := func(texts ...string) bool {
			return !slices.ContainsFunc(texts, func(text string) bool { return !yield(text) })
		}
		if !all(x.Method, x.URL, x.Response.Status, m.Failure, m.Fault, m.Withheld, m.Relayed, m.Host, m.Base,
			m.RequestCoding, m.Coding, m.RequestCharset, m.Charset) {
			return
		}
		for _, h := range []map[string][]string{x.Request.Headers, x.Response.Headers, m.Trailers} {
			for name, values := range h {
				if !yield(name) || !all(values...) {
					return
				}
			}
		}
		if told := m.Callback; told != nil && !all(told.Operation, told.Via, told.Checksum) {
			return
		}
		_ = all(m.Aliases...) && all(m.Rules...) && all(m.Redactions...)
	}
}

// Reached reports whether something that was learned since the last call may stand in an exchange
// that was added. The exchanges are then cleaned again by whoever has them.
func (p *Past) Reached() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	learned := p.tape.learnedSince(p.asked)
	p.asked += len(learned)
	return slices.ContainsFunc(learned, p.written.MayHold)
}

// Overtaken reports whether something that was learned since an exchange was cleaned, and after the
// first n values, may stand in an exchange that was added, be it this one. It returns how many
// values are known now.
func (p *Past) Overtaken(x Clean, n int) (known int, overtaken bool) {
	n = min(max(n, x.learned), p.tape.learnedCount()) // another redactor may have cleaned it
	learned := p.tape.learnedSince(n)
	return n + len(learned), slices.ContainsFunc(learned, p.written.MayHold)
}

// Know has a secret searched for that no exchange teaches: a key of whoever runs the deck. A secret of
// less than eight characters is not, as everywhere.
func (r *Redactor) Know(secret string) {
	r.s.tape.learn(secret, surrogate.Constant(profile.Key))
}
