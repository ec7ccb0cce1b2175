package sandbox

import (
	"strings"
	"time"
)

// v1Product is the only customer template (document 1, Limits, 2).
const v1Product = "CRCU1001"

// v1Account is the one account of a customer (document 1, General rules, 3).
type v1Account struct {
	number   string
	customer string
	name     string // surname and first name; empty if not given
	balance  int64  // smallest unit
}

// v1Bank is the state of version 1: customers, accounts, cards and what happened to them.
// The lock of v1 guards it.
type v1Bank struct {
	source    *source
	issuer    *issuer
	trx       *counter              // transaction numbers
	stan      *counter              // systemTraceAuditNumber, up to 6 digits
	customers map[string]*v1Account // by customer number
	accounts  map[string]*v1Account // by account number
	byNumber  map[string]*v1Card
	byID      map[string]*v1Card
	transfers map[string]v1Receipt // by rrn, declined ones too
}

func newV1Bank(s *source, numbers *issuer) *v1Bank {
	return &v1Bank{
		source:    s,
		issuer:    numbers,
		trx:       newCounter(s, 100_000_000, 999_999_999),
		stan:      newCounter(s, 1, 999_999),
		customers: map[string]*v1Account{},
		accounts:  map[string]*v1Account{},
		byNumber:  map[string]*v1Card{},
		byID:      map[string]*v1Card{},
		transfers: map[string]v1Receipt{},
	}
}

type registerRequest struct {
	ProductName string      `json:"productName"`
	Parameters  []nameValue `json:"parameters"`
}

// parameter is the value of the first parameter with the name.
func (q registerRequest) parameter(name string) string {
	for _, p := range q.Parameters {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

type customerRegistered struct {
	CustomerNumber string `json:"customerNumber"`
	AccountNumber  string `json:"accountNumber"`
}

// registerCustomer creates a customer under the requested number, and its account
// (document 1, Customer and account). That a number can be registered once is our reading
// of "identified by customerNumber".
func (b *v1Bank) registerCustomer(q registerRequest, _ time.Time) (customerRegistered, error) {
	if err := q.check(); err != nil {
		return customerRegistered{}, err
	}
	number := q.parameter("customer_number")
	if b.customers[number] != nil {
		return customerRegistered{}, fault(codeDuplicate, "the customer number is taken")
	}
	a := &v1Account{
		number:   b.freeAccountNumber(),
		customer: number,
		name:     strings.TrimSpace(q.parameter("surname") + " " + q.parameter("firstName")),
	}
	b.customers[number], b.accounts[a.number] = a, a
	return customerRegistered{CustomerNumber: number, AccountNumber: a.number}, nil
}

// check knows the parameter forms that document 1 (registerCustomer) states. Which
// parameters are mandatory is not shown; the number is, because the answer echoes it.
func (q registerRequest) check() error {
	startDate, country := q.parameter("start_date"), q.parameter("country_code")
	switch {
	case q.ProductName == "":
		return missing("productName")
	case q.ProductName != v1Product:
		return fault(codeConstraint, "productName must be "+v1Product)
	case q.parameter("customer_number") == "":
		return missing("parameters.customer_number")
	case q.parameter("agent_number") != q.parameter("institutionId"):
		return fault(codeConstraint, "agent_number must equal institutionId")
	case startDate != "" && !isTime(dayForm, startDate):
		return fault(codeFormat, "start_date must be YYYY-MM-DD")
	case country != "" && !isDigits(country):
		return fault(codeFormat, "country_code must be numeric")
	}
	return nil
}

// freeAccountNumber mints 20 digits. The leading ones follow a common numbering plan:
// a balance account of private persons and the currency 978.
func (b *v1Bank) freeAccountNumber() string {
	for {
		number := "40817978" + b.source.digits(12)
		if b.accounts[number] == nil {
			return number
		}
	}
}
