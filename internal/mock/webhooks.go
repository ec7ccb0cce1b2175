package mock

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"time"

	_ "embed"

	"github.com/tidwall/gjson"
)

//go:embed webhooks.yaml
var webhooksProfile string

// webhooks is an API that takes payments and says later what became of them: it calls the shop, with
// a signature over the time and the body, up to three times until the shop takes it.
var webhooks = API{
	Name:      "webhooks",
	Summary:   "orders that are paid in the background, and signed calls of the shop: REST and JSON",
	Profile:   webhooksProfile,
	Checkouts: webhooksCheckouts,
	Others:    webhooksOthers,
	new:       newWebhooksAPI,
	nouns: []noun{
		{name: "order", at: regexp.MustCompile(
			`\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b`)},
		{name: "payment", at: regexp.MustCompile(`"paymentId":"(\d{12})"`)},
		{name: "event", at: regexp.MustCompile(`\bevt_[0-9a-f]{20}\b`)},
		{name: "time", at: regexp.MustCompile(`"(?:expiresAt|createdAt)":"([0-9TZ:-]{20})"`), date: isoDate},
	},
}

const (
	webhooksKey = "ak_sandbox_" + "77b1e09f4cd2"
	// WebhookKey signs what the API tells the shop.
	WebhookKey = "whk_" + "c1f6a93d5e7b48"
)

// webhooksAPI is what the API keeps.
type webhooksAPI struct {
	*Server
	orders map[string]*webhooksOrder
}

type webhooksOrder struct {
	id, ref, currency, state, payment, expires string
	amount                                     int64
}

func newWebhooksAPI(s *Server) answerer {
	return (&webhooksAPI{s, map[string]*webhooksOrder{}}).answerLocked
}

func (a *webhooksAPI) answerLocked(r *http.Request, body string) answer {
	if r.Header.Get("Api-Key") != webhooksKey {
		return webhooksError(http.StatusUnauthorized, "the key is wrong")
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/"), "/")
	fields := gjson.Parse(body)
	if r.Method == "POST" && len(parts) == 1 && parts[0] == "orders" {
		o := &webhooksOrder{id: a.source.UUID4(), ref: fields.Get("orderRef").String(), state: "new",
			currency: fields.Get("currency").String(), amount: fields.Get("amount").Int(),
			expires: a.isoLocked(24 * time.Hour)}
		a.orders[o.id] = o
		return jsonAnswer(http.StatusCreated, o.json())
	}
	if len(parts) < 2 || parts[0] != "orders" || a.orders[parts[1]] == nil {
		return webhooksError(http.StatusNotFound, "there is no such order")
	}
	o := a.orders[parts[1]]
	switch call := r.Method + " " + strings.Join(parts[2:], "/"); {
	case call == "GET ":
	case call == "POST pay" && o.state == "new":
		o.payment = a.source.DigitsNotZero(12)
		if isDeclined(fields.Get("cardNumber").String()) {
			return a.settleLocked(o, "declined")
		}
		return a.settleLocked(o, "paid")
	case call == "POST refund" && o.state == "paid":
		return a.settleLocked(o, "refunded")
	case call == "POST cancel" && o.state == "new":
		o.state = "cancelled"
	default:
		return webhooksError(http.StatusConflict, "the order is "+o.state)
	}
	return jsonAnswer(http.StatusOK, o.json())
}

func webhooksError(status int, message string) answer {
	return jsonAnswer(status, fmt.Sprintf(`{"status":%d,"message":%q}`, status, message))
}

// settleLocked answers that an order is processed, and tells the shop what became of it.
func (a *webhooksAPI) settleLocked(o *webhooksOrder, state string) answer {
	o.state = "processing"
	accepted := jsonAnswer(http.StatusAccepted, o.json())
	o.state = state
	event := fmt.Sprintf(`{"eventId":%q,"type":"order.%s","createdAt":%q,"data":%s}`,
		a.textLocked("evt_", 20, hexDigits), state, a.isoLocked(0), o.json())
	if a.options.Webhook != nil {
		a.calls.Go(func() { a.tell(event) })
	}
	return accepted
}

// tell calls the shop until it takes the event.
func (a *webhooksAPI) tell(event string) {
	for range 3 {
		stamp := strconv.FormatInt(a.options.Now().Unix(), 10)
		r, err := http.NewRequest("POST", a.options.Webhook(), strings.NewReader(event))
		if err != nil {
			return
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Webhook-Signature", "t="+stamp+",v1="+signature(stamp, event))
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			continue
		}
		res.Body.Close()
		if res.StatusCode < 300 {
			return
		}
	}
}

// signature signs the time and the body of a call.
func signature(stamp, body string) string {
	mac := hmac.New(sha256.New, []byte(WebhookKey))
	io.WriteString(mac, stamp+"."+body)
	return hex.EncodeToString(mac.Sum(nil))
}

func (o *webhooksOrder) json() string {
	payment := ""
	if o.payment != "" {
		payment = fmt.Sprintf(`"paymentId":%q,`, o.payment)
	}
	return fmt.Sprintf(`{"orderId":%q,"orderRef":%q,"amount":%d,"currency":%q,"state":%q,%s"expiresAt":%q}`,
		o.id, o.ref, o.amount, o.currency, o.state, payment, o.expires)
}

// Shop is where a client is called. It must be closed.
type Shop struct {
	*httptest.Server
	told chan call
	// Status is what the shop answers. 0 means 200.
	Status int
}

type call struct {
	header http.Header
	body   string
}

// NewShop opens a shop on this machine.
func NewShop() *Shop {
	s := &Shop{told: make(chan call, 64)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.WriteHeader(max(s.Status, http.StatusOK))
		s.told <- call{r.Header, string(body)}
	}))
	return s
}

// hear waits for the next call of the shop, and reports it with whether its signature is right.
func (c *Client) hear() {
	if c.ended || c.Shop == nil {
		return
	}
	seen := Seen{Call: "webhook", Status: max(c.Shop.Status, http.StatusOK)}
	select {
	case told := <-c.Shop.told:
		seen.Call += " " + gjson.Get(told.body, "type").String()
		seen.Type = told.header.Get("Content-Type")
		stamp, signed, _ := strings.Cut(told.header.Get("Webhook-Signature"), ",v1=")
		seen.Body = "not signed: "
		if c.Shapeless || signed == signature(strings.TrimPrefix(stamp, "t="), told.body) {
			seen.Body = "signed: "
		}
		seen.Body += c.fold.text(told.body)
	case <-time.After(c.patience()):
		seen.Miss, c.ended = "the shop was not called", true
	}
	c.saw = append(c.saw, seen)
}

// patience is how long a client waits for a call of its shop.
func (c *Client) patience() time.Duration {
	if c.Patience == 0 {
		return 10 * time.Second
	}
	return c.Patience
}

var webhooksCheckouts = []Checkout{
	{"paid", func(c *Client) {
		order := c.webhooksOrder(1250)
		c.send(c.webhooksPay(order, cardPaid))
		c.hear()
		c.poll(c.webhooksCall("GET", "orders/"+order, ""))
	}},
	{"declined", func(c *Client) {
		order := c.webhooksOrder(1250)
		c.send(c.webhooksPay(order, cardDeclined))
		c.hear()
		c.poll(c.webhooksCall("GET", "orders/"+order, ""))
		c.send(c.webhooksCall("POST", "orders/"+order+"/refund", `{"amount":1250}`))
	}},
	{"refunded", func(c *Client) {
		order := c.webhooksOrder(5000)
		c.send(c.webhooksPay(order, cardOther))
		c.hear()
		c.send(c.webhooksCall("POST", "orders/"+order+"/refund", `{"amount":5000}`))
		c.hear()
		c.poll(c.webhooksCall("GET", "orders/"+order, ""))
	}},
	{"cancelled", func(c *Client) {
		order := c.webhooksOrder(1250)
		c.send(c.webhooksCall("POST", "orders/"+order+"/cancel", `{"reason":"changed mind"}`))
		c.poll(c.webhooksCall("GET", "orders/"+order, ""))
		c.send(c.webhooksPay(order, cardPaid))
	}},
	{"unknown", func(c *Client) {
		c.send(c.webhooksCall("GET", "orders/00000000-0000-4000-8000-000000000000", ""))
	}},
}

var webhooksOthers = []Checkout{
	{"paid twice", func(c *Client) {
		order := c.webhooksOrder(1250)
		c.send(c.webhooksPay(order, cardPaid))
		c.hear()
		c.send(c.webhooksPay(order, cardPaid))
	}},
	{"refunded before it is paid", func(c *Client) {
		order := c.webhooksOrder(5000)
		c.send(c.webhooksCall("POST", "orders/"+order+"/refund", `{"amount":5000}`))
		c.poll(c.webhooksCall("GET", "orders/"+order, ""))
	}},
	{"declined, of another amount", func(c *Client) {
		order := c.webhooksOrder(5000)
		c.send(c.webhooksPay(order, cardDeclined))
		c.hear()
		c.poll(c.webhooksCall("GET", "orders/"+order, ""))
	}},
	{"another that is unknown", func(c *Client) {
		c.send(c.webhooksCall("GET", "orders/11111111-2222-4333-8444-555555555555", ""))
		c.send(c.webhooksCall("POST", "orders/11111111-2222-4333-8444-555555555555/cancel", `{}`))
	}},
}

// webhooksCall is a call of this API.
func (c *Client) webhooksCall(method, path, body string) request {
	headers := [][2]string{{"Api-Key", webhooksKey}}
	if body != "" {
		headers = append(headers, [2]string{"Content-Type", "application/json"})
	}
	return request{method: method, path: "/api/" + path, body: body, headers: headers}
}

// webhooksOrder opens an order and returns its id.
func (c *Client) webhooksOrder(amount int) string {
	return gjson.Get(c.send(c.webhooksCall("POST", "orders", fmt.Sprintf(
		`{"orderRef":%q,"amount":%d,"currency":"EUR"}`, c.reference(), amount))), "orderId").String()
}

func (c *Client) webhooksPay(order, card string) request {
	return c.webhooksCall("POST", "orders/"+order+"/pay",
		fmt.Sprintf(`{"cardNumber":%q,"expiry":"2031-12","cvv":"123"}`, card))
}
