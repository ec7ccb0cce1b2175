package cardv2

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// cardUpdate carries out one parameter of PATCH /cards/{id}.
type cardUpdate func(*bank, *card, call, json.RawMessage) error

// cardUpdates lists the parameters (document 2, Endpoints, PATCH).
var cardUpdates = map[string]cardUpdate{
	"status":          (*bank).updateStatus,
	"spendingLimits":  (*bank).updateLimits,
	"pin":             (*bank).updatePin,
	"resetPinCounter": (*bank).resetPinCounter,
	"reissueCard":     (*bank).reissueCard,
}

// updateCard changes exactly one parameter of a card (document 2, Endpoints, rule 2).
func (b *bank) updateCard(c call, q map[string]json.RawMessage) (cardView, error) {
	card := b.cards[c.id]
	if card == nil {
		return cardView{}, notFound("card")
	}
	var named []string
	for name := range cardUpdates {
		if _, given := q[name]; given {
			named = append(named, name)
		}
	}
	if len(named) != 1 {
		return cardView{}, invalid("exactly one of status, spendingLimits, pin, " +
			"resetPinCounter and reissueCard must be given")
	}
	if err := cardUpdates[named[0]](b, card, c, q[named[0]]); err != nil {
		return cardView{}, err
	}
	return card.view(), nil
}

// cardMoves are the statuses that a card can be given, by the one it has. A lost or stolen
// card changes by reissue alone (document 2, States and transitions).
var cardMoves = map[string][]string{
	statusActive:  {statusBlocked, statusLost, statusStolen},
	statusBlocked: {statusActive, statusLost, statusStolen},
}

func (b *bank) updateStatus(card *card, c call, value json.RawMessage) error {
	var wanted string
	statuses := wire.OneOf(statusActive, statusBlocked, statusLost, statusStolen)
	if json.Unmarshal(value, &wanted) != nil || !statuses(wanted) {
		return invalid("status must be active, blocked, lost or stolen")
	}
	moves, movable := cardMoves[card.status]
	switch {
	case !movable:
		return conflict("the card is " + card.status + ", use reissueCard")
	case !slices.Contains(moves, wanted):
		return conflict("the card is " + card.status + " already")
	}
	card.status, card.blocked = wanted, time.Time{}
	if wanted == statusBlocked {
		card.blocked = c.now
	}
	return nil
}

// updateLimits sets the limits of the intervals that are listed; others stay.
func (b *bank) updateLimits(card *card, _ call, value json.RawMessage) error {
	var list []struct {
		Amount   *int64 `json:"amount"`
		Interval string `json:"interval"`
	}
	if json.Unmarshal(value, &list) != nil || len(list) == 0 {
		return invalid("spendingLimits must be a list of amount and interval")
	}
	limits := map[string]int64{}
	for _, item := range list {
		_, known := card.limits[item.Interval]
		_, twice := limits[item.Interval]
		switch {
		case !known:
			return invalid("interval must be daily or monthly")
		case twice:
			return invalid("an interval is given twice")
		case item.Amount == nil || *item.Amount < 0 || *item.Amount > wire.MaxAmount:
			return invalid("the amount of a limit must be 0 to 12 digits")
		}
		limits[item.Interval] = *item.Amount
	}
	maps.Copy(card.limits, limits)
	return nil
}

// updatePin takes an encrypted PIN. Format and key are not shown, so any text will do, and
// nothing is kept of it.
func (b *bank) updatePin(_ *card, _ call, value json.RawMessage) error {
	var encrypted string
	if json.Unmarshal(value, &encrypted) != nil || encrypted == "" {
		return invalid("pin must be an encrypted PIN")
	}
	return nil
}

// resetPinCounter has nothing to reset here, for a PIN is never entered. The value that the
// parameter carries is not shown; any will do.
func (b *bank) resetPinCounter(*card, call, json.RawMessage) error {
	return nil
}

// reissueCard makes the card good again: active, with a new CVC and expiry. The number
// changes if it was or is reported lost or stolen; the id and the balance stay. State and
// wire form are not shown: the reason is read from {"reason": ...} or from a bare string.
func (b *bank) reissueCard(card *card, c call, value json.RawMessage) error {
	reason := reissueReason(value)
	if !wire.OneOf(statusLost, statusStolen, "damaged", "expired")(reason) {
		return invalid("the reason must be lost, stolen, damaged or expired")
	}
	gone := wire.OneOf(statusLost, statusStolen)
	number := card.number
	if gone(reason) || gone(card.status) {
		number = b.issuer.Next()
	}
	b.emboss(card, number, c.now)
	card.status, card.blocked = statusActive, time.Time{}
	return nil
}

func reissueReason(value json.RawMessage) string {
	var command struct {
		Reason string `json:"reason"`
	}
	var word string
	if json.Unmarshal(value, &word) != nil && json.Unmarshal(value, &command) == nil {
		word = command.Reason
	}
	return strings.ToLower(word)
}
