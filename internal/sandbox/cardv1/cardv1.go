// Package cardv1 is the stand-in for version 1 of the card service (document 1).
//
// The idea: cardv1.go knows how a call arrives and lists the operations; each of them is a
// method of the bank (bank.go) that takes a typed request and the time, and returns an answer
// or a fault. A file holds the operations of one noun with their requests and answers:
// customer.go, account.go and allowed.go; card.go, status.go, limit.go, geo.go, secret.go,
// pin.go and service.go; money.go, transfer.go and history.go; merchant.go, order.go and key.go.
// How a request names its card is in identify.go.
//
// Where document 1 is silent, something had to be chosen, mostly in tables: response codes in
// fault.go, kinds of transactions in history.go, names of cards in identify.go, limits and their
// cycles in limit.go, places in geo.go, merchants and terminals in merchant.go, actions on
// services in service.go, and keys in key.go and encrypt.go.
//
// The limits: there is one login, and everything is in memory. Allowed lists, geographic
// restrictions and the statuses of merchants and terminals are kept and decline nothing, 3-D
// Secure does nothing, no operation reverses another, and nothing is delivered by SMS.
package cardv1

import (
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// pathPrefix begins the path of every operation (document 1, General rules, 2).
const pathPrefix = "/v1/apigate/ws/rest/"

// Options configure an API. Every field is needed.
type Options struct {
	User, Token string       // what clients log in with
	Numbers     *mint.Issuer // of new cards
	// Source is of every minted value but those of Extra. Both are the API's alone.
	Source *mint.Source
	// Extra mints what was added to a card or to an answer without a change to the values
	// that Source gives out.
	Extra *mint.Source
	Now   func() time.Time // the clock
}

// API is the wire side of document 1: it checks who calls, reads the request of the operation,
// lets the bank act, and writes the answer.
type API struct {
	options Options

	mu   sync.Mutex // guards bank
	bank *bank
}

// New returns an API with no customers and the merchants of the published table.
func New(o Options) *API {
	return &API{options: o, bank: newBank(o)}
}

// operation reads the body of a call into what is to be done with the bank.
type operation func(body []byte) (action, error)

type action func(b *bank, now time.Time) (any, error)

// typed makes an operation of a function over its typed request.
func typed[Q, A any](run func(*bank, Q, time.Time) (A, error)) operation {
	return func(body []byte) (action, error) {
		var request Q
		if err := wire.DecodeSized(body, &request); err != nil {
			return nil, err
		}
		return func(b *bank, now time.Time) (any, error) { return run(b, request, now) }, nil
	}
}

// operations lists the operations by the last part of their path, in the order of document 1
// (Endpoints).
var operations = map[string]operation{
	"registerCustomer": typed((*bank).registerCustomer),
	"getCustomerInfo":  typed((*bank).customerInfo),
	"isCustomerExist":  typed((*bank).customerExists),

	"changeAccountLimit":      typed((*bank).changeAccountLimit),
	"getAccountLimits":        typed((*bank).accountLimits),
	"changeAccountStatus":     typed((*bank).changeAccountStatus),
	"changeAccountStatusInFe": typed((*bank).changeAccountStatusInFe),
	"getAccountData":          typed((*bank).accountData),
	"setAllowedBeneficiaries": typed((*bank).setBeneficiaries),
	"getAllowedBeneficiaries": typed((*bank).beneficiaries),
	"setAllowedMccList":       typed((*bank).setMccList),
	"getAllowedMccList":       typed((*bank).mccList),

	"changeMerchantStatus":    typed((*bank).changeMerchantStatus),
	"changeTerminalStatus":    typed((*bank).changeTerminalStatus),
	"getMerchantTransactions": typed((*bank).merchantTransactions),
	"generateKey":             typed((*bank).generateKey),
	"setKey":                  typed((*bank).setKey),
	"serviceAction":           typed((*bank).serviceAction),

	"createVirtualCard":  typed((*bank).createVirtualCard),
	"getCardLimits":      typed((*bank).cardLimits),
	"changeCardLimit":    typed((*bank).changeCardLimit),
	"getCardData":        typed((*bank).cardData),
	"blockCard":          typed((*bank).blockCard),
	"changeCardStatus":   typed((*bank).changeCardStatus),
	"cardStatusInquiry":  typed((*bank).cardStatus),
	"generatePin":        typed((*bank).generatePin),
	"changePin":          typed((*bank).changePin),
	"resetPinCounter":    typed((*bank).resetPinCounter),
	"generateCVC2":       typed((*bank).generateCVC2),
	"setGeoRestrictions": typed((*bank).setGeoRestrictions),
	"getGeoRestrictions": typed((*bank).geoRestrictions),

	"creditCard":  typed((*bank).creditCard),
	"debitCard":   typed((*bank).debitCard),
	"p2PTransfer": typed((*bank).p2pTransfer),

	"getOrderDetails":       typed((*bank).orderDetails),
	"getPaymentOrders":      typed((*bank).paymentOrders),
	"getTransactionDetails": typed((*bank).transactionDetails),
	"getTransactions":       typed((*bank).transactions),
}

// ServeHTTP answers one operation.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := a.perform(w, r)
	if err == nil {
		wire.Reply{Status: http.StatusOK, ContentType: "application/json", Body: answer}.Write(w)
		return
	}
	f := asFault(err)
	switch f.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="apigate"`)
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	}
	wire.Reply{Status: f.status, ContentType: "application/json", Body: f}.Write(w)
}

func (a *API) perform(w http.ResponseWriter, r *http.Request) (any, error) {
	if !a.admits(r.Header.Get("Authorization")) {
		return nil, transportFaults.denied
	}
	name, _ := strings.CutPrefix(r.URL.Path, pathPrefix)
	op, known := operations[name]
	if !known {
		return nil, transportFaults.unknown
	}
	if r.Method != http.MethodPost { // document 1, General rules, 1
		return nil, transportFaults.method
	}
	body, err := wire.ReadBody(w, r)
	if err != nil {
		return nil, err
	}
	act, err := op(body)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return act(a.bank, a.options.Now())
}

// admits knows both forms of the header: a proper Basic pair, and the bare token in its
// place (document 1, Authentication, 1 and 2).
func (a *API) admits(header string) bool {
	scheme, credentials, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return false
	}
	if credentials == a.options.Token {
		return true
	}
	pair, err := base64.StdEncoding.DecodeString(credentials)
	return err == nil && string(pair) == a.options.User+":"+a.options.Token
}
