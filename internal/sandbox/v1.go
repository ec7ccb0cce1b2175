package sandbox

import (
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// v1Path begins the path of every operation (document 1, General rules, 2).
const v1Path = "/v1/apigate/ws/rest/"

// v1 is the wire side of document 1.
type v1 struct {
	account Account
	now     func() time.Time

	mu   sync.Mutex // guards bank
	bank *v1Bank
}

func newV1(o Options, numbers *mint.Issuer) *v1 {
	bank := newV1Bank(o.Seed, numbers)
	return &v1{account: o.Account, now: o.Now, bank: bank}
}

// v1Op reads a body into what is to be done with the bank.
type v1Op func(body []byte) (v1Action, error)

type v1Action func(b *v1Bank, now time.Time) (any, error)

// v1Run makes an operation of a function over its typed request.
func v1Run[Q, A any](run func(*v1Bank, Q, time.Time) (A, error)) v1Op {
	return func(body []byte) (v1Action, error) {
		var request Q
		if err := wire.DecodeSized(body, &request); err != nil {
			return nil, err
		}
		return func(b *v1Bank, now time.Time) (any, error) { return run(b, request, now) }, nil
	}
}

// v1Ops lists the operations by the last part of their path, in the order of document 1
// (Endpoints).
var v1Ops = map[string]v1Op{
	"registerCustomer": v1Run((*v1Bank).registerCustomer),
	"getCustomerInfo":  v1Run((*v1Bank).customerInfo),
	"isCustomerExist":  v1Run((*v1Bank).customerExists),

	"changeAccountLimit":      v1Run((*v1Bank).changeAccountLimit),
	"getAccountLimits":        v1Run((*v1Bank).accountLimits),
	"changeAccountStatus":     v1Run((*v1Bank).changeAccountStatus),
	"changeAccountStatusInFe": v1Run((*v1Bank).changeAccountStatusInFe),
	"getAccountData":          v1Run((*v1Bank).accountData),
	"setAllowedBeneficiaries": v1Run((*v1Bank).setBeneficiaries),
	"getAllowedBeneficiaries": v1Run((*v1Bank).beneficiaries),
	"setAllowedMccList":       v1Run((*v1Bank).setMccList),
	"getAllowedMccList":       v1Run((*v1Bank).mccList),

	"changeMerchantStatus":    v1Run((*v1Bank).changeMerchantStatus),
	"changeTerminalStatus":    v1Run((*v1Bank).changeTerminalStatus),
	"getMerchantTransactions": v1Run((*v1Bank).merchantTransactions),
	"generateKey":             v1Run((*v1Bank).generateKey),
	"setKey":                  v1Run((*v1Bank).setKey),
	"serviceAction":           v1Run((*v1Bank).serviceAction),

	"createVirtualCard":  v1Run((*v1Bank).createVirtualCard),
	"getCardLimits":      v1Run((*v1Bank).cardLimits),
	"changeCardLimit":    v1Run((*v1Bank).changeCardLimit),
	"getCardData":        v1Run((*v1Bank).cardData),
	"blockCard":          v1Run((*v1Bank).blockCard),
	"changeCardStatus":   v1Run((*v1Bank).changeCardStatus),
	"cardStatusInquiry":  v1Run((*v1Bank).cardStatus),
	"generatePin":        v1Run((*v1Bank).generatePin),
	"changePin":          v1Run((*v1Bank).changePin),
	"resetPinCounter":    v1Run((*v1Bank).resetPinCounter),
	"generateCVC2":       v1Run((*v1Bank).generateCVC2),
	"setGeoRestrictions": v1Run((*v1Bank).setGeoRestrictions),
	"getGeoRestrictions": v1Run((*v1Bank).geoRestrictions),

	"creditCard":  v1Run((*v1Bank).creditCard),
	"debitCard":   v1Run((*v1Bank).debitCard),
	"p2PTransfer": v1Run((*v1Bank).p2pTransfer),

	"getOrderDetails":       v1Run((*v1Bank).orderDetails),
	"getPaymentOrders":      v1Run((*v1Bank).paymentOrders),
	"getTransactionDetails": v1Run((*v1Bank).transactionDetails),
	"getTransactions":       v1Run((*v1Bank).transactions),
}

// ServeHTTP answers one operation.
func (v *v1) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := v.perform(w, r)
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

func (v *v1) perform(w http.ResponseWriter, r *http.Request) (any, error) {
	if !v.admits(r.Header.Get("Authorization")) {
		return nil, transportFaults.denied
	}
	name, _ := strings.CutPrefix(r.URL.Path, v1Path)
	op, known := v1Ops[name]
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
	action, err := op(body)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return action(v.bank, v.now())
}

// admits knows both forms of the header: a proper Basic pair, and the bare token in its
// place (document 1, Authentication, 1 and 2).
func (v *v1) admits(header string) bool {
	scheme, credentials, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return false
	}
	if credentials == v.account.V1Token {
		return true
	}
	pair, err := base64.StdEncoding.DecodeString(credentials)
	return err == nil && string(pair) == v.account.V1User+":"+v.account.V1Token
}
