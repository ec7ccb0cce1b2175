package cardv2

import (
	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// State is what the control address shows of version 2, without the names and addresses
// of cardholders.
type State struct {
	Counts      counts            `json:"counts"`
	Cardholders []cardholderState `json:"cardholders"`
	Cards       []cardState       `json:"cards"`
	TopUps      []movementState   `json:"topups"`
	Transfers   []movementState   `json:"transfers"`
}

type counts struct {
	Cardholders int `json:"cardholders"`
	Cards       int `json:"cards"`
	Pool        int `json:"pool"` // cards that are not issued yet
	TopUps      int `json:"topups"`
	Transfers   int `json:"transfers"` // declined ones too
}

type cardholderState struct {
	ID            string `json:"id"`
	Status        string `json:"status"`
	AccountNumber string `json:"accountNumber"`
	Card          string `json:"card"` // id; empty until one is issued
}

type cardState struct {
	ID             string          `json:"id"`
	Cardholder     string          `json:"cardholder"`
	Status         string          `json:"status"`
	NumberMask     string          `json:"numberMask"`
	ExpiryDate     string          `json:"expiryDate"`
	Balance        int64           `json:"balance"`
	BlockingDate   string          `json:"blockingDate"`
	SpendingLimits []spendingLimit `json:"spendingLimits"`
}

// movementState is a top-up or a transfer; a top-up has no source.
type movementState struct {
	ID              string `json:"id"`
	Amount          int64  `json:"amount"`
	SourceCard      string `json:"sourceCard,omitempty"` // masked
	DestinationCard string `json:"destinationCard"`      // masked
	receipt
}

// State shows cardholders and cards by their ids, top-ups and transfers oldest first.
func (a *API) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.bank
	s := State{
		Counts:      counts{len(b.holders), len(b.cards), len(b.pool), len(b.topUps), len(b.transfers)},
		Cardholders: wire.Listed(b.holders, (*cardholder).state),
		Cards:       wire.Listed(b.cards, (*card).state),
		TopUps:      []movementState{},
		Transfers:   []movementState{},
	}
	for _, t := range b.topUps {
		s.TopUps = append(s.TopUps, t.state())
	}
	for _, t := range b.transfers {
		s.Transfers = append(s.Transfers, t.state())
	}
	return s
}

func (h *cardholder) state() cardholderState {
	s := cardholderState{ID: h.fields.ID, Status: h.fields.Status, AccountNumber: h.account}
	if h.card != nil {
		s.Card = h.card.id
	}
	return s
}

func (c *card) state() cardState {
	v := c.view()
	return cardState{
		ID:             v.ID,
		Cardholder:     v.Cardholder,
		Status:         v.Status,
		NumberMask:     v.NumberMask,
		ExpiryDate:     v.ExpiryDate,
		Balance:        v.Account.Balance,
		BlockingDate:   v.BlockingDate,
		SpendingLimits: v.SpendingLimits,
	}
}

func (t topUp) state() movementState {
	return movementState{
		ID:              t.ID,
		Amount:          t.Amount,
		DestinationCard: mint.CardMask(t.DestinationCard.CardNumber),
		receipt:         t.receipt,
	}
}

func (t transfer) state() movementState {
	return movementState{
		ID:              t.ID,
		Amount:          t.Amount,
		SourceCard:      mint.CardMask(t.SourceCard.CardNumber),
		DestinationCard: mint.CardMask(t.DestinationCard.CardNumber),
		receipt:         t.receipt,
	}
}
