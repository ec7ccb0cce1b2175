package match_test

// acme is a customer of the REST mock who pays, captures, refunds and lists.
func (d *oracleDraw) acme() {
	d.add("acme POST /customers", `{"name":"`+d.person()+`"}`, "cus=id", "cusat=location")
	if d.maybe(40) {
		d.add("acme GET "+d.one("/customers/${cus}", "${below:cusat}"), "")
	}
	for i := range 1 + d.IntN(2) {
		pay := "pay" + oracleNumber(i)
		d.add("acme POST /payments", `{"customer":"${cus}","amount":`+d.amount(pay)+`,"currency":"EUR",`+
			`"card":"`+d.card(pay, "V", "M", "R")+`","reference":"${n}-`+oracleNumber(i)+`"}`, pay+"=id")
		d.polls2("acme GET /payments/${" + pay + "}")
		for range d.IntN(4) {
			switch d.IntN(5) {
			case 0, 1:
				d.add("acme POST /payments/${"+pay+"}/capture", "{}")
			case 2, 3:
				d.add("acme POST /payments/${"+pay+"}/refunds", `{"amount":`+
					d.one("100", "250", "${amt:"+pay+"}")+"}", "ref=id", "refat=location")
				if d.maybe(50) {
					d.add("acme GET "+d.one("/refunds/${ref}", "${below:refat}"), "")
				}
			default:
				d.polls2("acme GET /payments/${" + pay + "}")
			}
		}
		if d.maybe(40) {
			d.add("acme GET /payments?customer=${cus}", "")
		}
	}
	if d.maybe(15) {
		d.add("acme GET /payments/pay_00000000000000", "")
	}
	if d.maybe(15) {
		d.add("acme POST /payments", `{"customer":"${cus}","amount":"`+d.one("", "12")+
			`","currency":"EUR","card":"${card:pay0}","reference":"none"}`)
	}
	if d.maybe(15) {
		d.add("acme GET /customers/${cus}", "")
		d.bad(100)
	}
	if d.maybe(20) {
		d.add("acme DELETE /customers/${cus}", "")
		d.add("acme GET /customers/${cus}", "")
	}
}

// person is whom an account is for: mostly somebody whom all tests name, for a name that differs
// is a field that differs where no profile knows better.
func (d *oracleDraw) person() string {
	if d.unsure && d.maybe(30) {
		return "${text}"
	}
	return d.one("Ada Sample", "Ada Sample", "Ben Sample")
}

// polls2 reads once or twice, or not at all.
func (d *oracleDraw) polls2(call string) {
	for range d.IntN(3) {
		d.add(call, "")
	}
}

// acmeJob waits for a job that changes with every poll, until it is done.
func (d *oracleDraw) acmeJob() {
	d.test.whole = true
	d.add("acme POST /customers", `{"name":"`+d.person()+`"}`, "cus=id")
	d.add("acme POST /exports", `{"customer":"${cus}","speed":"fast"}`, "job=id")
	for range 3 + d.IntN(3) {
		d.add("acme GET /exports/${job}", "")
	}
}

// slowJob waits for a job that changes with time.
func (d *oracleDraw) slowJob() {
	d.test.rigid = true
	d.add("acme POST /customers", `{"name":"`+d.person()+`"}`, "cus=id")
	d.add("acme POST /exports", `{"customer":"${cus}","speed":"slow"}`, "job=id")
	for range 2 {
		d.add("acme GET /exports/${job}", "")
		if d.maybe(50) {
			d.add("acme GET /exports/${job}", "")
		}
		d.add(d.one("wait 25s", "wait 2m"), "")
	}
	d.add("acme GET /exports/${job}", "")
}

// What every call to the ledger begins with.
const ledgerToken = `{"token":"${token}"`

// logIn logs in to the ledger, now and then with a wrong password first.
func (d *oracleDraw) logIn() {
	if d.maybe(20) && d.unsure {
		d.add("ledger login", `{"user":"ledger-user","password":"`+oracleWrong+`"}`)
	}
	d.add("ledger login", `{"user":"ledger-user","password":"ledger-password"}`, "token=result.token")
}

// openAccount opens an account of the ledger.
func (d *oracleDraw) openAccount(account string) {
	d.add("ledger account.open", ledgerToken+`,"name":"`+d.person()+`","currency":"EUR"}`,
		account+"=result.account")
}

// ledger is a client of the RPC mock with accounts of its own.
func (d *oracleDraw) ledger() {
	d.logIn()
	d.openAccount("a0")
	d.openAccount("a1")
	for range 2 + d.IntN(7) {
		d.useLedger("token", "a"+oracleNumber(d.IntN(2)), "a"+oracleNumber(d.IntN(2)))
	}
}

// useLedger does one thing with one account and another.
func (d *oracleDraw) useLedger(token, one, other string) {
	begin := `{"token":"${` + token + `}"`
	account := begin + `,"account":${` + one + `}`
	sum := d.one("100", "250", "1000")
	switch d.IntN(9) {
	case 0, 1:
		d.add("ledger account.fund", account+`,"amount":`+sum+"}")
	case 2, 3:
		d.add("ledger account.get", account+"}")
	case 4, 5, 6:
		d.add("ledger transfer.nonce", account+"}", "nonce=result.nonce")
		d.add("ledger transfer.make", begin+`,"from":${`+one+`},"to":${`+other+`},"amount":`+sum+
			`,"nonce":"${nonce}"}`, "t=result.transfer")
		if d.maybe(50) {
			d.add("ledger transfer.get", begin+`,"transfer":${t}}`)
		}
	case 7:
		d.add("ledger transfer.list", account+"}")
	default:
		d.add("ledger account.close", account+"}")
	}
}

// ledgerFixture logs in and opens two accounts, for a whole suite.
func (d *oracleDraw) ledgerFixture() {
	d.test.shares = true
	d.logIn()
	d.openAccount("a0")
	d.openAccount("a1")
	d.add("ledger account.fund", ledgerToken+`,"account":${a0},"amount":1000000}`)
}

// ledgerUse is a test of a suite that shares the login and the accounts.
func (d *oracleDraw) ledgerUse() {
	for range 1 + d.IntN(4) {
		d.useLedger("fix.token", "fix.a"+oracleNumber(d.IntN(2)), "fix.a"+oracleNumber(d.IntN(2)))
	}
}
