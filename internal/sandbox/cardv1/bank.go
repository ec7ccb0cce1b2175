package cardv1

import "github.com/paytape/paytape/internal/sandbox/mint"

// bank is the state of version 1: customers, accounts, cards, merchants and what happened
// to them. The lock of API guards it.
type bank struct {
	source *mint.Source
	extra  *mint.Source
	issuer *mint.Issuer
	trx    *mint.Counter // transaction numbers
	stan   *mint.Counter // systemTraceAuditNumber, up to 6 digits
	orders *mint.Counter // payment orders

	customers map[string]*account // by customer number
	accounts  map[string]*account // by account number

	byNumber   map[string]*card
	byID       map[string]*card
	byBarCode  map[string]*card
	byExternal map[string]*card   // by externalCardId
	byPhone    map[string][]*card // a phone may have several

	transfers map[string]receipt // by rrn, declined ones too
	records   map[int64]record   // by utrnno; of a transfer the source's side

	merchants  []*merchant
	dayOrders  map[string][]*paymentOrder // by merchant number, oldest first
	ordersByID map[int64]*paymentOrder
}

func newBank(o Options) *bank {
	return &bank{
		source:     o.Source,
		extra:      o.Extra,
		issuer:     o.Numbers,
		trx:        mint.NewCounter(o.Source, 100_000_000, 999_999_999),
		stan:       mint.NewCounter(o.Source, 1, 999_999),
		orders:     mint.NewCounter(o.Extra, 1_000_000, 9_999_999),
		customers:  map[string]*account{},
		accounts:   map[string]*account{},
		byNumber:   map[string]*card{},
		byID:       map[string]*card{},
		byBarCode:  map[string]*card{},
		byExternal: map[string]*card{},
		byPhone:    map[string][]*card{},
		transfers:  map[string]receipt{},
		records:    map[int64]record{},
		merchants:  newMerchants(),
		dayOrders:  map[string][]*paymentOrder{},
		ordersByID: map[int64]*paymentOrder{},
	}
}
