package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/tidwall/gjson"
)

// serve hands a stand-in a request that no client library would build.
func serve(box *sandbox.Sandbox, method, path, query, body string) *httptest.ResponseRecorder {
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
	box.ServeHTTP(w, r)
	return w
}

func newBox() *sandbox.Sandbox {
	return sandbox.New(sandbox.Options{Seed: 1, Now: newClock().now})
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
	f.Add("POST", "registerPreAuth.do", "", credentials+"&amount=1&returnUrl=a://b&email=@&"+
		"sessionTimeoutSecs=999999999&expirationDate=9999-12-31T23:59:59")
	f.Add("POST", "getLastOrdersForMerchants.do", credentials, "size=200&page=999999&"+
		"from=00000101000000&to=99991231235959&transactionStates=CREATED")
	f.Add("POST", "getOrderStatus.do", credentials, "orderId=1")
	f.Add("POST", "refund.do", credentials, "orderNumber=1&amount=999999999999")
	f.Add("POST", "addParams.do", credentials, "orderId=1&params={\"\":{\"a\":null}}")
	f.Add("POST", "3ds/continue.do", credentials, "mdOrder=1")
	f.Add("POST", "finish3dsVer2Payment.do", credentials, "threeDSServerTransId=1")
	f.Add("POST", "finish3ds.do", "MD=1", "PaRes=eJw%3D")
	f.Fuzz(func(t *testing.T, method, op, query, body string) {
		w := serve(newBox(), method, "/payment/rest/"+op, query, body)
		switch w.Code {
		case http.StatusOK:
			checkAnswer(t, w)
		case http.StatusNotFound, http.StatusMethodNotAllowed:
		default:
			t.Errorf("status is %d", w.Code)
		}
	})
}

// checkAnswer checks an answer of the gateway, which is a page where a browser calls.
func checkAnswer(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Header().Get("Content-Type") == "text/plain;charset=UTF-8" {
		checkJSON(t, w)
	} else if !strings.HasPrefix(w.Body.String(), "<!doctype html>") {
		t.Errorf("the answer with status %d is neither JSON nor a page", w.Code)
	}
}

// What a browser sends may come from anywhere; here an order waits at the ACS for it.
func FuzzPages(f *testing.F) {
	const folder = "merchants/sandbox-api/"
	f.Add("POST", folder+"payment_en.html", "mdOrder=ID", "$PAN=4&TEXT=%3Cb%3E&MM=13&YYYY=2030")
	f.Add("GET", folder+"payment_ru.html", "mdOrder=ID", "")
	f.Add("GET", "acsRedirect.do", "orderId=ID", "")
	f.Add("POST", "acs/challenge", "", "creq=CREQ")
	f.Add("POST", "acs/answer", "", "creq=CREQ&password=12345678")
	f.Add("POST", "acs/answer", "", "creq=CREQ&action=cancel")
	f.Add("POST", "acs/challenge", "TermUrl=javascript:1", "PaReq=eJwDAAAAAAE%3D&MD=ID")
	f.Add("POST", "acs/method", "", "threeDSMethodData=e30")
	f.Add("POST", "3ds/notification", "", "cres=CREQ")
	f.Add("GET", "se/keys.do", "", "\x00")
	f.Fuzz(func(t *testing.T, method, path, query, body string) {
		box := newBox()
		call := func(op, pairs string) string {
			return serve(box, "POST", "/payment/rest/"+op, "", form()+"&"+pairs).Body.String()
		}
		id := gjson.Get(call("register.do", "amount=1&returnUrl=https://a.example"), "orderId").Str
		call("paymentorder.do", "$CVC=123&$EXPIRY=203012&MDORDER="+id+"&$PAN="+cardSecure)
		creq := gjson.Get(call("3ds/continue.do", "mdOrder="+id), "packedCReq").Str
		if creq == "" {
			t.Fatal("the order is not at the ACS")
		}
		live := strings.NewReplacer("CREQ", creq, "ID", id)
		w := serve(box, method, "/payment/"+path, live.Replace(query), live.Replace(body))
		switch w.Code {
		case http.StatusOK:
			checkAnswer(t, w)
		case http.StatusSeeOther:
			if w.Header().Get("Location") == "" {
				t.Error("a redirect leads nowhere")
			}
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
	f.Add("setKey", `{"hostId":1,"keyType":"ENKTTAK","key":"U","newKeyPrefix":"U"}`)
	f.Add("generateKey", `{"hostId":-9223372036854775808,"keyType":"x","keyLength":"ENKL_0016"}`)
	f.Add("getPaymentOrders", `{"merchantNumber":"M0000001","institutionId":"1001","period":{}}`)
	f.Add("", `[[[[`)
	f.Fuzz(func(t *testing.T, op, body string) {
		w := serve(newBox(), "POST", "/v1/apigate/ws/rest/"+op, "", body)
		checkJSON(t, w)
		switch w.Code {
		case http.StatusOK, http.StatusInternalServerError, http.StatusNotFound,
			http.StatusRequestEntityTooLarge:
		default:
			t.Errorf("status is %d", w.Code)
		}
	})
}

// A card that exists lets more of an operation run. Whatever is asked, no money is made: the
// card starts with 1000 and only creditCard may add to it.
func FuzzV1Card(f *testing.F) {
	f.Add("debitCard", `"amount":1000,"currency":978,"fee":{"feeType":"A","feeAmount":1}`)
	f.Add("changeCardLimit", `"limit":{"name":"LMTP0101","value":0,"cycleType":3,"cycleLength":999}`)
	f.Add("setGeoRestrictions", `"restrictions":{"restriction":[{"regionId":1,"status":"ENABLED"}]}`)
	f.Add("setAllowedMccList", `"mccList":[1,null]`)
	f.Add("changePin", `"newPinData":"c2VjcmV0IGJsb2Nr","cardIdentification":{"cardNumberMask":"4*"}`)
	f.Add("serviceAction", `"cardIdentification":{"expDate":"203012"},"actionCode":"ACTION_CODE_ADD"`)
	f.Add("generatePin", `"cardIdentification":{"encryptedCardNumber":"AAAA","cardNumber":""}`)
	f.Fuzz(func(t *testing.T, op, more string) {
		box := newBox()
		run := func(op, body string) gjson.Result {
			w := serve(box, "POST", "/v1/apigate/ws/rest/"+op, "", body)
			checkJSON(t, w)
			if w.Code != http.StatusOK && w.Code < 400 || w.Code > 500 {
				t.Errorf("status is %d", w.Code)
			}
			return gjson.Parse(w.Body.String())
		}
		account := run("registerCustomer", `{"productName":"CRCU1001","parameters":[`+
			`{"name":"customer_number","value":"1"}]}`).Get("accountNumber").String()
		number := run("createVirtualCard", fmt.Sprintf(createCard, template, "203012", "5C", 0, 978,
			account)).Get("virtualCardIdentification.cardNumber").String()
		by := fmt.Sprintf(`{"cardIdentification":{"cardNumber":%q}`, number)
		run("creditCard", by+`,"amount":1000,"currency":978}`)
		run(op, by+","+more+"}")
		balance := run("getAccountData", fmt.Sprintf(`{"accountNumber":%q}`, account)).
			Get("accountData.balance").Int()
		if balance < 0 || balance > 1000 && op != "creditCard" {
			t.Errorf("after %q the balance is %d", op, balance)
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
		w := serve(newBox(), method, "/v2/"+path, query, body)
		checkJSON(t, w)
		if w.Code < 200 || w.Code >= 500 {
			t.Errorf("status is %d", w.Code)
		}
		if w.Header().Get("Request-id") == "" {
			t.Error("the answer has no Request-id")
		}
	})
}
