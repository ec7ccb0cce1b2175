package sandbox

import (
	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// v2State is what the control address shows of version 2, without the names and addresses
// of cardholders.
type v2State struct {
	Counts      v2Counts          `json:"counts"`
	Cardholders []cardholderState `json:"cardholders"`
	Cards       []v2CardState     `json:"cards"`
	TopUps      []v2MovementState `json:"topups"`
	Transfers   []v2MovementState `json:"transfers"`
}

type v2Counts struct {
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

type v2CardState struct {
	ID             string          `json:"id"`
	Cardholder     string          `json:"cardholder"`
	Status         string          `json:"status"`
	NumberMask     string          `json:"numberMask"`
	ExpiryDate     string          `json:"expiryDate"`
	Balance        int64           `json:"balance"`
	BlockingDate   string          `json:"blockingDate"`
	SpendingLimits []spendingLimit `json:"spendingLimits"`
}

// v2MovementState is a top-up or a transfer; a top-up has no source.
type v2MovementState struct {
	ID              string `json:"id"`
	Amount          int64  `json:"amount"`
	SourceCard      string `json:"sourceCard,omitempty"` // masked
	DestinationCard string `json:"destinationCard"`      // masked
	v2Receipt
}

func (v *v2) state() v2State {
	v.mu.Lock()
	defer v.mu.Unlock()
	b := v.bank
	s := v2State{
		Counts:      v2Counts{len(b.holders), len(b.cards), len(b.pool), len(b.topUps), len(b.transfers)},
		Cardholders: wire.Listed(b.holders, (*v2Cardholder).state),
		Cards:       wire.Listed(b.cards, (*v2Card).state),
		TopUps:      []v2MovementState{},
		Transfers:   []v2MovementState{},
	}
	for _, t := range b.topUps {
		s.TopUps = append(s.TopUps, t.state())
	}
	for _, t := range b.transfers {
		s.Transfers = append(s.Transfers, t.state())
	}
	return s
}

func (h *v2Cardholder) state() cardholderState {
	s := cardholderState{ID: h.fields.ID, Status: h.fields.Status, AccountNumber: h.account}
	if h.card != nil {
		s.Card = h.card.id
	}
	return s
}

func (c *v2Card) state() v2CardState {
	v := c.view()
	return v2CardState{
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

func (t v2TopUp) state() v2MovementState {
	return v2MovementState{
		ID:              t.ID,
		Amount:          t.Amount,
		DestinationCard: mint.CardMask(t.DestinationCard.CardNumber),
		v2Receipt:       t.v2Receipt,
	}
}

func (t v2Transfer) state() v2MovementState {
	return v2MovementState{
		ID:              t.ID,
		Amount:          t.Amount,
		SourceCard:      mint.CardMask(t.SourceCard.CardNumber),
		DestinationCard: mint.CardMask(t.DestinationCard.CardNumber),
		v2Receipt:       t.v2Receipt,
	}
}
