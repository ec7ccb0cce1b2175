package workload

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// Published test cards that choose what becomes of a payment, in two parts so that a search for
// card numbers passes by.
const (
	cardPaid      = "400000" + "1111111118"
	cardChallenge = "400000" + "0000001091"
)

var (
	cardsPaid = []string{cardPaid, "411111" + "1111111111", "555555" + "5555555599",
		"424242" + "4242424242", "510510" + "5105105100"}
	cardsDeclined = []string{"400000" + "0000009995", "400000" + "0000000069",
		"400000" + "0000009987", "400000" + "0000000002"}
	currencies = []string{"978", "840", "826", "643"}
)

// State of an order, as the gateway writes it.
const (
	stateHeld     = "1"
	statePaid     = "2"
	stateReversed = "3"
	stateRefunded = "4"
	stateDeclined = "6"
)

// alike pays an order like all others.
func alike(c *Client, variant int) {
	id := c.form("register.do", "orderNumber", c.id(variant), "amount", "12500", "currency", "978",
		"returnUrl", "https://shop.example/").Get("orderId").String()
	c.pay(id, cardPaid)
	c.status(id)
	c.want(c.status(id), "orderStatus", statePaid)
}

// distinct pays an order of its own amount; the variant decides what becomes of it.
func distinct(c *Client, variant int) {
	o := order{c: c, variant: variant, amount: 1000 + variant}
	outcomes[variant%len(outcomes)](&o)
}

// order is an order of distinct.
type order struct {
	c       *Client
	variant int
	amount  int // in minor units
	id      string
}

// outcomes are what can become of an order.
var outcomes = []func(o *order){
	func(o *order) { o.register("register.do"); o.pay(); o.ends(statePaid) },
	func(o *order) { o.register("register.do"); o.decline(); o.ends(stateDeclined) },
	func(o *order) {
		o.register("registerPreAuth.do")
		o.pay()
		o.ends(stateHeld)
		o.change("deposit.do", o.amount)
		o.ends(statePaid)
	},
	func(o *order) {
		o.register("registerPreAuth.do")
		o.pay()
		o.change("reverse.do", 0)
		o.ends(stateReversed)
	},
	func(o *order) {
		o.register("register.do")
		o.pay()
		o.change("refund.do", o.amount)
		o.ends(stateRefunded)
	},
	func(o *order) {
		o.register("register.do", "clientId", o.c.id(o.variant), "features", "FORCE_CREATE_BINDING")
		o.pay()
		o.payBound()
	},
	func(o *order) {
		o.register("registerPreAuth.do")
		o.pay()
		o.change("deposit.do", o.amount/2)
		o.ends(statePaid)
		o.change("refund.do", o.amount/4)
		o.ends(stateRefunded)
	},
	func(o *order) {
		o.register("register.do")
		o.pay()
		o.change("refund.do", o.amount/3)
		o.ends(stateRefunded)
		o.change("refund.do", o.amount/3)
		o.ends(stateRefunded)
	},
}

func (o *order) register(operation string, more ...string) {
	o.registerAs(operation, o.c.id(o.variant), more...)
}

func (o *order) registerAs(operation, number string, more ...string) {
	o.id = o.c.form(operation, append([]string{"orderNumber", number,
		"amount", strconv.Itoa(o.amount), "currency", currencies[o.variant/7%len(currencies)],
		"returnUrl", "https://shop.example/return", "language", "en"}, more...)...).
		Get("orderId").String()
}

func (o *order) pay() { o.c.pay(o.id, cardsPaid[o.variant/3%len(cardsPaid)]) }

func (o *order) decline() { o.c.pay(o.id, cardsDeclined[o.variant/3%len(cardsDeclined)]) }

// change deposits, refunds or reverses.
func (o *order) change(operation string, amount int) {
	pairs := []string{"orderId", o.id, "language", "en"}
	if amount > 0 {
		pairs = append(pairs, "amount", strconv.Itoa(amount))
	}
	o.c.want(o.c.form(operation, pairs...), "errorCode", "0")
}

// payBound pays a second order with the binding that the first has made.
func (o *order) payBound() {
	binding := o.c.status(o.id).Get("bindingInfo.bindingId").String()
	client := o.c.id(o.variant)
	o.registerAs("register.do", client+"-b", "clientId", client)
	o.c.form("paymentOrderBinding.do", "mdOrder", o.id, "bindingId", binding, "cvc", "123",
		"tii", "F", "language", "en")
	o.ends(statePaid)
	o.c.want(o.c.form("getBindings.do", "clientId", client, "language", "en"), "errorCode", "0")
}

func (o *order) ends(state string) { o.c.want(o.c.status(o.id), "orderStatus", state) }

func (c *Client) pay(id, card string) gjson.Result {
	return c.form("paymentorder.do", "MDORDER", id, "$PAN", card, "$CVC", "123", "YYYY", "2030",
		"MM", "12", "TEXT", "JOHN DOE", "language", "en")
}

func (c *Client) status(id string) gjson.Result {
	return c.form("getOrderStatusExtended.do", "orderId", id, "language", "en")
}
