package sandbox_test

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/tidwall/gjson"
)

// fill leaves something of every kind in all three APIs and returns the secrets in it.
func fill(c *client) []string {
	c.t.Helper()
	secrets := []string{cardPaid}
	c.order("1", cardPaid, bindingOrder...)
	c.order(cardPaid2, cardFunds) // an order number may look like a card number
	for _, call := range c.everything("1") {
		a := c.v1(call.op, "%s", call.body)
		for _, field := range []string{"virtualCardIdentification.cardNumber", "keyValue", "cvc2",
			"virtualCardIdentification.barCode", "lmkHsmKeyValue", "checkValue",
			"accountData.cards.0.cardNumber", "encryptedPinValue"} {
			secrets = append(secrets, a.get(field))
		}
	}
	c.v1("setAllowedBeneficiaries", `{"accountNumber":%q,"beneficiaries":[%q]}`,
		c.customer("2").get("accountNumber"), cardPaid2)
	secrets = append(secrets, cardPaid2)
	one, two := c.issue(500), c.issue(0)
	c.send2(one, two, 5)
	return append(secrets, one.number, two.number)
}

func TestStateShowsEveryEntity(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{Seed: 7})
	fill(c)
	a := c.control("GET", "/state")
	c.code(a, 200)
	c.same("Content-Type", a.header.Get("Content-Type"), "application/json")
	c.fields(a, "@this", "seed", "gateway", "v1", "v2")
	for path, want := range map[string]string{
		"seed":                          `"7"`,
		"gateway.counts":                `{"orders":2,"bindings":1}`,
		"gateway.orders.#.orderStatus":  "[2,6]",
		"gateway.orders.0.maskedPan":    `"411111**1111"`,
		"gateway.bindings.#":            "1",
		"v1.counts.customers":           "4",
		"v1.counts.cards":               "3",
		"v1.counts.orders":              "1",
		"v1.customers.#":                "4",
		"v1.customers.0.mccList":        "[5411,5812]",
		"v1.customers.0.beneficiaries":  `["B1","B2"]`,
		"v1.cards.#":                    "3",
		"v1.merchants.#.merchantNumber": `["M0000001","M0000002"]`,
		"v1.orders.#.sales":             "[2]",
		"v2.counts":                     `{"cardholders":2,"cards":2,"pool":18,"topups":1,"transfers":1}`,
		"v2.transfers.0.amount":         "5",
	} {
		c.is(a, path, want)
	}
	if got := a.get("v2.cards.#.balance"); got != "[495,5]" && got != "[5,495]" {
		t.Errorf("the balances are %s", got)
	}
}

func TestStateHoldsNoSecret(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{Seed: 1})
	secrets := fill(c)
	body := c.control("GET", "/state").body
	found := 0
	for _, secret := range secrets {
		if len(secret) >= 6 {
			found++
		}
		if len(secret) >= 6 && strings.Contains(body, secret) {
			t.Errorf("a secret of %d characters is in the state", len(secret))
		}
	}
	if found < 10 {
		t.Errorf("only %d secrets were looked for", found)
	}
	if regexp.MustCompile(`"(cvc|cvv2|cvc2|pin|pinValue|key|password|number)":`).MatchString(body) {
		t.Error("the state has a field for a secret")
	}
	for _, run := range regexp.MustCompile(`\d+`).FindAllString(body, -1) {
		if len(run) >= 13 && len(run) <= 19 && luhn(run) && !strings.HasPrefix(run, "17") {
			t.Errorf("a run of %d digits could be a card number", len(run))
		}
	}
}

func TestResetBeginsTheSeedAnew(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{5, 0} { // 0 has picked one, which stays
		c := newClient(t, sandbox.Options{Seed: seed})
		empty := c.control("GET", "/state").body
		first := strings.Join(story(c), "\n")
		c.differ("the state", c.control("GET", "/state").body, empty)
		a := c.control("POST", "/reset")
		c.code(a, 204)
		c.same("the state", c.control("GET", "/state").body, empty)
		c.same("the answers", strings.Join(story(c), "\n"), first)
	}
}

func TestControlTakesItsTwoCallsAlone(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	for call, code := range map[string]int{"GET /reset": 405, "POST /state": 405, "GET /": 404,
		"POST /v1/apigate/ws/rest/registerCustomer": 404} {
		method, path, _ := strings.Cut(call, " ")
		c.code(c.control(method, path), code)
	}
	for _, path := range []string{"/state", "/reset"} {
		c.code(c.send("GET", path, ""), 404) // the APIs' listener knows nothing of it
	}
	c.customer("1")
	r := httptest.NewRequest("POST", "/reset", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	c.box.Control().ServeHTTP(w, r)
	if w.Code != 403 {
		t.Errorf("a foreign page gets %d", w.Code)
	}
	// A callback by POST, to an address that a client of the gateway has chosen.
	w = httptest.NewRecorder()
	c.box.Control().ServeHTTP(w, httptest.NewRequest("POST", "/reset", strings.NewReader("status=1")))
	if w.Code != 400 {
		t.Errorf("a callback gets %d", w.Code)
	}
	c.is(c.control("GET", "/state"), "v1.counts.customers", "1")
}

// Clients go on while the state is read and emptied; whatever they are told, they are told
// it in the form of the API, and afterwards the sandbox is as good as new.
func TestResetUnderTraffic(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	inParallel(clients, func(i int) {
		switch i % 8 {
		case 0:
			c.code(c.control("POST", "/reset"), 204)
		case 1:
			if !gjson.Valid(c.control("GET", "/state").body) {
				t.Error("the state is not JSON")
			}
		default:
			name := fmt.Sprint("P", i)
			c.code(c.customer(name), 200)
			c.code(c.register(name), 200)
			a := c.credit(c.card("card of "+name), 5)
			if !gjson.Get(a.body, "responseCode").Exists() {
				t.Error("an answer is not one of the API")
			}
			c.v2("POST", "cardholders", holderBody)
		}
	})
	c.control("POST", "/reset")
	state := c.control("GET", "/state")
	c.is(state, "v1.counts", `{"customers":0,"cards":0,"transactions":0,"transfers":0,"orders":0}`)
	c.is(state, "v2.counts.pool", "20")
	c.code(c.customer("P1"), 200)
}
