package cardv1

import (
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

// cardData answers getCardData. Document 1 does not show it; the fields are those of a card
// in the example of getAccountData, under a name built like its accountData.
type cardData struct {
	CardData cardDataFields `json:"cardData"`
}

type cardDataFields struct {
	CardNumberMask           string `json:"cardNumberMask"`
	ExpiryDate               string `json:"expiryDate"`
	CardID                   string `json:"cardId"`
	HotCardStatus            int    `json:"hotCardStatus"`
	CardTypeName             string `json:"cardTypeName"`
	EmbossedName             string `json:"embossedName"`
	CustomerID               string `json:"customerId"`
	PersonID                 string `json:"personId"`
	PinDenialCounter         int    `json:"pinDenialCounter"`
	PlasticNumber            int    `json:"plasticNumber"`
	HotCardStatusDescription string `json:"hotCardStatusDescription"`
	CardIsPrimary            bool   `json:"cardIsPrimary"`
	CardBindToCustomer       bool   `json:"cardBindToCustomer"`
	CustomerIsCardholder     bool   `json:"customerIsCardholder"`
}

// cardType is cardTypeName.
const cardType = "Virtual card"

// statusTexts are hotCardStatusDescription (document 1, States and transitions).
var statusTexts = map[int]string{cardActive: "valid card", cardBlocked: "blocked card"}

func (b *bank) cardData(q cardRequest, _ time.Time) (cardData, error) {
	card, err := b.card(q, idsOfSandbox)
	if err != nil {
		return cardData{}, err
	}
	return cardData{card.data()}, nil
}

func (c *card) data() cardDataFields {
	return cardDataFields{
		CardNumberMask:           mint.CardMask(c.number),
		ExpiryDate:               c.expiry,
		CardID:                   c.id,
		HotCardStatus:            c.status,
		CardTypeName:             cardType,
		EmbossedName:             c.embossed,
		CustomerID:               c.account.customer,
		PersonID:                 c.account.customer,
		HotCardStatusDescription: statusTexts[c.status],
		CardIsPrimary:            true,
		CardBindToCustomer:       true,
		CustomerIsCardholder:     true,
	}
}

// cardStatusView answers cardStatusInquiry: the status alone.
type cardStatusView struct {
	HotCardStatus int `json:"hotCardStatus"`
}

func (b *bank) cardStatus(q cardRequest, _ time.Time) (cardStatusView, error) {
	card, err := b.card(q, idsOfTrade)
	if err != nil {
		return cardStatusView{}, err
	}
	return cardStatusView{card.status}, nil
}

// blockCard moves an active card from 0 to 6. Its answer is not shown; it is the one of
// changeCardStatus.
func (b *bank) blockCard(q cardRequest, now time.Time) (receipt, error) {
	card, err := b.card(q, idsOfSandbox)
	if err != nil {
		return receipt{}, err
	}
	if card.status != cardActive {
		return receipt{}, fault(codeConstraint, "only an active card can be blocked")
	}
	card.status = cardBlocked
	return b.recordChange(card, q, kinds.block, now), nil
}

type changeStatusRequest struct {
	cardRequest
	HotCardStatus *int64 `json:"hotCardStatus"`
}

// changeCardStatus moves a blocked card back to 0; in the sandbox nothing else can be done
// with it (document 1, States and transitions).
func (b *bank) changeCardStatus(q changeStatusRequest, now time.Time) (receipt, error) {
	card, err := b.card(q.cardRequest, idsOfSandbox)
	switch {
	case err != nil:
		return receipt{}, err
	case q.HotCardStatus == nil:
		return receipt{}, missing("hotCardStatus")
	case *q.HotCardStatus != cardActive:
		return receipt{}, fault(codeConstraint, "hotCardStatus must be 0")
	case card.status != cardBlocked:
		return receipt{}, fault(codeConstraint, "only a blocked card can be changed")
	}
	card.status = cardActive
	return b.recordChange(card, q.cardRequest, kinds.status, now), nil
}

// recordChange enters a change of the card as a record with zero amounts (document 1,
// Transaction record) and answers without an rrn (changeCardStatus).
func (b *bank) recordChange(card *card, q cardRequest, kind kind, now time.Time) receipt {
	receipt, number := b.receipt(kind, now)
	record := newRecord(kind, number, now)
	record.addAcceptor(q.CardAcceptorParameters)
	b.enter(card, record, now)
	return receipt
}
