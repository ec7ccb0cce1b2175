package sandbox_test

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// hold registers an order for two stages and pays it; 1500 are held.
func (c *client) hold(number, card string) string {
	c.t.Helper()
	id := c.gateway("registerPreAuth.do", "orderNumber", number, "amount", "1500",
		"returnUrl", "https://shop.example/back").get("orderId")
	c.pay(id, card)
	return id
}

// manage calls an operation on an order, with an amount if one is given.
func (c *client) manage(op, id string, amount ...string) answer {
	c.t.Helper()
	pairs := []string{"orderId", id, "language", "en"}
	if len(amount) > 0 {
		pairs = append(pairs, "amount", amount[0])
	}
	return c.gateway(op, pairs...)
}

// money checks the status of an order and what became of its amount.
func (c *client) money(id, status, state string, approved, deposited, refunded int64) {
	c.t.Helper()
	a := c.orderStatus(id)
	c.is(a, "orderStatus", status)
	c.is(a, "paymentAmountInfo.paymentState", `"`+state+`"`)
	c.is(a, "paymentAmountInfo.totalAmount", "1500")
	for field, want := range map[string]int64{
		"approvedAmount": approved, "depositedAmount": deposited, "refundedAmount": refunded,
	} {
		if got := gjson.Get(a.body, "paymentAmountInfo."+field).Int(); got != want {
			c.t.Errorf("%s is %d, want %d", field, got, want)
		}
	}
}

var gwOrdersClaims = []claim{
	{"document 3, registerPreAuth.do",
		"it registers an order like register.do and later holds", func(c *client) {
			a := c.gateway("registerPreAuth.do", "orderNumber", "1", "amount", "1500",
				"returnUrl", "https://shop.example/back")
			c.fields(a, "@this", "orderId", "formUrl")
			c.money(a.get("orderId"), "0", "CREATED", 0, 0, 0)
			c.is(c.pay(a.get("orderId"), cardPaid), "errorCode", "0")
			c.money(a.get("orderId"), "1", "APPROVED", 1500, 0, 0)
		}},
	{"document 3, Resources, Order",
		"registerPreAuth.do uses the order numbers of register.do", func(c *client) {
			c.register("1")
			a := c.gateway("registerPreAuth.do", "orderNumber", "1", "amount", "1500",
				"returnUrl", "https://shop.example/back")
			c.is(a, "errorCode", `"1"`)
		}},
	{"domain facts, Order status",
		"a held order shows its card and no depositedDate", func(c *client) {
			a := c.orderStatus(c.hold("1", cardPaid))
			c.is(a, "actionCode", "0")
			c.is(a, "authDateTime", "1773472830000")
			c.is(a, "depositedDate", "")
			c.like(a, "authRefNum", `\d{12}`)
			c.like(a, "cardAuthInfo.approvalCode", `\d{6}`)
		}},
	{"domain facts, Order status",
		"a card that is refused is not held", func(c *client) {
			c.money(c.hold("1", cardFunds), "6", "DECLINED", 0, 0, 0)
		}},
	{"domain facts, Operations",
		"deposit.do takes what is held, 0 being the whole", func(c *client) {
			id := c.hold("1", cardPaid)
			c.clock.move(time.Hour)
			a := c.manage("deposit.do", id, "0")
			c.fields(a, "@this", "errorCode", "errorMessage")
			c.is(a, "errorCode", `"0"`)
			c.money(id, "2", "DEPOSITED", 1500, 1500, 0)
			c.is(c.orderStatus(id), "depositedDate", "1773476430000")
		}},
	{"domain facts, Operations",
		"deposit.do may take a part, but no more than is held", func(c *client) {
			id := c.hold("1", cardPaid)
			c.is(c.manage("deposit.do", id, "1501"), "errorCode", `"5"`)
			c.is(c.manage("deposit.do", id, "1000"), "errorCode", `"0"`)
			c.money(id, "2", "DEPOSITED", 1500, 1000, 0)
			c.is(c.manage("deposit.do", id, "500"), "errorCode", `"7"`)
		}},
	{"domain facts, Operations",
		"reverse.do happens once", func(c *client) {
			id := c.hold("1", cardPaid)
			c.is(c.manage("reverse.do", id), "errorCode", `"0"`)
			c.money(id, "3", "REVERSED", 0, 0, 0)
			c.is(c.manage("reverse.do", id), "errorCode", `"7"`)
			c.is(c.manage("deposit.do", id, "0"), "errorCode", `"7"`)
			c.is(c.manage("refund.do", id, "0"), "errorCode", `"7"`)
		}},
	{"domain facts, Order status",
		"a paid order is reversed on the same day only", func(c *client) {
			early, late := c.order("1", cardPaid), c.order("2", cardPaid)
			c.clock.move(13*time.Hour + 39*time.Minute + 29*time.Second) // 23:59:59
			c.is(c.manage("reverse.do", early), "errorCode", `"0"`)
			c.money(early, "3", "REVERSED", 0, 0, 0)
			c.clock.move(time.Second)
			c.is(c.manage("reverse.do", late), "errorCode", `"7"`)
			c.money(late, "2", "DEPOSITED", 1500, 1500, 0)
		}},
	{"domain facts, Order status",
		"a held order is reversed on any day", func(c *client) {
			id := c.hold("1", cardPaid)
			c.clock.move(72 * time.Hour)
			c.is(c.manage("reverse.do", id), "errorCode", `"0"`)
		}},
	{"domain facts, Operations",
		"refund.do repeats up to the deposited sum", func(c *client) {
			id := c.hold("1", cardPaid)
			c.manage("deposit.do", id, "1000")
			c.is(c.manage("refund.do", id, "1001"), "errorCode", `"5"`)
			c.is(c.manage("refund.do", id, "300"), "errorCode", `"0"`)
			c.money(id, "4", "REFUNDED", 1500, 1000, 300)
			c.is(c.manage("refund.do", id, "701"), "errorCode", `"5"`)
			c.is(c.manage("refund.do", id, "200"), "errorCode", `"0"`)
			c.is(c.manage("refund.do", id, "0"), "errorCode", `"0"`)
			c.money(id, "4", "REFUNDED", 1500, 1000, 1000)
			c.is(c.manage("refund.do", id, "1"), "errorCode", `"7"`)
			c.is(c.manage("reverse.do", id), "errorCode", `"7"`)
		}},
	{"domain facts, Operations",
		"refund amount 0 is the whole, on any later day", func(c *client) {
			id := c.order("1", cardPaid)
			c.clock.move(90 * 24 * time.Hour)
			c.is(c.manage("refund.do", id, "0"), "errorCode", `"0"`)
			c.money(id, "4", "REFUNDED", 1500, 1500, 1500)
		}},
	{"domain facts, Codes",
		"a payment in the wrong state is errorCode 7", func(c *client) {
			for number, id := range map[string]string{
				"registered": c.register("1").get("orderId"), "declined": c.order("2", cardFunds),
			} {
				for _, op := range []string{"deposit.do", "reverse.do", "refund.do"} {
					if code := c.manage(op, id, "0").get("errorCode"); code != "7" {
						c.t.Errorf("%s of a %s order is errorCode %s", op, number, code)
					}
				}
			}
			c.is(c.manage("refund.do", c.hold("3", cardPaid), "0"), "errorCode", `"7"`)
			c.is(c.manage("deposit.do", c.order("4", cardPaid), "0"), "errorCode", `"7"`)
		}},
	{"domain facts, Codes",
		"a sum is digits, and must be given", func(c *client) {
			id := c.hold("1", cardPaid)
			for _, op := range []string{"deposit.do", "refund.do"} {
				c.is(c.manage(op, id), "errorCode", `"4"`)
				for _, sum := range []string{"-1", "1.5", "x", "1234567890123", "+1"} {
					c.is(c.manage(op, id, sum), "errorCode", `"5"`)
				}
			}
			c.money(id, "1", "APPROVED", 1500, 0, 0)
		}},
	{"domain facts, Codes",
		"managing an order needs one of its numbers, a known one", func(c *client) {
			for _, op := range []string{"deposit.do", "reverse.do", "refund.do", "decline.do",
				"addParams.do", "getOrderStatusExtended.do"} {
				more := []string{"amount", "0", "params", "{}"}
				c.is(c.gateway(op, more...), "errorCode", `"1"`)
				c.is(c.gateway(op, append(more, "orderId", "none")...), "errorCode", `"6"`)
				c.is(c.gateway(op, append(more, "orderNumber", "none")...), "errorCode", `"6"`)
				long := strings.Repeat("a", 37)
				c.is(c.gateway(op, append(more, "orderId", long)...), "errorCode", `"5"`)
				c.is(c.gateway(op, append(more, "password", "")...), "errorCode", `"5"`)
			}
		}},
	{"domain facts, Operations",
		"decline.do ends an order that is not paid, by either number", func(c *client) {
			one, two := c.register("1").get("orderId"), c.register("2").get("orderId")
			c.is(c.manage("decline.do", one), "errorCode", `"0"`)
			c.is(c.gateway("decline.do", "orderNumber", "2", "merchantLogin", "sandbox-api"),
				"errorCode", `"0"`)
			for _, id := range []string{one, two} {
				c.money(id, "6", "DECLINED", 0, 0, 0)
				c.is(c.orderStatus(id), "actionCode", "-100")
				c.is(c.pay(id, cardPaid), "errorCode", "5")
				c.is(c.manage("decline.do", id), "errorCode", `"5"`)
			}
			c.is(c.manage("decline.do", c.order("3", cardPaid)), "errorCode", `"5"`)
		}},
	{"document 3, registerP2P.do",
		"acting for another merchant needs a permission", func(c *client) {
			c.is(c.register("1", "merchantLogin", "other"), "errorCode", `"5"`)
			c.like(c.register("1", "merchantLogin", "sandbox-api"), "orderId", uuid7)
			c.is(c.gateway("decline.do", "orderNumber", "1", "merchantLogin", "other"),
				"errorCode", `"5"`)
		}},
	{"document 3, Limits",
		"sessionTimeoutSecs decides how long an order lives", func(c *client) {
			short := c.register("1", "sessionTimeoutSecs", "60").get("orderId")
			long := c.register("2", "sessionTimeoutSecs", "999999999").get("orderId")
			c.clock.move(time.Minute - time.Millisecond)
			c.is(c.orderStatus(short), "orderStatus", "0")
			c.clock.move(time.Millisecond)
			c.is(c.orderStatus(short), "actionCode", "-2007")
			c.clock.move(time.Hour)
			c.is(c.pay(long, cardPaid), "errorCode", "0")
		}},
	{"document 3, registerP2P.do",
		"sessionTimeoutSecs is ignored beside an explicit date", func(c *client) {
			id := c.register("1", "sessionTimeoutSecs", "5",
				"expirationDate", "2026-03-14T10:21:30").get("orderId")
			c.clock.move(59 * time.Second)
			c.is(c.orderStatus(id), "orderStatus", "0")
			c.clock.move(time.Second)
			c.is(c.orderStatus(id), "orderStatus", "6")
		}},
	{"document 3, registerP2P.do",
		"bounds and formats of what the family sends with register.do", func(c *client) {
			for _, pair := range [][2]string{
				{"sessionTimeoutSecs", "0"}, {"sessionTimeoutSecs", "1234567890"},
				{"sessionTimeoutSecs", "-5"}, {"expirationDate", "2026-03-14"},
				{"expirationDate", "2026-03-14T10:20:30"}, {"expirationDate", "2026-02-30T00:00:00"},
				{"dynamicCallbackUrl", "shop.example"}, {"merchantLogin", strings.Repeat("a", 256)},
				{"dynamicCallbackUrl", "https://shop.example/" + strings.Repeat("a", 500)},
				{"email", "nobody"}, {"email", "a@b@c"}, {"email", "@shop.example"},
				{"email", strings.Repeat("a", 250) + "@b.example"},
				{"clientId", strings.Repeat("a", 256)}, {"pageView", strings.Repeat("a", 21)},
			} {
				c.is(c.register("1", pair[0], pair[1]), "errorCode", `"5"`)
			}
			c.like(c.register("1", "email", "a@shop.example", "pageView", "MOBILE",
				"dynamicCallbackUrl", "https://shop.example/called"), "orderId", uuid7)
		}},
}
