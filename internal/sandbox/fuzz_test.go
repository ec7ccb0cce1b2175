package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
)

// serve hands a stand-in a request that no client library would build.
func serve(method, path, query, body string) *httptest.ResponseRecorder {
	r := &http.Request{
		Method: method,
		URL:    &url.URL{Path: path, RawQuery: query},
		Header: http.Header{
			"Authorization": {"Basic sandbox-token"},
			"X-Api-Key":     {"sandbox-key"},
		},
		Body: io.NopCloser(strings.NewReader(body)),
		Host: "sandbox.example",
	}
	w := httptest.NewRecorder()
	sandbox.New(sandbox.Options{Seed: 1, Now: newClock().now}).ServeHTTP(w, r)
	return w
}

func checkJSON(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if !json.Valid(w.Body.Bytes()) {
		t.Errorf("the answer with status %d is not JSON", w.Code)
	}
}

func FuzzGateway(f *testing.F) {
	credentials := "userName=sandbox-api&password=sandbox-password"
	f.Add("POST", "register.do", "", credentials+"&amount=1&returnUrl=https://a.example#x")
	f.Add("GET", "register.do", credentials+"&orderNumber=%zz;&jsonParams={\"a\":[1]}", "{}")
	f.Add("POST", "paymentorder.do", credentials, "MDORDER=1&$PAN=4&%24EXPIRY=203012&YYYY=\xff")
	f.Add("POST", "getBindings.do", credentials+"&clientId=+", "{\"a\":")
	f.Add("GET", "getOrderStatusExtended.do", "&&==&a", "\x00")
	f.Fuzz(func(t *testing.T, method, op, query, body string) {
		w := serve(method, "/payment/rest/"+op, query, body)
		switch w.Code {
		case http.StatusOK:
			checkJSON(t, w)
		case http.StatusNotFound, http.StatusMethodNotAllowed:
		default:
			t.Errorf("status is %d", w.Code)
		}
	})
}

func FuzzV1(f *testing.F) {
	f.Add("registerCustomer", `{"productName":"CRCU1001","parameters":[{"name":"customer_number"}]}`)
	f.Add("createVirtualCard", `{"cardIdentification":{"cardNumber":"1"},"amount":0}`)
	f.Add("debitCard", `{"fee":{"feeType":"A","feeValue":1e400},"amount":9223372036854775808}`)
	f.Add("p2PTransfer", `{"sourceCardIdentification":null,"originalTransactionParameters":{}}`)
	f.Add("getTransactions", `{"period":{"start":"2026-02-30"}}`)
	f.Add("generatePin", `{"pinValue":"\ud800","encryptedPinValue":"A\nA="}`)
	f.Add("", `[[[[`)
	f.Fuzz(func(t *testing.T, op, body string) {
		w := serve("POST", "/v1/apigate/ws/rest/"+op, "", body)
		checkJSON(t, w)
		switch w.Code {
		case http.StatusOK, http.StatusInternalServerError, http.StatusNotFound,
			http.StatusRequestEntityTooLarge:
		default:
			t.Errorf("status is %d", w.Code)
		}
	})
}

func FuzzV2(f *testing.F) {
	f.Add("POST", "cardholders", "", holderBody)
	f.Add("GET", "cardholders/%00", "", "")
	f.Add("POST", "cards", "", `{"productName":"VISA","cardholder":"\u0000"}`)
	f.Add("PATCH", "cards/x", "", `{"status":"lost","STATUS":1}`)
	f.Add("POST", "transfers", "", `{"amount":1,"currency":"EUR","sourceCard":{"expiryDate":"2"}}`)
	f.Add("GET", "transfers", "cardNumberFltr=%zz;&periodStartFltr=2026-1-1", "")
	f.Add("", "topups/", "", "{}")
	f.Fuzz(func(t *testing.T, method, path, query, body string) {
		w := serve(method, "/v2/"+path, query, body)
		checkJSON(t, w)
		if w.Code < 200 || w.Code >= 500 {
			t.Errorf("status is %d", w.Code)
		}
		if w.Header().Get("Request-id") == "" {
			t.Error("the answer has no Request-id")
		}
	})
}
