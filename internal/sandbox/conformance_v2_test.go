package sandbox_test

import (
	"fmt"
	"strings"
)

const uuid4 = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`

// patch updates a card.
func (c *client) patch(card v2Card, body string) answer {
	c.t.Helper()
	return c.v2("PATCH", "cards/"+card.id, "%s", body)
}

var v2Claims = []claim{
	{"document 2, Authentication",
		"every request needs the key", func(c *client) {
			for _, key := range []string{"", "other"} {
				c.key = key
				a := c.v2("GET", "transfers?cardNumberFltr=1", "")
				c.code(a, 401)
				c.fields(a, "@this", "code", "message")
			}
		}},
	{"document 2, Sandbox facts, 5",
		"every response has a unique Request-id", func(c *client) {
			seen := map[string]bool{}
			calls := []answer{c.v2("POST", "cardholders", holderBody), c.v2("GET", "cards/none", ""),
				c.v2("DELETE", "cards", ""), c.v2("GET", "nothing", "")}
			c.key = ""
			for _, a := range append(calls, c.v2("GET", "transfers", "")) {
				id := a.header.Get("Request-id")
				c.like(answer{body: fmt.Sprintf("{\"id\":%q}", id)}, "id", uuid4)
				seen[id] = true
			}
			if len(seen) != 5 {
				c.t.Errorf("%d different ids in 5 answers", len(seen))
			}
		}},
	{"document 2, Errors",
		"odd calls are error answers", func(c *client) {
			c.code(c.v2("GET", "nothing", ""), 404)
			c.code(c.v2("GET", "cards/a/b", ""), 404)
			c.code(c.v2("POST", "cards", "{"), 400)
			c.code(c.v2("POST", "cards", "[]"), 400)
			c.code(c.v2("POST", "cards", `{"productName":1}`), 400)
			c.code(c.v2("POST", "cards", "%s", strings.Repeat(" ", 1<<20+1)), 413)
			a := c.v2("PUT", "transfers", "")
			c.code(a, 405)
			c.same("Allow", a.header.Get("Allow"), "GET, POST")
		}},
	{"document 2, POST /cardholders",
		"the created cardholder comes back with an id", func(c *client) {
			a := c.v2("POST", "cardholders", "%s", `{"dateOfBirth":"1990-02-28","verification":`+
				`{"idType":"P","documentId":"1"},"email":"a@b.example",`+holderBody[1:])
			c.fields(a, "@this", "id", "billingAddress", "email", "phoneNumber", "firstName",
				"lastName", "dateOfBirth", "verification", "status")
			c.like(a, "id", uuid4)
			c.is(a, "status", `"active"`)
			c.same("the cardholder", c.v2("GET", "cardholders/"+a.get("id"), "").body, a.body)
			c.code(c.v2("GET", "cardholders/none", ""), 404)
		}},
	{"document 2, Cardholder",
		"the fields marked R are needed, forms are checked", func(c *client) {
			for _, field := range []string{"country", "postalCode", "phoneNumber", "firstName",
				"lastName", "billingAddress"} {
				c.code(c.v2("POST", "cardholders", "%s", strings.Replace(holderBody, field, "x", 1)), 400)
			}
			c.code(c.v2("POST", "cardholders", "%s", `{"dateOfBirth":"28.02.1990",`+holderBody[1:]), 400)
			c.code(c.v2("POST", "cardholders", "%s", `{"status":"blocked",`+holderBody[1:]), 400)
		}},
	{"document 2, Limits, 3",
		"there are 20 cardholders, 20 cards, one card each", func(c *client) {
			numbers := map[string]bool{}
			for range 20 {
				holder := c.holder()
				body := fmt.Sprintf(`{"productName":"VISA","cardholder":%q}`, holder)
				made := c.v2("POST", "cards", "%s", body)
				c.code(made, 200)
				c.code(c.v2("POST", "cards", "%s", body), 409)
				numbers[c.v2("GET", "cards/"+made.get("id"), "").get("number")] = true
			}
			c.code(c.v2("POST", "cardholders", holderBody), 409)
			if len(numbers) != 20 {
				c.t.Errorf("%d different numbers on 20 cards", len(numbers))
			}
		}},
	{"document 2, Endpoints, rule 1",
		"a new card is active, with balance 0 and the default limits", func(c *client) {
			holder := c.holder()
			a := c.v2("POST", "cards", `{"productName":"VISA Classic","cardholder":%q}`, holder)
			c.fields(a, "@this", "id", "status", "productName", "cardholder", "account",
				"embossedName", "expiryDate", "numberMask", "creationDate", "blockingDate",
				"pinDenialCounter", "spendingLimits")
			c.like(a, "id", uuid4)
			c.is(a, "status", `"active"`)
			c.same("cardholder", a.get("cardholder"), holder)
			c.like(a, "account.accountNumber", `\d{20}`)
			c.is(a, "account.balance", "0")
			c.is(a, "account.currency", `"EUR"`)
			c.is(a, "creationDate", `"2026-03-14T10:20:30"`)
			c.is(a, "blockingDate", `""`)
			c.is(a, "pinDenialCounter", `"0"`)
			c.is(a, "spendingLimits",
				`[{"amount":100000,"interval":"daily"},{"amount":1000000,"interval":"monthly"}]`)
		}},
	{"document 2, Endpoints, rule 1",
		"the product is the classic one, named with or without tier", func(c *client) {
			for product, code := range map[string]int{
				"VISA Classic": 200, "VISA": 200, "VISA Gold": 400, "": 400,
			} {
				c.code(c.v2("POST", "cards", `{"productName":%q,"cardholder":%q}`, product, c.holder()), code)
			}
			c.code(c.v2("POST", "cards", `{"productName":"VISA","cardholder":"none"}`), 404)
		}},
	{"document 2, Card",
		"number and cvc are shown by GET alone", func(c *client) {
			card := c.issue(0)
			a := c.v2("GET", "cards/"+card.id, "")
			c.like(a, "number", `427600\d{10}`)
			c.like(a, "cvc", `\d{3}`)
			c.like(a, "expiryDate", `202903`)
			c.same("mask", a.get("numberMask"), card.number[:6]+"******"+card.number[12:])
			updated := c.patch(card, `{"resetPinCounter":true}`)
			c.is(updated, "number", "")
			c.is(updated, "cvc", "")
			c.code(c.v2("GET", "cards/none", ""), 404)
		}},
	{"document 2, Endpoints, rule 2",
		"an update names exactly one parameter", func(c *client) {
			card := c.issue(0)
			for _, body := range []string{"{}", "null", `{"unknown":1}`, `{"status":"blocked","pin":"x"}`,
				`{"spendingLimits":[{"amount":1,"interval":"daily"}],"status":"blocked"}`} {
				c.code(c.patch(card, body), 400)
			}
			c.code(c.patch(card, `{"pin":"x","unknown":1}`), 200)
			c.code(c.v2("PATCH", "cards/none", `{"pin":"x"}`), 404)
			c.is(c.v2("GET", "cards/"+card.id, ""), "status", `"active"`)
		}},
	{"document 2, States and transitions",
		"status moves as in the table", statusTable},
	{"document 2, Card",
		"blockingDate is filled while the card is blocked", func(c *client) {
			card := c.issue(0)
			c.is(c.patch(card, `{"status":"blocked"}`), "blockingDate", `"2026-03-14T10:20:30"`)
			c.is(c.patch(card, `{"status":"active"}`), "blockingDate", `""`)
		}},
	{"document 2, Endpoints, rule 3",
		"several limits are set in one request", func(c *client) {
			card := c.issue(0)
			a := c.patch(card, `{"spendingLimits":[{"amount":7,"interval":"monthly"},`+
				`{"amount":5,"interval":"daily"}]}`)
			c.is(a, "spendingLimits",
				`[{"amount":5,"interval":"daily"},{"amount":7,"interval":"monthly"}]`)
			a = c.patch(card, `{"spendingLimits":[{"amount":6,"interval":"daily"}]}`)
			c.is(a, "spendingLimits.1.amount", "7")
			for _, list := range []string{`[]`, `{}`, `null`, `[{"amount":1,"interval":"weekly"}]`,
				`[{"interval":"daily"}]`, `[{"amount":-1,"interval":"daily"}]`,
				`[{"amount":1,"interval":"daily"},{"amount":2,"interval":"daily"}]`} {
				c.code(c.patch(card, `{"spendingLimits":`+list+`}`), 400)
			}
		}},
	{"document 2, Endpoints, rule 4 and 6",
		"pin takes a text, resetPinCounter anything", func(c *client) {
			card := c.issue(0)
			c.code(c.patch(card, `{"pin":"c2VjcmV0"}`), 200)
			c.code(c.patch(card, `{"pin":""}`), 400)
			c.code(c.patch(card, `{"pin":1234}`), 400)
			c.is(c.patch(card, `{"resetPinCounter":null}`), "pinDenialCounter", `"0"`)
		}},
	{"document 2, Endpoints, rule 5",
		"reissue carries a reason and makes the card good again", func(c *client) {
			for _, reason := range []string{"lost", "stolen", "damaged", "expired"} {
				card := c.issue(100)
				c.patch(card, `{"status":"blocked"}`)
				a := c.patch(card, fmt.Sprintf(`{"reissueCard":{"reason":%q}}`, reason))
				c.is(a, "status", `"active"`)
				c.is(a, "blockingDate", `""`)
				now := c.v2("GET", "cards/"+card.id, "")
				c.is(now, "account.balance", "100")
				if reason == "lost" || reason == "stolen" {
					c.differ(reason, now.get("number"), card.number)
					c.code(c.topUp(card.number, 1), 404)
				} else {
					c.same(reason, now.get("number"), card.number)
				}
			}
			card := c.issue(0)
			c.code(c.patch(card, `{"reissueCard":"expired"}`), 200)
			c.code(c.patch(card, `{"reissueCard":{"reason":"bored"}}`), 400)
			c.code(c.patch(card, `{"reissueCard":true}`), 400)
		}},
}

// statusTable tries every pair of statuses. The table gives a lost or stolen card no move,
// and no card a move to where it is.
func statusTable(c *client) {
	all := []string{"active", "blocked", "lost", "stolen"}
	set := func(status string) string { return fmt.Sprintf(`{"status":%q}`, status) }
	for _, from := range all {
		for _, to := range all {
			card := c.issue(0)
			if from != "active" {
				c.patch(card, set(from))
			}
			stuck := from == to || from == "lost" || from == "stolen"
			a := c.patch(card, set(to))
			shown := c.v2("GET", "cards/"+card.id, "")
			if stuck {
				c.code(a, 409)
				c.same(from+" to "+to, shown.get("status"), from)
			} else {
				c.code(a, 200)
				c.same(from+" to "+to, shown.get("status"), to)
			}
		}
	}
	c.code(c.patch(c.issue(0), set("frozen")), 400)
	card := c.issue(0)
	c.patch(card, set("lost"))
	c.is(c.patch(card, `{"reissueCard":{"reason":"lost"}}`), "status", `"active"`)
}
