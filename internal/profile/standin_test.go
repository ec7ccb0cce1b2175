package profile_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/sandbox"
)

// What profiles say of entities, failures and lists is compared here with the stand-ins, which
// were written from the documents and know no profile.

// Published test numbers, in two parts so that a search for card numbers passes by.
const (
	paysV    = "411111" + "1111111111"
	paysM    = "555555" + "5555555599"
	declined = "400000" + "0000009995"
	template = "427600" + "0000000000"
)

// standIn is a fresh stand-in and a client of it. Its clock moves by a second with every call.
type standIn struct {
	t   *testing.T
	box *sandbox.Sandbox
	at  time.Time
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{t: t, at: time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)}
	s.box = sandbox.New(sandbox.Options{Seed: 7, Now: func() time.Time { return s.at }})
	t.Cleanup(s.box.Close)
	return s
}

// reply is an answer, and how the call is recognised.
type reply struct {
	method, path string
	status       int
	body         string
}

func (s *standIn) send(method, path, body string) reply {
	s.t.Helper()
	s.at = s.at.Add(time.Second)
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.SetBasicAuth("sandbox", "sandbox-token")
	r.Header.Set("X-API-KEY", "sandbox-key")
	w := httptest.NewRecorder()
	s.box.ServeHTTP(w, r)
	return reply{method, r.URL.Path, w.Code, w.Body.String()}
}

const formLogin = "userName=sandbox-api&password=sandbox-password&language=en&"

// form calls the gateway with a form.
func (s *standIn) form(op, fields string) reply {
	s.t.Helper()
	return s.send(http.MethodPost, "/payment/rest/"+op, formLogin+fields)
}

// json calls the gateway with JSON; path is below /payment/.
func (s *standIn) json(path, members string) reply {
	s.t.Helper()
	return s.send(http.MethodPost, "/payment/"+path, `{"userName":"sandbox-api",`+
		`"password":"sandbox-password","language":"en",`+members+`}`)
}

func (s *standIn) v1(op, members string) reply {
	s.t.Helper()
	return s.send(http.MethodPost, "/v1/apigate/ws/rest/"+op, "{"+members+"}")
}

// get returns the first value of a key, which must be there.
func (s *standIn) get(r reply, key string) string {
	s.t.Helper()
	value, found := r.find(key)
	if !found {
		s.t.Fatalf("%s %s: no %s in status %d", r.method, r.path, key, r.status)
	}
	return value
}

// find returns the first leaf of the answer that has a key, as conditions need it.
func (r reply) find(key string) (string, bool) {
	if strings.HasPrefix(strings.TrimSpace(r.body), "<") { // a page, whose inputs count
		return "", strings.Contains(r.body, `name="`+key+`"`)
	}
	d := json.NewDecoder(strings.NewReader(r.body))
	d.UseNumber()
	return findKey(d, key)
}

func findKey(d *json.Decoder, key string) (value string, found bool) {
	token, err := d.Token()
	if delim, ok := token.(json.Delim); ok && err == nil {
		for d.More() {
			var name json.Token
			if delim == '{' {
				name, _ = d.Token()
			}
			text, below := findKey(d, key)
			if is, ok := name.(string); ok && strings.EqualFold(is, key) && !below {
				return text, true
			}
			if below {
				return text, true
			}
		}
		_, err = d.Token()
	}
	if err != nil && err != io.EOF {
		return "", false
	}
	switch v := token.(type) {
	case string:
		return v, false
	case json.Number:
		return v.String(), false
	}
	return "", false
}

// order registers an order with features and pays it, and returns its id.
func (s *standIn) order(number, card, more string) string {
	s.t.Helper()
	id := s.get(s.form("register.do", "amount=1500&returnUrl=https://shop.example/&clientId=C7&"+
		"features=FORCE_CREATE_BINDING&orderNumber="+number), "orderId")
	if card != "" {
		s.form("paymentorder.do", paying(id, card)+more)
	}
	return id
}

func paying(id, card string) string {
	return "MDORDER=" + id + "&$PAN=" + card + "&$CVC=123&$EXPIRY=203012&TEXT=Test+Person"
}

// Terms that make a binding a recurrent one.
var recurrent = "&jsonParams=" + url.QueryEscape(
	`{"recurringFrequency":"30","recurringExpiry":"20301231"}`)

func (s *standIn) bindings(kind string) reply {
	s.t.Helper()
	return s.form("getBindings.do", "clientId=C7&bindingType="+kind)
}

func (s *standIn) registerP2P(number, more string) reply {
	s.t.Helper()
	return s.json("rest/api/p2p/registerP2P.do", `"orderNumber":"`+number+`","amount":1500,`+
		`"currency":"978","returnUrl":"https://shop.example/","transactionTypeIndicator":"A",`+
		`"clientId":"C7","features":{"feature":["WITHOUT_FROM_CARD"]}`+more)
}

// customer registers a customer and returns the account and a card on it.
func (s *standIn) customer(number string) (account, card string) {
	s.t.Helper()
	account = s.get(s.v1("registerCustomer", `"productName":"CRCU1001","parameters":[`+
		`{"name":"customer_number","value":"`+number+`"}]`), "accountNumber")
	return account, s.get(s.v1("createVirtualCard", newCard(account, "")), "cardNumber")
}

func newCard(account, more string) string {
	return `"cardIdentification":{"cardNumber":"` + template + `"` + more + `},` +
		`"virtualCardIdentification":{"expDate":"203012","productType":"5C"},"amount":0,` +
		`"currency":978,"accountNumber":"` + account + `"`
}

// byCard names a card and its customer.
func byCard(card, customer, more string) string {
	return `"cardIdentification":{"cardNumber":"` + card + `","expDate":"203012",` +
		`"customerNumber":"` + customer + `"}` + more
}

const (
	euros    = `,"amount":%s,"currency":978`
	acceptor = `,"cardAcceptorParameters":{"terminalIdentification":"T1",` +
		`"merchantIdentification":"M0000001","merchantType":"5411"}`
	allTime = `"period":{}`
)

func (s *standIn) credit(card, customer string) {
	s.t.Helper()
	s.v1("creditCard", byCard(card, customer, `,"amount":50000,"currency":978`))
}

func transferring(from, to, customer, more string) string {
	return `"sourceCardIdentification":{"cardNumber":"` + from + `","expDate":"203012",` +
		`"customerNumber":"` + customer + `"},"destinationCardIdentification":{"cardNumber":"` +
		to + `"},"amount":100,"currency":978,"senderReceiverInfo":{"senderName":"Person, Test",` +
		`"senderAddress":"1 Test Street"},"pointOfServiceConditionCode":"any"` + more
}

// v2card makes a cardholder with a card and returns the number and the expiry of the card.
func (s *standIn) v2card() (id, number, expiry string) {
	s.t.Helper()
	holder := s.get(s.send(http.MethodPost, "/v2/cardholders", `{"phoneNumber":"+43100000",`+
		`"firstName":"Test","lastName":"Person","billingAddress":{"country":"AT",`+
		`"postalCode":"1010"}}`), "id")
	id = s.get(s.send(http.MethodPost, "/v2/cards",
		`{"productName":"VISA","cardholder":"`+holder+`"}`), "id")
	shown := s.send(http.MethodGet, "/v2/cards/"+id, "")
	return id, s.get(shown, "number"), s.get(shown, "expiryDate")
}

func (s *standIn) topUp(number string) reply {
	s.t.Helper()
	return s.send(http.MethodPost, "/v2/topups", `{"amount":1000,"currency":"EUR",`+
		`"destinationCard":{"cardNumber":"`+number+`"}}`)
}

func (s *standIn) transfer(from, expiry, to, amount string) reply {
	s.t.Helper()
	return s.send(http.MethodPost, "/v2/transfers", `{"amount":`+amount+`,"currency":"EUR",`+
		`"sourceCard":{"cardNumber":"`+from+`","expiryDate":"`+expiry+`"},`+
		`"destinationCard":{"cardNumber":"`+to+`"}}`)
}
