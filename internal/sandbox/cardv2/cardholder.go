package cardv2

import (
	"strings"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// cardholderFields are a cardholder in the field order of document 2 (Cardholder).
type cardholderFields struct {
	ID             string        `json:"id"`
	BillingAddress *address      `json:"billingAddress"`
	Email          string        `json:"email,omitempty"`
	PhoneNumber    string        `json:"phoneNumber"`
	FirstName      string        `json:"firstName"`
	LastName       string        `json:"lastName"`
	DateOfBirth    string        `json:"dateOfBirth,omitempty"` // YYYY-MM-DD
	Verification   *verification `json:"verification,omitempty"`
	Status         string        `json:"status"`
}

type address struct {
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

// cardholder is a cardholder with the primary account that creation makes.
type cardholder struct {
	fields  cardholderFields
	account string // 20 digits
	card    *card  // nil until one is issued
}

// createCardholder makes a cardholder and its account.
func (b *bank) createCardholder(_ call, q cardholderFields) (cardholderFields, error) {
	if err := q.check(); err != nil {
		return cardholderFields{}, err
	}
	if len(b.holders) >= poolSize {
		return cardholderFields{}, conflict("all 20 cardholders of the sandbox exist already")
	}
	q.ID, q.Status = b.source.UUID4(), statusActive
	b.holders[q.ID] = &cardholder{fields: q, account: "40817978" + b.source.Digits(12)}
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

func (b *bank) showCardholder(c call) (cardholderFields, error) {
	holder := b.holders[c.id]
	if holder == nil {
		return cardholderFields{}, notFound("cardholder")
	}
	return holder.fields, nil
}
