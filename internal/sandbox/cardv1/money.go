package cardv1

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// moneyRequest is creditCard and debitCard (document 1, Money movement). What
// preAuthorization changes is not shown; here the money moves at once either way.
type moneyRequest struct {
	cardRequest
	PreAuthorization bool         `json:"preAuthorization"`
	Amount           *int64       `json:"amount"`
	Currency         *int64       `json:"currency"`
	Fee              *fee         `json:"fee"` // debitCard only
	TDS              *threeDomain `json:"tds"`
}

// threeDomain is the 3-D Secure object. It is not for the sandbox, so it has to be well
// formed and does nothing (document 1, 3-D Secure object).
type threeDomain struct {
	XID                     string `json:"xid"`
	CAVV                    string `json:"cavv"`
	UCAF                    string `json:"ucaf"`
	AuthenticationIndicator string `json:"authenticationIndicator"`
}

func (t *threeDomain) check() error {
	known := wire.OneOf("", "NOT_PERFORMED", "TDS_MERCHANT_ONLY", "TDS_PERFORMED",
		"ADDITIONAL_PROTOCOL_USED", "RECURRENT_PAYMENT_AUTH")
	if t != nil && !known(t.AuthenticationIndicator) {
		return fault(codeFormat, "tds.authenticationIndicator is unknown")
	}
	return nil
}

// fee names its amount feeValue in the table and feeAmount in the example (document 1,
// debitCard). The unit is not shown: it is taken as the smallest.
type fee struct {
	FeeType   string      `json:"feeType"`
	FeeValue  json.Number `json:"feeValue"`
	FeeAmount json.Number `json:"feeAmount"`
}

func (f *fee) amount() (int64, error) {
	if f == nil {
		return 0, nil
	}
	value := f.FeeValue
	if value == "" {
		value = f.FeeAmount
	}
	if err := required("fee.feeType", f.FeeType, "fee.feeValue", value.String()); err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(value.String(), 10, 64)
	if err != nil || n < 0 || n > wire.MaxAmount {
		return 0, fault(codeAmount, "feeValue must be a whole amount")
	}
	return n, nil
}

func checkAmount(amount *int64) error {
	if amount == nil {
		return missing("amount")
	}
	if *amount <= 0 || *amount > wire.MaxAmount {
		return fault(codeAmount, "amount must be positive and of at most 12 digits")
	}
	return nil
}

// movement is one leg of money: what it does to one card.
type movement struct {
	card   *card
	kind   kind
	amount int64
	fee    int64 // on top of the amount, taken from the card
	place  *acceptor
	pos    string // pointOfServiceDataCode; empty if none
}

// limits are those that the movement counts against: all of the card and the account, if
// it spends.
func (m movement) limits() []*limit {
	if m.kind.direction != "DEBIT" {
		return nil
	}
	return slices.Concat(m.card.limits, m.card.account.limits)
}

// refusal is the responseCode for a movement that the bank declines, "00" for one that it
// allows. A card that is blocked, or whose account is, neither pays nor receives.
func (m movement) refusal(now time.Time) string {
	switch {
	case m.card.status != cardActive, m.card.account.frontEnd != accountOpen:
		return codeRestricted
	case wire.IsOver(m.card.expiry, now):
		return codeExpired
	case m.kind.direction == "DEBIT" && m.card.account.balance < m.amount+m.fee:
		return codeFunds
	}
	for _, limit := range m.limits() {
		if !limit.allows(m.amount, now) {
			return codeLimit
		}
	}
	return codeOK
}

// post moves the money and enters the record. A debit at a merchant is the merchant's
// business too.
func (b *bank) post(m movement, number int64, now time.Time) {
	record := newRecord(m.kind, number, now)
	record.Amount, record.AmountInAccountCurrency, record.RequestAmount = m.amount, m.amount, m.amount
	record.PosDataCode = m.pos
	if m.fee > 0 {
		record.FeeDirection, record.FeIssuerFeeAmount = "DEBIT", m.fee
	}
	record.addAcceptor(m.place)
	if m.kind.direction == "CREDIT" {
		m.card.account.balance += m.amount
	} else {
		m.card.account.balance -= m.amount + m.fee
	}
	for _, limit := range m.limits() {
		limit.spend(m.amount, now)
	}
	b.enter(m.card, record, now)
	if m.kind == kinds.debit && m.place != nil {
		b.sell(m, record, now)
	}
}

// move posts all legs or, if the bank declines one, none; the first leg gives the answer
// its processing code. A declined movement has a number too but no approval.
func (b *bank) move(now time.Time, legs ...movement) receipt {
	receipt, number := b.receipt(legs[0].kind, now)
	receipt.RRN = rrnOf(number)
	for _, leg := range legs {
		if code := leg.refusal(now); code != codeOK {
			receipt.ResponseCode = code
			return receipt
		}
	}
	for _, leg := range legs {
		b.post(leg, number, now)
	}
	receipt.AuthorizationIDResponse = lastSix(receipt.RRN)
	receipt.IssuerFeeAmount = legs[0].fee
	return receipt
}

func (b *bank) creditCard(q moneyRequest, now time.Time) (receipt, error) {
	q.Fee = nil // debitCard alone has a fee
	return b.moveOne(q, kinds.credit, now)
}

func (b *bank) debitCard(q moneyRequest, now time.Time) (receipt, error) {
	return b.moveOne(q, kinds.debit, now)
}

func (b *bank) moveOne(q moneyRequest, kind kind, now time.Time) (receipt, error) {
	card, err := b.card(q.cardRequest, idsOfTrade)
	fee, feeErr := q.Fee.amount()
	err = wire.FirstError(err, checkAmount(q.Amount), checkCurrency(q.Currency), feeErr,
		q.TDS.check())
	if err != nil {
		return receipt{}, err
	}
	leg := movement{
		card: card, kind: kind, amount: *q.Amount, fee: fee, place: q.CardAcceptorParameters,
	}
	return b.move(now, leg), nil
}
