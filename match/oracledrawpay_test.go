package match_test

// What calls of the gateway have in common.
const (
	oracleOrder  = "&currency=978&language=en&returnUrl=${shop}"
	oracleCard   = "&$CVC=123&$EXPIRY=203012&TEXT=${holder}&language=en"
	oracleStatus = "getOrderStatusExtended.do"
	oracleNobody = "00000000-0000-7000-8000-000000000000"
)

// register registers an order under a name of the test.
func (d *oracleDraw) register(call, order, more string) {
	d.add(call, "orderNumber=${n}-"+order+"&amount="+d.amount(order)+oracleOrder+more,
		order+"=orderId")
}

// poll asks for the status of an order, by either of its numbers.
func (d *oracleDraw) poll(order string) {
	switch d.IntN(8) {
	case 0, 1:
		d.add(oracleStatus, "orderNumber=${n}-"+order+"&language=en")
	case 2:
		d.add("getOrderStatus.do", "orderId=${"+order+"}&language=en")
	default:
		d.add(oracleStatus, "orderId=${"+order+"}&language=en", order+"B=bindingInfo.bindingId")
	}
}

// polls polls so many times at most.
func (d *oracleDraw) polls(order string, most int) {
	for range d.IntN(most + 1) {
		d.poll(order)
	}
}

// pay pays an order with one of some cards.
func (d *oracleDraw) pay(order string, cards ...string) {
	d.add("paymentorder.do", "MDORDER=${"+order+"}&$PAN="+d.card(order, cards...)+oracleCard)
}

// payment registers an order, pays it and does with it what shops do, legal and not.
func (d *oracleDraw) payment() {
	call := d.one("register.do", "register.do", "registerPreAuth.do")
	more := ""
	if d.maybe(40) {
		more += "&description=${text}"
	}
	if d.maybe(30) {
		more += "&clientId=${client}"
	}
	if d.maybe(20) {
		more += "&failUrl=${shop}/failed"
	}
	d.register(call, "a", more)
	d.polls("a", 2)
	if d.maybe(12) { // a number can be used once
		d.add("register.do", "orderNumber=${n}-a&amount=${amt:a}"+oracleOrder)
	}
	if d.maybe(10) {
		d.add("decline.do", "orderId=${a}&language=en")
		d.polls("a", 1)
	}
	if d.maybe(92) {
		d.pay("a", anyCards...)
		d.polls("a", 2)
	}
	if d.maybe(12) { // an order gets one attempt
		d.pay("a", goodCards...)
		d.polls("a", 1)
	}
	for range d.IntN(4) {
		d.manage("a")
		if d.maybe(70) {
			d.poll("a")
		}
	}
}

// manage does one thing with an order that may have been paid.
func (d *oracleDraw) manage(order string) {
	sum := d.one("0", "100", "250", "${amt:"+order+"}")
	switch d.IntN(6) {
	case 0:
		d.add("deposit.do", "orderId=${"+order+"}&amount="+sum+"&language=en")
	case 1, 2:
		d.add("refund.do", "orderId=${"+order+"}&amount="+sum+"&language=en")
	case 3:
		d.add("reverse.do", "orderId=${"+order+"}&language=en")
	case 4:
		d.add("addParams.do", "orderId=${"+order+"}&params={%22note%22:%22of+${text}%22}&language=en")
	default:
		d.add("decline.do", "orderId=${"+order+"}&language=en")
	}
}

// oracleRefusals are wrong input and wrong credentials in calls of one order.
var oracleRefusals = []oracleStep{
	{call: "register.do", send: oracleRefused + "100&language=en"}, // no returnUrl
	{call: "register.do", send: oracleRefused + "abc" + oracleOrder},
	{call: "register.do", send: oracleRefused + "0" + oracleOrder},
	{call: "register.do", send: oracleRefused + oracleOrder},
	{call: "register.do", send: oracleRefused + "100&currency=999&language=en&returnUrl=${shop}"},
	{call: "register.do", send: oracleRefused + "100&features=FORCE_CREATE_BINDING" + oracleOrder},
	{call: "register.do", send: oracleRefused + "1000" + oracleOrder, as: "bad"},
	{call: "register.do", send: oracleRefused + "1000" + oracleOrder, as: "none"},
	{call: oracleStatus, send: "orderId=" + oracleNobody + "&language=en"},
	{call: oracleStatus, send: "orderNumber=${n}-nobody&language=en"},
	{call: oracleStatus, send: "language=en"},
	{call: oracleStatus, send: "orderId=${a}&language=en", as: "bad"},
	{call: "paymentorder.do", send: oracleTried + oracleCard, as: "bad"},
	{call: "paymentorder.do", send: "MDORDER=${a}&$PAN=" + oracleCard},
	{call: "paymentorder.do", send: "MDORDER=${a}&$PAN=40000011" + oracleCard},
	{call: "paymentorder.do", send: "MDORDER=${a}&$PAN=4000001111" + "111119" + oracleCard},
	{call: "paymentorder.do", send: oracleTried + "&$EXPIRY=203012" + oracleHolder},
	{call: "paymentorder.do", send: oracleTried + "&$CVC=&$EXPIRY=203012" + oracleHolder},
	{call: "paymentorder.do", send: oracleTried + "&$CVC=12&$EXPIRY=203012" + oracleHolder},
	{call: "paymentorder.do", send: oracleTried + "&$CVC=123" + oracleHolder},
	{call: "paymentorder.do", send: oracleTried + "&$CVC=123&$EXPIRY=203013" + oracleHolder},
	{call: "paymentorder.do", send: "$PAN=${card:a}" + oracleCard},
	{call: "paymentorder.do", send: "MDORDER=" + oracleNobody + "&$PAN=${card:a}" + oracleCard},
	{call: "refund.do", send: "orderId=${a}&language=en"},
	{call: "refund.do", send: "orderId=${a}&amount=999999999&language=en"},
	{call: "getBindings.do", send: "language=en"},
}

// What refused calls have in common.
const (
	oracleRefused = "orderNumber=${n}-r&amount="
	oracleTried   = "MDORDER=${a}&$PAN=${card:a}"
	oracleHolder  = "&TEXT=${holder}&language=en"
)

// oracleExpired is a payment with a card that is past its date: it is declined, and the order with
// it.
var oracleExpired = oracleStep{call: "paymentorder.do",
	send: oracleTried + "&$CVC=123&$EXPIRY=${month:-2}" + oracleHolder}

// refusals tries what is refused before an order is paid, and after it.
func (d *oracleDraw) refusals() {
	d.register("register.do", "a", "&clientId=${client}")
	d.card("a", goodCards...)
	for range 1 + d.IntN(3) {
		d.refused()
		d.polls("a", 1)
	}
	if d.maybe(15) {
		d.test.steps = append(d.test.steps, oracleExpired)
		d.poll("a")
	}
	d.pay("a", "V", "M", "X")
	d.polls("a", 2)
	for range d.IntN(2) {
		d.refused()
		d.polls("a", 1)
	}
}

// refused adds something that is refused.
func (d *oracleDraw) refused() {
	step := oracleRefusals[d.IntN(len(oracleRefusals))]
	if step.as != "bad" || d.unsure {
		d.test.steps = append(d.test.steps, step)
	}
}

// lastOrders lists everybody's orders.
func (d *oracleDraw) lastOrders() {
	if d.maybe(60) {
		d.register("register.do", "a", "")
		if d.maybe(70) {
			d.pay("a", "V", "M", "X")
		}
	}
	period := d.one("from=${stamp:-1}&to=${stamp:1}", "from=${stamp:-1}&to=${stamp:1}",
		"from=20200101000000&to=20200201000000")
	states := d.one("DEPOSITED", "CREATED,DEPOSITED,DECLINED,REFUNDED", "DECLINED")
	d.add("getLastOrdersForMerchants.do", "page=0&size=20&"+period+"&transactionStates="+states+
		"&searchByCreatedDate=true&language=en")
}

// timeOut waits until nobody may pay the order any more. How often it is asked for before decides
// when replay shows that.
func (d *oracleDraw) timeOut() {
	d.test.rigid = true
	d.register("register.do", "a", "")
	for range 1 + d.IntN(2) {
		d.add(oracleStatus, "orderId=${a}&language=en")
	}
	d.add("wait 21m", "")
	d.add(oracleStatus, "orderId=${a}&language=en")
	if d.maybe(60) {
		d.pay("a", "V", "X")
		d.poll("a")
	}
}
