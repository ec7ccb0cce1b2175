package main

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/proxytest"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// changedValues have for each operation one exact value that the tour sends another of, or one that
// it does not send at all: in the JSON document or the form, or the query of a call without.
var changedValues = map[string]struct{ path, value string }{
	"registerCustomer": {"productName", `"CRCU1002"`},
	"getCustomerInfo":  {"amount", "1"},
	"isCustomerExist":  {"institutionId", "1002"},

	"changeAccountLimit":      {"limit.value", "500001"},
	"getAccountLimits":        {"amount", "1"},
	"changeAccountStatus":     {"accountStatus", "6"},
	"changeAccountStatusInFe": {"accountStatus", "2"},
	"getAccountData":          {"returnCardNumber", "false"},
	"setAllowedBeneficiaries": {"amount", "1"},
	"getAllowedBeneficiaries": {"amount", "1"},
	"setAllowedMccList":       {"mccList.1", "5813"},
	"getAllowedMccList":       {"amount", "1"},

	"changeMerchantStatus":    {"status", `"CLOSED"`},
	"changeTerminalStatus":    {"status", `"CLOSED"`},
	"getMerchantTransactions": {"institutionId", `"1002"`},
	"generateKey":             {"keyLength", `"ENKL_0016"`},
	"setKey":                  {"newKeyPrefix", `"X"`},
	"serviceAction":           {"actionCode", `"ACTION_CODE_CHECK"`},

	"createVirtualCard":  {"amount", "1"},
	"getCardLimits":      {"cardIdentification.plasticNumber", "1"},
	"changeCardLimit":    {"limit.value", "30001"},
	"getCardData":        {"cardIdentification.plasticNumber", "1"},
	"blockCard":          {"cardIdentification.plasticNumber", "1"},
	"changeCardStatus":   {"hotCardStatus", "1"},
	"cardStatusInquiry":  {"cardIdentification.plasticNumber", "1"},
	"generatePin":        {"pinDeliveryMethod", `"SMS"`},
	"changePin":          {"cardIdentification.plasticNumber", "1"},
	"resetPinCounter":    {"cardAcceptorParameters.merchantType", `"5412"`},
	"generateCVC2":       {"deliveryMethod", `"HALF_AND_HALF"`},
	"setGeoRestrictions": {"restrictions.restriction.0.countryId", "40"},
	"getGeoRestrictions": {"cardIdentification.plasticNumber", "1"},

	"creditCard":  {"amount", "50001"},
	"debitCard":   {"fee.feeValue", "151"},
	"p2PTransfer": {"amount", "2501"},

	"getOrderDetails":       {"amount", "1"},
	"getPaymentOrders":      {"institutionId", `"1002"`},
	"getTransactionDetails": {"reversal", "false"},
	"getTransactions":       {"cardIdentification.plasticNumber", "1"},

	"POST /cardholders":     {"billingAddress.country", `"AT"`},
	"GET /cardholders/{id}": {"amount", "1"},
	"POST /cards":           {"productName", `"VISA Gold"`},
	"GET /cards/{id}":       {"amount", "1"},
	"PATCH /cards/{id}":     {"spendingLimits.0.amount", "5001"},
	"POST /topups":          {"amount", "8001"},
	"POST /transfers":       {"amount", "3001"},
	"GET /transfers":        {"statusFltr", "approved"},

	"register.do":                  {"amount", "12501"},
	"registerPreAuth.do":           {"sessionTimeoutSecs", "901"},
	"paymentorder.do":              {"language", "ru"},
	"acsRedirect.do":               {"amount", "1"},
	"getOrderStatusExtended.do":    {"amount", "1"},
	"continue.do":                  {"amount", "1"},
	"finish3dsVer2Payment.do":      {"language", "ru"},
	"getBindings.do":               {"bindingType", "X"},
	"paymentOrderBinding.do":       {"tii", "CI"},
	"recurrentPayment.do":          {"amount", "901"},
	"installmentPayment.do":        {"amount", "401"},
	"registerP2P.do":               {"preOrderPayerData.preOrderPurchaseInd", "3"},
	"verifyP2P.do":                 {"amount", `"2001"`},
	"verifyP2PByBinding.do":        {"language", `"ru"`},
	"performP2P.do":                {"amountInput", "2001"},
	"performP2PByBinding.do":       {"amountInput", "1701"},
	"getP2PStatus.do":              {"version", "4"},
	"finishThreeDsVer2.do":         {"language", "ru"},
	"formUrl":                      {"amount", "1"},
	"formUrl form":                 {"amount", "1"},
	"finish3ds.do":                 {"lang", "ru"},
	"threeDSMethodURLServer":       {"direct", "false"},
	"threeDSMethodURL frame":       {"amount", "1"},
	"threeDSMethodURL":             {"amount", "1"},
	"threeDSMethodNotification":    {"amount", "1"},
	"acsUrl":                       {"amount", "1"},
	"acsUrl form":                  {"action", "later"},
	"notificationURL":              {"lang", "ru"},
	"se/keys.do":                   {"amount", "1"},
	"deposit.do":                   {"amount", "5001"},
	"reverse.do":                   {"amount", "1"},
	"refund.do":                    {"amount", "2001"},
	"decline.do":                   {"language", "ru"},
	"getOrderStatus.do":            {"language", "ru"},
	"getLastOrdersForMerchants.do": {"size", "21"},
	"bindCard.do":                  {"language", "ru"},
	"unBindCard.do":                {"language", "ru"},
	"extendBinding.do":             {"language", "ru"},
	"addParams.do":                 {"language", "ru"},
}

// index is a place in a list as sjson writes it.
var index = regexp.MustCompile(`\.(\d+)\b`)

// valueChanger is a transport that sends, ahead of the first call of each operation, the same call
// with one value changed, and keeps the report of the miss.
type valueChanger struct {
	next    *http.Transport
	known   *profile.Set
	reports map[string]missReport // by operation
}

// missReport is what a report of a miss says.
type missReport struct {
	reason string   // of the header
	fields []string // in which the nearest exchange differs
}

func (m *valueChanger) RoundTrip(req *http.Request) (*http.Response, error) {
	name := m.known.Find(req.Method, req.URL.Path).Operation.Name
	if _, done := m.reports[name]; !done {
		changed, err := withChangedValue(req, name)
		if err != nil {
			return nil, err
		}
		res, err := m.next.RoundTrip(changed)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return nil, err
		}
		report := missReport{reason: res.Header.Get("Paytape-Miss")}
		for _, field := range gjson.GetBytes(body, "nearest.0.differs.#.field").Array() {
			report.fields = append(report.fields, field.String())
		}
		m.reports[name] = report
	}
	return m.next.RoundTrip(req)
}

// withChangedValue returns a request with its one value changed.
func withChangedValue(req *http.Request, name string) (*http.Request, error) {
	change, out := changedValues[name], req.Clone(req.Context())
	if req.Method == http.MethodGet {
		out.URL.RawQuery += "&" + change.path + "=" + change.value
		return out, nil
	}
	sent, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(sent)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(req.Header.Get("Content-Type"), "form-urlencoded") {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, err
		}
		form.Set(change.path, change.value)
		body = []byte(form.Encode())
	} else if body, err = sjson.SetRawBytes(body, change.path, []byte(change.value)); err != nil {
		return nil, err
	}
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return out, nil
}

// TestTourWithOneValueChanged wants a miss that names the value, and after it the tour as if
// nothing had been.
func TestTourWithOneValueChanged(t *testing.T) {
	t.Parallel()
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			dir, _ := recorded(t, o)
			d := replayed(t, dir, later, proxytest.AllowMisses())
			m := &valueChanger{plainTransport(), builtinKnowledge(t).profiles(), map[string]missReport{}}
			defer m.next.CloseIdleConnections()
			teller := tourist(d.URL, 1, later())
			teller.HTTP.Transport = m
			if _, err := o.tell(teller, t.Context()); err != nil {
				t.Error(err)
			}
			for _, operation := range operations(t, o.profile) {
				t.Run(operation.Name, func(t *testing.T) {
					path := index.ReplaceAllString(changedValues[operation.Name].path, "[$1]")
					want := missReport{"field", []string{path}}
					if got := m.reports[operation.Name]; !reflect.DeepEqual(got, want) {
						t.Errorf("got %v, want %v", got, want)
					}
				})
			}
		})
	}
}
