package sandbox_test

import (
	"fmt"
	"strings"
	"time"
)

// spendLimits changes both limits of a card.
func (c *client) spendLimits(card v2Card, daily, monthly int) answer {
	c.t.Helper()
	return c.patch(card, fmt.Sprintf(`{"spendingLimits":[{"amount":%d,"interval":"daily"},`+
		`{"amount":%d,"interval":"monthly"}]}`, daily, monthly))
}

func (c *client) transfersOf(card v2Card, more string) answer {
	c.t.Helper()
	return c.v2("GET", "transfers?cardNumberFltr="+card.number+more, "")
}

var v2MoreClaims = []claim{
	{"document 2, Sandbox facts, 6",
		"the suggested scenario works from beginning to end", func(c *client) {
			one, two := c.issue(0), c.issue(0)
			for _, card := range []v2Card{one, two} {
				c.code(c.spendLimits(card, 50_000, 90_000), 200)
			}
			c.is(c.topUp(one.number, 10_000), "status", `"approved"`)
			c.is(c.v2("GET", "cards/"+one.id, ""), "account.balance", "10000")
			made := c.send2(one, two, 4000)
			c.is(made, "status", `"approved"`)
			for _, card := range []v2Card{one, two} {
				c.same("the transfer", c.transfersOf(card, "").get("transfers.0.id"), made.get("id"))
			}
			c.is(c.patch(one, `{"status":"blocked"}`), "status", `"blocked"`)
		}},
	{"document 2, Limits, 2",
		"a cardholder has one account, which outlives the card's number", func(c *client) {
			holder := c.holder()
			body := fmt.Sprintf(`{"productName":"VISA Classic","cardholder":%q}`, holder)
			card := c.v2("POST", "cards", "%s", body)
			c.code(c.v2("POST", "cards", "%s", body), 409)
			again := c.patch(v2Card{id: card.get("id")}, `{"reissueCard":{"reason":"lost"}}`)
			c.same("accountNumber", again.get("account.accountNumber"), card.get("account.accountNumber"))
			c.code(c.v2("POST", "cards", "%s", body), 409)
			other := c.v2("GET", "cards/"+c.issue(0).id, "")
			c.differ("accountNumber", other.get("account.accountNumber"),
				card.get("account.accountNumber"))
		}},
	{"document 2, Card",
		"pin and reissueCard never appear in the card resource", func(c *client) {
			card := c.issue(0)
			for _, body := range []string{`{"pin":"c2VjcmV0"}`, `{"reissueCard":{"reason":"damaged"}}`} {
				for _, a := range []answer{c.patch(card, body), c.v2("GET", "cards/"+card.id, "")} {
					c.is(a, "pin", "")
					c.is(a, "reissueCard", "")
				}
			}
		}},
	{"document 2, Card",
		"a GET shows the fields of the table in its order", func(c *client) {
			c.fields(c.v2("GET", "cards/"+c.issue(0).id, ""), "@this", "id", "status", "productName",
				"cardholder", "account", "embossedName", "expiryDate", "numberMask", "number", "cvc",
				"creationDate", "blockingDate", "pinDenialCounter", "spendingLimits")
		}},
	{"document 2, Endpoints",
		"bodies are JSON", func(c *client) {
			for _, a := range []answer{c.v2("POST", "cardholders", holderBody),
				c.v2("GET", "cards/none", ""), c.v2("GET", "nothing", "")} {
				c.same("Content-Type", a.header.Get("Content-Type"), "application/json")
			}
		}},
	{"document 2, Endpoints",
		"each resource has its methods and no others", func(c *client) {
			for path, allowed := range map[string]string{"cardholders": "POST", "cardholders/x": "GET",
				"cards": "POST", "cards/x": "GET, PATCH", "topups": "POST", "transfers": "GET, POST"} {
				for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
					a := c.v2(method, path, "{}")
					if refused := a.status == 405; refused == strings.Contains(allowed, method) {
						c.t.Errorf("%s %s answers %d", method, path, a.status)
					} else if refused {
						c.same("Allow", a.header.Get("Allow"), allowed)
					}
				}
			}
		}},
	{"document 2, Cardholder",
		"country is a country code", func(c *client) {
			for country, code := range map[string]int{"DE": 200, "DEU": 200, "276": 200, "de": 200,
				"Germany": 400, "D": 400, "27": 400, "D1": 400} {
				body := strings.Replace(holderBody, `"DE"`, fmt.Sprintf("%q", country), 1)
				c.code(c.v2("POST", "cardholders", "%s", body), code)
			}
		}},
	{"document 2, Limits, 6",
		"a text or a list that is plainly oversized is an error", func(c *client) {
			long := strings.Repeat("x", 256)
			for _, field := range []string{"Test", "Person", "+4930000000", "10115"} {
				body := strings.Replace(holderBody, `"`+field+`"`, `"`+long+`"`, 1)
				c.code(c.v2("POST", "cardholders", "%s", body), 400)
			}
			card := c.issue(0)
			c.code(c.patch(card, `{"pin":"`+strings.Repeat("A", 4096)+`"}`), 200)
			c.code(c.patch(card, `{"pin":"`+strings.Repeat("A", 4097)+`"}`), 400)
			c.code(c.patch(card, `{"spendingLimits":[`+strings.Repeat(`1,`, 1000)+`1]}`), 400)
			c.code(c.topUp(long, 1), 400)
			for _, number := range []string{strings.Repeat("1", 20), "x", "4276+00"} {
				c.code(c.transfersOf(v2Card{number: number}, ""), 400)
			}
			c.is(c.transfersOf(v2Card{number: strings.Repeat("1", 19)}, ""), "transfers", "[]")
		}},
	{"document 2, Endpoints, rule 8",
		"declined transfers of a blocked card are reported and listed as such", func(c *client) {
			from, to := c.issue(500), c.issue(0)
			for _, status := range []string{"blocked", "lost"} {
				c.patch(from, fmt.Sprintf(`{"status":%q}`, status))
				a := c.send2(from, to, 1)
				c.code(a, 200)
				c.is(a, "status", `"declined"`)
				c.same("statusMessage", a.get("statusMessage"), "the card is "+status)
			}
			c.is(c.transfersOf(from, "&statusFltr=declined"), "transfers.#", "2")
			c.is(c.transfersOf(from, "&statusFltr=approved"), "transfers.#", "0")
			c.is(c.v2("GET", "cards/"+to.id, ""), "account.balance", "0")
		}},
	{"document 2, States and transitions",
		"a lost or stolen card keeps its status, whatever is asked", func(c *client) {
			for _, status := range []string{"lost", "stolen"} {
				card := c.issue(0)
				c.patch(card, fmt.Sprintf(`{"status":%q}`, status))
				a := c.patch(card, `{"status":"active"}`)
				c.code(a, 409)
				c.fields(a, "@this", "code", "message")
				c.code(c.spendLimits(card, 1, 1), 200)
				c.same("status", c.v2("GET", "cards/"+card.id, "").get("status"), status)
			}
		}},
	{"document 2, Endpoints, rule 3",
		"a limit of zero stops spending, one that is reached allows it", func(c *client) {
			from, to := c.issue(500), c.issue(0)
			c.spendLimits(from, 0, 500)
			c.is(c.send2(from, to, 1), "status", `"declined"`)
			c.spendLimits(from, 500, 10)
			c.is(c.send2(from, to, 10), "status", `"approved"`)
			c.is(c.send2(from, to, 1), "statusMessage", `"the monthly spending limit is exceeded"`)
			c.is(c.send2(from, to, 1000), "statusMessage", `"insufficient funds"`)
		}},
	{"document 2, Endpoints, rule 9",
		"filters combine, days are inclusive at both ends", func(c *client) {
			one, two := c.issue(500), c.issue(0)
			for range 3 { // 14, 15 and 16 March
				c.send2(one, two, 1)
				c.send2(two, one, 1000)
				c.clock.move(24 * time.Hour)
			}
			for more, want := range map[string]string{
				"":                            "6",
				"&periodStartFltr=2026-03-15": "4",
				"&periodEndFltr=2026-03-15":   "4",
				"&periodStartFltr=2026-03-15&periodEndFltr=2026-03-15":                     "2",
				"&periodStartFltr=2026-03-15&periodEndFltr=2026-03-15&statusFltr=approved": "1",
			} {
				c.is(c.transfersOf(two, more), "transfers.#", want)
			}
			c.code(c.transfersOf(two, "&periodStartFltr=2026-03-16&periodEndFltr=2026-03-15"), 400)
		}},
}
