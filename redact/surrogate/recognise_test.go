package surrogate

import (
	"testing"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// TestRecognise wants each recogniser to know what it is for, and nothing else of the table.
func TestRecognise(t *testing.T) {
	t.Parallel()
	visa := "411111" + "1111111111"
	card, _ := CardNumber(visa, 12)
	broken, _ := CardNumber(pan.WithResidue(visa, 15, 7), 3)
	for _, tt := range []struct {
		why, text                      string
		marker, holds, token, is, card bool
	}{
		{"a token", Numbered(profile.Token, 7).Text, true, true, true, true, false},
		{"a blob", Numbered(profile.Blob, 7).Text, true, true, false, true, false},
		{"a key, which has no number", Constant(profile.Key).Text, true, true, false, true, false},
		{"what the gate leaves", Withheld, true, false, false, true, false},
		{"a marker in a text", "sent REDACTED-token-1 again", false, true, false, false, false},
		{"a number that is too long", "REDACTED-token-1234567890", false, true, true, false, false},
		{"the constant of a PIN", PIN, false, false, false, true, false},
		{"a card", card.Text, false, false, false, false, true},
		{"a card in groups", "4111 1100 0012 1111", false, false, false, false, true},
		{"a card that failed Luhn", broken.Text, false, false, false, false, true},
		{"a live card", visa, false, false, false, false, false},
		{"a surrogate in a text", "card " + card.Text, false, false, false, false, false},
		{"nothing", "", false, false, false, false, false},
	} {
		for what, is := range map[string][2]bool{
			"IsMarker": {IsMarker(tt.text), tt.marker}, "Holds": {Holds(tt.text), tt.holds},
			"IsToken": {IsToken(tt.text), tt.token}, "Is": {Is(tt.text), tt.is},
			"IsCard": {IsCard(tt.text), tt.card},
		} {
			if is[0] != is[1] {
				t.Errorf("%s of %s: %v, want %v", what, tt.why, is[0], is[1])
			}
		}
	}
}
