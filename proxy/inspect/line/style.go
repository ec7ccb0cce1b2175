package line

import (
	"strings"

	"github.com/paytape/paytape/proxy/inspect/view"
)

// style is the SGR code of a colour; empty is the terminal's own. They are of the sixteen colours
// that a terminal's owner has chosen, except violet, which these do not have.
type style string

const (
	none     style = ""
	strong   style = "1"
	dim      style = "2"
	reversed style = "7"
	red      style = "31"
	green    style = "32"
	amber    style = "33"
	magenta  style = "35"
	cyan     style = "36"
	violet   style = "38;5;135"
)

// paint puts a text into a colour, if the options ask for colour. Spaces at its end have none.
func (o Options) paint(s style, text string) string {
	inner := strings.TrimRight(text, " ")
	if !o.Color || s == none || inner == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + inner + "\x1b[m" + text[len(inner):]
}

// signs say how each sign of a row is shown: its letter, the colour of the letter, and that of the
// outcome; an outcome without a colour has that of its tone.
var signs = map[view.Sign]struct {
	letter      string
	mark, words style
}{
	view.SignMiss:     {"!", magenta, magenta},
	view.SignFailed:   {"x", red, red},
	view.SignCallback: {"<", cyan, none},
	view.SignRule:     {"*", violet, none},
	view.SignDeclined: {"x", red, red},
	view.SignMarked:   {"~", amber, none},
	view.SignWaits:    {".", none, none},
	view.SignHit:      {" ", none, none},
	view.SignNote:     {"i", amber, amber},
}

// tones are the colours of outcomes.
var tones = map[view.Tone]style{view.Good: green, view.Bad: red}
