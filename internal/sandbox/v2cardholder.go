package sandbox

import (
	"strings"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// poolSize is how many cards are prepared at registration, and with them how many
// cardholders there can be, one card each (document 2, Sandbox facts, 4).
const poolSize = 20

// v2Bank is the state of version 2. The lock of v2 guards it.
type v2Bank struct {
	source  *mint.Source
	issuer  *mint.Issuer
	rrns    *mint.Counter // the nnnnnn of YDDDHHnnnnnn
	holders map[string]*v2Cardholder
	cards   map[string]*v2Card // by id
	// pool holds the numbers of the prepared cards that are not issued yet. A reissued card
	// needs no further card of the pool: its number, if it changes, is minted then.
	pool      []string
	byNumber  map[string]*v2Card // by the number in force
	topUps    []v2TopUp          // oldest first
	transfers []v2Transfer       // oldest first
}

func newV2Bank(s *mint.Source, numbers *mint.Issuer) *v2Bank {
	b := &v2Bank{
		source:   s,
		issuer:   numbers,
		rrns:     mint.NewCounter(s, 0, 999_999),
		holders:  map[string]*v2Cardholder{},
		cards:    map[string]*v2Card{},
		byNumber: map[string]*v2Card{},
	}
	for range poolSize {
		b.pool = append(b.pool, numbers.Next())
	}
	return b
}

// cardholderFields are a cardholder in the field order of document 2 (Cardholder).
type cardholderFields struct {
	ID             string        `json:"id"`
	BillingAddress *v2Address    `json:"billingAddress"`
	Email          string        `json:"email,omitempty"`
	PhoneNumber    string        `json:"phoneNumber"`
	FirstName      string        `json:"firstName"`
	LastName       string        `json:"lastName"`
	DateOfBirth    string        `json:"dateOfBirth,omitempty"` // YYYY-MM-DD
	Verification   *verification `json:"verification,omitempty"`
	Status         string        `json:"status"`
}

type v2Address struct {
	City       string `json:"city,omitempty"`
	Country    string `json:"country"` // country code
	Line1      string `json:"line1,omitempty"`
	Line2      string `json:"line2,omitempty"`
	PostalCode string `json:"postalCode"`
	State      string `json:"state,omitempty"`
}

type verification struct {
	IDType     string `json:"idType,omitempty"`
	DocumentID string `json:"documentId,omitempty"`
}

// v2Cardholder is a cardholder with the primary account that creation makes.
type v2Cardholder struct {
	fields  cardholderFields
	account string  // 20 digits
	card    *v2Card // nil until one is issued
}

// createCardholder makes a cardholder and its account.
func (b *v2Bank) createCardholder(_ v2Call, q cardholderFields) (cardholderFields, error) {
	if err := q.check(); err != nil {
		return cardholderFields{}, err
	}
	if len(b.holders) >= poolSize {
		return cardholderFields{}, conflict("all 20 cardholders of the sandbox exist already")
	}
	q.ID, q.Status = b.source.UUID4(), statusActive
	b.holders[q.ID] = &v2Cardholder{fields: q, account: "40817978" + b.source.Digits(12)}
	return q, nil
}

// check covers the fields marked R and the stated forms.
func (q cardholderFields) check() error {
	if q.BillingAddress == nil {
		return invalid("field billingAddress is missing")
	}
	err := given(
		"billingAddress.country", q.BillingAddress.Country,
		"billingAddress.postalCode", q.BillingAddress.PostalCode,
		"phoneNumber", q.PhoneNumber,
		"firstName", q.FirstName,
		"lastName", q.LastName)
	switch {
	case err != nil:
		return err
	case !isCountryCode(q.BillingAddress.Country):
		return invalid("billingAddress.country must be a country code")
	case q.DateOfBirth != "" && !wire.IsTime(wire.DayForm, q.DateOfBirth):
		return invalid("dateOfBirth must be YYYY-MM-DD")
	case q.Status != "" && q.Status != statusActive:
		return invalid("status must be active")
	}
	return nil
}

// isCountryCode knows the forms of ISO 3166: two or three letters, or three digits. Which of
// them is meant is not shown.
func isCountryCode(s string) bool {
	letters := strings.Trim(strings.ToUpper(s), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	return letters && (len(s) == 2 || len(s) == 3) || wire.IsDigits(s) && len(s) == 3
}

func (b *v2Bank) showCardholder(c v2Call) (cardholderFields, error) {
	holder := b.holders[c.id]
	if holder == nil {
		return cardholderFields{}, notFound("cardholder")
	}
	return holder.fields, nil
}
