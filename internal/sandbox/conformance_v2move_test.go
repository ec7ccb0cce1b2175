package sandbox_test

import "github.com/tidwall/gjson"

var v2MoveClaims = []claim{
	{"document 2, Top-up",
		"a top-up adds funds and echoes the card", func(c *client) {
			card := c.issue(0)
			a := c.topUp(card.number, 250)
			c.fields(a, "@this", "id", "amount", "currency", "destinationCard", "creationDate",
				"status", "statusMessage", "rrn")
			c.like(a, "id", uuid4)
			c.is(a, "amount", "250")
			c.is(a, "currency", `"EUR"`)
			c.is(a, "status", `"approved"`)
			c.same("cardNumber", a.get("destinationCard.cardNumber"), card.number)
			c.is(c.v2("GET", "cards/"+card.id, ""), "account.balance", "250")
		}},
	{"domain facts, Identifiers",
		"rrn is YDDDHHnnnnnn, after the answer's own date", func(c *client) {
			a := c.topUp(c.issue(0).number, 1)
			c.is(a, "creationDate", `"2026-03-14T10:20:30"`)
			c.like(a, "rrn", `607310\d{6}`)
		}},
	{"document 2, Sandbox facts, 2",
		"only EUR, only whole positive amounts", func(c *client) {
			number := c.issue(0).number
			body := `{"amount":%s,"currency":%q,"destinationCard":{"cardNumber":%q}}`
			for _, pair := range [][2]string{{"1", "USD"}, {"1", ""}, {"0", "EUR"}, {"-1", "EUR"},
				{"null", "EUR"}, {"1.5", "EUR"}, {`"1"`, "EUR"}, {"1000000000000", "EUR"}} {
				c.code(c.v2("POST", "topups", body, pair[0], pair[1], number), 400)
			}
			c.code(c.v2("POST", "topups", body, "1", "EUR", ""), 400)
			c.code(c.v2("POST", "topups", body, "1", "EUR", cardPaid), 404)
		}},
	{"document 2, Transfer",
		"a transfer moves money and answers with both cards", func(c *client) {
			from, to := c.issue(500), c.issue(0)
			a := c.send2(from, to, 200)
			c.fields(a, "@this", "id", "amount", "currency", "sourceCard", "destinationCard",
				"creationDate", "status", "statusMessage", "rrn")
			c.fields(a, "sourceCard", "cardNumber", "expiryDate")
			c.is(a, "status", `"approved"`)
			c.is(c.v2("GET", "cards/"+from.id, ""), "account.balance", "300")
			c.is(c.v2("GET", "cards/"+to.id, ""), "account.balance", "200")
		}},
	{"document 2, Endpoints, rule 8",
		"above the balance it is declined with a reason", func(c *client) {
			from, to := c.issue(500), c.issue(0)
			a := c.send2(from, to, 501)
			c.code(a, 200)
			c.is(a, "status", `"declined"`)
			c.is(a, "statusMessage", `"insufficient funds"`)
			c.is(c.v2("GET", "cards/"+from.id, ""), "account.balance", "500")
		}},
	{"document 2, Endpoints, rule 8",
		"from or to a card that is not active it is declined", func(c *client) {
			from, to := c.issue(500), c.issue(500)
			c.patch(from, `{"status":"blocked"}`)
			c.is(c.send2(from, to, 1), "statusMessage", `"the card is blocked"`)
			c.is(c.send2(to, from, 1), "status", `"declined"`)
			c.is(c.topUp(from.number, 1), "status", `"declined"`)
			c.is(c.v2("GET", "cards/"+from.id, ""), "account.balance", "500")
		}},
	{"document 2, Card",
		"transfers count against the spending limits", func(c *client) {
			from, to := c.issue(10_000_000), c.issue(0)
			c.is(c.send2(from, to, 100_000), "status", `"approved"`)
			c.is(c.send2(from, to, 1), "statusMessage", `"the daily spending limit is exceeded"`)
			c.patch(from, `{"spendingLimits":[{"amount":5000000,"interval":"daily"}]}`)
			c.is(c.send2(from, to, 900_000), "status", `"approved"`)
			c.is(c.send2(from, to, 1), "statusMessage", `"the monthly spending limit is exceeded"`)
		}},
	{"document 2, Transfer",
		"cards and expiry are checked", func(c *client) {
			from, to := c.issue(500), c.issue(0)
			stranger := v2Card{number: cardPaid, expiry: "203012"}
			c.code(c.send2(from, stranger, 1), 404)
			c.code(c.send2(stranger, to, 1), 404)
			c.code(c.send2(from, from, 1), 400)
			from.expiry = "2029"
			c.code(c.send2(from, to, 1), 400)
			from.expiry = ""
			c.code(c.send2(from, to, 1), 400)
			from.expiry = "203001"
			c.is(c.send2(from, to, 1), "status", `"declined"`)
		}},
	{"document 2, Endpoints, rule 9",
		"GET /transfers filters by card and status", func(c *client) {
			one, two, three := c.issue(500), c.issue(500), c.issue(0)
			first := c.send2(one, two, 5)
			c.send2(two, three, 506)
			list := func(card v2Card, more string) answer {
				return c.v2("GET", "transfers?cardNumberFltr="+card.number+more, "")
			}
			c.fields(list(one, ""), "@this", "transfers")
			c.same("the transfer", gjson.Get(list(one, "").body, "transfers.0").Raw, first.body)
			c.is(list(two, ""), "transfers.#", "2")
			c.is(list(two, "&statusFltr=declined"), "transfers.#", "1")
			c.is(list(three, "&statusFltr=approved"), "transfers", "[]")
			c.code(list(one, "&statusFltr=odd"), 400)
			c.code(list(v2Card{}, ""), 400)
		}},
	{"document 2, Endpoints, rule 9",
		"the period is YYYY-MM-DD, both ends inclusive", func(c *client) {
			one, two := c.issue(500), c.issue(0)
			c.send2(one, two, 5)
			for period, want := range map[string]string{
				"&periodStartFltr=2026-03-14&periodEndFltr=2026-03-14": "1",
				"&periodStartFltr=2026-03-15":                          "0",
				"&periodEndFltr=2026-03-13":                            "0",
			} {
				c.is(c.v2("GET", "transfers?cardNumberFltr="+one.number+period, ""), "transfers.#", want)
			}
			c.code(c.v2("GET", "transfers?cardNumberFltr=1&periodStartFltr=14.03.2026", ""), 400)
		}},
}
