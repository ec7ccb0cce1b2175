package machine_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Names that a request gives count in a text for where it gives them: as words of their own, and of two that
// overlap the longer, in whatever order the request has them.
func TestComparedTexts(t *testing.T) {
	t.Parallel()
	named := func(label, text string) tape.Asked {
		return tape.Asked{Argument: tape.Argument{Parameter: &tape.Parameter{Label: label}, Unborn: true, Text: text}}
	}
	q := machine.Question{Asked: []tape.Asked{named("shop", "SO"), named("ref", "SO-77120"), named("x", "ref")}}
	for _, tt := range []struct{ text, want string }{
		{"Order SO-77120 of SO", "Order <ref> of <shop>"},
		{"SO-77120, SO-77120", "<ref>, <ref>"},
		{"SO-771201", "<shop>-771201"},
		{"ref of SO-77120", "<x> of <ref>"},
		{"SOS", "SOS"},
	} {
		want := strings.NewReplacer("<", "\x00", ">", "\x00").Replace(tt.want)
		if got := q.Compared(tt.text, &tape.Place{Embeds: true}); got != want {
			t.Errorf("%q counts as %q, not %q", tt.text, got, want)
		}
		if got := q.Compared(tt.text, &tape.Place{}); got != tt.text {
			t.Errorf("where nothing is embedded, %q counts as %q", tt.text, got)
		}
	}
}
