package cardv2

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// Card statuses (document 2, States and transitions).
const (
	statusActive  = "active"
	statusBlocked = "blocked"
	statusLost    = "lost"
	statusStolen  = "stolen"
)

// product is the one product. The text names it by the network alone, the example adds
// the tier (document 2, Endpoints, rule 1); both are taken.
const (
	product      = "VISA Classic"
	productShort = "VISA"
)

const (
	euro      = "EUR"
	cardYears = 3 // validity of a new card; not shown
)

// interval is one of the intervals that a limit can have.
type interval struct {
	name  string
	form  string // of a time; equal texts mean the same interval
	limit int64  // default, in cents (document 2, Limits, 5)
}

var intervals = []interval{
	{"daily", "2006-01-02", 1_000_00},
	{"monthly", "2006-01", 10_000_00},
}

// card is a card with its account's balance: there is one card per account.
type card struct {
	id       string
	holder   *cardholder
	status   string
	number   string
	cvc      string
	expiry   string // YYYYMM
	balance  int64  // cents
	created  time.Time
	blocked  time.Time        // zero while not blocked
	limits   map[string]int64 // by interval name
	spending map[string]spent // by interval name
}

// spent is what a card has spent in one interval.
type spent struct {
	when string // the interval, printed in its form
	sum  int64
}

// cardView is a card in the field order of document 2 (Card).
type cardView struct {
	ID               string          `json:"id"`
	Status           string          `json:"status"`
	ProductName      string          `json:"productName"`
	Cardholder       string          `json:"cardholder"`
	Account          accountView     `json:"account"`
	EmbossedName     string          `json:"embossedName"`
	ExpiryDate       string          `json:"expiryDate"`
	NumberMask       string          `json:"numberMask"`
	Number           string          `json:"number,omitempty"` // GET /cards/{id} only
	CVC              string          `json:"cvc,omitempty"`    // GET /cards/{id} only
	CreationDate     string          `json:"creationDate"`
	BlockingDate     string          `json:"blockingDate"` // empty while not blocked
	PinDenialCounter string          `json:"pinDenialCounter"`
	SpendingLimits   []spendingLimit `json:"spendingLimits"`
}

type accountView struct {
	AccountNumber string `json:"accountNumber"`
	Balance       int64  `json:"balance"`
	Currency      string `json:"currency"`
}

type spendingLimit struct {
	Amount   int64  `json:"amount"`
	Interval string `json:"interval"`
}

func (c *card) view() cardView {
	name := c.holder.fields.FirstName + " " + c.holder.fields.LastName
	v := cardView{
		ID:               c.id,
		Status:           c.status,
		ProductName:      product,
		Cardholder:       c.holder.fields.ID,
		Account:          accountView{c.holder.account, c.balance, euro},
		EmbossedName:     strings.ToUpper(name),
		ExpiryDate:       c.expiry,
		NumberMask:       mint.CardMask(c.number),
		CreationDate:     c.created.Format(wire.LocalForm),
		PinDenialCounter: "0", // no operation enters a PIN, so none can be wrong
	}
	if !c.blocked.IsZero() {
		v.BlockingDate = c.blocked.Format(wire.LocalForm)
	}
	for _, interval := range intervals {
		v.SpendingLimits = append(v.SpendingLimits,
			spendingLimit{c.limits[interval.name], interval.name})
	}
	return v
}

type createCardRequest struct {
	ProductName string `json:"productName"`
	Cardholder  string `json:"cardholder"`
}

// createCard issues a card of the pool, with balance 0 and the default limits. It is active
// at once.
func (b *bank) createCard(c call, q createCardRequest) (cardView, error) {
	err := given("productName", q.ProductName, "cardholder", q.Cardholder)
	holder := b.holders[q.Cardholder]
	switch {
	case err != nil:
		return cardView{}, err
	case q.ProductName != product && q.ProductName != productShort:
		return cardView{}, invalid("productName must be " + product)
	case holder == nil:
		return cardView{}, notFound("cardholder")
	case holder.card != nil:
		return cardView{}, conflict("the cardholder has a card already")
	case len(b.pool) == 0:
		return cardView{}, conflict("all 20 cards of the sandbox are issued")
	}
	card := &card{
		id: b.source.UUID4(), holder: holder, status: statusActive, created: c.now,
		limits: map[string]int64{}, spending: map[string]spent{},
	}
	for _, interval := range intervals {
		card.limits[interval.name] = interval.limit
	}
	b.emboss(card, b.pool[0], c.now)
	b.pool = b.pool[1:]
	holder.card, b.cards[card.id] = card, card
	return card.view(), nil
}

// emboss gives a card a number, a CVC and an expiry, new ones or again.
func (b *bank) emboss(card *card, number string, now time.Time) {
	delete(b.byNumber, card.number)
	card.number = number
	card.cvc = b.source.DigitsNotZero(3)
	// The first of the month: years added to a 29 February would spill over.
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
	card.expiry = month.AddDate(cardYears, 0, 0).Format(wire.MonthForm)
	b.byNumber[number] = card
}

// showCard is the one answer with the number and the CVC.
func (b *bank) showCard(c call) (cardView, error) {
	card := b.cards[c.id]
	if card == nil {
		return cardView{}, notFound("card")
	}
	view := card.view()
	view.Number, view.CVC = card.number, card.cvc
	return view, nil
}

// spentIn is what the card has spent in the interval that now falls into.
func (c *card) spentIn(interval interval, now time.Time) int64 {
	if s := c.spending[interval.name]; s.when == now.Format(interval.form) {
		return s.sum
	}
	return 0
}

// spend takes money from the card and counts it against the limits.
func (c *card) spend(amount int64, now time.Time) {
	c.balance -= amount
	for _, interval := range intervals {
		sum := c.spentIn(interval, now) + amount
		c.spending[interval.name] = spent{now.Format(interval.form), sum}
	}
}

// refusal says why the card cannot pay for a transfer now; empty if it can.
func (c *card) refusal(q moneyOrder, now time.Time) string {
	if why := c.unusable(now); why != "" {
		return why
	}
	switch {
	case q.SourceCard.ExpiryDate != c.expiry:
		return "the expiry date is wrong"
	case *q.Amount > c.balance:
		return "insufficient funds"
	}
	for _, interval := range intervals {
		if c.spentIn(interval, now)+*q.Amount > c.limits[interval.name] {
			return "the " + interval.name + " spending limit is exceeded"
		}
	}
	return ""
}

// unusable says why no money can move on the card, in or out; empty if it can.
func (c *card) unusable(now time.Time) string {
	switch {
	case c.status != statusActive:
		return "the card is " + c.status
	case wire.IsOver(c.expiry, now):
		return "the card has expired"
	}
	return ""
}
