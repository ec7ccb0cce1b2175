package cardv1

import (
	"encoding/base64"
	"encoding/hex"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

type changePinRequest struct {
	cardRequest
	NewPinData string `json:"newPinData"`
}

// changePin takes a PIN as four digits or as an encrypted block, base64 or hex, of eight
// bytes or more; which it is, is not shown. Nothing is kept of it, as in generatePin. A
// blocked card is declined.
func (b *bank) changePin(q changePinRequest, _ time.Time) (doneAnswer, error) {
	card, err := b.card(q.cardRequest, idsOfSandbox)
	err = wire.FirstError(err, required("newPinData", q.NewPinData))
	switch {
	case err != nil:
		return doneAnswer{}, err
	case !isPinData(q.NewPinData):
		return doneAnswer{}, fault(codeFormat, "newPinData must be four digits or an encrypted block")
	case card.status != cardActive:
		return doneAnswer{codeRestricted}, nil
	}
	return done, nil
}

func isPinData(s string) bool {
	if wire.IsDigits(s) {
		return len(s) == 4 || len(s) >= 16 // all the digits of a block may be decimal
	}
	const smallest = 8
	fromHex, hexErr := hex.DecodeString(s)
	fromBase64, base64Err := base64.StdEncoding.DecodeString(s)
	return hexErr == nil && len(fromHex) >= smallest || base64Err == nil && len(fromBase64) >= smallest
}

// resetPinCounter has nothing to reset, for a PIN is never entered. The answer has an rrn
// (document 1, resetPinCounter), so the reset is a transaction and leaves a record.
func (b *bank) resetPinCounter(q cardRequest, now time.Time) (receipt, error) {
	card, err := b.card(q, idsOfSandbox)
	if err != nil {
		return receipt{}, err
	}
	if card.status != cardActive {
		receipt, number := b.receipt(kinds.pinCounter, now)
		receipt.ResponseCode, receipt.RRN = codeRestricted, rrnOf(number)
		return receipt, nil
	}
	receipt := b.recordChange(card, q, kinds.pinCounter, now)
	receipt.RRN = rrnOf(card.history[len(card.history)-1].record.Utrnno)
	receipt.AuthorizationIDResponse = lastSix(receipt.RRN)
	return receipt, nil
}
