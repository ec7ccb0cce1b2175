package gateway

import (
	"strconv"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// p2pOperations move money from card to card, or to a card alone, which is an OCT (document 3,
// Card-to-card and OCT). The tables there call errorCode a String, but clients read a number
// (domain facts, On the wire).
var p2pOperations = map[string]operation{
	p2pPath + "registerP2P.do":         p2pCall((*book).registerP2P),
	p2pPath + "verifyP2P.do":           p2pCall((*book).verifyP2P),
	p2pPath + "verifyP2PByBinding.do":  p2pCall((*book).verifyP2PByBinding),
	p2pPath + "performP2P.do":          p2pCall((*book).performP2P),
	p2pPath + "performP2PByBinding.do": p2pCall((*book).performP2PByBinding),
	p2pPath + "getP2PStatus.do": {
		run: (*book).p2pStatus, readJSON: true, numericCode: true, signed: true,
		refused: p2pStatusRefusal,
	},
	p2pPath + "finishThreeDsVer2.do": {
		run: (*book).finishTransfer, numericCode: true, signed: true,
	},
}

const p2pPath = "/payment/rest/api/p2p/"

func p2pCall(run func(*book, call) (any, error)) operation {
	return operation{run: run, readJSON: true, numericCode: true, signed: true}
}

// withoutFromCard is the feature of an order and the type of a payment that have a recipient
// alone (document 3, registerP2P.do and performP2P.do).
const withoutFromCard = "WITHOUT_FROM_CARD"

// transfer is what an order of registerP2P.do has besides.
type transfer struct {
	credits  bool     // an OCT: nobody is debited
	debit    *order   // an OCT after an AFT: where the money was taken; nil if not told
	from, to *binding // registered for the two sides; nil if none
	contact  bool     // an address or a telephone of the payer came with the order
	tried    *payment // nil until then
	sides    []side   // in the order in which the bank was asked
}

// side is one half of a transfer at the bank.
type side struct {
	operation string // operationAFT or operationOCT
	card      payCard
	at        time.Time
	action    int
	approval  string // of the second side; empty if declined
	refNum    string // of the second side; empty if declined
}

// The types of operations that were seen (domain facts, Test cards).
const (
	operationAFT = "AFT" // the debit
	operationOCT = "OCT" // the credit
)

// credit is the recipient's side of a payment.
type credit struct {
	card    payCard
	bound   *binding // the card is that of this binding; nil for one that was entered
	amount  int64    // smallest unit, without the fee
	alone   bool     // an OCT: the payment's card is the recipient's too
	unbound bool     // the feature of the order shall make no binding
}

// same tells whether two payments are the same for their recipients; of payments to the shop
// there are none.
func (c *credit) same(other *credit) bool {
	if c == nil || other == nil {
		return c == other
	}
	return c.card.number == other.card.number && c.amount == other.amount
}

// sendTo makes a payment a transfer of the registered amount to a card that was entered, as the
// payment page has it. Of an OCT the recipient's card is the only one.
func (o *order) sendTo(to payCard, p payment) payment {
	p.credit = &credit{card: to, amount: o.amount, alone: o.transfer.credits}
	if p.credit.alone {
		p.card = to
	}
	return p
}

// plan gets an order ready for a payment, the last thing before it. Orders of registerP2P.do
// take transfers and other orders take none.
func (o *order) plan(p payment) error {
	if o.transfer == nil && p.credit == nil {
		return nil
	}
	if o.transfer == nil || p.credit == nil {
		return errState
	}
	o.amount = p.credit.amount
	o.transfer.tried = &p
	// A card whose expiry is unknown can be paid to and not with, so it is not stored.
	if p.credit.unbound || p.card.expiry == "" {
		o.wantBinding = false
	}
	return nil
}

// decide is what the bank says to a payment: its actionCode. A transfer is declined if either
// side is. The codes of the first side are those of the order's attempt.
func (b *book) decide(o *order, p payment) int {
	if p.credit == nil {
		return tryCard(p.card.number, p.card.expiry, p.now)
	}
	t := o.transfer
	t.sides = nil
	if !p.credit.alone {
		action := tryCard(p.card.number, p.card.expiry, p.now)
		t.sides = append(t.sides, side{operation: operationAFT, card: p.card, at: p.now,
			action: action})
		if action != actionOK {
			return action
		}
	}
	second := side{operation: operationOCT, card: p.credit.card, at: p.now,
		action: tryCredit(p.credit.card, p.now)}
	if second.action == actionOK && !p.credit.alone {
		second.approval = b.source.DigitsNotZero(6)
		second.refNum = strconv.FormatInt(b.refNums.Next(), 10)
	}
	t.sides = append(t.sides, second)
	return second.action
}

// tryCredit is what the bank says to a recipient's card: what the card is known for, except
// that it needs no money, nobody authenticates, and its expiry may be unknown (document 3,
// verifyP2P.do, toCard).
func tryCredit(card payCard, now time.Time) int {
	expiry := card.expiry
	if expiry == "" {
		expiry = now.Format(wire.MonthForm)
	}
	action := tryCard(card.number, expiry, now)
	if action == actionFunds || action < 0 {
		return actionOK
	}
	return action
}

// fee is what the payer of an order paid beside its amount: only transfers cost something.
func (o *order) fee() int64 {
	if o.transfer == nil || o.sums.approved == 0 {
		return 0
	}
	return feeOf(o.sums.approved)
}

// feeOf is the fee of a transfer: one in a hundred, rounded up. How fees are made is not shown.
func feeOf(amount int64) int64 {
	return (amount + 99) / 100
}

// maskOf shows a card; "" if there is none.
func maskOf(card payCard) string {
	if card.number == "" {
		return ""
	}
	return mint.Mask(card.number, 2)
}
