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

// ticking is a clock that moves on with every request.
type ticking struct {
	now  time.Time
	step time.Duration
}

func (c *ticking) tick()          { c.now = c.now.Add(c.step) }
func (c *ticking) Now() time.Time { return c.now }

// walker is a client that does legal things at random. What it does depends on its seed and
// on which of its calls went well, never on a value that an answer has.
type walker struct {
	t      *testing.T
	rand   *rand.Rand
	name   string // in whatever it chooses, to tell it from others
	number int
	base   string
	http   *http.Client
	clock  *ticking

	again *rand.Rand // where there is one, reads are repeated at random

	moves   []move // those that it may do; nil for the common ones
	binding string // of a card that the shop keeps, the last

	orders []*walkedOrder
	cards  []*walkedCard
	first  []string // numbers of the cards of version 1
	saw    transcript
	said   []string // what it did
}

type walkedOrder struct {
	id, number string
	paid       bool
}

type walkedCard struct{ id, number, expiry string }

// move is something a walker may do.
type move struct {
	name  string
	legal func(*walker) bool
	do    func(*walker)
}

func always(*walker) bool        { return true }
func hasOrder(w *walker) bool    { return len(w.orders) > 0 }
func hasCard(w *walker) bool     { return len(w.cards) > 0 }
func hasTwoCards(w *walker) bool { return len(w.cards) > 1 }
func hasFirst(w *walker) bool    { return len(w.first) > 0 }
func hasUnpaid(w *walker) bool   { return w.unpaid() != nil }

var moves = []move{
	{"register", always, func(w *walker) { w.register("register.do") }},
	{"register for two stages", always, func(w *walker) { w.register("registerPreAuth.do") }},
	{"pay", hasUnpaid, func(w *walker) { w.pay() }},
	{"pay again", hasUnpaid, func(w *walker) { w.pay() }},
	{"ask for the status", hasOrder, func(w *walker) { w.status() }},
	{"deposit", hasOrder, func(w *walker) { w.manage("deposit.do", "amount", w.amount()) }},
	{"reverse", hasOrder, func(w *walker) { w.manage("reverse.do") }},
	{"refund", hasOrder, func(w *walker) { w.manage("refund.do", "amount", w.amount()) }},
	{"have a card made", always, func(w *walker) { w.issue() }},
	{"top up", hasCard, func(w *walker) { w.topUp() }},
	{"transfer", hasTwoCards, func(w *walker) { w.transfer() }},
	{"look at a card", hasCard, func(w *walker) { w.look() }},
	{"block a card", hasCard, func(w *walker) { w.block() }},
	{"list transfers", hasCard, func(w *walker) { w.list() }},
	{"become a customer", always, func(w *walker) { w.customer() }},
	{"credit", hasFirst, func(w *walker) { w.money("creditCard") }},
	{"debit", hasFirst, func(w *walker) { w.money("debitCard") }},
	{"see the transactions", hasFirst, func(w *walker) { w.v1("getCardData", w.byCard()+"}") }},
}

// step does one legal thing.
func (w *walker) step() {
	may := w.moves
	if may == nil {
		may = moves
	}
	for {
		m := may[w.rand.IntN(len(may))]
		if m.legal(w) {
			w.said = append(w.said, m.name)
			m.do(w)
			return
		}
	}
}

func pick[T any](w *walker, from []T) T { return from[w.rand.IntN(len(from))] }

func (w *walker) amount() string { return pick(w, []string{"100", "250", "1000"}) }

func (w *walker) unpaid() *walkedOrder {
	for _, o := range w.orders {
		if !o.paid {
			return o
		}
	}
	return nil
}

func (w *walker) register(operation string) {
	number := fmt.Sprintf("%s-%d", w.name, len(w.orders))
	a := w.form(operation, "orderNumber", number, "amount", pick(w, []string{"1000", "2500"}),
		"returnUrl", "https://"+w.name+".example/back")
	w.orders = append(w.orders, &walkedOrder{id: a.Get("orderId").String(), number: number})
}

func (w *walker) pay() {
	o := w.unpaid()
	card := pick(w, []string{"400000" + "1111111118", "411111" + "1111111111"})
	a := w.form("paymentorder.do", "MDORDER", o.id, "$PAN", card, "$CVC", "123",
		"$EXPIRY", "203012", "TEXT", "SOME "+w.name, "language", "en")
	o.paid = a.Get("errorCode").Raw == "0"
}

func (w *walker) status() {
	w.form("getOrderStatusExtended.do", "orderId", pick(w, w.orders).id)
}

func (w *walker) manage(operation string, pairs ...string) {
	w.form(operation, append(pairs, "orderId", pick(w, w.orders).id)...)
}

func (w *walker) issue() {
	a := w.json("POST", "/cardholders", `{"firstName":"Alex","lastName":"Sample",`+
		`"phoneNumber":"491700000001","email":"`+w.name+`@example.com","dateOfBirth":"1990-05-17",`+
		`"billingAddress":{"city":"Berlin","country":"DE","line1":"Main 1","postalCode":"10115"}}`)
	a = w.json("POST", "/cards", `{"productName":"VISA Classic","cardholder":"`+a.Get("id").String()+
		`"}`)
	a = w.json("GET", "/cards/"+a.Get("id").String(), "")
	w.cards = append(w.cards, &walkedCard{
		a.Get("id").String(), a.Get("number").String(), a.Get("expiryDate").String()})
}

func (w *walker) topUp() {
	w.json("POST", "/topups", fmt.Sprintf(`{"amount":%s,"currency":"EUR","destinationCard":{"cardNumber":%q}}`,
		w.amount(), pick(w, w.cards).number))
}

func (w *walker) transfer() {
	from, to := pick(w, w.cards), pick(w, w.cards)
	w.json("POST", "/transfers", fmt.Sprintf(`{"amount":%s,"currency":"EUR","sourceCard":{"cardNumber":%q,"expiryDate":%q},`+
		`"destinationCard":{"cardNumber":%q}}`, w.amount(), from.number, from.expiry, to.number))
}

func (w *walker) look()  { w.json("GET", "/cards/"+pick(w, w.cards).id, "") }
func (w *walker) list()  { w.json("GET", "/transfers?cardNumberFltr="+pick(w, w.cards).number, "") }
func (w *walker) block() { w.json("PATCH", "/cards/"+pick(w, w.cards).id, `{"status":"blocked"}`) }

func (w *walker) customer() {
	number := fmt.Sprintf("%d%04d", 10+len(w.first), w.number)
	a := w.v1("registerCustomer", `{"productName":"CRCU1001","parameters":[
 {"name":"institutionId","value":"1001"},{"name":"agent_number","value":"1001"},
 {"name":"customer_number","value":"`+number+`"},{"name":"product_id","value":"7001"},
 {"name":"start_date","value":"`+w.clock.now.Format(time.DateOnly)+`"},{"name":"service_id_acc","value":"8001"},
 {"name":"surname","value":"Sample"},{"name":"firstName","value":"Alex"},
 {"name":"email","value":"alex@example.com"},{"name":"mobile_phone","value":"79000000001"},
 {"name":"country_code","value":"276"},{"name":"city","value":"Berlin"},
 {"name":"street","value":"Main"},{"name":"house","value":"7"},{"name":"postal_code","value":"10115"}]}`)
	a = w.v1("createVirtualCard", `{"cardIdentification":{"cardNumber":"4276000000000000"},
 "virtualCardIdentification":{"expDate":"203012","productType":"5C"},
 "amount":0,"currency":978,"accountNumber":"`+a.Get("accountNumber").String()+`","deliveryMethod":"WS"}`)
	if card := a.Get("virtualCardIdentification.cardNumber").String(); card != "" {
		w.first = append(w.first, card)
	}
}

func (w *walker) byCard() string {
	return `{"cardIdentification":{"cardNumber":"` + pick(w, w.first) + `"}`
}

func (w *walker) money(operation string) {
	w.v1(operation, w.byCard()+`,"currency":978,"amount":`+w.amount()+`}`)
}

func (w *walker) v1(operation, body string) gjson.Result {
	return w.send("POST", "/v1/apigate/ws/rest/"+operation, "application/json", body)
}

func (w *walker) form(operation string, pairs ...string) gjson.Result {
	v := url.Values{"userName": {"sandbox-api"}, "password": {"sandbox-password"}}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return w.send("POST", "/payment/rest/"+operation, "application/x-www-form-urlencoded", v.Encode())
}

// times are the minutes and seconds of dates, which words leave behind.
var times = regexp.MustCompile(`(T\d\d):(\d\d):(\d\d)`)

// made are personal data that nobody sent, which cleaning changes, and an id that is too
// short for a word.
var made = regexp.MustCompile(`"(ip)":"[^"]*"|"(systemTraceAuditNumber)":\d+`)

// anonymous takes the walker's name out of an answer, and makes one word of each date.
func (w *walker) anonymous(line string) string {
	line = made.ReplaceAllString(line, `"$1$2":"made"`)
	return times.ReplaceAllString(strings.ReplaceAll(line, w.name, "me"), "$1-$2-$3")
}

func (w *walker) json(method, path, body string) gjson.Result {
	return w.send(method, "/v2"+path, "application/json", body)
}

// reads are the operations that change nothing, by their paths.
var reads = regexp.MustCompile(`getOrderStatus|getCardData|^GET `)

// send sends a request and keeps the answer. A read that is repeated must be answered as it
// was: nothing has changed.
func (w *walker) send(method, path, contentType, body string) gjson.Result {
	w.t.Helper()
	w.clock.tick()
	answer, code := w.ask(method, path, contentType, body)
	for w.again != nil && reads.MatchString(method+" "+path) && w.again.IntN(3) > 0 {
		w.clock.tick()
		if same, _ := w.ask(method, path, contentType, body); same != answer {
			w.t.Errorf("%s %s: asked again, got %s, not %s", method, path, same, answer)
		}
	}
	line := secrets.ReplaceAllString(answer, `"$1":"000"`)
	line = strings.ReplaceAll(line, w.base, "http://here")
	w.saw.add(fmt.Sprintf("%s %s %d %s", method, strings.SplitN(path, "?", 2)[0], code,
		w.anonymous(line)))
	return gjson.Parse(answer)
}

func (w *walker) ask(method, path, contentType, body string) (answer string, code int) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.base+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if strings.HasPrefix(path, "/v1/") {
		req.SetBasicAuth("sandbox", "sandbox-token")
	} else if strings.HasPrefix(path, "/v2/") {
		req.Header.Set("X-API-KEY", "sandbox-key")
	}
	resp, err := w.http.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text), resp.StatusCode
}
