package match_test

// What makes a binding.
const (
	oracleBind  = "&clientId=${client}&features=FORCE_CREATE_BINDING"
	oracleTerms = `&jsonParams={%22recurringFrequency%22:%2230%22,` +
		`%22recurringExpiry%22:%2220301201%22}`
)

// list asks for a client's bindings.
func (d *oracleDraw) list(client, kind, keep string) {
	d.add("getBindings.do", "clientId="+client+"&bindingType="+kind+"&language=en", keep)
}

// bound pays an order whose card is kept, and finds the binding's id.
func (d *oracleDraw) bound(order string, cards ...string) {
	d.register("register.do", order, oracleBind)
	d.pay(order, cards...)
	if d.maybe(70) {
		d.add(oracleStatus, "orderId=${"+order+"}&language=en", "b=bindingInfo.bindingId")
		return
	}
	d.list("${client}", "C", "b=bindings.0.bindingId")
}

// payBound registers another order of the client and pays it with the binding.
func (d *oracleDraw) payBound(order, client, binding string) {
	d.add("register.do", "orderNumber=${n}-"+order+"&amount="+d.amount(order)+oracleOrder+
		"&clientId="+client, order+"=orderId")
	who := d.one("tii=F&cvc=123", "tii=U", "tii=F")
	d.add("paymentOrderBinding.do", "mdOrder=${"+order+"}&bindingId="+binding+"&"+who+"&language=en")
	d.polls(order, 1)
}

// switchBinding does one thing with a binding itself.
func (d *oracleDraw) switchBinding(binding string) {
	switch d.IntN(4) {
	case 0:
		d.add("extendBinding.do", "bindingId="+binding+"&newExpiry=203112&language=en")
	case 1:
		d.add("bindCard.do", "bindingId="+binding+"&language=en")
	default:
		d.add("unBindCard.do", "bindingId="+binding+"&language=en")
	}
}

// binding keeps a card, lists it, pays with it, switches it off and on, and lends it to a client
// whose it is not.
func (d *oracleDraw) binding() {
	if d.maybe(35) {
		d.list("${client}", "C", "")
	}
	d.bound("a", "V", "M", "W", "X")
	if d.maybe(60) {
		d.list("${client}", "C", "")
	}
	for i := range 1 + d.IntN(4) {
		switch d.IntN(5) {
		case 0, 1:
			d.payBound("p"+oracleNumber(i), "${client}", "${b}")
		case 2:
			d.payBound("p"+oracleNumber(i), "${client}2", "${b}")
		default:
			d.switchBinding("${b}")
		}
		if d.maybe(50) {
			d.list("${client}", "C", "")
		}
	}
}

// bindings keeps several cards, some of them twice.
func (d *oracleDraw) bindings() {
	for i := range 2 + d.IntN(2) {
		d.bound("o"+oracleNumber(i), "V", "M", "W", "V", "X")
		if d.maybe(60) {
			d.list("${client}", "C", "")
		}
	}
	d.list("${client}", "C", "b=bindings.0.bindingId")
	if d.maybe(50) {
		d.switchBinding("${b}")
		d.list("${client}", "C", "")
	}
}

// recurrent keeps a card for payments that the shop repeats.
func (d *oracleDraw) recurrent() {
	d.register("register.do", "a", oracleBind)
	d.add("paymentorder.do", "MDORDER=${a}&$PAN="+d.card("a", "V", "M", "X")+oracleTerms+oracleCard)
	if d.maybe(50) {
		d.poll("a")
	}
	d.list("${client}", "R", "r=bindings.0.bindingId")
	for i := range 1 + d.IntN(2) {
		number := "${n}-r" + oracleNumber(i)
		d.add("json recurrentPayment.do", `{"orderNumber":"`+number+`","bindingId":"${r}","amount":`+
			d.amount("r")+`,"currency":"978","language":"en","description":"Renewal of ${text}"}`,
			"q=data.orderId")
		if d.maybe(60) {
			d.add(oracleStatus, "orderId=${q}&language=en")
		}
		if d.maybe(25) { // the number was used
			d.add("json recurrentPayment.do", `{"orderNumber":"`+number+`","bindingId":"${r}","amount":`+
				`${amt:r},"currency":"978","language":"en","description":"Renewal of ${text}"}`)
		}
	}
	if d.maybe(30) {
		d.add("json installmentPayment.do", `{"orderNumber":"${n}-i","bindingId":"${r}","amount":400,`+
			`"currency":"978","language":"en"}`)
	}
}

// boundFixture makes one binding, which all tests of a suite pay with.
func (d *oracleDraw) boundFixture() {
	d.test.shares = true
	d.register("register.do", "a", "&clientId=${suite}&features=FORCE_CREATE_BINDING")
	d.pay("a", "V", "M")
	d.add(oracleStatus, "orderId=${a}&language=en", "b=bindingInfo.bindingId")
}

// boundPayment pays with the binding of the suite.
func (d *oracleDraw) boundPayment() {
	d.payBound("p", "${suite}", "${fix.b}")
	if d.maybe(30) {
		d.payBound("f", "${client}", "${fix.b}")
	}
	if d.maybe(40) {
		d.list("${suite}", "C", "")
	}
	if d.maybe(30) {
		d.manage("p")
		d.poll("p")
	}
	if d.maybe(15) {
		d.switchBinding("${fix.b}")
		d.list("${suite}", "C", "")
	}
}
