package redact

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/words"
	"github.com/paytape/paytape/redact/surrogate"
)

// Bounds of a number that stands in several fields: of its pieces, in digits, and of their count.
const (
	minPiece  = 3
	maxPieces = 5
)

// joinPieces finds card numbers of which every field has a piece: card1 to card4 of a form, lines of one
// event. The fields must follow one another, and their keys be numbered and name a number, or be the
// same.
func (c *cleaning) joinPieces(m *message) {
	for i := 0; i < len(m.plans); {
		n := c.piecesFrom(m, i)
		if n > 1 {
			c.replacePieces(m.plans[i : i+n])
		}
		i += max(n, 1)
	}
}

// piecesFrom returns how many plans from the i-th on hold the pieces of one card number; 0 if they hold
// none.
func (c *cleaning) piecesFrom(m *message, i int) int {
	first := &m.plans[i]
	if !isPiece(first) {
		return 0
	}
	digits, groups := "", []int{}
	for n := 0; i+n < len(m.plans) && n < maxPieces && len(digits) < pan.MaxLength; n++ {
		p := &m.plans[i+n]
		if n > 0 && (!isPiece(p) || !follows(first.leaf, p.leaf, n)) {
			return 0
		}
		text := p.leaf.Value // as it is: nothing was found in a piece
		digits, groups = digits+text, append(groups, len(text))
		whole := first.leaf.Path != p.leaf.Path || scan.AsPrinted(groups)
		if n > 0 && whole && pan.IsCard(digits) {
			return n + 1
		}
	}
	return 0
}

// isPiece reports whether the value of a plan may be a piece of a number.
func isPiece(p *plan) bool {
	value := p.leaf.Value
	return !p.done && p.leaf.Kind == leaf.String && p.leaf.Place > leaf.Path && p.text() == value &&
		len(value) >= minPiece && len(value) < pan.MinLength && scan.IsNumeric(value) && !p.found
}

// follows reports whether a leaf is the n-th behind another by its key: card2 behind card1, or the same
// key again.
func follows(first, l *leaf.Leaf, n int) bool {
	if l.Path == first.Path && l.Place == first.Place {
		return true
	}
	stem, from := words.Numbered(first.Key)
	same, at := words.Numbered(l.Key)
	one, _ := objectOf(first)
	other, _ := objectOf(l)
	return stem != "" && stem == same && at == from+n && one == other && words.NamesNumber(stem)
}

// replacePieces puts a piece of the surrogate in the place of each piece of the number.
func (c *cleaning) replacePieces(plans []plan) {
	var digits strings.Builder
	for i := range plans {
		digits.WriteString(plans[i].leaf.Value)
	}
	by := c.tape.card(digits.String())
	rest := by.Text
	for i := range plans {
		p, text := &plans[i], by.Text
		if size := len(p.leaf.Value); !surrogate.IsMarker(by.Text) {
			text, rest = rest[:size], rest[size:]
		}
		p.done = true
		p.change().text, p.change().note = text, by.Note
		c.fire(ruleKeyword + profile.PAN.String())
	}
}
