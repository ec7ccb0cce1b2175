package tape

import (
	"fmt"
	"strconv"
	"strings"
)

// mark is what stands in a hole, before its number, when a template is filled to find out where its
// holes are: digits, because these are written in the same way everywhere.
const mark = "918273645546372819"

// markDigits is how many digits the number of a hole has behind its mark.
const markDigits = 6

// Marks finds the holes of templates in the leaves of the message that the templates make. Its Fill
// fills each hole with a mark of its own; once the message is read, Cut tells which holes a value has.
// The zero Marks has seen no hole. It is not safe for concurrent use.
//
//	template                     filled                             a leaf, cut
//	{"orderId":"<hole>"}         {"orderId":"918...819000000"}      orderId: <hole>
type Marks struct{ holes []*Hole }

// Fill returns the mark of a hole. An address of the sandbox and the number of items stay as they are on
// tape: a mark in their place would make another message.
func (m *Marks) Fill(h *Hole) string {
	if h.What == Leads || h.What == Count {
		return h.Like
	}
	m.holes = append(m.holes, h.clone())
	return fmt.Sprintf("%s%0*d", mark, markDigits, len(m.holes)-1)
}

// Holes returns the holes that were filled, in their order.
func (m *Marks) Holes() []*Hole { return m.holes }

// Cut returns the text of a leaf as literals and the holes between them.
func (m *Marks) Cut(text string) Pieces {
	var ps Pieces
	last := 0
	for from := 0; ; {
		at := strings.Index(text[from:], mark)
		if at < 0 {
			return append(ps, Piece{Literal: text[last:]})
		}
		at += from
		from = at + len(mark)
		to := from + markDigits
		if to > len(text) {
			return append(ps, Piece{Literal: text[last:]})
		}
		n, err := strconv.Atoi(text[from:to])
		if err != nil || n >= len(m.holes) {
			continue // what the sandbox has written
		}
		ps = append(ps, Piece{Literal: text[last:at], Hole: m.holes[n]})
		last, from = to, to
	}
}
