package sandbox

import "github.com/paytape/paytape/internal/sandbox/mint"

// v1Bank is the state of version 1: customers, accounts, cards, merchants and what happened
// to them. The lock of v1 guards it.
type v1Bank struct {
	source *mint.Source
	// extra mints what was added to a card or to an answer without a change to the numbers
	// that source gives out.
	extra  *mint.Source
	issuer *mint.Issuer
	trx    *mint.Counter // transaction numbers
	stan   *mint.Counter // systemTraceAuditNumber, up to 6 digits
	orders *mint.Counter // payment orders

	customers map[string]*v1Account // by customer number
	accounts  map[string]*v1Account // by account number

	byNumber   map[string]*v1Card
	byID       map[string]*v1Card
	byBarCode  map[string]*v1Card
	byExternal map[string]*v1Card   // by externalCardId
	byPhone    map[string][]*v1Card // a phone may have several

	transfers map[string]v1Receipt // by rrn, declined ones too
	records   map[int64]v1Record   // by utrnno; of a transfer the source's side

	merchants  []*v1Merchant
	dayOrders  map[string][]*paymentOrder // by merchant number, oldest first
	ordersByID map[int64]*paymentOrder
}

func newV1Bank(seed uint64, numbers *mint.Issuer) *v1Bank {
	s, extra := mint.NewSource(seed, streamV1), mint.NewSource(seed, streamV1Extra)
	return &v1Bank{
		source:     s,
		extra:      extra,
		issuer:     numbers,
		trx:        mint.NewCounter(s, 100_000_000, 999_999_999),
		stan:       mint.NewCounter(s, 1, 999_999),
		orders:     mint.NewCounter(extra, 1_000_000, 9_999_999),
		customers:  map[string]*v1Account{},
		accounts:   map[string]*v1Account{},
		byNumber:   map[string]*v1Card{},
		byID:       map[string]*v1Card{},
		byBarCode:  map[string]*v1Card{},
		byExternal: map[string]*v1Card{},
		byPhone:    map[string][]*v1Card{},
		transfers:  map[string]v1Receipt{},
		records:    map[int64]v1Record{},
		merchants:  newMerchants(),
		dayOrders:  map[string][]*paymentOrder{},
		ordersByID: map[int64]*paymentOrder{},
	}
}
