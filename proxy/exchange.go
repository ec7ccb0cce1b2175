package proxy

import (
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/redact"
)

// Exchange is what a client and a deck said to each other, for whoever looks at it later. It may
// hold live secrets: the exchange as it was on the wire is inside, and a redactor is the only way
// out. Cleaning costs many times what serving an answer from tape costs, so an exchange that
// nobody looks at is never cleaned. An Exchange of an event is safe for concurrent use.
type Exchange struct {
	leaf.Unprinted
	size    int64
	trace   *match.Trace
	secrets []string // live tokens that a redactor learns before it cleans

	mu sync.Mutex // guards the rest
	// raw or replayed is the exchange as it was on the wire; both are nil once it has been cleaned.
	raw      *leaf.Exchange
	replayed *replayed
	clean    redact.Clean    // what became of it
	by       exchangeCleaner // made clean, and makes it anew when it has learned more; may be nil
}

// NewExchange returns an exchange as it was on the wire, for an event. Nobody may change it any more.
func NewExchange(raw *leaf.Exchange) *Exchange {
	x := &Exchange{raw: raw}
	x.measure()
	return x
}

// Knowing has whoever cleans the exchange learn live tokens before, which replay has made. It must be
// called before the exchange is told of.
func (x *Exchange) Knowing(secrets []string) *Exchange {
	x.secrets = secrets
	return x
}

// teach has a cleaner learn tokens that replay has made: no exchange need have shown where they stand.
func teach(c FieldCleaner, secrets []string) {
	for _, s := range secrets {
		c.Field(profile.Field{Secret: profile.Token}, s)
	}
}

// exchangeCleaner is what cleans an exchange again. A Redactor is one.
type exchangeCleaner interface {
	Outdated(x redact.Clean) bool
	Reclean(x *leaf.Exchange) redact.Clean
}

// exchangeOverhead stands for what an exchange holds beside its bodies, in bytes: headers, a URL.
const exchangeOverhead = 2 << 10

// cleanedExchange returns an exchange that a cleaner has cleaned before.
func cleanedExchange(x redact.Clean, by exchangeCleaner) *Exchange {
	e := &Exchange{clean: x, by: by, size: exchangeOverhead}
	if x := x.Exchange(); x != nil {
		e.size += int64(len(x.Request.Body) + len(x.Response.Body))
	}
	return e
}

// measure sets the size of an exchange that is whole.
func (x *Exchange) measure() {
	x.size = exchangeOverhead + int64(len(x.raw.Request.Body)+len(x.raw.Response.Body)) +
		x.trace.Size()
}

// Trace returns how the answer was found on tape, or why there was none. It is nil for an exchange of
// which no tape was asked, and for no exchange, nil.
func (x *Exchange) Trace() *match.Trace {
	if x == nil {
		return nil
	}
	return x.trace
}

// Size returns about how many bytes of memory an exchange holds. No exchange, nil, holds none.
func (x *Exchange) Size() int64 {
	if x == nil {
		return 0
	}
	return x.size
}

// Cleaned reports whether the exchange has been cleaned: nothing as it was on the wire is left.
func (x *Exchange) Cleaned() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw == nil && x.replayed == nil
}

// Clean returns the exchange without its secrets. The first call cleans it with r, which must not
// be nil, and what was on the wire is forgotten then. A later call, whatever its r, returns the
// same, or cleans it again where the redactor that cleaned it has learned more since. An exchange
// on tape was cleaned by the redactor of the tape.
//
// An answer from tape has the header that is on tape, without what belongs to a connection or is
// made for each answer: Date, Content-Length, Paytape-Served.
func (x *Exchange) Clean(r *redact.Redactor) redact.Clean {
	x.mu.Lock()
	defer x.mu.Unlock()
	if r := x.replayed; r != nil {
		x.raw, x.replayed = r.exchange(), nil
		*r = replayed{} // it lies beside the Exchange, and would hold secrets as long
	}
	switch {
	case x.raw != nil:
		teach(r, x.secrets)
		teach(r, x.trace.Secrets())
		x.clean, x.by, x.raw = r.Clean(x.raw), r, nil
	case x.by != nil && x.by.Outdated(x.clean):
		x.clean = x.by.Reclean(x.clean.Exchange())
	}
	return x.clean
}
