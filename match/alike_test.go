package match_test

import (
	"strings"
	"testing"
)

// TestTriedAgain has payments of which one was declined and tried again with another card: the reference is in two
// requests and stays the client's own. What every payment has is none.
func TestTriedAgain(t *testing.T) {
	t.Parallel()
	const pays = `POST /api/payments {"shop":"SHOP-77120041","order":"ORDER","card":"CARD"}`
	line := func(order, card string) string {
		return strings.NewReplacer("ORDER", order, "CARD", card).Replace(pays)
	}
	answer := func(id, order, state string) string {
		return ` => {"id":"` + id + `","order":"` + order + `","shop":"SHOP-77120041","state":"` + state + `"}`
	}
	s := replay(t, told(
		line("SO-2026-481139", "good")+answer("pay_8hs72hgs82kq01", "SO-2026-481139", "paid"),
		line("SO-2026-482246", "good")+answer("pay_8hs72hgs82kq02", "SO-2026-482246", "paid"),
		line("SO-2026-483307", "poor")+answer("pay_8hs72hgs82kq03", "SO-2026-483307", "declined"),
		line("SO-2026-483307", "good")+answer("pay_8hs72hgs82kq04", "SO-2026-483307", "paid"),
	))
	for _, test := range []struct{ order, card, state string }{
		{"SO-2026-900112", "poor", "declined"},
		{"SO-2026-900112", "good", "paid"},
		{"SO-2026-900113", "poor", "declined"},
		{"SO-2026-900114", "good", "paid"},
	} {
		got := s.hit(line(test.order, test.card))
		if !strings.Contains(got, `"order":"`+test.order+`","shop":"SHOP-77120041","state":"`+test.state+`"`) {
			t.Errorf("%s with a %s card: %s", test.order, test.card, got)
		}
	}
}

// TestLinksAreNoList asks about one of two orders, whose answer has an array of links to it: it is no list of orders.
func TestLinksAreNoList(t *testing.T) {
	t.Parallel()
	const creates = `POST /api/orders {"amount":500}`
	of := func(id string) string {
		return `{"id":"` + id + `","links":[{"rel":"self","href":"https://api.test/api/orders/` + id +
			`"},{"rel":"pay","href":"https://api.test/pay?order=` + id + `"}]}`
	}
	const id = "ord_8hs72hgs82kq01"
	s := replay(t, told(creates+` => `+of(id), `GET /api/orders/`+id+` => `+of(id)))
	for _, name := range []string{"a", "b"} {
		s.keep(name, s.hit(creates), `"id":"`)
	}
	for _, name := range []string{"b", "a"} {
		a, miss := s.serve(`GET /api/orders/$` + name + `$`)
		if miss != nil {
			t.Fatalf("%+v", miss)
		}
		if own := s.ids[name]; a.Body != of(own) || a.Mark != "" {
			t.Errorf("%s, marked %q, not %s", a.Body, a.Mark, of(own))
		}
		a.Delivered(true)
	}
}

// TestUUIDsThatEndApart has UUIDs of version 7 that differ in the last digit alone: these digits are of no
// installation, and each order gets an id of its own.
func TestUUIDsThatEndApart(t *testing.T) {
	t.Parallel()
	const first, second = "018f3a2b-1111-7222-8333-444455550001", "018f3a2b-1111-7222-8333-444455550002"
	s := replay(t, tape(
		registers("A-1")+` => {"orderId":"`+first+`"}`, registers("A-2")+` => {"orderId":"`+second+`"}`,
	))
	ids := map[string]bool{first: true, second: true}
	for _, number := range []string{"B-1", "B-2", "B-3", "B-4"} {
		got := s.hit(registers(number))
		if ids[got] {
			t.Errorf("%s has the id of another: %s", number, got)
		}
		ids[got] = true
	}
}

// TestNumberOfAll has a number in all answers that clients send back: it is the sandbox's own, and the first thing is
// not told apart by it. One value of each is random letters with a digit or base64 with its own characters.
func TestNumberOfAll(t *testing.T) {
	t.Parallel()
	const starts, ends = `POST /api/payments {"amount":500}`, `POST /api/payments/ID/end {"md":"MD","xid":"XID","merchantId":"100042"}`
	of := func(line, id, md, xid string) string {
		return strings.NewReplacer("XID", xid, "ID", id, "MD", md).Replace(line)
	}
	var lines []string
	for _, row := range [][3]string{
		{"pay_8hs72hgs82kq01", "V1ZJKCYUY1oa_HRLUGNczc9M2xB1h7n8", "VCydZeLaJmlEP6mz9I91VUxslZ0="},
		{"pay_8hs72hgs82kq02", "GceS9CpW-uliZrOArkeITdCvDCFMSVCP", "+zyiDgIuMWcseCeP5Q0YYpMGEl8="},
		{"pay_8hs72hgs82kq03", "Rg2vmLEVts-58VktnFJAxRoWZM4j_C8Z", "r7wA2pI0biaCgijHdsi+pqoXepo="},
	} {
		lines = append(lines,
			starts+` => `+of(`{"id":"ID","md":"MD","xid":"XID","merchantId":"100042"}`, row[0], row[1], row[2]),
			of(ends, row[0], row[1], row[2])+` => {"done":true}`)
	}
	s := replay(t, told(lines...))
	for range 4 {
		a, miss := s.serve(starts)
		if miss != nil || a.Mark != "" || !strings.Contains(a.Body, `"merchantId":"100042"`) {
			t.Fatalf("%+v %+v", a, miss)
		}
		a.Delivered(true)
		for _, name := range []string{"id", "md", "xid"} {
			s.keep(name, a.Body, `"`+name+`":"`)
		}
		if strings.Contains(a.Body, "l8=") || strings.Contains(a.Body, "MSVCP") {
			t.Errorf("%s has a recorded part", a.Body)
		}
		a, miss = s.serve(of(ends, "$id$", "$md$", "$xid$"))
		if miss != nil || a.Mark != "" {
			t.Fatalf("%+v %+v", a, miss)
		}
		a.Delivered(true)
	}
}

// TestNamedInText has pairs of names and values in texts of answers: what stands behind the name of an id there, or
// behind a name under which requests send it, is an id, however plain it looks.
func TestNamedInText(t *testing.T) {
	t.Parallel()
	const sells, voids = `POST /api/transact {"type":"sale","orderid":"ORDER"}`, `POST /api/transact {"type":"void","transactionid":"ID","SecurityKey":"KEY"}`
	of := func(line, order, id, key string) string {
		return strings.NewReplacer("ORDER", order, "ID", id, "KEY", key).Replace(line)
	}
	const sold, voided = ` => response=1&transactionid=ID&SecurityKey=KEY&orderid=ORDER`, ` => response=1&text=voided`
	const first, second = "SO-2026-481139", "SO-2026-482246"
	s := replay(t, told(
		of(sells, first, "", "")+of(sold, first, "855188174", "TWSXM80WND"),
		of(sells, second, "", "")+of(sold, second, "229895902", "QWER12TYUI"),
		of(voids, "", "855188174", "TWSXM80WND")+voided,
		of(voids, "", "229895902", "QWER12TYUI")+voided,
	))
	for _, name := range []string{"a", "b", "c"} {
		body := s.hit(of(sells, "SO-2026-90011"+name, "", ""))
		s.keep(name, body, "transactionid=")
		s.keep(name+"key", body, "SecurityKey=")
	}
	if s.ids["a"] == s.ids["b"] || s.ids["akey"] == s.ids["bkey"] {
		t.Errorf("two sales have the same values: %v", s.ids)
	}
	for _, name := range []string{"c", "a", "b"} {
		if got := s.hit(of(voids, "", "$"+name+"$", "$"+name+"key$")); got != "response=1&text=voided" {
			t.Error(got)
		}
	}
	s.miss(of(voids, "", "855188174", "TWSXM80WND"))
}

// TestIDsInAnAddress has an id of each payment in the address to which the answer leads, under a name that names no
// id, and nobody sends it. What all addresses have stays, and so do the amount and the client's own value.
func TestIDsInAnAddress(t *testing.T) {
	t.Parallel()
	const pays = `POST /api/payments {"order":"ORDER","amount":1299000}`
	answer := func(id, order, txn string) string {
		return `{"id":"` + id + `","next":"https://shop.example/paid?txn=` + txn +
			`&order=` + order + `&shop=98765432101&amount=1299000&result=ok"}`
	}
	line := func(order string) string { return strings.Replace(pays, "ORDER", order, 1) }
	s := replay(t, told(
		line("SO-2026-481139")+` => `+answer("pay_8hs72hgs82kq01", "SO-2026-481139", "67203716605"),
		line("SO-2026-482246")+` => `+answer("pay_8hs72hgs82kq02", "SO-2026-482246", "40281260156"),
		line("SO-2026-483307")+` => `+answer("pay_8hs72hgs82kq03", "SO-2026-483307", "29931470157"),
	))
	seen := map[string]bool{"67203716605": true, "40281260156": true, "29931470157": true}
	for _, order := range []string{"SO-2026-900111", "SO-2026-900112", "SO-2026-900113", "SO-2026-900114"} {
		a, miss := s.serve(line(order))
		if miss != nil || a.Mark != "" {
			t.Fatalf("%+v %+v", a, miss)
		}
		a.Delivered(true)
		s.keep("id", a.Body, `"id":"`)
		s.keep("txn", a.Body, "txn=")
		if want := answer(s.ids["id"], order, s.ids["txn"]); a.Body != want || seen[s.ids["txn"]] {
			t.Errorf("%s, want %s with another txn", a.Body, want)
		}
		seen[s.ids["txn"]] = true
	}
}

// TestNumbersThatAreNoIDs has numbers and dates in answers that requests send later under one name: amounts, dates and
// telephones stay as they are, and so does a payment's own number where its void repeats it, for each payment.
func TestNumbersThatAreNoIDs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, first, answer, second string }{
		{"an amount", `POST /api/quote {"sum":1}`, `{"amount":12500000}`, `POST /api/pay {"amount":12500000}`},
		{"a telephone", `POST /api/quote {"sum":1}`, `{"phone":"901234567"}`, `POST /api/pay {"phone":"901234567"}`},
		{"a date in pairs", `POST /api/sale {"sum":1}`, `status=OK&settledate=20261129`,
			`POST /api/report {"settledate":"20261129"}`},
		{"a total in pairs", `POST /api/sale {"sum":1}`, `status=OK&total=12345678`, `POST /api/report {"total":"12345678"}`},
	} {
		s := replay(t, told(test.first+` => `+test.answer, test.second+` => {"done":true}`))
		if got := s.hit(test.first); got != test.answer {
			t.Errorf("%s: %s, want %s", test.name, got, test.answer)
		}
	}
	const sells = `POST /transaction {"type":"sale","amount":100}`
	s := replay(t, told(sells+` => {"transactionId":731870}`,
		`POST /transaction {"type":"void","transactionId":731870} => {"transactionId":731870,"status":"voided"}`))
	for _, name := range []string{"a", "b"} {
		s.keep(name, s.hit(sells), `"transactionId":`)
	}
	if s.ids["a"] == s.ids["b"] || s.ids["a"] == "731870" {
		t.Errorf("two sales have the numbers %v", s.ids)
	}
	if got := s.hit(`POST /transaction {"type":"void","transactionId":$b$}`); got != `{"transactionId":`+s.ids["b"]+`,"status":"voided"}` {
		t.Error(got)
	}
}

// TestOrderedTwice has a product that is ordered twice, with one outcome: it is none of the client's own names, and a
// product that is not on tape is a miss.
func TestOrderedTwice(t *testing.T) {
	t.Parallel()
	order := func(product, more string) string { return `POST /api/orders {"product":"` + product + `"` + more + `}` }
	answer := func(id, product string) string {
		return ` => {"id":"` + id + `","product":"` + product + `","state":"new"}`
	}
	s := replay(t, told(
		order("P-48213-X77", "")+answer("ord_8hs72hgs82kq01", "P-48213-X77"),
		order("P-48213-X77", `,"qty":2`)+answer("ord_8hs72hgs82kq02", "P-48213-X77"),
		order("K-77120-Y31", "")+answer("ord_8hs72hgs82kq03", "K-77120-Y31"),
		order("M-10555-Z94", "")+answer("ord_8hs72hgs82kq04", "M-10555-Z94"),
	))
	for _, product := range []string{"M-10555-Z94", "P-48213-X77", "K-77120-Y31"} {
		if got := s.hit(order(product, "")); !strings.Contains(got, `"product":"`+product+`"`) {
			t.Error(got)
		}
	}
	s.miss(order("Q-99999-W21", ""))
}

// TestListOfParts has items that name what was asked about before what they are.
func TestListOfParts(t *testing.T) {
	t.Parallel()
	const creates, pays, lists = `POST /api/customers {"name":"Ada"}`, `POST /api/payments {"customer":"ID","amount":500}`,
		`GET /api/customers/ID/payments`
	const customer, first = "cus_8hs72hgs82kq01", "pay_7ah29skw83lp44"
	of := func(line, id string) string { return strings.ReplaceAll(line, "ID", id) }
	s := replay(t, told(
		creates+` => {"id":"`+customer+`"}`,
		of(pays, customer)+` => {"id":"`+first+`","customer":"`+customer+`"}`,
		`GET /api/payments/`+first+` => {"id":"`+first+`","customer":"`+customer+`"}`,
		of(lists, customer)+` => {"data":[{"customer":"`+customer+`","id":"`+first+`"}]}`,
	))
	s.keep("c", s.hit(creates), `"id":"`)
	s.keep("p", s.hit(of(pays, "$c$")), `"id":"`)
	s.hit(`GET /api/payments/$p$`)
	want := `{"data":[{"customer":"` + s.ids["c"] + `","id":"` + s.ids["p"] + `"}]}`
	if got := s.hit(of(lists, "$c$")); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestACardIsNoReference has a card in two payments that came to different things: that tells nothing of the card, and
// another card is not answered as it was.
func TestACardIsNoReference(t *testing.T) {
	t.Parallel()
	pays := func(amount, card string) string {
		return `POST /api/payments {"amount":` + amount + `,"card":"` + card + `"}`
	}
	const poor, other = "crd_7731q04x81", "crd_9902k31m55"
	s := replay(t, told(
		pays("100", poor)+` => {"id":"pay_8hs72hgs82kq01","state":"declined"}`,
		pays(`""`, poor)+` => {"error":"amount_invalid"}`,
	))
	if got := s.hit(pays("100", poor)); !strings.Contains(got, "declined") {
		t.Error(got)
	}
	if a, miss := s.serve(pays("100", other)); miss == nil && a.Mark == "" {
		t.Errorf("another card is answered %s", a.Body)
	}
}
