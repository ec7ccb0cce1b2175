package gateway

import (
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// State is what the control address shows of the gateway, without descriptions,
// addresses and extra parameters, which hold whatever the shop has put there.
type State struct {
	Counts   counts         `json:"counts"`
	Orders   []orderState   `json:"orders"`
	Bindings []bindingState `json:"bindings"`

	Callbacks callbacksState `json:"callbacks"`
}

type counts struct {
	Orders   int `json:"orders"`
	Bindings int `json:"bindings"`
}

type orderState struct {
	OrderID     string `json:"orderId"`
	OrderNumber string `json:"orderNumber"`
	OrderStatus int    `json:"orderStatus"`
	ActionCode  int    `json:"actionCode"`
	Amount      int64  `json:"amount"`
	Currency    string `json:"currency"`
	Date        int64  `json:"date"`                // epoch ms
	MaskedPan   string `json:"maskedPan,omitempty"` // absent: no card was tried
	BindingID   string `json:"bindingId,omitempty"`
}

type bindingState struct {
	BindingID       string `json:"bindingId"`
	ClientID        string `json:"clientId"`
	MaskedPan       string `json:"maskedPan"`
	ExpiryDate      string `json:"expiryDate"`
	BindingCategory string `json:"bindingCategory"`
	Active          bool   `json:"active"`
	// Instalments are the terms of an instalment binding and what was paid since; absent
	// if there are none.
	Instalments *instalmentState `json:"instalments,omitempty"`
}

type instalmentState struct {
	Installments           int64 `json:"installments"`
	TotalInstallmentAmount int64 `json:"totalInstallmentAmount"`
	Paid                   int64 `json:"paid"`
	PaidAmount             int64 `json:"paidAmount"`
}

// State shows the orders, by their numbers, and the bindings.
func (g *Gateway) State() State {
	g.mu.Lock()
	defer g.unlock()
	now := g.options.Now()
	s := State{
		Orders: wire.Listed(g.book.byNumber, func(o *order) orderState {
			return g.book.orderState(o, now)
		}),
		Bindings:  []bindingState{},
		Callbacks: g.courier.state(),
	}
	for _, client := range wire.Listed(g.book.bindings, bindingStates) {
		s.Bindings = append(s.Bindings, client...)
	}
	s.Counts = counts{len(s.Orders), len(s.Bindings)}
	return s
}

// orderState shows an order as it is now: looking may be what finds it timed out, as in the
// API.
func (b *book) orderState(o *order, now time.Time) orderState {
	_, _ = b.current(o, now) // fails for no order alone
	s := orderState{
		OrderID:     o.id,
		OrderNumber: mint.HideCards(o.number),
		OrderStatus: o.status,
		ActionCode:  o.action,
		Amount:      o.amount,
		Currency:    o.currency,
		Date:        o.registered.UnixMilli(),
	}
	if o.attempt != nil {
		s.MaskedPan = mint.Mask(o.attempt.card.number, 2)
	}
	if o.binding != nil {
		s.BindingID = o.binding.id
	}
	return s
}

func bindingStates(bindings []*binding) []bindingState {
	list := []bindingState{}
	for _, bound := range bindings {
		v := bound.view()
		s := bindingState{v.BindingID, mint.HideCards(bound.clientID), v.MaskedPan,
			v.ExpiryDate, v.BindingCategory, bound.active, nil}
		if i := bound.plan; i != nil {
			s.Instalments = &instalmentState{i.installments, i.total, i.paid, i.paidAmount}
		}
		list = append(list, s)
	}
	return list
}
