package sandbox_test

import "time"

// last lists orders of the test's day; pairs replace or add parameters.
func (c *client) last(pairs ...string) answer {
	c.t.Helper()
	return c.gateway("getLastOrdersForMerchants.do", append([]string{"size", "10",
		"from", "20260314000000", "to", "20260314235959", "searchByCreatedDate", "true",
		"transactionStates", "CREATED,APPROVED,DEPOSITED,DECLINED,REVERSED,REFUNDED",
		"language", "en"}, pairs...)...)
}

// gwListClaims are about the other ways of looking at orders.
var gwListClaims = []claim{
	{"domain facts, Operations",
		"getOrderStatus.do answers in names with capitals", func(c *client) {
			id := c.order("1", cardPaid, bindingOrder...)
			a := c.gateway("getOrderStatus.do", "orderId", id, "language", "en")
			c.fields(a, "@this", "expiration", "cardholderName", "depositAmount", "currency",
				"approvalCode", "clientId", "bindingId", "ErrorCode", "ErrorMessage", "OrderStatus",
				"OrderNumber", "Pan", "Amount", "Ip")
			for path, raw := range map[string]string{
				"ErrorCode": `"0"`, "ErrorMessage": `"Successful"`, "OrderStatus": "2",
				"OrderNumber": `"1"`, "Pan": `"411111**1111"`, "Amount": "1500",
				"expiration": `"203012"`, "depositAmount": "1500", "currency": `"978"`,
			} {
				c.is(a, path, raw)
			}
			c.same("bindingId", a.get("bindingId"), c.orderStatus(id).get("bindingInfo.bindingId"))
		}},
	{"domain facts, Order status",
		"getOrderStatus.do of an order never paid knows no card", func(c *client) {
			c.register("1")
			a := c.gateway("getOrderStatus.do", "orderNumber", "1")
			c.fields(a, "@this", "depositAmount", "currency", "ErrorCode", "ErrorMessage",
				"OrderStatus", "OrderNumber", "Amount")
			c.is(a, "OrderStatus", "0")
		}},
	{"domain facts, Operations",
		"getOrderStatus.do refuses in names with capitals too", func(c *client) {
			a := c.gateway("getOrderStatus.do", "orderId", "none", "language", "en")
			c.fields(a, "@this", "ErrorCode", "ErrorMessage")
			c.is(a, "ErrorCode", `"6"`)
			c.is(c.gateway("getOrderStatus.do"), "ErrorCode", `"1"`)
			c.is(c.gateway("getOrderStatus.do", "password", ""), "ErrorCode", `"5"`)
			c.is(c.send("POST", "/payment/rest/getOrderStatus.do", `{"a":`), "ErrorCode", `"7"`)
		}},
	{"domain facts, Operations",
		"addParams.do stores pairs with an order", func(c *client) {
			id := c.register("1", "jsonParams", `{"a":"1","b":"2"}`).get("orderId")
			a := c.gateway("addParams.do", "orderId", id, "params", `{"b":"3","c":4}`)
			c.is(a, "errorCode", `"0"`)
			c.is(c.orderStatus(id), "merchantOrderParams",
				`[{"name":"a","value":"1"},{"name":"b","value":"3"},{"name":"c","value":"4"}]`)
			c.is(c.gateway("addParams.do", "orderId", id), "errorCode", `"4"`)
			for _, bad := range []string{"[]", "{", "1"} {
				c.is(c.gateway("addParams.do", "orderId", id, "params", bad), "errorCode", `"5"`)
			}
		}},
	{"domain facts, Operations",
		"getLastOrdersForMerchants.do lists orders, the newest first", func(c *client) {
			c.is(c.last(), "orderStatuses", "[]")
			for _, number := range []string{"1", "2", "3", "4", "5"} {
				c.order(number, cardPaid)
			}
			a := c.last()
			c.fields(a, "@this", "errorCode", "errorMessage", "orderStatuses", "totalCount",
				"page", "pageSize")
			c.is(a, "errorCode", `"0"`)
			c.is(a, "orderStatuses.#.orderNumber", `["5","4","3","2","1"]`)
			a = c.last("size", "2", "page", "1")
			c.is(a, "orderStatuses.#.orderNumber", `["3","2"]`)
			c.is(a, "totalCount", "5")
			c.is(a, "page", "1")
			c.is(a, "pageSize", "2")
			c.is(c.last("size", "2", "page", "3"), "orderStatuses", "[]")
		}},
	{"domain facts, Order status",
		"the list finds orders by their state", func(c *client) {
			c.register("1")
			c.order("2", cardPaid)
			c.order("3", cardFunds)
			c.hold("4", cardPaid)
			for states, want := range map[string]string{
				"CREATED": `["1"]`, "DEPOSITED": `["2"]`, "DECLINED": `["3"]`, "APPROVED": `["4"]`,
				"REFUNDED,DEPOSITED, CREATED": `["2","1"]`, "REVERSED": `[]`,
			} {
				c.is(c.last("transactionStates", states), "orderStatuses.#.orderNumber", want)
			}
			c.clock.move(20 * time.Minute)
			c.is(c.last("transactionStates", "CREATED"), "totalCount", "0")
			c.is(c.last("transactionStates", "DECLINED"), "totalCount", "2")
		}},
	{"domain facts, Operations",
		"the list is of the day of payment or of registration", func(c *client) {
			paid := c.register("1", "sessionTimeoutSecs", "999999").get("orderId")
			c.register("2", "sessionTimeoutSecs", "999999")
			c.clock.move(24 * time.Hour)
			c.pay(paid, cardPaid)
			next := []string{"from", "20260315000000", "to", "20260315235959"}
			c.is(c.last(), "totalCount", "2")
			c.is(c.last(next...), "totalCount", "0")
			c.is(c.last("searchByCreatedDate", "false"), "totalCount", "0")
			c.is(c.last(append(next, "searchByCreatedDate", "")...),
				"orderStatuses.#.orderNumber", `["1"]`)
		}},
	{"domain facts, Codes",
		"the list refuses what it cannot read", func(c *client) {
			for _, name := range []string{"size", "from", "to", "transactionStates"} {
				c.is(c.last(name, ""), "errorCode", `"4"`)
			}
			for _, pair := range [][2]string{
				{"size", "0"}, {"size", "201"}, {"size", "x"}, {"page", "-1"}, {"page", "1234567"},
				{"from", "2026-03-14"}, {"from", "20260315000000"}, {"to", "20260230000000"},
				{"transactionStates", "PAID"}, {"transactionStates", "CREATED,"},
				{"searchByCreatedDate", "yes"}, {"merchants", "sandbox-api,other"},
			} {
				c.is(c.last(pair[0], pair[1]), "errorCode", `"5"`)
			}
			c.is(c.last("merchants", "sandbox-api"), "errorCode", `"0"`)
		}},
}
