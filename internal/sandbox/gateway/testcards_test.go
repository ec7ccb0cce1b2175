package gateway

import (
	"testing"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

// Every outcome that a card can have must have its words.
func TestEveryActionHasItsText(t *testing.T) {
	t.Parallel()
	actions := []int{actionNoAttempt, actionNoSuchCard, actionTimedOut, actionExpired}
	for number, card := range testCards {
		if !mint.IsCardNumber(number) {
			t.Errorf("the test card ending in %s is not valid", number[12:])
		}
		actions = append(actions, card.action)
	}
	for _, action := range actions {
		if _, listed := actionTexts[action]; !listed {
			t.Errorf("action code %d has no text", action)
		}
	}
}
