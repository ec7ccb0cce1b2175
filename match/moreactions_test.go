package match_test

import (
	"fmt"
	"slices"
	"time"
)

func hasBinding(w *randomClient) bool    { return w.binding != "" }
func hasTwoFirst(w *randomClient) bool   { return len(w.first) > 1 }
func canPayBound(w *randomClient) bool   { return hasBinding(w) && hasUnpaid(w) }
func (c *randomClient) anyOrder() string { return pick(c, c.orders).id }

// moreActions are the common actions and further actions. The further actions make one thread
// depend on another, send nothing that names the thread, or change back what was changed.
var moreActions = slices.Concat(actions, []action{
	{"let a card be bound", always, func(w *randomClient) { w.bind() }},
	{"ask for bindings", always, func(w *randomClient) {
		w.form("getBindings.do", "clientId", "cl-"+w.name, "bindingType", "C")
	}},
	{"pay by binding", canPayBound, func(w *randomClient) {
		o := w.unpaid()
		a := w.form("paymentOrderBinding.do", "mdOrder", o.id, "bindingId", w.binding, "tii", "U",
			"language", "en")
		o.paid = a.Get("errorCode").Raw == "0"
	}},
	{"unbind", hasBinding, func(w *randomClient) { w.form("unBindCard.do", "bindingId", w.binding) }},
	{"bind again", hasBinding, func(w *randomClient) { w.form("bindCard.do", "bindingId", w.binding) }},
	{"ask by number", hasOrder, func(w *randomClient) {
		w.form("getOrderStatusExtended.do", "orderNumber", pick(w, w.orders).number)
	}},
	{"decline", hasOrder, func(w *randomClient) { w.form("decline.do", "orderId", w.anyOrder()) }},
	{"ask for no order", always, func(w *randomClient) {
		w.form("getOrderStatusExtended.do", "orderId", "00000000-0000-7000-8000-000000000000")
	}},
	{"block a number", hasFirst, func(w *randomClient) { w.v1("blockCard", w.byCard()+"}") }},
	{"free a number", hasFirst, func(w *randomClient) {
		w.v1("changeCardStatus", w.byCard()+`,"hotCardStatus":0}`)
	}},
	{"ask for its status", hasFirst, func(w *randomClient) { w.v1("cardStatusInquiry", w.byCard()+"}") }},
	{"ask for its limits", hasFirst, func(w *randomClient) { w.v1("getCardLimits", w.byCard()+"}") }},
	{"send money", hasTwoFirst, func(w *randomClient) {
		w.v1("p2PTransfer", `{"sourceCardIdentification":{"cardNumber":"`+pick(w, w.first)+
			`","expDate":"203012"},"destinationCardIdentification":{"cardNumber":"`+
			pick(w, w.first)+`"},"amount":`+w.amount()+`,"currency":978,"senderReceiverInfo":`+
			`{"senderName":"Sample, Alex","senderAddress":"Main 7"},`+
			`"pointOfServiceConditionCode":"59"}`)
	}},
	{"see today's transactions", hasFirst, func(w *randomClient) {
		day := w.clock.now.Format(time.DateOnly)
		w.v1("getTransactions", w.byCard()+`,"period":{"start":"`+day+`","end":"`+day+`"}}`)
	}},
})

// bind pays an order whose card the shop keeps.
func (c *randomClient) bind() {
	o := &clientOrder{number: fmt.Sprintf("%s-%d", c.name, len(c.orders)), paid: true}
	a := c.form("register.do", "orderNumber", o.number, "amount", "1000", "clientId", "cl-"+c.name,
		"features", "FORCE_CREATE_BINDING", "returnUrl", "https://"+c.name+".example/back")
	o.id = a.Get("orderId").String()
	c.orders = append(c.orders, o)
	card := pick(c, []string{"400000" + "1111111118", "411111" + "1111111111"})
	c.form("paymentorder.do", "MDORDER", o.id, "$PAN", card, "$CVC", "123", "$EXPIRY", "203012",
		"TEXT", "SOME "+c.name, "language", "en")
	a = c.form("getOrderStatusExtended.do", "orderId", o.id)
	if id := a.Get("bindingInfo.bindingId").String(); id != "" {
		c.binding = id
	}
}
