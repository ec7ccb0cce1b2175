package cardv1

import (
	"cmp"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// Card statuses of the sandbox (document 1, States and transitions). A new card is active
// at once (General rules, 4).
const (
	cardActive  = 0
	cardBlocked = 6
)

// Constants of the sandbox (document 1, Limits, 2).
const (
	cardProduct = "5C"
	euro        = 978
)

// card is a virtual card on an account.
type card struct {
	number   string
	id       string
	barCode  string
	external string // externalCardId
	phone    string // where SMS would go; empty if none is known
	embossed string // name on the card; empty if none is known
	expiry   string // YYYYMM
	cvc      string
	account  *account
	status   int
	limits   []*limit
	rules    []geoRule
	allowed  allowedLists
	services services
	history  []entry
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

type virtualCardIdentification struct {
	CardNumber     string `json:"cardNumber,omitempty"`
	CardNumberMask string `json:"cardNumberMask,omitempty"`
	CardID         string `json:"cardId,omitempty"`
	ExpDate        string `json:"expDate"`
	ProductType    string `json:"productType"`
	BarCode        string `json:"barCode,omitempty"`
	// CVV2 is optional in both directions (document 1, createVirtualCard); it is generateCVC2
	// that tells it here.
	CVV2 string `json:"cvv2,omitempty"`
}

type createCardRequest struct {
	cardRequest
	VirtualCardIdentification virtualCardIdentification `json:"virtualCardIdentification"`
	Amount                    *int64                    `json:"amount"`
	Currency                  *int64                    `json:"currency"`
	AccountNumber             string                    `json:"accountNumber"`
	DeliveryMethod            string                    `json:"deliveryMethod"`
	PersonalData              personalData              `json:"personalData"`
}

// personalData is the name to put on a card; without it the customer's is taken.
type personalData struct {
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
}

type cardCreated struct {
	VirtualCardIdentification virtualCardIdentification `json:"virtualCardIdentification"`
}

// createVirtualCard issues a card with the limits of its product. With HALF_AND_HALF the
// answer shows a masked number alone (document 1, createVirtualCard); the rest would come by
// SMS, and cardId still names the card.
func (b *bank) createVirtualCard(q createCardRequest, now time.Time) (cardCreated, error) {
	err := wire.FirstError(q.CardAcceptorParameters.check(), q.checkCard(b.issuer.Template(), now),
		q.checkConstants())
	if err != nil {
		return cardCreated{}, err
	}
	account := b.accounts[q.AccountNumber]
	switch external := q.CardIdentification.ExternalCardID; {
	case account == nil:
		return cardCreated{}, fault(codeNoRecord, "no such account")
	case !account.owns(q.CardIdentification.CustomerID):
		return cardCreated{}, fault(codeNoRecord, "the account is another customer's")
	case b.byExternal[external] != nil:
		return cardCreated{}, fault(codeDuplicate, "externalCardId is taken")
	}
	card := b.issue(q, account)
	answer := virtualCardIdentification{
		CardNumber:     card.number,
		CardNumberMask: mint.CardMask(card.number),
		CardID:         card.id,
		ExpDate:        card.expiry,
		ProductType:    cardProduct,
		BarCode:        card.barCode,
	}
	if q.DeliveryMethod == deliverHalf {
		answer.CardNumber = ""
	}
	return cardCreated{answer}, nil
}

// owns reports whether an id of a customer, which the example sends along (document 1,
// createVirtualCard), is that of the account's customer; none is taken for it.
func (a *account) owns(customerID string) bool {
	return customerID == "" || customerID == a.customer
}

// issue makes the card. A client may bring an externalCardId, the id in its own system;
// without one it is the cardId. The example sends a phoneNumber (document 1,
// createVirtualCard), which then stands for this card instead of the customer's.
func (b *bank) issue(q createCardRequest, account *account) *card {
	card := &card{
		number:   b.issuer.Next(),
		id:       b.freeCardID(),
		barCode:  b.freeBarCode(),
		phone:    cmp.Or(q.CardIdentification.PhoneNumber, account.phone),
		embossed: account.name,
		expiry:   q.VirtualCardIdentification.ExpDate,
		cvc:      b.source.DigitsNotZero(3),
		account:  account,
		status:   cardActive,
		limits:   newLimits(cardLimits),
		services: services{},
	}
	if name := q.PersonalData.FirstName + " " + q.PersonalData.LastName; name != " " {
		card.embossed = strings.TrimSpace(name)
	}
	card.external = cmp.Or(q.CardIdentification.ExternalCardID, card.id)
	b.byNumber[card.number], b.byID[card.id] = card, card
	b.byBarCode[card.barCode], b.byExternal[card.external] = card, card
	if card.phone != "" {
		b.byPhone[card.phone] = append(b.byPhone[card.phone], card)
	}
	account.cards = append(account.cards, card)
	return card
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
	case !wire.IsTime(wire.MonthForm, wanted.ExpDate),
		wanted.ExpDate <= now.Format(wire.MonthForm):
		return fault(codeConstraint, "expDate must be a future YYYYMM")
	case wanted.ProductType == "":
		return missing("virtualCardIdentification.productType")
	case wanted.ProductType != cardProduct:
		return fault(codeConstraint, "productType must be "+cardProduct)
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
	case !wire.OneOf("", deliverWS, deliverHalf)(q.DeliveryMethod):
		return fault(codeFormat, "deliveryMethod must be WS or HALF_AND_HALF")
	}
	return checkCurrency(q.Currency)
}

func checkCurrency(currency *int64) error {
	if currency == nil {
		return missing("currency")
	}
	if *currency != euro {
		return fault(codeConstraint, "currency must be 978")
	}
	return nil
}

func (b *bank) freeCardID() string {
	for {
		id := "1" + b.source.Digits(9)
		if b.byID[id] == nil && b.byExternal[id] == nil {
			return id
		}
	}
}

// freeBarCode mints 12 digits: one too few for a card number, so that nobody takes one for
// the other.
func (b *bank) freeBarCode() string {
	for {
		code := "29" + b.extra.Digits(10)
		if b.byBarCode[code] == nil {
			return code
		}
	}
}
