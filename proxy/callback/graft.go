package callback

import (
	"net/http"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Graft finds out which of the requests that another program has recorded are callbacks of what is
// on a tape: those that carry an id of it. An example, with what a tunnel has exported:
//
//	the tape       #1 register.do: orderId 3f...   #2 paymentorder.do: 3f...
//	the export     GET https://x.tunnel.example/paid?mdOrder=3f...&operation=deposited
//	               GET https://x.tunnel.example/favicon.ico
//
// The first is a callback of #2, and the second is none. NewGraft makes one.
type Graft struct {
	set    *profile.Set
	causes *Causes
	tries  *Tries
}

// NewGraft returns a Graft for the APIs that a set knows.
func NewGraft(set *profile.Set) *Graft {
	causes := NewCauses(set)
	causes.most = 0
	return &Graft{set: set, causes: causes, tries: NewTries(set)}
}

// OnTape is told of the exchanges of the tape.
func (g *Graft) OnTape(x *leaf.Exchange) {
	target := x.Target()
	path, _, _ := strings.Cut(target, "?")
	g.tries.OnTape(x)
	if call := g.set.Find(x.Method, path); x.Meta.Callback == nil && mayCause(call) {
		g.causes.end(&cause{number: x.Meta.Number, began: x.Meta.At, call: call}, x)
	}
}

// Mark makes an exchange a callback, if it is one of anything on the tape, and reports whether it
// is.
func (g *Graft) Mark(x *leaf.Exchange) bool {
	s, ok := parseShop(x.URL)
	if !ok {
		return false
	}
	in := &incoming{
		began: x.Meta.At, method: x.Method, path: s.path, query: s.query, asked: s.hasQuery,
		Message: Message{Query: s.query, Header: x.Request.Headers, Body: x.Request.Body},
	}
	if in.Header == nil {
		in.Header = http.Header{}
	}
	plain := plainMessage(x.Asked())
	in.text, in.read = plain.Body, leaf.Read(plain)
	for _, p := range g.set.Profiles() {
		if p.Callbacks == nil {
			continue
		}
		in.call = g.set.FindCallback(p.Name)
		names := in.names(g.set)
		known, address := g.causes.knows(p, names)
		if !known {
			continue
		}
		g.mark(x, in, names, address)
		return true
	}
	return false
}

// mark makes an exchange a callback of the profile of in. address is that of the shop, as far as a
// request on tape tells it.
func (g *Graft) mark(x *leaf.Exchange, in *incoming, names []string, address string) {
	p := in.call.Profile
	in.event, _ = in.field(p.Callbacks.Event)
	m := leaf.Callback{Operation: in.event, Via: leaf.ViaImport}
	m.Of, m.Gap = g.causes.find(p, in.event, names, in.began).distance(in.began)
	if p.Callbacks.Sign != nil {
		m.Checksum = Verify(p.Callbacks.Sign, nil, in.Message).Checksum
	}
	own := ""
	if s, ok := parseShop(address); ok && strings.HasPrefix(in.path, s.path) {
		in.target.extra, own = in.path[len(s.path):], s.query
	}
	taped := in.taped(own)
	m.Attempt, _ = g.tries.next(in, taped)
	x.URL = leaf.CallbackOrigin + rooted(taped)
	x.Meta.Profile, x.Meta.Operation = p.Name, profile.CallbackOperation
	x.Meta.Callback = &m
	// An archive may lack the body of the shop's answer, and nothing of the callback.
	x.Meta.Failure, x.Meta.Withheld = x.Meta.Why(), ""
}

// knows reports whether a name is one of a write on tape, and returns the address of the shop that
// one of these has told.
func (c *Causes) knows(p *profile.Profile, names []string) (known bool, address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		for _, w := range c.named[name] {
			if w.call.Profile != p {
				continue
			}
			known = true
			w.mu.Lock()
			if _, ok := parseShop(w.address); ok {
				address = w.address
			}
			w.mu.Unlock()
		}
	}
	return known, address
}
