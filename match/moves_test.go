package match_test

import (
	"fmt"
	"slices"
	"time"
)

func hasBinding(w *walker) bool    { return w.binding != "" }
func hasTwoFirst(w *walker) bool   { return len(w.first) > 1 }
func canPayBound(w *walker) bool   { return hasBinding(w) && hasUnpaid(w) }
func (w *walker) anyOrder() string { return pick(w, w.orders).id }

// harder are the moves and others, which make one thread depend on another, have nothing to know
// them by, or change back what was changed.
var harder = slices.Concat(moves, []move{
	{"let a card be bound", always, func(w *walker) { w.bind() }},
	{"ask for bindings", always, func(w *walker) {
		w.form("getBindings.do", "clientId", "cl-"+w.name, "bindingType", "C")
	}},
	{"pay by binding", canPayBound, func(w *walker) {
		o := w.unpaid()
		a := w.form("paymentOrderBinding.do", "mdOrder", o.id, "bindingId", w.binding, "tii", "U",
			"language", "en")
		o.paid = a.Get("errorCode").Raw == "0"
	}},
	{"unbind", hasBinding, func(w *walker) { w.form("unBindCard.do", "bindingId", w.binding) }},
	{"bind again", hasBinding, func(w *walker) { w.form("bindCard.do", "bindingId", w.binding) }},
	{"ask by number", hasOrder, func(w *walker) {
		w.form("getOrderStatusExtended.do", "orderNumber", pick(w, w.orders).number)
	}},
	{"decline", hasOrder, func(w *walker) { w.form("decline.do", "orderId", w.anyOrder()) }},
	{"ask for no order", always, func(w *walker) {
		w.form("getOrderStatusExtended.do", "orderId", "00000000-0000-7000-8000-000000000000")
	}},
	{"block a number", hasFirst, func(w *walker) { w.v1("blockCard", w.byCard()+"}") }},
	{"free a number", hasFirst, func(w *walker) {
		w.v1("changeCardStatus", w.byCard()+`,"hotCardStatus":0}`)
	}},
	{"ask for its status", hasFirst, func(w *walker) { w.v1("cardStatusInquiry", w.byCard()+"}") }},
	{"ask for its limits", hasFirst, func(w *walker) { w.v1("getCardLimits", w.byCard()+"}") }},
	{"send money", hasTwoFirst, func(w *walker) {
		w.v1("p2PTransfer", `{"sourceCardIdentification":{"cardNumber":"`+pick(w, w.first)+
			`","expDate":"203012"},"destinationCardIdentification":{"cardNumber":"`+
			pick(w, w.first)+`"},"amount":`+w.amount()+`,"currency":978,"senderReceiverInfo":`+
			`{"senderName":"Sample, Alex","senderAddress":"Main 7"},`+
			`"pointOfServiceConditionCode":"59"}`)
	}},
	{"see today's transactions", hasFirst, func(w *walker) {
		day := w.clock.now.Format(time.DateOnly)
		w.v1("getTransactions", w.byCard()+`,"period":{"start":"`+day+`","end":"`+day+`"}}`)
	}},
})

// bind pays an order whose card the shop keeps.
func (w *walker) bind() {
	o := &walkedOrder{number: fmt.Sprintf("%s-%d", w.name, len(w.orders)), paid: true}
	a := w.form("register.do", "orderNumber", o.number, "amount", "1000", "clientId", "cl-"+w.name,
		"features", "FORCE_CREATE_BINDING", "returnUrl", "https://"+w.name+".example/back")
	o.id = a.Get("orderId").String()
	w.orders = append(w.orders, o)
	card := pick(w, []string{"400000" + "1111111118", "411111" + "1111111111"})
	w.form("paymentorder.do", "MDORDER", o.id, "$PAN", card, "$CVC", "123", "$EXPIRY", "203012",
		"TEXT", "SOME "+w.name, "language", "en")
	a = w.form("getOrderStatusExtended.do", "orderId", o.id)
	if id := a.Get("bindingInfo.bindingId").String(); id != "" {
		w.binding = id
	}
}
