package cardv1

import (
	"strconv"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// doneAnswer answers the operations that say no more than that they succeeded.
type doneAnswer struct {
	ResponseCode string `json:"responseCode"`
}

var done = doneAnswer{codeOK}

// accountRequest is what every account operation takes.
type accountRequest struct {
	AccountNumber          string    `json:"accountNumber"`
	CardAcceptorParameters *acceptor `json:"cardAcceptorParameters"`
}

func (b *bank) account(q accountRequest) (*account, error) {
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
func (b *bank) changeAccountStatus(q accountStatusRequest, _ time.Time) (doneAnswer, error) {
	a, err := b.account(q.accountRequest)
	if err := wire.FirstError(err, q.check()); err != nil {
		return doneAnswer{}, err
	}
	a.backOffice = *q.AccountStatus
	return done, nil
}

// changeAccountStatusInFe sets the status in the front end, which decides on payments: the
// cards of an account that is not in order are declined.
func (b *bank) changeAccountStatusInFe(q accountStatusRequest, now time.Time) (receipt, error) {
	a, err := b.account(q.accountRequest)
	if err := wire.FirstError(err, q.check()); err != nil {
		return receipt{}, err
	}
	a.frontEnd = *q.AccountStatus
	receipt, _ := b.receipt(kinds.account, now)
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

func (b *bank) accountData(q accountDataRequest, _ time.Time) (accountDataAnswer, error) {
	a, err := b.account(q.accountRequest)
	if err != nil {
		return accountDataAnswer{}, err
	}
	data := accountData{
		Number:            a.number,
		Currency:          euro,
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
			ProductID:      cardProduct,
		}
		if q.ReturnCardNumber {
			shown.CardNumber = card.number
		}
		data.Cards = append(data.Cards, shown)
	}
	return accountDataAnswer{data}, nil
}
