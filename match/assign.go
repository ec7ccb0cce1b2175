package match

import (
	"cmp"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// maxTied bounds the threads that an answer may tie to those of its request: a list of
// everybody's orders names many threads and ties but a few.
const maxTied = 3

// assign decides to which threads an exchange belongs: those whose minted or unique values
// its request carries, and the one it opens. An exchange with shared values alone belongs
// to the nearest earlier thread that used the most of them. One with no known value starts a
// thread of its own, unless there is nothing to know it by: such exchanges of one API are one
// thread, so that writes without values still come before what they change. What is asked before
// the first write of a thread may be asked in any order, or not at all: each opens it.
func (c *compiler) assign(e *exchange, req *Request, answer *leaf.Message) {
	bears := c.bears(req.call, answer)
	mintedIn, uniqueIn := c.owners(req)
	threads := append(mintedIn, uniqueIn...)
	opens := req.call.Operation != nil && req.call.Operation.Opens != ""
	switch {
	case opens && len(uniqueIn) == 0:
		threads = append([]*thread{c.newThread()}, mintedIn...)
	case e.unknown && e.writes && len(threads) == 0 && (bears || c.names(req)):
		// It makes a thing, or names one. That others made theirs with the same card connects
		// nobody.
	case len(threads) == 0 && !c.unborn(req):
		threads = c.loosely(e, req, c.nearest(req, answer))
	case len(uniqueIn) == 0:
		if ts := c.configurers(req); len(ts) > 0 {
			threads = c.loosely(e, req, ts)
		}
	}
	if len(threads) == 0 {
		opens = true
		threads = []*thread{c.started(bears || c.carries(req), req.call.Profile)}
		if e.writes && c.scopes[threads[0]].used == 0 {
			c.opensWith(threads[0], req)
		}
	}
	e.threads = distinct(threads)
	e.opens = opens || len(e.threads) == 1 && len(e.threads[0].writes) == 0
	for _, t := range e.threads {
		c.scopes[t].used = e.number
	}
}

// unborn reports whether a request carries an id that no answer brought: it is configuration,
// and speaks of another thing than whatever the same login did before.
func (c *compiler) unborn(req *Request) bool {
	return slices.ContainsFunc(req.params, func(p param) bool {
		if p.field.From != profile.Minted || p.field.Of == "" || p.text == "" {
			return false
		}
		_, known := c.ids.find(p.field.Of, canonical(p.field, p.text), nil, true)
		return !known
	})
}

// started returns a new thread, or the one of all exchanges of an API without values.
func (c *compiler) started(values bool, of *profile.Profile) *thread {
	if values {
		return c.newThread()
	}
	t := c.silent[of]
	if t == nil {
		t = c.newThread()
		t.silent = true
		c.silent[of] = t
	}
	return t
}

// names reports whether a request carries a text that the client made up for more than it.
func (c *compiler) names(req *Request) bool {
	return slices.ContainsFunc(req.params, func(p param) bool {
		return c.survey.madeUp(p, c.place)
	})
}

// carries reports whether a request carries a value that could identify a thread.
func (c *compiler) carries(req *Request) bool {
	return c.names(req) || slices.ContainsFunc(req.params, func(p param) bool {
		return p.field.Of != "" && p.field.Secret != profile.Token && p.text != ""
	})
}

// bears reports whether an answer brings a value that later requests could carry.
func (c *compiler) bears(call profile.Call, m *leaf.Message) bool {
	passages := m.Passages()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header {
			continue
		}
		f, rowed := c.tape.opts.Profiles.Field(call, profile.Response, at(l))
		if f.From == profile.Minted && l.Value != "" {
			return true
		}
		for _, tok := range leafTokens(l, passages) {
			if c.survey.born(tok, l, c.place, !rowed || f.Address, call.Operation == nil) {
				return true
			}
		}
	}
	return false
}

// owners returns the threads whose minted and unique values a request carries. Short minted
// values decide only where nothing longer does.
func (c *compiler) owners(req *Request) (mintedIn, uniqueIn []*thread) {
	for _, short := range []bool{false, true} {
		for _, p := range req.params {
			for _, k := range c.identified(req, p, short) {
				if k.v.origin == unique {
					uniqueIn = append(uniqueIn, k.thread)
				} else {
					mintedIn = append(mintedIn, k.thread)
				}
			}
		}
		if len(mintedIn)+len(uniqueIn) > 0 {
			break
		}
	}
	return distinct(mintedIn), distinct(uniqueIn)
}

// identified returns the minted and unique variables that a parameter carries.
func (c *compiler) identified(req *Request, p param, short bool) []known {
	if p.field.From == profile.Exact {
		var ks []known
		for _, tok := range paramTokens(&p) {
			if k, ok := c.ids.find("", tok.text, nil, true); ok {
				ks = append(ks, k)
			}
		}
		return ks
	}
	text := identifying(p)
	if p.field.Of == "" || text == "" {
		return nil
	}
	var likely []*thread
	if isMask(p) {
		likely = c.bearers(req, identity{p.field.Of, text})
	}
	if k, ok := c.ids.find(p.field.Of, text, likely, short); ok {
		return []known{k}
	}
	return nil
}

func isMask(p param) bool {
	return p.field.From == profile.Rendering && p.field.Form == profile.Mask
}

// bearers returns, of the threads with a card of which a request has the mask, those that know
// most of what else it carries. Cards of one issuer that end alike have one mask.
func (c *compiler) bearers(req *Request, mask identity) []*thread {
	n := c.ids[folded(mask.text)]
	if n == nil || len(n.all) == 1 {
		return nil
	}
	known := map[*thread]int{}
	for _, p := range req.params {
		if k, ok := c.ids.look(identity{p.field.Of, canonical(p.field, p.text)}, nil, true); ok {
			known[k.thread]++
		}
	}
	common := map[*thread]int{}
	for _, b := range n.all[max(0, len(n.all)-maxSharers):] {
		if _, is := b.is(mask); !is || common[b.thread] > 0 {
			continue
		}
		common[b.thread] = 1 + known[b.thread]
		for _, p := range req.params {
			if s := c.scopes[b.thread]; !isMask(p) && len(s.given[p.text]) > 0 {
				common[b.thread]++
			}
		}
	}
	ts := c.foremost(common)
	return ts[:min(1, len(ts))]
}

// maxSharers bounds the threads that are remembered for one shared value, the last to use
// it: every thread may have the same login.
const maxSharers = 64

// weight is what a shared value says of whose a request is: the more have it, the less. The
// first of more than maxSharers are forgotten, which must not count.
func weight(sharers int) int { return maxSharers - min(sharers, maxSharers) }

// share notes that a thread used a shared value that identifies.
func (c *compiler) share(t *thread, v *variable) {
	id := identity{v.of, v.text}
	ts := slices.DeleteFunc(c.sharers[id], func(o *thread) bool { return o == t })
	if len(ts) >= maxSharers {
		ts = ts[1:]
	}
	c.sharers[id] = append(ts, t)
}

// identifying returns the text under which a parameter is looked up: of a mask, what all
// masks of one card have in common.
func identifying(p param) string {
	if isMask(p) {
		ends, _ := pan.Ends(p.text)
		return ends
	}
	return canonical(p.field, p.text)
}

// distinct drops repeats, keeping the order in which threads began but for the first, which
// is the one an exchange opens or speaks of first.
func distinct(ts []*thread) []*thread {
	var out []*thread
	seen := map[*thread]bool{}
	for _, t := range ts {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	if len(out) > 1 {
		slices.SortFunc(out[1:], func(a, b *thread) int { return cmp.Compare(a.index, b.index) })
	}
	return out
}
