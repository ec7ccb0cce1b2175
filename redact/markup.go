package redact

import "github.com/paytape/paytape/internal/leaf"

// isMarkup reports whether the body of a message is HTML or XML.
func (m *message) isMarkup() bool {
	n := len(m.Leaves)
	return n > 0 && m.Leaves[n-1].Place == leaf.Markup
}

// cleanMarkup cleans markup once more as the prose that it is too: what stands beside a value may
// lie on the other side of a tag.
func (c *cleaning) cleanMarkup(m *message, body string) string {
	trust := c.trust
	if trust == live {
		c.trust = verified // the surrogates of its leaves stay
	}
	found := c.spans(body, asProse)
	if m.packs {
		found = outsidePacked(body, found)
	}
	c.trust = trust
	c.markMisread(body, found, leavesOf(m))
	for _, sp := range found {
		c.taken.add(sp.Note, func(note string) string {
			return m.name + " " + leaf.Markup.String() + ": " + note
		})
		c.fire(sp.rule)
	}
	return splice(body, found)
}

// outsidePacked returns the finds in markup that are in no packed value: its characters mean
// nothing as they stand, and what it holds has been cleaned.
func outsidePacked(body string, found []span) []span {
	if len(found) == 0 {
		return found
	}
	m := leaf.Read(leaf.Message{Body: body})
	var kept []span
	next, end := 0, 0 // the find at hand, and where the last packed value ends
	for i := range m.Leaves {
		from, to, ok := packedAt(m, &m.Leaves[i])
		if !ok || to == end {
			continue
		}
		for ; next < len(found) && found[next].from < to; next++ {
			if found[next].to <= from && found[next].from >= end {
				kept = append(kept, found[next])
			}
		}
		end = to
	}
	return append(kept, found[next:]...)
}

// packedAt returns where in the body the outermost packed value around a leaf lies.
func packedAt(m *leaf.Message, l *leaf.Leaf) (from, to int, ok bool) {
	h := l.Packed()
	if h == nil || l.Place <= leaf.Header {
		return 0, 0, false
	}
	for outer := h.Leaf.Packed(); outer != nil; outer = h.Leaf.Packed() {
		h = outer
	}
	from, to = m.Span(&h.Leaf, 0, len(h.Leaf.Value))
	return from, to, true
}
