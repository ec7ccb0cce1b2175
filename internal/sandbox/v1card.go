package sandbox

import (
	"cmp"
	"time"
)

// Card statuses of the sandbox (document 1, States and transitions). A new card is active
// at once (General rules, 4).
const (
	cardActive  = 0
	cardBlocked = 6
)

// Constants of the sandbox (document 1, Limits, 2).
const (
	v1CardProduct = "5C"
	v1Currency    = 978
)

// v1Card is a virtual card on an account.
type v1Card struct {
	number  string
	id      string
	expiry  string // YYYYMM
	cvc     string
	account *v1Account
	status  int
	history []v1Entry
}

// cardIdentification names a card. In the sandbox the number or the id does it; the other
// fields of document 1 (Card identification object) are accepted and not for the sandbox.
type cardIdentification struct {
	CardNumber  string `json:"cardNumber"`
	CardID      string `json:"cardId"`
	ExpDate     string `json:"expDate"`
	PhoneNumber string `json:"phoneNumber"`
}

// acceptor is where a terminal stands. Three fields are mandatory when the object is
// present (document 1, Terminal parameters object).
type acceptor struct {
	TerminalIdentification string `json:"terminalIdentification"`
	MerchantIdentification string `json:"merchantIdentification"`
	MerchantType           string `json:"merchantType"`
	NameAndLocation        string `json:"nameAndLocation"`
}

func (a *acceptor) check() error {
	if a == nil {
		return nil
	}
	return required(
		"cardAcceptorParameters.terminalIdentification", a.TerminalIdentification,
		"cardAcceptorParameters.merchantIdentification", a.MerchantIdentification,
		"cardAcceptorParameters.merchantType", a.MerchantType)
}

// cardRequest is what almost every card operation takes.
type cardRequest struct {
	CardIdentification     cardIdentification `json:"cardIdentification"`
	CardAcceptorParameters *acceptor          `json:"cardAcceptorParameters"`
}

// card checks the common part of a request and finds its card.
func (b *v1Bank) card(q cardRequest) (*v1Card, error) {
	if err := q.CardAcceptorParameters.check(); err != nil {
		return nil, err
	}
	return b.identify(q.CardIdentification)
}

// identify finds a card. A number and an id given together must mean the same card.
func (b *v1Bank) identify(id cardIdentification) (*v1Card, error) {
	if id.CardNumber == "" && id.CardID == "" {
		return nil, fault(codeFormat, "cardIdentification needs cardNumber or cardId")
	}
	card := cmp.Or(b.byNumber[id.CardNumber], b.byID[id.CardID])
	switch {
	case card == nil,
		id.CardNumber != "" && id.CardNumber != card.number,
		id.CardID != "" && id.CardID != card.id:
		return nil, fault(codeNoCard, "no such card")
	}
	return card, nil
}

type virtualCardIdentification struct {
	CardNumber     string `json:"cardNumber,omitempty"`
	CardNumberMask string `json:"cardNumberMask,omitempty"`
	CardID         string `json:"cardId,omitempty"`
	ExpDate        string `json:"expDate"`
	ProductType    string `json:"productType"`
}

type createCardRequest struct {
	cardRequest
	VirtualCardIdentification virtualCardIdentification `json:"virtualCardIdentification"`
	Amount                    *int64                    `json:"amount"`
	Currency                  *int64                    `json:"currency"`
	AccountNumber             string                    `json:"accountNumber"`
	DeliveryMethod            string                    `json:"deliveryMethod"`
}

type cardCreated struct {
	VirtualCardIdentification virtualCardIdentification `json:"virtualCardIdentification"`
}

// createVirtualCard issues a card. With HALF_AND_HALF the answer shows a masked number
// alone (document 1, createVirtualCard); the rest would come by SMS, and cardId still
// names the card.
func (b *v1Bank) createVirtualCard(q createCardRequest, now time.Time) (cardCreated, error) {
	err := firstError(q.CardAcceptorParameters.check(), q.checkCard(b.issuer.template(), now),
		q.checkConstants())
	if err != nil {
		return cardCreated{}, err
	}
	account := b.accounts[q.AccountNumber]
	if account == nil {
		return cardCreated{}, fault(codeNoRecord, "no such account")
	}
	card := &v1Card{
		number:  b.issuer.next(),
		id:      b.freeCardID(),
		expiry:  q.VirtualCardIdentification.ExpDate,
		cvc:     b.source.digitsNotZero(3),
		account: account,
		status:  cardActive,
	}
	b.byNumber[card.number], b.byID[card.id] = card, card
	answer := virtualCardIdentification{
		CardNumber:     card.number,
		CardNumberMask: cardMask(card.number),
		CardID:         card.id,
		ExpDate:        card.expiry,
		ProductType:    v1CardProduct,
	}
	if q.DeliveryMethod == deliverHalf {
		answer.CardNumber = ""
	}
	return cardCreated{answer}, nil
}

func (q createCardRequest) checkCard(template string, now time.Time) error {
	wanted := q.VirtualCardIdentification
	switch {
	case q.CardIdentification.CardNumber == "":
		return missing("cardIdentification.cardNumber")
	case q.CardIdentification.CardNumber != template:
		return fault(codeConstraint, "cardNumber must be the prefix and ten zeros")
	case wanted.ExpDate == "":
		return missing("virtualCardIdentification.expDate")
	case !isTime(monthForm, wanted.ExpDate) || wanted.ExpDate <= now.Format(monthForm):
		return fault(codeConstraint, "expDate must be a future YYYYMM")
	case wanted.ProductType == "":
		return missing("virtualCardIdentification.productType")
	case wanted.ProductType != v1CardProduct:
		return fault(codeConstraint, "productType must be "+v1CardProduct)
	}
	return nil
}

func (q createCardRequest) checkConstants() error {
	switch {
	case q.Amount == nil:
		return missing("amount")
	case *q.Amount != 0:
		return fault(codeConstraint, "amount must be 0")
	case q.AccountNumber == "":
		return missing("accountNumber")
	case !oneOf("", deliverWS, deliverHalf)(q.DeliveryMethod):
		return fault(codeFormat, "deliveryMethod must be WS or HALF_AND_HALF")
	}
	return checkCurrency(q.Currency)
}

func checkCurrency(currency *int64) error {
	if currency == nil {
		return missing("currency")
	}
	if *currency != v1Currency {
		return fault(codeConstraint, "currency must be 978")
	}
	return nil
}

func (b *v1Bank) freeCardID() string {
	for {
		id := "1" + b.source.digits(9)
		if b.byID[id] == nil {
			return id
		}
	}
}
