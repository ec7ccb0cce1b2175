package cardv1

import "strings"

// cardIdentification names a card (document 1, Card identification object). All fields are
// accepted everywhere; which of them find a card depends on the operation, and the others
// only have to be of their type.
type cardIdentification struct {
	CardNumber          string `json:"cardNumber"`
	EncryptedCardNumber string `json:"encryptedCardNumber"` // base64
	CardNumberMask      string `json:"cardNumberMask"`
	CardLastDigitMask   string `json:"cardLastDigitMask"`
	CardID              string `json:"cardId"`
	ExpDate             string `json:"expDate"` // YYYYMM
	PlasticNumber       *int64 `json:"plasticNumber"`
	PhoneNumber         string `json:"phoneNumber"`
	CardholderID        string `json:"cardholderId"`
	CustomerID          string `json:"customerId"`
	CustomerNumber      string `json:"customerNumber"`
	BarCode             string `json:"barCode"`
	CVV2                string `json:"cvv2"`
	ExternalCardID      string `json:"externalCardId"`
	Token               string `json:"token"`
	CardTypeCode        string `json:"cardTypeCode"`
	Email               string `json:"email"`
	InstitutionID       string `json:"institutionId"`
}

// identifier is one way to name a card.
type identifier struct {
	needs string // the fields, for people
	given func(cardIdentification) bool
	find  func(*bank, cardIdentification) []*card
	// shared says that several cards may answer to it. It then decides only where nothing
	// that is a card's own was given.
	shared bool
}

// The ways that document 1 states (Card identification object). cardholderId is the
// personId of getAccountData, which is the customer's number.
var (
	byCardNumber = identifier{"cardNumber",
		func(id cardIdentification) bool { return id.CardNumber != "" },
		func(b *bank, id cardIdentification) []*card { return own(b.byNumber[id.CardNumber]) },
		false}
	byCardID = identifier{"cardId",
		func(id cardIdentification) bool { return id.CardID != "" },
		func(b *bank, id cardIdentification) []*card { return own(b.byID[id.CardID]) },
		false}
	byBarCode = identifier{"barCode",
		func(id cardIdentification) bool { return id.BarCode != "" },
		func(b *bank, id cardIdentification) []*card { return own(b.byBarCode[id.BarCode]) },
		false}
	byExternalID = identifier{"externalCardId",
		func(id cardIdentification) bool { return id.ExternalCardID != "" },
		func(b *bank, id cardIdentification) []*card { return own(b.byExternal[id.ExternalCardID]) },
		false}
	byEncrypted = identifier{"encryptedCardNumber",
		func(id cardIdentification) bool { return id.EncryptedCardNumber != "" },
		func(b *bank, id cardIdentification) []*card {
			return own(b.byNumber[serviceKey().decrypt(id.EncryptedCardNumber)])
		},
		false}
	byMaskAndHolder = identifier{"cardNumberMask with cardholderId",
		func(id cardIdentification) bool { return id.CardNumberMask != "" && id.CardholderID != "" },
		func(b *bank, id cardIdentification) []*card {
			if customer := b.customers[id.CardholderID]; customer != nil {
				return masked(customer.cards, id.CardNumberMask)
			}
			return nil
		},
		true}
	byMaskAndPhone = identifier{"cardNumberMask with phoneNumber",
		func(id cardIdentification) bool { return id.CardNumberMask != "" && id.PhoneNumber != "" },
		func(b *bank, id cardIdentification) []*card {
			return masked(b.byPhone[id.PhoneNumber], id.CardNumberMask)
		},
		true}
)

// The ways that an operation accepts. Number and id are for all where document 1 states
// nothing else, generatePin included: its own list lacks them, but every operation works on
// a card just created (General rules, 5). serviceAction is stated whole, without cardId.
var (
	idsOfSandbox = []identifier{byCardNumber, byCardID}
	idsOfTrade   = []identifier{byCardNumber, byCardID, byBarCode, byMaskAndHolder, byMaskAndPhone}
	idsOfPin     = []identifier{byCardNumber, byCardID, byEncrypted, byExternalID, byMaskAndPhone}
	idsOfService = []identifier{byCardNumber, byBarCode, byMaskAndPhone}
)

// cardRequest is what almost every card operation takes.
type cardRequest struct {
	CardIdentification     cardIdentification `json:"cardIdentification"`
	CardAcceptorParameters *acceptor          `json:"cardAcceptorParameters"`
}

// card checks the common part of a request and finds its card.
func (b *bank) card(q cardRequest, accepted []identifier) (*card, error) {
	if err := q.CardAcceptorParameters.check(); err != nil {
		return nil, err
	}
	return b.identify(q.CardIdentification, accepted)
}

// identify finds a card. Several names given together must mean the same card.
func (b *bank) identify(id cardIdentification, accepted []identifier) (*card, error) {
	var found *card
	for _, by := range accepted {
		if !by.given(id) || by.shared && found != nil {
			continue
		}
		cards := by.find(b, id)
		switch {
		case len(cards) > 1:
			return nil, fault(codeConstraint, "cardIdentification names several cards")
		case len(cards) == 0, found != nil && found != cards[0]:
			return nil, fault(codeNoCard, "no such card")
		}
		found = cards[0]
	}
	if found == nil {
		return nil, fault(codeFormat, "cardIdentification needs "+ways(accepted))
	}
	return found, nil
}

func ways(accepted []identifier) string {
	var all []string
	for _, by := range accepted {
		all = append(all, by.needs)
	}
	return strings.Join(all, ", or ")
}

// own makes a list of a card that may be missing.
func own(c *card) []*card {
	if c == nil {
		return nil
	}
	return []*card{c}
}

// masked picks the cards whose numbers fit a mask: digits, two or more stars, four digits
// (domain facts, Order status).
func masked(cards []*card, mask string) []*card {
	head, rest, _ := strings.Cut(mask, "*")
	tail := strings.TrimLeft(rest, "*")
	if len(head) < 6 || rest == tail || len(tail) != 4 {
		return nil
	}
	var fit []*card
	for _, card := range cards {
		if strings.HasPrefix(card.number, head) && strings.HasSuffix(card.number, tail) {
			fit = append(fit, card)
		}
	}
	return fit
}
