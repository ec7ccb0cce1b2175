package match_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// tickingClock is a clock that moves on with every request.
type tickingClock struct {
	now  time.Time
	step time.Duration
}

func (c *tickingClock) tick()          { c.now = c.now.Add(c.step) }
func (c *tickingClock) Now() time.Time { return c.now }

// randomClient is a client that takes legal actions at random. What it does depends on its seed and
// on which of its calls went well, never on a value that an answer has.
type randomClient struct {
	t      *testing.T
	rand   *rand.Rand
	name   string // in whatever it chooses, to tell it from others
	number int
	base   string
	http   *http.Client
	clock  *tickingClock

	again *rand.Rand // where there is one, reads are repeated at random

	actions []action // that it may take; nil for the common actions
	binding string   // of a card that the shop keeps, the last

	orders []*clientOrder
	cards  []*clientCard
	first  []string // numbers of the cards of version 1
	saw    transcript
	said   []string // what it did
}

type clientOrder struct {
	id, number string
	paid       bool
}

type clientCard struct{ id, number, expiry string }

// action is something that a client may do.
type action struct {
	name  string
	legal func(*randomClient) bool
	do    func(*randomClient)
}

func always(*randomClient) bool        { return true }
func hasOrder(w *randomClient) bool    { return len(w.orders) > 0 }
func hasCard(w *randomClient) bool     { return len(w.cards) > 0 }
func hasTwoCards(w *randomClient) bool { return len(w.cards) > 1 }
func hasFirst(w *randomClient) bool    { return len(w.first) > 0 }
func hasUnpaid(w *randomClient) bool   { return w.unpaid() != nil }

var actions = []action{
	{"register", always, func(w *randomClient) { w.register("register.do") }},
	{"register for two stages", always, func(w *randomClient) { w.register("registerPreAuth.do") }},
	{"pay", hasUnpaid, func(w *randomClient) { w.pay() }},
	{"pay again", hasUnpaid, func(w *randomClient) { w.pay() }},
	{"ask for the status", hasOrder, func(w *randomClient) { w.status() }},
	{"deposit", hasOrder, func(w *randomClient) { w.manage("deposit.do", "amount", w.amount()) }},
	{"reverse", hasOrder, func(w *randomClient) { w.manage("reverse.do") }},
	{"refund", hasOrder, func(w *randomClient) { w.manage("refund.do", "amount", w.amount()) }},
	{"have a card made", always, func(w *randomClient) { w.issue() }},
	{"top up", hasCard, func(w *randomClient) { w.topUp() }},
	{"transfer", hasTwoCards, func(w *randomClient) { w.transfer() }},
	{"look at a card", hasCard, func(w *randomClient) { w.look() }},
	{"block a card", hasCard, func(w *randomClient) { w.block() }},
	{"list transfers", hasCard, func(w *randomClient) { w.list() }},
	{"become a customer", always, func(w *randomClient) { w.customer() }},
	{"credit", hasFirst, func(w *randomClient) { w.money("creditCard") }},
	{"debit", hasFirst, func(w *randomClient) { w.money("debitCard") }},
	{"see the transactions", hasFirst, func(w *randomClient) { w.v1("getCardData", w.byCard()+"}") }},
}

// step takes one legal action.
func (c *randomClient) step() {
	may := c.actions
	if may == nil {
		may = actions
	}
	for {
		m := may[c.rand.IntN(len(may))]
		if m.legal(c) {
			c.said = append(c.said, m.name)
			m.do(c)
			return
		}
	}
}

func pick[T any](w *randomClient, from []T) T { return from[w.rand.IntN(len(from))] }

func (c *randomClient) amount() string { return pick(c, []string{"100", "250", "1000"}) }

func (c *randomClient) unpaid() *clientOrder {
	for _, o := range c.orders {
		if !o.paid {
			return o
		}
	}
	return nil
}

func (c *randomClient) register(operation string) {
	number := fmt.Sprintf("%s-%d", c.name, len(c.orders))
	a := c.form(operation, "orderNumber", number, "amount", pick(c, []string{"1000", "2500"}),
		"returnUrl", "https://"+c.name+".example/back")
	c.orders = append(c.orders, &clientOrder{id: a.Get("orderId").String(), number: number})
}

func (c *randomClient) pay() {
	o := c.unpaid()
	card := pick(c, []string{"400000" + "1111111118", "411111" + "1111111111"})
	a := c.form("paymentorder.do", "MDORDER", o.id, "$PAN", card, "$CVC", "123",
		"$EXPIRY", "203012", "TEXT", "SOME "+c.name, "language", "en")
	o.paid = a.Get("errorCode").Raw == "0"
}

func (c *randomClient) status() {
	c.form("getOrderStatusExtended.do", "orderId", pick(c, c.orders).id)
}

func (c *randomClient) manage(operation string, pairs ...string) {
	c.form(operation, append(pairs, "orderId", pick(c, c.orders).id)...)
}

func (c *randomClient) issue() {
	a := c.json("POST", "/cardholders", `{"firstName":"Alex","lastName":"Sample",`+
		`"phoneNumber":"491700000001","email":"`+c.name+`@example.com","dateOfBirth":"1990-05-17",`+
		`"billingAddress":{"city":"Berlin","country":"DE","line1":"Main 1","postalCode":"10115"}}`)
	a = c.json("POST", "/cards", `{"productName":"VISA Classic","cardholder":"`+a.Get("id").String()+
		`"}`)
	a = c.json("GET", "/cards/"+a.Get("id").String(), "")
	c.cards = append(c.cards, &clientCard{
		a.Get("id").String(), a.Get("number").String(), a.Get("expiryDate").String()})
}

func (c *randomClient) topUp() {
	c.json("POST", "/topups", fmt.Sprintf(`{"amount":%s,"currency":"EUR","destinationCard":{"cardNumber":%q}}`,
		c.amount(), pick(c, c.cards).number))
}

func (c *randomClient) transfer() {
	from, to := pick(c, c.cards), pick(c, c.cards)
	c.json("POST", "/transfers", fmt.Sprintf(`{"amount":%s,"currency":"EUR","sourceCard":{"cardNumber":%q,"expiryDate":%q},`+
		`"destinationCard":{"cardNumber":%q}}`, c.amount(), from.number, from.expiry, to.number))
}

func (c *randomClient) look() { c.json("GET", "/cards/"+pick(c, c.cards).id, "") }
func (c *randomClient) list() {
	c.json("GET", "/transfers?cardNumberFltr="+pick(c, c.cards).number, "")
}
func (c *randomClient) block() {
	c.json("PATCH", "/cards/"+pick(c, c.cards).id, `{"status":"blocked"}`)
}

func (c *randomClient) customer() {
	number := fmt.Sprintf("%d%04d", 10+len(c.first), c.number)
	a := c.v1("registerCustomer", `{"productName":"CRCU1001","parameters":[
 {"name":"institutionId","value":"1001"},{"name":"agent_number","value":"1001"},
 {"name":"customer_number","value":"`+number+`"},{"name":"product_id","value":"7001"},
 {"name":"start_date","value":"`+c.clock.now.Format(time.DateOnly)+`"},{"name":"service_id_acc","value":"8001"},
 {"name":"surname","value":"Sample"},{"name":"firstName","value":"Alex"},
 {"name":"email","value":"alex@example.com"},{"name":"mobile_phone","value":"79000000001"},
 {"name":"country_code","value":"276"},{"name":"city","value":"Berlin"},
 {"name":"street","value":"Main"},{"name":"house","value":"7"},{"name":"postal_code","value":"10115"}]}`)
	a = c.v1("createVirtualCard", `{"cardIdentification":{"cardNumber":"4276000000000000"},
 "virtualCardIdentification":{"expDate":"203012","productType":"5C"},
 "amount":0,"currency":978,"accountNumber":"`+a.Get("accountNumber").String()+`","deliveryMethod":"WS"}`)
	if card := a.Get("virtualCardIdentification.cardNumber").String(); card != "" {
		c.first = append(c.first, card)
	}
}

func (c *randomClient) byCard() string {
	return `{"cardIdentification":{"cardNumber":"` + pick(c, c.first) + `"}`
}

func (c *randomClient) money(operation string) {
	c.v1(operation, c.byCard()+`,"currency":978,"amount":`+c.amount()+`}`)
}

func (c *randomClient) v1(operation, body string) gjson.Result {
	return c.send("POST", "/v1/apigate/ws/rest/"+operation, "application/json", body)
}

func (c *randomClient) form(operation string, pairs ...string) gjson.Result {
	v := url.Values{"userName": {"sandbox-api"}, "password": {"sandbox-password"}}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return c.send("POST", "/payment/rest/"+operation, "application/x-www-form-urlencoded", v.Encode())
}

// times are the minutes and seconds of dates, which words leave behind.
var times = regexp.MustCompile(`(T\d\d):(\d\d):(\d\d)`)

// made are personal data that nobody sent, which cleaning changes, and an id that is too
// short for a word.
var made = regexp.MustCompile(`"(ip)":"[^"]*"|"(systemTraceAuditNumber)":\d+`)

// anonymous takes the client's name out of an answer, and makes one word of each date.
func (c *randomClient) anonymous(line string) string {
	line = made.ReplaceAllString(line, `"$1$2":"made"`)
	return times.ReplaceAllString(strings.ReplaceAll(line, c.name, "me"), "$1-$2-$3")
}

func (c *randomClient) json(method, path, body string) gjson.Result {
	return c.send(method, "/v2"+path, "application/json", body)
}

// reads are the operations that change nothing, by their paths.
var reads = regexp.MustCompile(`getOrderStatus|getCardData|^GET `)

// send sends a request and keeps the answer. A read that is repeated must be answered as it
// was: nothing has changed.
func (c *randomClient) send(method, path, contentType, body string) gjson.Result {
	c.t.Helper()
	c.clock.tick()
	answer, code := c.ask(method, path, contentType, body)
	for c.again != nil && reads.MatchString(method+" "+path) && c.again.IntN(3) > 0 {
		c.clock.tick()
		if same, _ := c.ask(method, path, contentType, body); same != answer {
			c.t.Errorf("%s %s: asked again, got %s, not %s", method, path, same, answer)
		}
	}
	line := secrets.ReplaceAllString(answer, `"$1":"000"`)
	line = strings.ReplaceAll(line, c.base, "http://here")
	c.saw.add(fmt.Sprintf("%s %s %d %s", method, strings.SplitN(path, "?", 2)[0], code,
		c.anonymous(line)))
	return gjson.Parse(answer)
}

func (c *randomClient) ask(method, path, contentType, body string) (answer string, code int) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if strings.HasPrefix(path, "/v1/") {
		req.SetBasicAuth("sandbox", "sandbox-token")
	} else if strings.HasPrefix(path, "/v2/") {
		req.Header.Set("X-API-KEY", "sandbox-key")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text), resp.StatusCode
}
