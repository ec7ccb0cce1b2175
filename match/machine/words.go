package machine

import (
	"fmt"
	"slices"
	"strings"
)

// node is an own state, and the edge by which it was reached first.
type node struct {
	from  Own
	did   string // the operation of the write
	after *Recording
	n     int // writes since the birth
	words string
}

// note remembers how an own state was reached.
func (m *Machine) note(to, from Own, did string, by *Recording) {
	if m.nodes == nil {
		m.nodes = map[Own]*node{}
	}
	if m.nodes[to] != nil {
		return
	}
	n := &node{from: from, did: did, after: by, n: 1}
	if f := m.nodes[from]; f != nil {
		n.n = f.n + 1
	}
	m.nodes[to] = n
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
