package match_test

// password is what the payer says at the bank: mostly the right one.
func (d *oracleDraw) password() string {
	if d.maybe(75) || !d.unsure {
		return "12345678"
	}
	return "00000000"
}

// secure2 pays with a card that asks for version 2 of 3-D Secure.
func (d *oracleDraw) secure2() {
	d.register("register.do", "a", "&failUrl=${shop}/failed")
	finish := ""
	if d.maybe(25) {
		finish = "&threeDSVer2FinishUrl=${shop}/finish"
	}
	card := d.card("a", "C", "C", "C", "CD", "F", "F", "FS", "D")
	d.add("paymentorder.do", "MDORDER=${a}&$PAN="+card+finish+oracleCard,
		"trans=threeDSServerTransId", "data=threeDSMethodDataPacked")
	d.polls("a", 1)
	if d.maybe(40) {
		d.add("page POST acs/method", "threeDSMethodData=${data}")
	}
	d.add("3ds/continue.do", "mdOrder=${a}&language=en",
		"creq=packedCReq", "trans2=threeDSServerTransId")
	if d.test.cast["card:a"] == "D" {
		d.add("paymentorder.do", "MDORDER=${a}&threeDSServerTransId=${trans2}&$PAN="+card+finish+
			oracleCard, "creq=packedCReq")
	}
	d.polls("a", 1)
	for range 2 {
		d.add("page POST acs/challenge", "creq=${creq}", "creq=form.creq")
		if d.maybe(12) {
			d.add("page POST acs/answer", "creq=${creq}&action=cancel", "cres=form.cres")
			break
		}
		word := d.password()
		d.add("page POST acs/answer", "creq=${creq}&password="+word+"&action=confirm",
			"cres=form.cres")
		if word == "12345678" {
			break
		}
		d.polls("a", 1)
	}
	d.add("page POST 3ds/notification", "cres=${cres}")
	if finish != "" {
		d.polls("a", 1)
		d.add("finish3dsVer2Payment.do", "threeDSServerTransId=${trans}&language=en")
	}
	d.polls("a", 2)
	if d.maybe(30) {
		d.manage("a")
		d.poll("a")
	}
}

// secure1 pays with a card that asks for version 1.
func (d *oracleDraw) secure1() {
	d.register("register.do", "a", "")
	d.add("paymentorder.do", "MDORDER=${a}&$PAN="+d.card("a", "S")+oracleCard,
		"req=paReq", "term=termUrl")
	d.polls("a", 1)
	d.add("page POST acs/challenge", "PaReq=${req}&MD=${a}&TermUrl=${term}", "req=form.PaReq")
	d.add("page POST acs/answer", "PaReq=${req}&MD=${a}&TermUrl=${term}&password="+d.password()+
		"&action=confirm", "res=form.PaRes")
	d.add("page POST rest/finish3ds.do", "PaRes=${res}&MD=${a}")
	d.polls("a", 2)
}

// What calls about transfers have in common.
const (
	p2pCommon = `"currency":"978","returnUrl":"${shop}","failUrl":"${shop}/failed","language":"en",` +
		`"transactionTypeIndicator":"A"`
	p2pTerm = `","expirationYear":2030,"expirationMonth":12,"cardholderName":"${holder}"`
)

// askTransfer asks for a transfer by either number.
func (d *oracleDraw) askTransfer(order string) {
	id := `"orderId":"${` + order + `}"`
	by := d.one(id, id, `"orderNumber":"${n}-`+order+`"`)
	d.add("p2p getP2PStatus.do", "{"+by+`,"language":"en"}`)
}

// transfer moves money from card to card.
func (d *oracleDraw) transfer() {
	d.add("p2p registerP2P.do", `{"orderNumber":"${n}-a","amount":`+d.amount("a")+","+p2pCommon+
		`,"features":{},"orderDescription":"Gift of ${text}"}`, "a=orderId")
	to := `,"toCard":{"pan":"` + d.card("to", "T", "M", "L") + p2pTerm + `}`
	if d.maybe(40) {
		d.add("p2p verifyP2P.do", `{"orderId":"${a}","amount":"2000","language":"en"`+to+`}`)
	}
	if d.maybe(40) {
		d.askTransfer("a")
	}
	d.add("p2p performP2P.do", `{"orderId":"${a}","language":"en","fromCard":{"pan":"`+
		d.card("from", "V", "W", "X")+p2pTerm+`,"cvc":"123"}`+to+`}`)
	d.askTransfer("a")
	if d.maybe(25) { // once
		d.add("p2p performP2P.do", `{"orderId":"${a}","language":"en","fromCard":{"pan":"${card:from}`+
			p2pTerm+`,"cvc":"123"}`+to+`}`)
		d.askTransfer("a")
	}
}

// credit moves money to a card alone.
func (d *oracleDraw) credit() {
	d.add("p2p registerP2P.do", `{"orderNumber":"${n}-a","amount":`+d.amount("a")+","+p2pCommon+
		`,"features":{"feature":["WITHOUT_FROM_CARD"]}}`, "a=orderId")
	if d.maybe(30) {
		d.askTransfer("a")
	}
	d.add("p2p performP2P.do", `{"orderId":"${a}","type":"WITHOUT_FROM_CARD","language":"en",`+
		`"toCard":{"pan":"`+d.card("to", "T", "M", "L", "X")+p2pTerm+`}}`)
	for range 1 + d.IntN(2) {
		d.askTransfer("a")
	}
}
