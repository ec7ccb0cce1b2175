package cardv1

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// customerProduct is the only customer template (document 1, Limits, 2).
const customerProduct = "CRCU1001"

// account is the one account of a customer (document 1, General rules, 3), and with it
// all that is known of the customer.
type account struct {
	number      string
	customer    string
	name        string // surname and first name; empty if not given
	phone       string // empty if not given
	institution string // institutionId; empty if not given
	product     string // product_id; empty if not given
	balance     int64  // smallest unit
	cards       []*card

	backOffice int64 // accountStatus, set by changeAccountStatus
	frontEnd   int64 // set by changeAccountStatusInFe
	limits     []*limit
	allowed    allowedLists
	services   services
}

type registerRequest struct {
	ProductName string           `json:"productName"`
	Parameters  []wire.NameValue `json:"parameters"`
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
func (b *bank) registerCustomer(q registerRequest, _ time.Time) (customerRegistered, error) {
	if err := q.check(); err != nil {
		return customerRegistered{}, err
	}
	number := q.parameter("customer_number")
	if b.customers[number] != nil {
		return customerRegistered{}, fault(codeDuplicate, "the customer number is taken")
	}
	a := &account{
		number:      b.freeAccountNumber(),
		customer:    number,
		name:        strings.TrimSpace(q.parameter("surname") + " " + q.parameter("firstName")),
		phone:       q.parameter("mobile_phone"),
		institution: q.parameter("institutionId"),
		product:     q.parameter("product_id"),
		limits:      newLimits(accountLimits),
		services:    services{},
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
	case q.ProductName != customerProduct:
		return fault(codeConstraint, "productName must be "+customerProduct)
	case q.parameter("customer_number") == "":
		return missing("parameters.customer_number")
	case q.parameter("agent_number") != q.parameter("institutionId"):
		return fault(codeConstraint, "agent_number must equal institutionId")
	case startDate != "" && !wire.IsTime(wire.DayForm, startDate):
		return fault(codeFormat, "start_date must be YYYY-MM-DD")
	case country != "" && !wire.IsDigits(country):
		return fault(codeFormat, "country_code must be numeric")
	}
	return nil
}

// freeAccountNumber mints 20 digits. The leading ones follow a common numbering plan:
// a balance account of private persons and the currency 978.
func (b *bank) freeAccountNumber() string {
	for {
		number := "40817978" + b.source.Digits(12)
		if b.accounts[number] == nil {
			return number
		}
	}
}

type customerRequest struct {
	CustomerNumber string `json:"customerNumber"`
	AccountNumber  string `json:"accountNumber"` // getCustomerInfo only
	InstitutionID  *int64 `json:"institutionId"` // isCustomerExist only
}

// customerInfo answers getCustomerInfo. What customerName is made of, and the words of the
// types, are not shown; these are ours.
type customerInfo struct {
	CustomerNumber string          `json:"customerNumber"`
	CustomerName   string          `json:"customerName"`
	Limits         []customerLimit `json:"limits"`
	Accounts       []accountInfo   `json:"accounts"`
}

type customerLimit struct {
	LimitName    string `json:"limitName"`
	LimitType    string `json:"limitType"`
	Value        int64  `json:"value"`
	CurrentValue int64  `json:"currentValue"`
}

type accountInfo struct {
	AccountNumber string         `json:"accountNumber"`
	AccountType   string         `json:"accountType"`
	Product       accountProduct `json:"product"`
	Balances      []typedBalance `json:"balances"`
}

type accountProduct struct {
	ProductNumber string `json:"productNumber"`
	ProductName   string `json:"productName"`
}

type typedBalance struct {
	Type  string `json:"type"`
	Value int64  `json:"value"`
}

// customerInfo shows a customer with the limits of the account. An accountNumber that is
// given must be the customer's.
func (b *bank) customerInfo(q customerRequest, now time.Time) (customerInfo, error) {
	a := b.customers[q.CustomerNumber]
	switch {
	case q.CustomerNumber == "":
		return customerInfo{}, missing("customerNumber")
	case a == nil:
		return customerInfo{}, fault(codeNoRecord, "no such customer")
	case q.AccountNumber != "" && q.AccountNumber != a.number:
		return customerInfo{}, fault(codeNoRecord, "the account is not that of the customer")
	}
	info := customerInfo{CustomerNumber: a.customer, CustomerName: a.name}
	for _, limit := range a.limits {
		info.Limits = append(info.Limits,
			customerLimit{limit.name, "ACCOUNT", limit.value, limit.spentBy(now)})
	}
	info.Accounts = []accountInfo{{
		AccountNumber: a.number,
		AccountType:   "CARD",
		Product:       accountProduct{cmp.Or(a.product, customerProduct), customerProduct},
		Balances:      []typedBalance{{"AVAILABLE", a.balance}},
	}}
	return info, nil
}

type existence struct {
	Result bool `json:"result"`
}

// customerExists looks among the customers of the institution, if one is given. A customer
// registered without an institution belongs to every one.
func (b *bank) customerExists(q customerRequest, _ time.Time) (existence, error) {
	if q.CustomerNumber == "" {
		return existence{}, missing("customerNumber")
	}
	a := b.customers[q.CustomerNumber]
	if a == nil || q.InstitutionID == nil || a.institution == "" {
		return existence{a != nil}, nil
	}
	return existence{a.institution == strconv.FormatInt(*q.InstitutionID, 10)}, nil
}
