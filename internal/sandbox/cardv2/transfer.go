package cardv2

import (
	"cmp"
	"fmt"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

const (
	moveApproved = "approved"
	moveDeclined = "declined"
)

// cardNumberOnly names a destination.
type cardNumberOnly struct {
	CardNumber string `json:"cardNumber"`
}

// sourceCard names a source.
type sourceCard struct {
	CardNumber string `json:"cardNumber"`
	ExpiryDate string `json:"expiryDate"` // YYYYMM
}

// receipt ends both kinds of answer.
type receipt struct {
	CreationDate  string `json:"creationDate"`
	Status        string `json:"status"`
	StatusMessage string `json:"statusMessage"`
	RRN           string `json:"rrn"`
}

// receipt dates and numbers a movement; why is the reason of a decline, empty if there is
// none. The rrn begins with the hour of creationDate (domain facts, Identifiers).
func (b *bank) receipt(why string, now time.Time) receipt {
	r := receipt{
		CreationDate:  now.Format(wire.LocalForm),
		Status:        moveApproved,
		StatusMessage: "approved",
		RRN:           hourRRN(now, b.rrns.Next()),
	}
	if why != "" {
		r.Status, r.StatusMessage = moveDeclined, why
	}
	return r
}

// hourRRN is the form YDDDHHnnnnnn: last digit of the year, day of the year, hour, number
// (domain facts, Identifiers).
func hourRRN(at time.Time, number int64) string {
	return fmt.Sprintf("%d%03d%02d%06d", at.Year()%10, at.YearDay(), at.Hour(), number)
}

// topUp is a top-up in the field order of document 2 (Top-up).
type topUp struct {
	ID              string         `json:"id"`
	Amount          int64          `json:"amount"`
	Currency        string         `json:"currency"`
	DestinationCard cardNumberOnly `json:"destinationCard"`
	receipt
}

// transfer is a transfer in the field order of document 2 (Transfer).
type transfer struct {
	ID              string         `json:"id"`
	Amount          int64          `json:"amount"`
	Currency        string         `json:"currency"`
	SourceCard      sourceCard     `json:"sourceCard"`
	DestinationCard cardNumberOnly `json:"destinationCard"`
	receipt
	at time.Time
}

type moneyOrder struct {
	Amount          *int64         `json:"amount"`
	Currency        string         `json:"currency"`
	SourceCard      sourceCard     `json:"sourceCard"` // transfers only
	DestinationCard cardNumberOnly `json:"destinationCard"`
}

func (q moneyOrder) check() error {
	switch {
	case q.Amount == nil:
		return invalid("field amount is missing")
	case *q.Amount <= 0 || *q.Amount > wire.MaxAmount:
		return invalid("amount must be positive and of at most 12 digits")
	case q.Currency == "":
		return invalid("field currency is missing")
	case q.Currency != euro: // document 2, Sandbox facts, 2
		return invalid("currency must be EUR")
	}
	return given("destinationCard.cardNumber", q.DestinationCard.CardNumber)
}

// topUp adds funds from nowhere (sandbox only). A card that is not usable gets none; the
// answer to that is not shown and is a declined top-up here.
func (b *bank) topUp(c call, q moneyOrder) (topUp, error) {
	if err := q.check(); err != nil {
		return topUp{}, err
	}
	card := b.byNumber[q.DestinationCard.CardNumber]
	if card == nil {
		return topUp{}, notFound("destination card")
	}
	why := card.unusable(c.now)
	if why == "" {
		card.balance += *q.Amount
	}
	made := topUp{
		ID:              b.source.UUID4(),
		Amount:          *q.Amount,
		Currency:        euro,
		DestinationCard: q.DestinationCard,
		receipt:         b.receipt(why, c.now),
	}
	b.topUps = append(b.topUps, made)
	return made, nil
}

// transfer moves money between two cards. What the bank refuses is a transfer too, with
// status declined and the reason (document 2, Endpoints, rule 8).
func (b *bank) transfer(c call, q moneyOrder) (transfer, error) {
	if err := wire.FirstError(q.check(), q.SourceCard.check()); err != nil {
		return transfer{}, err
	}
	source := b.byNumber[q.SourceCard.CardNumber]
	destination := b.byNumber[q.DestinationCard.CardNumber]
	switch {
	case source == nil:
		return transfer{}, notFound("source card")
	case destination == nil:
		return transfer{}, notFound("destination card")
	case source == destination:
		return transfer{}, invalid("source and destination are one card")
	}
	why := cmp.Or(source.refusal(q, c.now), destination.unusable(c.now))
	if why == "" {
		source.spend(*q.Amount, c.now)
		destination.balance += *q.Amount
	}
	made := transfer{
		ID:              b.source.UUID4(),
		Amount:          *q.Amount,
		Currency:        euro,
		SourceCard:      q.SourceCard,
		DestinationCard: q.DestinationCard,
		receipt:         b.receipt(why, c.now),
		at:              c.now,
	}
	b.transfers = append(b.transfers, made)
	return made, nil
}

func (s sourceCard) check() error {
	err := given("sourceCard.cardNumber", s.CardNumber, "sourceCard.expiryDate", s.ExpiryDate)
	if err == nil && !wire.IsTime(wire.MonthForm, s.ExpiryDate) {
		return invalid("expiryDate must be YYYYMM")
	}
	return err
}

type transferList struct {
	Transfers []transfer `json:"transfers"`
}

// listTransfers answers GET /transfers (document 2, Endpoints, rule 9), oldest first. A
// number that no card has matches no transfer.
func (b *bank) listTransfers(c call) (transferList, error) {
	list := transferList{Transfers: []transfer{}}
	number, status := c.query.Get("cardNumberFltr"), c.query.Get("statusFltr")
	days := wire.DayRange{Start: c.query.Get("periodStartFltr"), End: c.query.Get("periodEndFltr")}
	switch {
	case number == "":
		return list, invalid("cardNumberFltr is missing")
	case !wire.IsDigits(number) || len(number) > 19:
		return list, invalid("cardNumberFltr must be a card number")
	case !days.OK():
		return list, invalid("the period must be YYYY-MM-DD, the start not after the end")
	case !wire.OneOf("", moveApproved, moveDeclined)(status):
		return list, invalid("statusFltr must be approved or declined")
	}
	for _, t := range b.transfers {
		involved := t.SourceCard.CardNumber == number || t.DestinationCard.CardNumber == number
		if involved && days.Contains(t.at) && (status == "" || t.Status == status) {
			list.Transfers = append(list.Transfers, t)
		}
	}
	return list, nil
}
