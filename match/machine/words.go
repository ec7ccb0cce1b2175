package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// node is an own state, and the edge by which it was reached first.
type node struct {
	from  Own
	did   string // the operation of the write
	after *Recording
	n     int // writes since the birth
	words string
	// brings are the types of what may have come by it or before.
	brings []*profile.Entity
}

// note remembers how an own state was reached.
func (b *builder) note(to, from Own, did string, by *Recording) {
	m := b.m
	if m.nodes == nil {
		m.nodes = map[Own]*node{}
	}
	if m.nodes[to] != nil {
		return
	}
	n := b.slabs.nodes.Put(node{from: from, did: did, after: by, n: 1})
	if f := m.nodes[from]; f != nil {
		n.n, n.brings = f.n+1, f.brings
	}
	if p := by.Call().Profile; p != nil {
		n.bring(p, by)
		if slices.Equal(n.brings, b.brought) {
			n.brings = b.brought
		}
		b.brought = n.brings
	}
	m.nodes[to] = n
}

// bring notes what a step may have brought without showing it: nobody knows what changed by itself.
func (n *node) bring(p *profile.Profile, by *Recording) {
	for _, t := range p.Entities {
		if len(t.Brought) == 0 || slices.Contains(n.brings, t) {
			continue
		}
		if by.Reads || slices.Contains(t.Brought, by.Operation()) {
			n.brings = append(slices.Clip(n.brings), t)
		}
	}
}

// MayBring reports whether the calls that led to an own state may have brought an entity of a
// type. For an entity without a type it reports true, because nobody knows how such an entity
// comes.
func (m *Machine) MayBring(t *profile.Entity, o Own) bool {
	n := m.nodes[o]
	return t == nil || n != nil && slices.Contains(n.brings, t)
}

// maxSteps is how many writes the words of a state name.
const maxSteps = 3

// Words tell an own state: what was done to the entity since its birth, "register.do,
// paymentorder.do". They hold no character that a header cannot.
func (m *Machine) Words(o Own) string {
	if n := m.nodes[o]; n != nil {
		return n.words
	}
	return "nothing done yet"
}

// WordsBeside tell an own state beside another own state. If both have calls of the same names,
// the words also tell what differs in the first call that differs: "register.do (there
// amount=100)".
func (m *Machine) WordsBeside(o, other Own) string {
	words := m.Words(o)
	if o == other || words != m.Words(other) {
		return words
	}
	mine, theirs := m.way(o), m.way(other)
	for i := range min(len(mine), len(theirs)) {
		if mine[i] != theirs[i] {
			return plain(fmt.Sprintf("%s (there %s)", words, distinction(mine[i].after, theirs[i].after)))
		}
	}
	return words
}

// way returns the nodes from a birth to an own state.
func (m *Machine) way(o Own) []*node {
	var way []*node
	for n := m.nodes[o]; n != nil; n = m.nodes[n.from] {
		way = append(way, n)
	}
	slices.Reverse(way)
	return way
}

// distinction says what a recorded call had that another of the same operation had not.
func distinction(r, other *Recording) string {
	const longest = 60
	var parts []string
	others := other.Request.Append(nil)
	for _, a := range r.Request.All() {
		open := a.Field.From == profile.Exact && a.Field.Secret == profile.NotSecret &&
			len(a.Names) == 0 && len(a.Text) <= longest && !strings.Contains(a.Text, "REDACTED-")
		same := slices.ContainsFunc(others, func(b tape.Asked) bool {
			return b.Path == a.Path && b.Text == a.Text
		})
		if open && !same {
			parts = append(parts, a.Path+"="+a.Text)
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, " and ")
	case r.Cards() != other.Cards():
		return "card " + r.Cards()
	}
	return fmt.Sprintf("as in %s#%d", r.Cassette, r.Number)
}

// describe makes the words of all nodes.
func (m *Machine) describe() {
	for _, n := range m.nodes {
		var steps []string
		at := n
		for range maxSteps {
			steps = append(steps, at.did)
			if at = m.nodes[at.from]; at == nil {
				break
			}
		}
		slices.Reverse(steps)
		text := strings.Join(steps, ", ")
		if more := n.n - len(steps); more > 0 {
			text = fmt.Sprintf("%d before, %s", more, text)
		}
		n.words = plain(text)
	}
}

// plain replaces what may not stand in a value of Paytape-Served.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == ';' {
			return '?'
		}
		return r
	}, s)
}
