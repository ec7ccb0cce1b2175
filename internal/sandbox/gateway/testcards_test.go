package gateway

import (
	"testing"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

// Every outcome that a card can have must have its words.
func TestEveryActionHasItsText(t *testing.T) {
	t.Parallel()
	actions := []int{actionNoAttempt, actionNoSuchCard, actionTimedOut, actionExpired}
	seen := map[string]bool{}
	for _, card := range testCards {
		if !mint.IsCardNumber(card.number) || seen[card.number] || card.outcome == "" {
			t.Errorf("the row of the test card ending in %s is not valid", card.number[12:])
		}
		seen[card.number] = true
		actions = append(actions, card.action)
	}
	for _, action := range actions {
		if _, listed := actionTexts[action]; !listed {
			t.Errorf("action code %d has no text", action)
		}
	}
}

// Every way of authentication must be within a client's reach.
func TestEveryAuthenticationHasACard(t *testing.T) {
	t.Parallel()
	seen := map[authentication]bool{}
	for _, card := range testCards {
		seen[card.auth] = true
	}
	for auth := authNone; auth <= authUnanswered; auth++ {
		if !seen[auth] {
			t.Errorf("no test card has authentication %d", auth)
		}
	}
}

func TestTestCardsShowsEveryRow(t *testing.T) {
	t.Parallel()
	list := TestCards()
	if len(list) != len(testCards) {
		t.Fatalf("%d rows are shown of %d", len(list), len(testCards))
	}
	for _, shown := range list {
		if card, listed := cardOf(shown.Number); !listed || card.outcome != shown.Outcome {
			t.Errorf("the card ending in %s is shown with another outcome", shown.Number[12:])
		}
	}
}
