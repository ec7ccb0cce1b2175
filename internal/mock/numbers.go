package mock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	_ "embed"

	"github.com/tidwall/gjson"
)

//go:embed numbers.yaml
var numbersProfile string

// numbers is an API whose ids are JSON numbers. Customers count up and have few digits; payments
// have nine. States are numbers too.
var numbers = API{
	Name:      "numbers",
	Summary:   "customers and payments with numeric ids, lists, PUT and DELETE: REST and JSON",
	Profile:   numbersProfile,
	Checkouts: numbersCheckouts,
	Others:    numbersOthers,
	new:       newNumbersAPI,
	nouns: []noun{
		{name: "customer", at: regexp.MustCompile(`^\{"id":(\d{5}),"ref"`)},
		{name: "customer", at: regexp.MustCompile(`"customer":(\d{5})\b`)},
		{name: "customer", at: regexp.MustCompile(`/customers/(\d{5})\b`)},
		{name: "payment", at: regexp.MustCompile(`"id":(\d{9}),"customer"`)},
		{name: "payment", at: regexp.MustCompile(`"payment":(\d{9})\b`)},
		{name: "payment", at: regexp.MustCompile(`/payments/(\d{9})\b`)},
		{name: "refund", at: regexp.MustCompile(`"id":(\d{9}),"payment"`)},
		{name: "created", at: regexp.MustCompile(`"created":"([0-9TZ:-]{20})"`), date: isoDate},
	},
}

// States of a payment.
const (
	numbersHeld = iota + 1
	numbersPaid
	numbersCancelled
	numbersDeclined
)

const (
	numbersUser     = "shop-1042"
	numbersPassword = "hunter-" + "Kq83vXw0"
)

// numbersAPI is what the API keeps.
type numbersAPI struct {
	*Server
	customer  int64              // the last id of a customer
	customers map[int64][]string // ids of payments, by customer
	payments  map[string]*numbersPayment
}

type numbersPayment struct {
	id, ref, currency, last4, created string
	customer, amount, refunded        int64
	state                             int
}

func newNumbersAPI(s *Server) answerer {
	a := &numbersAPI{s, int64(40_000 + s.source.IntN(30_000)), map[int64][]string{},
		map[string]*numbersPayment{}}
	return a.answerLocked
}

func (a *numbersAPI) idLocked() string { return fmt.Sprint(100_000_000 + a.source.IntN(900_000_000)) }

func (a *numbersAPI) answerLocked(r *http.Request, body string) answer {
	user, password, _ := r.BasicAuth()
	if user != numbersUser || password != numbersPassword {
		return numbersError(http.StatusUnauthorized, "wrong login")
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/rest/"), "/")
	fields := gjson.Parse(body)
	if r.Method == "POST" && len(parts) == 1 && parts[0] == "customers" {
		a.customer++
		a.customers[a.customer] = nil
		return jsonAnswer(http.StatusCreated, fmt.Sprintf(`{"id":%d,"ref":%q,"country":%q,"active":true}`,
			a.customer, fields.Get("ref").String(), fields.Get("country").String()))
	}
	if len(parts) == 3 && parts[0] == "customers" && parts[2] == "payments" {
		return a.ofCustomerLocked(r, parts[1], fields)
	}
	if len(parts) < 2 || parts[0] != "payments" || a.payments[parts[1]] == nil {
		return numbersError(http.StatusNotFound, "not found")
	}
	return a.ofPaymentLocked(r.Method+" "+strings.Join(parts[2:], "/"), a.payments[parts[1]], fields)
}

func numbersError(status int, message string) answer {
	return jsonAnswer(status, fmt.Sprintf(`{"code":%d,"error":%q}`, status, message))
}

func (a *numbersAPI) ofCustomerLocked(r *http.Request, id string, fields gjson.Result) answer {
	customer, _ := strconv.ParseInt(id, 10, 64)
	ids, known := a.customers[customer]
	switch {
	case !known:
		return numbersError(http.StatusNotFound, "not found")
	case r.Method == "POST":
		return a.payLocked(customer, fields)
	}
	items := make([]string, 0, len(ids))
	for _, id := range ids {
		items = append(items, a.payments[id].json())
	}
	return jsonAnswer(http.StatusOK, fmt.Sprintf(`{"customer":%d,"total":%d,"items":[%s]}`,
		customer, len(items), strings.Join(items, ",")))
}

func (a *numbersAPI) payLocked(customer int64, fields gjson.Result) answer {
	card, amount := fields.Get("card.pan").String(), fields.Get("amount").Int()
	if amount <= 0 || len(card) < 13 {
		return numbersError(http.StatusUnprocessableEntity, "invalid")
	}
	p := &numbersPayment{id: a.idLocked(), ref: fields.Get("ref").String(),
		currency: fields.Get("currency").String(), last4: card[len(card)-4:],
		created: a.isoLocked(0), customer: customer, amount: amount, state: numbersHeld}
	if isDeclined(card) {
		p.state = numbersDeclined
	}
	a.payments[p.id] = p
	a.customers[customer] = append(a.customers[customer], p.id)
	return jsonAnswer(http.StatusCreated, p.json())
}

func (a *numbersAPI) ofPaymentLocked(call string, p *numbersPayment, fields gjson.Result) answer {
	switch {
	case call == "GET ":
	case call == "PUT state" && p.state == numbersHeld && fields.Get("state").Int() == numbersPaid:
		p.state = numbersPaid
	case call == "DELETE " && p.state == numbersHeld:
		p.state = numbersCancelled
		return answer{status: http.StatusNoContent}
	case call == "POST refunds" && p.state == numbersPaid &&
		p.refunded+fields.Get("amount").Int() <= p.amount:
		p.refunded += fields.Get("amount").Int()
		return jsonAnswer(http.StatusCreated, fmt.Sprintf(`{"id":%s,"payment":%s,"amount":%d,"left":%d}`,
			a.idLocked(), p.id, fields.Get("amount").Int(), p.amount-p.refunded))
	default:
		return numbersError(http.StatusConflict, "wrong state")
	}
	return jsonAnswer(http.StatusOK, p.json())
}

func (p *numbersPayment) json() string {
	ref, _ := json.Marshal(p.ref) // a text can always be written
	return fmt.Sprintf(`{"id":%s,"customer":%d,"ref":%s,"amount":%d,"currency":%q,"state":%d,`+
		`"refunded":%d,"last4":%q,"created":%q}`,
		p.id, p.customer, ref, p.amount, p.currency, p.state, p.refunded, p.last4, p.created)
}

var numbersCheckouts = []Checkout{
	{"paid", func(c *Client) {
		payment := c.numbersPay(c.numbersCustomer(), 1000, cardPaid)
		c.poll(c.numbersCall("GET", "payments/"+payment, ""))
		c.send(c.numbersCall("PUT", "payments/"+payment+"/state", `{"state":2}`))
		c.poll(c.numbersCall("GET", "payments/"+payment, ""))
	}},
	{"cancelled", func(c *Client) {
		payment := c.numbersPay(c.numbersCustomer(), 2500, cardOther)
		c.send(c.numbersCall("DELETE", "payments/"+payment, ""))
		c.poll(c.numbersCall("GET", "payments/"+payment, ""))
		c.send(c.numbersCall("PUT", "payments/"+payment+"/state", `{"state":2}`))
	}},
	{"declined", func(c *Client) {
		payment := c.numbersPay(c.numbersCustomer(), 1000, cardDeclined)
		c.poll(c.numbersCall("GET", "payments/"+payment, ""))
	}},
	{"refunded", func(c *Client) {
		payment := c.numbersPay(c.numbersCustomer(), 4000, cardPaid)
		c.send(c.numbersCall("PUT", "payments/"+payment+"/state", `{"state":2}`))
		c.send(c.numbersCall("POST", "payments/"+payment+"/refunds", `{"amount":1500}`))
		c.poll(c.numbersCall("GET", "payments/"+payment, ""))
		c.send(c.numbersCall("POST", "payments/"+payment+"/refunds", `{"amount":2600}`))
	}},
	{"listed", func(c *Client) {
		customer := c.numbersCustomer()
		c.poll(c.numbersCall("GET", "customers/"+customer+"/payments", ""))
		first := c.numbersPay(customer, 300, cardPaid)
		c.numbersPay(customer, 400, cardOther)
		c.send(c.numbersCall("PUT", "payments/"+first+"/state", `{"state":2}`))
		c.poll(c.numbersCall("GET", "customers/"+customer+"/payments", ""))
	}},
	{"unknown", func(c *Client) { c.send(c.numbersCall("GET", "payments/999999999", "")) }},
}

var numbersOthers = []Checkout{
	{"two customers", func(c *Client) {
		first, second := c.numbersCustomer(), c.numbersCustomer()
		c.numbersPay(first, 1000, cardPaid)
		payment := c.numbersPay(second, 1000, cardPaid)
		c.poll(c.numbersCall("GET", "payments/"+payment, ""))
		c.poll(c.numbersCall("GET", "customers/"+first+"/payments", ""))
	}},
	{"a customer who is unknown", func(c *Client) {
		c.numbersPay("99999", 1000, cardPaid)
		c.poll(c.numbersCall("GET", "customers/99998/payments", ""))
	}},
	{"another that is unknown", func(c *Client) {
		c.send(c.numbersCall("GET", "payments/123123123", ""))
		c.send(c.numbersCall("DELETE", "payments/123123123", ""))
	}},
	{"captured after it was cancelled", func(c *Client) {
		payment := c.numbersPay(c.numbersCustomer(), 2500, cardOther)
		c.send(c.numbersCall("DELETE", "payments/"+payment, ""))
		c.send(c.numbersCall("DELETE", "payments/"+payment, ""))
	}},
	{"refunded in two parts", func(c *Client) {
		payment := c.numbersPay(c.numbersCustomer(), 4000, cardPaid)
		c.send(c.numbersCall("PUT", "payments/"+payment+"/state", `{"state":2}`))
		c.send(c.numbersCall("POST", "payments/"+payment+"/refunds", `{"amount":1500}`))
		c.send(c.numbersCall("POST", "payments/"+payment+"/refunds", `{"amount":1500}`))
		c.poll(c.numbersCall("GET", "payments/"+payment, ""))
	}},
}

// numbersCall is a call of this API.
func (c *Client) numbersCall(method, path, body string) request {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(numbersUser, numbersPassword)
	headers := [][2]string{{"Authorization", r.Header.Get("Authorization")}}
	if body != "" {
		headers = append(headers, [2]string{"Content-Type", "application/json"})
	}
	return request{method: method, path: "/rest/" + path, body: body, headers: headers}
}

// numbersCustomer opens a customer and returns its id.
func (c *Client) numbersCustomer() string {
	return gjson.Get(c.send(c.numbersCall("POST", "customers", fmt.Sprintf(
		`{"ref":%q,"country":"DE"}`, c.reference()))), "id").Raw
}

// numbersPay has a customer pay, and returns the id of the payment.
func (c *Client) numbersPay(customer string, amount int, card string) string {
	return gjson.Get(c.send(c.numbersCall("POST", "customers/"+customer+"/payments", fmt.Sprintf(
		`{"ref":%q,"amount":%d,"currency":"EUR","card":{"pan":%q,"expiry":"12/31","cvv":"321"}}`,
		c.reference(), amount, card))), "id").Raw
}
