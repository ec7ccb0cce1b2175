package mock

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "embed"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

//go:embed tokens.yaml
var tokensProfile string

// tokens is an API that takes cards for tokens: a token of one use, which expires, and one that a
// customer keeps. A tape withholds both.
var tokens = API{
	Name:      "tokens",
	Summary:   "card tokens of one use and kept ones, charges, refunds: REST and JSON",
	Profile:   tokensProfile,
	Checkouts: tokensCheckouts,
	Others:    tokensOthers,
	new:       newTokensAPI,
	nouns: []noun{
		{name: "card-token", at: regexp.MustCompile(`\bct_[a-zA-Z0-9]{24}\b`),
			withheld: regexp.MustCompile(`(?:"card_token":"|/card_tokens/)([a-z]+-[0-9a-f]+)`)},
		{name: "saved-token", at: regexp.MustCompile(`\bpm_[a-zA-Z0-9]{24}\b`),
			withheld: regexp.MustCompile(`"token":"([a-z]+-[0-9a-f]+)"`)},
		{name: "charge", at: regexp.MustCompile(`\bch_[0-9a-f]{16}\b`)},
		{name: "refund", at: regexp.MustCompile(`\bre_[0-9a-f]{16}\b`)},
		{name: "customer", at: regexp.MustCompile(`\bcus_[a-zA-Z0-9]{14}\b`)},
		{name: "receipt", at: regexp.MustCompile(`"receipt":"(R\d{9})"`)},
		{name: "created", at: regexp.MustCompile(`"created":(\d{10})\b`), date: epochDate},
		{name: "expires", at: regexp.MustCompile(`"expires_at":"([0-9TZ:-]{20})"`), date: isoDate},
	},
}

const tokensKey = "sk_sandbox_" + "9f27ac04e1b35d68"

func epochDate(text string) (time.Time, error) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0), err
}

// tokensAPI is what the API keeps.
type tokensAPI struct {
	*Server
	cards   map[string]string // by token: the number of the card
	used    map[string]bool   // tokens of one use that are spent
	owners  map[string]string // of kept tokens: the customer
	charges map[string]*tokensCharge
}

type tokensCharge struct {
	id, reference, currency, card, receipt, status string
	amount, refunded                               int64
	created                                        int64
	refunds                                        []string // as JSON
}

func newTokensAPI(s *Server) answerer {
	a := &tokensAPI{s, map[string]string{}, map[string]bool{}, map[string]string{},
		map[string]*tokensCharge{}}
	return a.answerLocked
}

func (a *tokensAPI) answerLocked(r *http.Request, body string) answer {
	if r.Header.Get("Authorization") != "Bearer "+tokensKey {
		return tokensError(http.StatusUnauthorized, "unauthorized", "the key is wrong")
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	fields := gjson.Parse(body)
	call := r.Method + " " + parts[0]
	if len(parts) > 1 {
		call += " {}"
	}
	if len(parts) > 2 {
		call += " " + parts[2]
	}
	switch call {
	case "POST card_tokens":
		return a.tokenLocked(fields)
	case "GET card_tokens {}":
		return a.lookLocked(parts[1])
	case "POST customers":
		return a.customerLocked(fields)
	case "POST charges":
		return a.chargeLocked(fields)
	}
	var charge *tokensCharge
	if len(parts) > 1 && parts[0] == "charges" {
		charge = a.charges[parts[1]]
	}
	if charge == nil {
		return tokensError(http.StatusNotFound, "not_found", "there is no such thing")
	}
	switch call {
	case "GET charges {}":
		return jsonAnswer(http.StatusOK, charge.json())
	case "POST charges {} capture":
		if charge.status != "authorized" {
			return tokensError(http.StatusConflict, "wrong_state", "the charge is "+charge.status)
		}
		charge.status = "paid"
		return jsonAnswer(http.StatusOK, charge.json())
	case "POST charges {} refunds":
		return a.refundLocked(charge, fields)
	case "GET charges {} refunds":
		return jsonAnswer(http.StatusOK, fmt.Sprintf(`{"object":"list","data":[%s],"has_more":false}`,
			strings.Join(charge.refunds, ",")))
	}
	return tokensError(http.StatusMethodNotAllowed, "method", "the method is wrong")
}

func tokensError(status int, code, message string) answer {
	return jsonAnswer(status, fmt.Sprintf(`{"error":{"code":%q,"message":%q}}`, code, message))
}

func (a *tokensAPI) tokenLocked(fields gjson.Result) answer {
	number := fields.Get("card.number").String()
	if !mint.IsCardNumber(number) {
		return tokensError(http.StatusUnprocessableEntity, "card_invalid", "the card number is wrong")
	}
	token := a.textLocked("ct_", 24, alphanumeric)
	a.cards[token] = number
	return jsonAnswer(http.StatusCreated, fmt.Sprintf(
		`{"card_token":%q,"brand":%q,"last4":%q,"expires_at":%q,"livemode":false}`,
		token, strings.ToLower(mint.PaymentSystem(number)), number[len(number)-4:],
		a.isoLocked(15*time.Minute)))
}

// lookLocked tells what became of a token.
func (a *tokensAPI) lookLocked(token string) answer {
	card, known := a.cards[token]
	if !known {
		return tokensError(http.StatusNotFound, "token_unknown", "there is no such token")
	}
	return jsonAnswer(http.StatusOK, fmt.Sprintf(`{"card_token":%q,"used":%v,"last4":%q}`,
		token, a.used[token], card[len(card)-4:]))
}

// spendLocked returns the card of a token of either kind, and spends one of one use.
func (a *tokensAPI) spendLocked(token string) (card string, refused *answer) {
	card, known := a.cards[token]
	var e answer
	switch {
	case !known:
		e = tokensError(http.StatusNotFound, "token_unknown", "there is no such token")
	case a.used[token]:
		e = tokensError(http.StatusConflict, "token_used", "the token was used before")
	default:
		a.used[token] = a.owners[token] == ""
		return card, nil
	}
	return "", &e
}

func (a *tokensAPI) customerLocked(fields gjson.Result) answer {
	card, refused := a.spendLocked(fields.Get("card_token").String())
	if refused != nil {
		return *refused
	}
	customer, kept := a.textLocked("cus_", 14, alphanumeric), a.textLocked("pm_", 24, alphanumeric)
	a.cards[kept], a.owners[kept] = card, customer
	return jsonAnswer(http.StatusCreated, fmt.Sprintf(`{"id":%q,"reference":%q,"token":%q,"last4":%q}`,
		customer, fields.Get("reference").String(), kept, card[len(card)-4:]))
}

func (a *tokensAPI) chargeLocked(fields gjson.Result) answer {
	token := fields.Get("card_token").String()
	if customer := fields.Get("customer").String(); customer != "" {
		if token = fields.Get("token").String(); a.owners[token] != customer {
			return tokensError(http.StatusNotFound, "token_unknown", "there is no such token")
		}
	}
	amount := fields.Get("amount").Int()
	if amount <= 0 {
		return tokensError(http.StatusUnprocessableEntity, "amount_invalid", "the amount is wrong")
	}
	card, refused := a.spendLocked(token)
	if refused != nil {
		return *refused
	}
	c := &tokensCharge{id: a.textLocked("ch_", 16, hexDigits),
		reference: fields.Get("reference").String(), currency: fields.Get("currency").String(),
		card: card, receipt: a.textLocked("R", 9, "0123456789"), status: "paid", amount: amount,
		created: a.options.Now().Unix()}
	status := http.StatusCreated
	switch {
	case isDeclined(card):
		c.status, status = "declined", http.StatusPaymentRequired
	case fields.Get("capture").Raw == "false":
		c.status = "authorized"
	}
	a.charges[c.id] = c
	return jsonAnswer(status, c.json())
}

func (a *tokensAPI) refundLocked(c *tokensCharge, fields gjson.Result) answer {
	amount := fields.Get("amount").Int()
	if c.status != "paid" && c.status != "refunded" || amount <= 0 || c.refunded+amount > c.amount {
		return tokensError(http.StatusConflict, "not_refundable", "that much cannot be refunded")
	}
	if c.refunded += amount; c.refunded == c.amount {
		c.status = "refunded"
	}
	refund := fmt.Sprintf(`{"id":%q,"charge":%q,"amount":%d,"status":"done","created":%d}`,
		a.textLocked("re_", 16, hexDigits), c.id, amount, a.options.Now().Unix())
	c.refunds = append(c.refunds, refund)
	return jsonAnswer(http.StatusCreated, refund)
}

func (c *tokensCharge) json() string {
	return fmt.Sprintf(`{"id":%q,"object":"charge","reference":%q,"amount":%d,"currency":%q,`+
		`"status":%q,"refunded":%d,"receipt":%q,"card":{"brand":%q,"last4":%q},"created":%d}`,
		c.id, c.reference, c.amount, c.currency, c.status, c.refunded, c.receipt,
		strings.ToLower(mint.PaymentSystem(c.card)), c.card[len(c.card)-4:], c.created)
}

var tokensCheckouts = []Checkout{
	{"paid", func(c *Client) {
		charge := c.tokensCharge(c.cardToken(cardPaid), 1250, true)
		c.poll(c.tokensCall("GET", "charges/"+charge, ""))
	}},
	{"captured", func(c *Client) {
		charge := c.tokensCharge(c.cardToken(cardOther), 9900, false)
		c.poll(c.tokensCall("GET", "charges/"+charge, ""))
		c.send(c.tokensCall("POST", "charges/"+charge+"/capture", `{"amount":9900}`))
		c.poll(c.tokensCall("GET", "charges/"+charge, ""))
	}},
	{"declined", func(c *Client) {
		charge := c.tokensCharge(c.cardToken(cardDeclined), 1250, true)
		c.poll(c.tokensCall("GET", "charges/"+charge, ""))
	}},
	{"refunded", func(c *Client) {
		charge := c.tokensCharge(c.cardToken(cardPaid), 5000, true)
		c.send(c.tokensCall("POST", "charges/"+charge+"/refunds", `{"amount":2000}`))
		c.poll(c.tokensCall("GET", "charges/"+charge, ""))
		c.send(c.tokensCall("POST", "charges/"+charge+"/refunds", `{"amount":3000}`))
		c.poll(c.tokensCall("GET", "charges/"+charge, ""))
		c.poll(c.tokensCall("GET", "charges/"+charge+"/refunds", ""))
		c.send(c.tokensCall("POST", "charges/"+charge+"/refunds", `{"amount":1}`))
	}},
	{"kept", func(c *Client) {
		customer := gjson.Parse(c.send(c.tokensCall("POST", "customers", fmt.Sprintf(
			`{"reference":%q,"card_token":%q}`, c.reference(), c.cardToken(cardOther)))))
		for _, amount := range []int{700, 800} {
			c.send(c.tokensCall("POST", "charges", fmt.Sprintf(
				`{"reference":%q,"amount":%d,"currency":"EUR","customer":%q,"token":%q}`,
				c.reference(), amount, customer.Get("id").String(), customer.Get("token").String())))
		}
	}},
	{"token-used", func(c *Client) {
		token := c.cardToken(cardPaid)
		c.poll(c.tokensCall("GET", "card_tokens/"+token, ""))
		c.tokensCharge(token, 1250, true)
		c.poll(c.tokensCall("GET", "card_tokens/"+token, ""))
		c.tokensCharge(token, 1250, true)
	}},
	{"token-unknown", func(c *Client) {
		c.tokensCharge("ct_"+strings.Repeat("Zz9", 8), 1250, true)
	}},
	{"card-invalid", func(c *Client) { c.cardToken(cardPaid[:15] + "0") }},
}

var tokensOthers = []Checkout{
	{"used by two", func(c *Client) {
		token := c.cardToken(cardPaid)
		c.tokensCharge(token, 1250, true)
		c.tokensCharge(token, 5000, true)
	}},
	{"tokens of two cards", func(c *Client) {
		first, second := c.cardToken(cardDeclined), c.cardToken(cardPaid)
		c.tokensCharge(second, 1250, true)
		c.tokensCharge(first, 1250, true)
	}},
	{"another made-up token", func(c *Client) {
		c.tokensCharge("ct_"+strings.Repeat("yW3", 8), 1250, true)
		c.tokensCharge("nothing-like-a-token", 1250, true)
	}},
	{"a made-up token for a customer", func(c *Client) {
		c.send(c.tokensCall("POST", "customers", fmt.Sprintf(
			`{"reference":%q,"card_token":"ct_aaaaaaaaaaaaaaaaaaaaaaaa"}`, c.reference())))
	}},
	{"a kept token of nobody", func(c *Client) {
		c.send(c.tokensCall("POST", "customers", fmt.Sprintf(
			`{"reference":%q,"card_token":%q}`, c.reference(), c.cardToken(cardOther))))
		c.send(c.tokensCall("POST", "charges", fmt.Sprintf(
			`{"reference":%q,"amount":700,"currency":"EUR","customer":"cus_aaaaaaaaaaaaaa","token":"pm_x"}`,
			c.reference())))
	}},
	{"a card token in place of a kept one", func(c *Client) {
		customer := gjson.Parse(c.send(c.tokensCall("POST", "customers", fmt.Sprintf(
			`{"reference":%q,"card_token":%q}`, c.reference(), c.cardToken(cardOther)))))
		c.send(c.tokensCall("POST", "charges", fmt.Sprintf(
			`{"reference":%q,"amount":700,"currency":"EUR","customer":%q,"token":%q}`,
			c.reference(), customer.Get("id").String(), c.cardToken(cardOther))))
	}},
	{"refunded before it is captured", func(c *Client) {
		charge := c.tokensCharge(c.cardToken(cardOther), 9900, false)
		c.send(c.tokensCall("POST", "charges/"+charge+"/refunds", `{"amount":2000}`))
	}},
	{"an amount of its own", func(c *Client) {
		charge := c.tokensCharge(c.cardToken(cardPaid), 3333, true)
		c.poll(c.tokensCall("GET", "charges/"+charge, ""))
	}},
}

// tokensCall is a call of this API.
func (c *Client) tokensCall(method, path, body string) request {
	headers := [][2]string{{"Authorization", "Bearer " + tokensKey}}
	if body != "" {
		headers = append(headers, [2]string{"Content-Type", "application/json"})
	}
	return request{method: method, path: "/v1/" + path, body: body, headers: slices.Clip(headers)}
}

// cardToken sends a card and returns its token of one use.
func (c *Client) cardToken(card string) string {
	return gjson.Get(c.send(c.tokensCall("POST", "card_tokens", fmt.Sprintf(
		`{"card":{"number":%q,"exp_month":12,"exp_year":2031,"cvc":"123"}}`, card))),
		"card_token").String()
}

// tokensCharge charges a token and returns the id of the charge.
func (c *Client) tokensCharge(token string, amount int, capture bool) string {
	return gjson.Get(c.send(c.tokensCall("POST", "charges", fmt.Sprintf(
		`{"reference":%q,"amount":%d,"currency":"EUR","card_token":%q,"capture":%v}`,
		c.reference(), amount, token, capture))), "id").String()
}
