package cardv2

import "github.com/paytape/paytape/internal/sandbox/mint"

// poolSize is how many cards are prepared at registration, and with them how many
// cardholders there can be, one card each (document 2, Sandbox facts, 4).
const poolSize = 20

// bank is the state of version 2. The lock of API guards it.
type bank struct {
	source  *mint.Source
	issuer  *mint.Issuer
	rrns    *mint.Counter // the nnnnnn of YDDDHHnnnnnn
	holders map[string]*cardholder
	cards   map[string]*card // by id
	// pool holds the numbers of the prepared cards that are not issued yet. A reissued card
	// needs no further card of the pool: its number, if it changes, is minted then.
	pool      []string
	byNumber  map[string]*card // by the number in force
	topUps    []topUp          // oldest first
	transfers []transfer       // oldest first
}

func newBank(o Options) *bank {
	b := &bank{
		source:   o.Source,
		issuer:   o.Numbers,
		rrns:     mint.NewCounter(o.Source, 0, 999_999),
		holders:  map[string]*cardholder{},
		cards:    map[string]*card{},
		byNumber: map[string]*card{},
	}
	for range poolSize {
		b.pool = append(b.pool, b.issuer.Next())
	}
	return b
}
