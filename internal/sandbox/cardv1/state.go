package cardv1

import (
	"maps"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// State is what the control address shows of version 1. Names and phones of customers are
// left out like secrets: nobody needs them to follow a test.
type State struct {
	Counts counts `json:"counts"`
	// PublicKey encrypts a card number for encryptedCardNumber.
	PublicKey string          `json:"publicKey"`
	Customers []customerState `json:"customers"`
	Cards     []cardState     `json:"cards"`
	Merchants []merchantState `json:"merchants"`
	Orders    []orderState    `json:"orders"`
}

type counts struct {
	Customers    int `json:"customers"`
	Cards        int `json:"cards"`
	Transactions int `json:"transactions"`
	Transfers    int `json:"transfers"` // declined ones too
	Orders       int `json:"orders"`
}

type customerState struct {
	CustomerNumber    string      `json:"customerNumber"`
	AccountNumber     string      `json:"accountNumber"`
	Balance           int64       `json:"balance"`
	Currency          int         `json:"currency"`
	AccountStatus     int64       `json:"accountStatus"`
	AccountStatusInFe int64       `json:"accountStatusInFe"`
	Limits            []limitView `json:"limits"`
	Beneficiaries     []string    `json:"beneficiaries"`
	MccList           []int64     `json:"mccList"`
	Services          []string    `json:"services"`
}

type cardState struct {
	CardID         string        `json:"cardId"`
	ExternalCardID string        `json:"externalCardId"`
	CardNumberMask string        `json:"cardNumberMask"`
	ExpiryDate     string        `json:"expiryDate"`
	AccountNumber  string        `json:"accountNumber"`
	HotCardStatus  int           `json:"hotCardStatus"`
	Limits         []limitView   `json:"limits"`
	Restrictions   []geoRule     `json:"restrictions"`
	Beneficiaries  []string      `json:"beneficiaries"`
	MccList        []int64       `json:"mccList"`
	Services       []string      `json:"services"`
	Transactions   []recordState `json:"transactions"`
}

// recordState is a record without the texts that a client has chosen.
type recordState struct {
	Utrnno             int64  `json:"utrnno"`
	AuthorizationDate  string `json:"authorizationDate"`
	TransactionType    string `json:"transactionType"`
	OperationDirection string `json:"operationDirection"`
	Amount             int64  `json:"amount"`
	Fee                int64  `json:"feIssuerFeeAmount"`
}

type merchantState struct {
	MerchantNumber string          `json:"merchantNumber"`
	InstitutionID  string          `json:"institutionId"`
	AgentID        string          `json:"agentId"`
	CustomerNumber string          `json:"customerNumber"`
	ContractNumber string          `json:"contractNumber"`
	Status         string          `json:"status"`
	Terminals      []terminalState `json:"terminals"`
}

type terminalState struct {
	TerminalID     int64    `json:"terminalId"`
	TerminalNumber string   `json:"terminalNumber"`
	Status         string   `json:"status"`
	KeyTypes       []string `json:"keyTypes"` // of the keys that it was given
}

type orderState struct {
	ID             int64  `json:"id"`
	OrderNumber    string `json:"orderNumber"`
	MerchantNumber string `json:"merchantNumber"`
	EventDate      string `json:"eventDate"`
	Status         string `json:"status"`
	Amount         int64  `json:"amount"`
	Sales          int    `json:"sales"`
}

// State shows customers and cards by their numbers and ids, merchants and orders.
func (a *API) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	b, now := a.bank, a.options.Now()
	counts := counts{Customers: len(b.customers), Cards: len(b.byID), Transfers: len(b.transfers),
		Transactions: len(b.records), Orders: len(b.ordersByID)}
	merchants := []merchantState{}
	for _, m := range b.merchants {
		merchants = append(merchants, m.state())
	}
	return State{
		Counts:    counts,
		PublicKey: serviceKey().pem(),
		Customers: wire.Listed(b.customers, func(a *account) customerState { return a.state(now) }),
		Cards:     wire.Listed(b.byID, func(c *card) cardState { return c.state(now) }),
		Merchants: merchants,
		Orders:    wire.Listed(b.ordersByID, func(o *paymentOrder) orderState { return o.state(now) }),
	}
}

func (a *account) state(now time.Time) customerState {
	return customerState{
		CustomerNumber:    mint.HideCards(a.customer),
		AccountNumber:     a.number,
		Balance:           a.balance,
		Currency:          euro,
		AccountStatus:     a.backOffice,
		AccountStatusInFe: a.frontEnd,
		Limits:            showLimits(a.limits, now),
		Beneficiaries:     hideAll(a.allowed.beneficiaries),
		MccList:           append([]int64{}, a.allowed.mccs...),
		Services:          hideAll(a.services.names()),
	}
}

func (c *card) state(now time.Time) cardState {
	s := cardState{
		CardID:         c.id,
		ExternalCardID: mint.HideCards(c.external),
		CardNumberMask: mint.CardMask(c.number),
		ExpiryDate:     c.expiry,
		AccountNumber:  c.account.number,
		HotCardStatus:  c.status,
		Limits:         showLimits(c.limits, now),
		Restrictions:   append([]geoRule{}, c.rules...),
		Beneficiaries:  hideAll(c.allowed.beneficiaries),
		MccList:        append([]int64{}, c.allowed.mccs...),
		Services:       hideAll(c.services.names()),
		Transactions:   []recordState{},
	}
	for _, entry := range c.history {
		r := entry.record
		s.Transactions = append(s.Transactions, recordState{r.Utrnno, r.AuthorizationDate,
			r.TransactionType, r.OperationDirection, r.Amount, r.FeIssuerFeeAmount})
	}
	return s
}

func (m *merchant) state() merchantState {
	s := merchantState{m.number, m.institution, m.agent, m.customer, m.contract,
		mint.HideCards(m.status), []terminalState{}}
	for _, t := range m.terminals {
		s.Terminals = append(s.Terminals, terminalState{t.id, t.number, mint.HideCards(t.status),
			hideAll(slices.Sorted(maps.Keys(t.keys)))})
	}
	return s
}

func (o *paymentOrder) state(now time.Time) orderState {
	return orderState{
		ID:             o.id,
		OrderNumber:    o.number,
		MerchantNumber: mint.HideCards(o.merchant),
		EventDate:      o.opened.Format(zonedForm),
		Status:         o.status(now),
		Amount:         o.amount(),
		Sales:          len(o.sales),
	}
}

// hideAll does what mint.HideCards does to every text of a list; it is never nil.
func hideAll(list []string) []string {
	hidden := []string{}
	for _, s := range list {
		hidden = append(hidden, mint.HideCards(s))
	}
	return hidden
}
