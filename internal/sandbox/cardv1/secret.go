package cardv1

import (
	"encoding/base64"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// Ways to deliver a PIN or a CVC2 (document 1, generatePin and generateCVC2). Without one
// it is WS, the sandbox's way of delivering a card.
const (
	deliverSMS       = "SMS"
	deliverWS        = "WS"
	deliverHalf      = "HALF_AND_HALF"
	deliverEncrypted = "WS_ENCRYPTED"
	deliverNone      = "NONE"
)

func checkDelivery(method string) error {
	known := wire.OneOf("", deliverSMS, deliverWS, deliverHalf, deliverEncrypted, deliverNone)
	if !known(method) {
		return fault(codeFormat, "the delivery method is unknown")
	}
	return nil
}

type cvcRequest struct {
	cardRequest
	DeliveryMethod string `json:"deliveryMethod"`
}

type cvcAnswer struct {
	ResponseCode   string `json:"responseCode"`
	CardNumberMask string `json:"cardNumberMask,omitempty"`
	CardNumber     string `json:"cardNumber,omitempty"`
	CVC2           string `json:"cvc2,omitempty"`
}

// generateCVC2 tells the card's CVC2. It depends on number and expiry, so asking again
// gives the same one. A blocked card is declined.
func (b *bank) generateCVC2(q cvcRequest, _ time.Time) (cvcAnswer, error) {
	card, err := b.card(q.cardRequest, idsOfTrade)
	if err := wire.FirstError(err, checkDelivery(q.DeliveryMethod)); err != nil {
		return cvcAnswer{}, err
	}
	if q.DeliveryMethod == deliverSMS && q.CardIdentification.PhoneNumber == "" {
		return cvcAnswer{}, missing("cardIdentification.phoneNumber")
	}
	if card.status != cardActive {
		return cvcAnswer{ResponseCode: codeRestricted}, nil
	}
	answer := cvcAnswer{ResponseCode: codeOK, CardNumberMask: mint.CardMask(card.number)}
	switch q.DeliveryMethod {
	case "", deliverWS:
		answer.CardNumber, answer.CVC2 = card.number, card.cvc
	case deliverHalf:
		// What the halves of three digits are is not shown; two, as for a PIN.
		answer.CVC2 = card.cvc[:2]
	case deliverEncrypted:
		answer.CVC2 = encryptSecret(sandboxKey(), card.cvc, b.source)
	}
	return answer, nil
}

type pinRequest struct {
	cardRequest
	PinDeliveryMethod string `json:"pinDeliveryMethod"`
	EncryptedPinValue string `json:"encryptedPinValue"`
	PinValue          string `json:"pinValue"`
	CheckCardOnly     bool   `json:"checkCardOnly"`
	// Parameters have no names that the document shows; they only have to be pairs.
	Parameters []wire.NameValue `json:"parameters"`
}

// check knows the forms of a PIN that the client chose itself.
func (q pinRequest) check() error {
	if q.PinValue != "" && (!wire.IsDigits(q.PinValue) || len(q.PinValue) != 4) {
		return fault(codeFormat, "pinValue must be four digits")
	}
	if _, err := base64.StdEncoding.DecodeString(q.EncryptedPinValue); err != nil {
		return fault(codeFormat, "encryptedPinValue must be base64")
	}
	return checkDelivery(q.PinDeliveryMethod)
}

type pinAnswer struct {
	ResponseCode      string `json:"responseCode"`
	PinValue          string `json:"pinValue,omitempty"`
	EncryptedPinValue string `json:"encryptedPinValue,omitempty"`
}

// generatePin delivers a new PIN, or the one that the client sent. No operation takes a PIN
// in clear afterwards, so none is kept. With checkCardOnly it only tells whether the card
// could have one. A blocked card is declined.
func (b *bank) generatePin(q pinRequest, _ time.Time) (pinAnswer, error) {
	card, err := b.card(q.cardRequest, idsOfPin)
	if err := wire.FirstError(err, q.check()); err != nil {
		return pinAnswer{}, err
	}
	if card.status != cardActive {
		return pinAnswer{ResponseCode: codeRestricted}, nil
	}
	answer := pinAnswer{ResponseCode: codeOK}
	switch {
	case q.CheckCardOnly:
	case q.EncryptedPinValue == "":
		b.deliverPin(&answer, q)
	case q.PinDeliveryMethod == deliverEncrypted:
		// Nobody here can read what the client encrypted (under which key is not shown).
		answer.EncryptedPinValue = q.EncryptedPinValue
	}
	return answer, nil
}

func (b *bank) deliverPin(answer *pinAnswer, q pinRequest) {
	pin := q.PinValue
	if pin == "" {
		pin = b.source.DigitsNotZero(4)
	}
	switch q.PinDeliveryMethod {
	case "", deliverWS:
		answer.PinValue = pin
	case deliverHalf:
		answer.PinValue = pin[:2] // the other two go by SMS
	case deliverEncrypted:
		answer.EncryptedPinValue = encryptSecret(sandboxKey(), pin, b.source)
	}
}
