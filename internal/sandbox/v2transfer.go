package sandbox

import (
	"cmp"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
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

// v2Receipt ends both kinds of answer.
type v2Receipt struct {
	CreationDate  string `json:"creationDate"`
	Status        string `json:"status"`
	StatusMessage string `json:"statusMessage"`
	RRN           string `json:"rrn"`
}

// receipt dates and numbers a movement; why is the reason of a decline, empty if there is
// none. The rrn begins with the hour of creationDate (domain facts, Identifiers).
func (b *v2Bank) receipt(why string, now time.Time) v2Receipt {
	r := v2Receipt{
		CreationDate:  now.Format(wire.LocalForm),
		Status:        moveApproved,
		StatusMessage: "approved",
		RRN:           mint.HourRRN(now, b.rrns.Next()),
	}
	if why != "" {
		r.Status, r.StatusMessage = moveDeclined, why
	}
	return r
}

// v2TopUp is a top-up in the field order of document 2 (Top-up).
type v2TopUp struct {
	ID              string         `json:"id"`
	Amount          int64          `json:"amount"`
	Currency        string         `json:"currency"`
	DestinationCard cardNumberOnly `json:"destinationCard"`
	v2Receipt
}

// v2Transfer is a transfer in the field order of document 2 (Transfer).
type v2Transfer struct {
	ID              string         `json:"id"`
	Amount          int64          `json:"amount"`
	Currency        string         `json:"currency"`
	SourceCard      sourceCard     `json:"sourceCard"`
	DestinationCard cardNumberOnly `json:"destinationCard"`
	v2Receipt
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
	case q.Currency != v2Currency: // document 2, Sandbox facts, 2
		return invalid("currency must be EUR")
	}
	return given("destinationCard.cardNumber", q.DestinationCard.CardNumber)
}

// topUp adds funds from nowhere (sandbox only). A card that is not usable gets none; the
// answer to that is not shown and is a declined top-up here.
func (b *v2Bank) topUp(c v2Call, q moneyOrder) (v2TopUp, error) {
	if err := q.check(); err != nil {
		return v2TopUp{}, err
	}
	card := b.byNumber[q.DestinationCard.CardNumber]
	if card == nil {
		return v2TopUp{}, notFound("destination card")
	}
	why := card.unusable(c.now)
	if why == "" {
		card.balance += *q.Amount
	}
	made := v2TopUp{
		ID:              b.source.UUID4(),
		Amount:          *q.Amount,
		Currency:        v2Currency,
		DestinationCard: q.DestinationCard,
		v2Receipt:       b.receipt(why, c.now),
	}
	b.topUps = append(b.topUps, made)
	return made, nil
}

// transfer moves money between two cards. What the bank refuses is a transfer too, with
// status declined and the reason (document 2, Endpoints, rule 8).
func (b *v2Bank) transfer(c v2Call, q moneyOrder) (v2Transfer, error) {
	if err := wire.FirstError(q.check(), q.SourceCard.check()); err != nil {
		return v2Transfer{}, err
	}
	source := b.byNumber[q.SourceCard.CardNumber]
	destination := b.byNumber[q.DestinationCard.CardNumber]
	switch {
	case source == nil:
		return v2Transfer{}, notFound("source card")
	case destination == nil:
		return v2Transfer{}, notFound("destination card")
	case source == destination:
		return v2Transfer{}, invalid("source and destination are one card")
	}
	why := cmp.Or(source.refusal(q, c.now), destination.unusable(c.now))
	if why == "" {
		source.spend(*q.Amount, c.now)
		destination.balance += *q.Amount
	}
	made := v2Transfer{
		ID:              b.source.UUID4(),
		Amount:          *q.Amount,
		Currency:        v2Currency,
		SourceCard:      q.SourceCard,
		DestinationCard: q.DestinationCard,
		v2Receipt:       b.receipt(why, c.now),
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
	Transfers []v2Transfer `json:"transfers"`
}

// listTransfers answers GET /transfers (document 2, Endpoints, rule 9), oldest first. A
// number that no card has matches no transfer.
func (b *v2Bank) listTransfers(c v2Call) (transferList, error) {
	list := transferList{Transfers: []v2Transfer{}}
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
