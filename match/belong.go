package match

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// variety is the first value of a noun, and whether there are others.
type variety struct {
	first string
	more  bool
}

// noun notes a value that has a noun.
func (s *survey) noun(p param) {
	if p.field.Of == "" || p.text == "" {
		return
	}
	text := canonical(p.field, p.text)
	switch v := s.nouns[p.field.Of]; {
	case v == nil:
		s.nouns[p.field.Of] = &variety{first: strings.Clone(text)}
	case v.first != text:
		v.more = true
	}
}

// tells reports whether the values of a noun tell requests apart: a login that is the same in
// all of them does not.
func (s *survey) tells(of string) bool {
	v := s.nouns[of]
	return v != nil && v.more
}

// loosely decides where an exchange belongs that carries no id of one thread's own: to the
// thread with which it has most in common, of several the one used last. A read that several
// have as much in common with is all theirs: see among. So are configured ids, which many may
// send.
//
// A write of several clients must not become a row of writes that one client never makes. One
// that repeats what opened the thread opens another, as it does in replay; any other goes to
// the thread that is furthest of those that have no such write yet. Clients who make the same
// calls so have a thread each, whatever their order was.
func (c *compiler) loosely(e *exchange, req *Request, ts []*thread) []*thread {
	if len(ts) == 0 {
		return nil
	}
	if !e.writes {
		e.loose = true
		c.alike = ts
		return ts[:1]
	}
	question, opener := asked(req), c.scopes[ts[0]].opener
	to := cmp.Or(c.furthest(ts, question), c.furthest(c.opened[opener], question))
	switch {
	case to != nil:
	case opener == question:
		return nil
	default:
		to = ts[0]
	}
	c.scopes[to].ask(question)
	return []*thread{to}
}

// furthest returns the thread with the most writes of those that have not had one; nil if all
// had it.
func (c *compiler) furthest(ts []*thread, question uint64) *thread {
	var to *thread
	for _, t := range ts {
		if !c.scopes[t].asked[question] && (to == nil || len(t.writes) > len(to.writes)) {
			to = t
		}
	}
	return to
}

// opensWith notes the write that opened a thread and carries no id of its own.
func (c *compiler) opensWith(t *thread, req *Request) {
	s := c.scopes[t]
	s.opener = asked(req)
	s.ask(s.opener)
	ts := c.opened[s.opener]
	c.opened[s.opener] = append(ts[max(0, len(ts)-maxSharers+1):], t)
}

// asked hashes what a request asks for, as far as it is the same for every client: its
// constants and the ids that it takes for granted.
func asked(req *Request) uint64 {
	var k keyer
	k.start(req.op, "")
	for i := range req.params {
		p := &req.params[i]
		k.add(p, false)
		if p.field.From == profile.Minted {
			k.hash.WriteString(p.text)
		}
	}
	return k.hash.Sum64()
}

// nearest returns the threads that used most of the shared values a request carries, and the
// rarest, the one used last in front. A thread that has nothing in common with the request but
// what tells nobody apart, and another value where the request tells who it speaks of, is
// somebody else's; so is one that does not know who that is, unless the answer shows it.
func (c *compiler) nearest(req *Request, answer *leaf.Message) []*thread {
	common, telling := map[*thread]int{}, map[*thread]bool{}
	for _, p := range req.params {
		if p.field.Of == "" {
			continue
		}
		sharers := c.sharers[identity{p.field.Of, canonical(p.field, p.text)}]
		for _, t := range sharers {
			common[t] += weight(len(sharers))
			telling[t] = telling[t] || c.survey.tells(p.field.Of)
		}
	}
	var shown map[*thread]bool // looked for only where it matters
	for t := range common {
		if telling[t] {
			continue
		}
		another, unheard := c.scopes[t].another(req)
		if unheard && shown == nil {
			shown = c.shown(req, answer)
		}
		if another || unheard && !shown[t] {
			delete(common, t)
		}
	}
	return c.foremost(common)
}

// shown returns the threads whose ids an answer shows.
func (c *compiler) shown(req *Request, answer *leaf.Message) map[*thread]bool {
	ts := map[*thread]bool{}
	passages := answer.Passages()
	for i := range answer.Leaves {
		l := &answer.Leaves[i]
		f, _ := c.tape.opts.Profiles.Field(req.call, profile.Response, at(l))
		ids := []identity{{f.Of, canonical(f, l.Value)}}
		for _, tok := range leafTokens(l, passages) {
			ids = append(ids, identity{"", tok.text})
		}
		for _, id := range ids {
			if k, ok := c.ids.look(id, nil, true); ok && id.text != "" {
				ts[k.thread] = true
			}
		}
	}
	return ts
}

// another reports whether a request has, of some noun, a value that the thread does not have
// though it has others, and whether it has one of which the thread has none.
func (s *scope) another(req *Request) (another, unheard bool) {
	for _, p := range req.params {
		if p.field.Of == "" || p.field.From != profile.Shared || p.field.Secret == profile.Token {
			continue
		}
		if s.shared[sharedKey{of: p.field.Of, text: canonical(p.field, p.text)}] == nil {
			another = another || len(s.nouns[p.field.Of]) > 0
			unheard = unheard || len(s.nouns[p.field.Of]) == 0
		}
	}
	return another, unheard
}

// foremost returns the threads with the most in common, the one used last in front.
func (c *compiler) foremost(common map[*thread]int) []*thread {
	var ts []*thread
	best := 0
	for t, n := range common {
		if n > best {
			best, ts = n, ts[:0]
		}
		if n == best {
			ts = append(ts, t)
		}
	}
	slices.SortFunc(ts, func(a, b *thread) int {
		return cmp.Or(cmp.Compare(c.scopes[b].used, c.scopes[a].used), cmp.Compare(a.index, b.index))
	})
	return ts
}

// configurers returns the threads that know most of the configured ids of a request, the one
// used last in front; nil if it carries an id that is one thread's own.
func (c *compiler) configurers(req *Request) []*thread {
	common := map[*thread]int{}
	for _, p := range req.params {
		for _, k := range c.identified(req, p, true) {
			if k.v.origin != configured {
				return nil
			}
			all := c.ids[folded(k.v.text)].all
			for _, o := range all[max(0, len(all)-maxSharers):] {
				if o.v.origin == configured && o.v.of == k.v.of && o.v.text == k.v.text {
					common[o.thread]++
				}
			}
		}
	}
	return c.foremost(common)
}
