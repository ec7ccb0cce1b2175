package match_test

// customer becomes a customer of version 1 with one or two cards, and uses them.
func (d *oracleDraw) customer() {
	d.becomeCustomer("${customer}", "acc")
	cards := 1 + d.IntN(2)
	for i := range cards {
		d.newCard("acc", "c"+oracleNumber(i))
	}
	for range 2 + d.IntN(6) {
		d.useAccount("acc", "${customer}", "c"+oracleNumber(d.IntN(cards)),
			"c"+oracleNumber(d.IntN(cards)))
	}
}

// becomeCustomer registers a customer under a number.
func (d *oracleDraw) becomeCustomer(number, account string) {
	d.add("v1 registerCustomer", `{"productName":"CRCU1001","parameters":[`+
		`{"name":"institutionId","value":"1001"},{"name":"agent_number","value":"1001"},`+
		`{"name":"customer_number","value":"`+number+`"},{"name":"product_id","value":"7001"},`+
		`{"name":"start_date","value":"${day:0}"},{"name":"surname","value":"${surname}"},`+
		`{"name":"firstName","value":"Alex"},{"name":"mobile_phone","value":"${phone}"},`+
		`{"name":"country_code","value":"276"},{"name":"city","value":"Berlin"}]}`,
		account+"=accountNumber")
}

// newCard issues a card on an account.
func (d *oracleDraw) newCard(account, card string) {
	d.add("v1 createVirtualCard", `{"cardIdentification":{"cardNumber":"4276000000000000"},`+
		`"virtualCardIdentification":{"expDate":"203012","productType":"5C"},"amount":0,`+
		`"currency":978,"accountNumber":"${`+account+`}","deliveryMethod":"WS"}`,
		card+"=virtualCardIdentification.cardNumber", card+"id=virtualCardIdentification.cardId")
}

// useAccount does one thing with a card, another of the same account, and the account.
func (d *oracleDraw) useAccount(account, customer, card, other string) {
	by := `{"cardIdentification":{"cardNumber":"${` + card + `}"}`
	sum := d.one("100", "250", "1000", "50000")
	switch d.IntN(16) {
	case 0, 1, 2:
		d.add("v1 creditCard", by+`,"currency":978,"amount":`+sum+"}")
	case 3, 4:
		d.add("v1 debitCard", by+`,"currency":978,"amount":`+sum+"}")
	case 5:
		d.add("v1 getCardData", by+"}")
	case 6, 7:
		d.add("v1 getAccountData", `{"accountNumber":"${`+account+`}","returnCardNumber":true}`)
	case 8:
		d.add("v1 getTransactions", by+`,"period":`+d.period()+"}")
	case 9:
		d.add("v1 blockCard", by+"}")
	case 10:
		d.add("v1 changeCardStatus", by+`,"hotCardStatus":0}`)
	case 11:
		d.add("v1 cardStatusInquiry", `{"cardIdentification":{"cardId":"${`+card+`id}"}}`)
	case 12:
		d.add("v1 getCardLimits", by+"}")
		if d.maybe(60) {
			d.add("v1 changeCardLimit", by+`,"limit":{"name":"LMTP0101","value":`+d.one("500", "30000")+
				`,"currency":978}}`)
			d.add("v1 getCardLimits", by+"}")
		}
	case 13:
		d.add("v1 getCustomerInfo", `{"customerNumber":"`+customer+`","accountNumber":"${`+account+`}"}`)
	case 14:
		d.add("v1 changeAccountStatusInFe", `{"accountNumber":"${`+account+`}","accountStatus":`+
			d.one("0", "1")+"}")
	default:
		d.add("v1 p2PTransfer", `{"sourceCardIdentification":{"cardNumber":"${`+card+`}",`+
			`"expDate":"203012"},"destinationCardIdentification":{"cardNumber":"${`+other+`}"},`+
			`"amount":`+sum+`,"currency":978,"senderReceiverInfo":{"senderName":"${surname}, Alex",`+
			`"senderAddress":"Main 7"},"pointOfServiceConditionCode":"59"}`)
	}
}

// period is one around today, today's or one of years ago.
func (d *oracleDraw) period() string {
	return d.one(`{"start":"${day:-1}","end":"${day:1}"}`, `{"start":"${day:-1}","end":"${day:1}"}`,
		`{"start":"${day:0}","end":"${day:0}"}`, `{"start":"2020-01-01","end":"2020-02-01"}`,
		`{"start":"${day:-7}","end":"${day:-1}"}`)
}

// merchant is business with a merchant of the published table, which is configuration.
func (d *oracleDraw) merchant() {
	for range 1 + d.IntN(3) {
		d.add("v1 changeMerchantStatus", `{"merchantNumber":"M0000001","institutionId":"1001",`+
			`"agentId":"1001","customerNumber":"900001","contractNumber":"800001","status":"`+
			d.one("ACTIVE", "ACTIVE", "BLOCKED")+`"}`)
	}
	d.add("v1 isCustomerExist", `{"customerNumber":"${customer}","institutionId":1001}`)
	d.add("v1 isCustomerExist", `{"customerNumber":"${customer}"}`)
	d.bad(33)
}

// accountFixture makes one account with two cards and money, for a whole suite.
func (d *oracleDraw) accountFixture() {
	d.test.shares = true
	d.becomeCustomer("${customer}", "acc")
	d.newCard("acc", "c0")
	d.newCard("acc", "c1")
	d.add("v1 creditCard", `{"cardIdentification":{"cardNumber":"${c0}"},"currency":978,`+
		`"amount":1000000}`)
}

// accountUse is a test of a suite that works on one account.
func (d *oracleDraw) accountUse() {
	for range 1 + d.IntN(4) {
		d.useAccount("fix.acc", "${suitecustomer}", "fix.c"+oracleNumber(d.IntN(2)), "fix.c0")
	}
}

// holder makes one or two cardholders of version 2 with a card each, and uses them.
func (d *oracleDraw) holder() {
	holders := 1 + d.IntN(2)
	for i := range holders {
		n := oracleNumber(i)
		d.add("v2 POST /cardholders", `{"firstName":"Alex","lastName":"${surname}",`+
			`"phoneNumber":"${phone}","email":"${email}","dateOfBirth":"1990-05-17",`+
			`"billingAddress":{"city":"Berlin","country":"DE","line1":"Main 1","postalCode":"10115"}}`,
			"h"+n+"=id")
		d.add("v2 POST /cards", `{"productName":"VISA Classic","cardholder":"${h`+n+`}"}`,
			"k"+n+"=id", "x"+n+"=expiryDate")
		d.add("v2 GET /cards/${k"+n+"}", "", "c"+n+"=number")
	}
	for range 2 + d.IntN(6) {
		d.useHolder(oracleNumber(d.IntN(holders)), oracleNumber(d.IntN(holders)))
	}
}

// useHolder does one thing with one card and another.
func (d *oracleDraw) useHolder(n, other string) {
	sum := d.one("100", "250", "1000", "9000")
	switch d.IntN(12) {
	case 0, 1:
		d.add("v2 POST /topups", `{"amount":`+sum+`,"currency":"`+d.one("EUR", "EUR", "EUR", "USD")+
			`","destinationCard":{"cardNumber":"${c`+n+`}"}}`)
	case 2, 3, 4:
		d.add("v2 POST /transfers", `{"amount":`+sum+`,"currency":"EUR","sourceCard":{"cardNumber":"${c`+
			n+`}","expiryDate":"${x`+n+`}"},"destinationCard":{"cardNumber":"${c`+other+`}"}}`)
	case 5, 6:
		d.add("v2 GET /cards/${k"+n+"}", "", "c"+n+"=number")
	case 7:
		d.add("v2 PATCH /cards/${k"+n+"}",
			`{"status":"`+d.one("blocked", "active", "blocked", "lost")+`"}`)
	case 8:
		d.add("v2 PATCH /cards/${k"+n+"}", `{"spendingLimits":[{"amount":`+d.one("500", "20000")+
			`,"interval":"daily"}]}`)
	case 9:
		d.add("v2 GET /cardholders/"+d.one("${h"+n+"}", "${h"+n+"}", oracleNobody), "")
		d.bad(25)
	case 10:
		d.add("v2 PATCH /cards/${k"+n+"}", `{"reissueCard":{"reason":"`+d.one("lost", "damaged")+`"}}`,
			"x"+n+"=expiryDate")
		d.add("v2 GET /cards/${k"+n+"}", "", "c"+n+"=number")
	default:
		days := d.one("", "&periodStartFltr=${day:-1}&periodEndFltr=${day:1}",
			"&periodStartFltr=2020-01-01&periodEndFltr=2020-02-01")
		status := d.one("", "", "&statusFltr=declined", "&statusFltr=approved")
		d.add("v2 GET /transfers?cardNumberFltr=${c"+n+"}"+days+status, "")
	}
}
