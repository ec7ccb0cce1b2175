package sandbox

import (
	"strconv"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// v1Done answers the operations that say no more than that they succeeded.
type v1Done struct {
	ResponseCode string `json:"responseCode"`
}

var done = v1Done{codeOK}

// accountRequest is what every account operation takes.
type accountRequest struct {
	AccountNumber          string    `json:"accountNumber"`
	CardAcceptorParameters *acceptor `json:"cardAcceptorParameters"`
}

func (b *v1Bank) account(q accountRequest) (*v1Account, error) {
	err := wire.FirstError(q.CardAcceptorParameters.check(),
		required("accountNumber", q.AccountNumber))
	if err != nil {
		return nil, err
	}
	if a := b.accounts[q.AccountNumber]; a != nil {
		return a, nil
	}
	return nil, fault(codeNoRecord, "no such account")
}

// Account statuses. The codes are not shown (document 1, States and transitions); here 0 is
// an account in order, as it is for cards, and 1 to 99 are not. Any may follow any.
const (
	accountOpen      = 0
	maxAccountStatus = 99
)

type accountStatusRequest struct {
	accountRequest
	AccountStatus *int64 `json:"accountStatus"`
}

func (q accountStatusRequest) check() error {
	switch {
	case q.AccountStatus == nil:
		return missing("accountStatus")
	case *q.AccountStatus < accountOpen || *q.AccountStatus > maxAccountStatus:
		return fault(codeFormat, "accountStatus must be 0 to 99")
	}
	return nil
}

// changeAccountStatus sets the status in the back office, which getAccountData shows and no
// payment looks at.
func (b *v1Bank) changeAccountStatus(q accountStatusRequest, _ time.Time) (v1Done, error) {
	a, err := b.account(q.accountRequest)
	if err := wire.FirstError(err, q.check()); err != nil {
		return v1Done{}, err
	}
	a.backOffice = *q.AccountStatus
	return done, nil
}

// changeAccountStatusInFe sets the status in the front end, which decides on payments: the
// cards of an account that is not in order are declined.
func (b *v1Bank) changeAccountStatusInFe(q accountStatusRequest, now time.Time) (v1Receipt, error) {
	a, err := b.account(q.accountRequest)
	if err := wire.FirstError(err, q.check()); err != nil {
		return v1Receipt{}, err
	}
	a.frontEnd = *q.AccountStatus
	receipt, _ := b.receipt(v1Kinds.account, now)
	return receipt, nil
}

type accountDataRequest struct {
	accountRequest
	ReturnCardNumber bool `json:"returnCardNumber"`
}

type accountDataAnswer struct {
	AccountData accountData `json:"accountData"`
}

// accountData is an account in the field order of document 1 (getAccountData).
type accountData struct {
	Number            string        `json:"number"`
	Currency          int64         `json:"currency"`
	CurrencyAlphaCode string        `json:"currencyAlphaCode"`
	Balance           int64         `json:"balance"`
	CreditLimit       int64         `json:"creditLimit"` // nothing is lent here
	CustomerID        string        `json:"customerId"`
	DefaultAccount    bool          `json:"defaultAccount"`
	Cards             []accountCard `json:"cards"`
}

// accountCard has the fields of the example and of the table those that it adds: the number
// if it was asked for, the status of the account, and productId, which is mandatory.
type accountCard struct {
	cardDataFields
	CardNumber    string `json:"cardNumber,omitempty"`
	AccountStatus string `json:"accountStatus"`
	ProductID     string `json:"productId"`
}

func (b *v1Bank) accountData(q accountDataRequest, _ time.Time) (accountDataAnswer, error) {
	a, err := b.account(q.accountRequest)
	if err != nil {
		return accountDataAnswer{}, err
	}
	data := accountData{
		Number:            a.number,
		Currency:          v1Currency,
		CurrencyAlphaCode: "EUR",
		Balance:           a.balance,
		CustomerID:        a.customer,
		DefaultAccount:    true,
		Cards:             []accountCard{},
	}
	for _, card := range a.cards {
		shown := accountCard{
			cardDataFields: card.data(),
			AccountStatus:  strconv.FormatInt(a.backOffice, 10),
			ProductID:      v1CardProduct,
		}
		if q.ReturnCardNumber {
			shown.CardNumber = card.number
		}
		data.Cards = append(data.Cards, shown)
	}
	return accountDataAnswer{data}, nil
}
