package match_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// twoCharges are two charges of an API that no profile knows. The tape goes on with the first one alone.
func twoCharges() []*leaf.Exchange {
	return tape(
		`POST /own/charges {"amount":100} => {"id":"ch_8f3a99c01b","ok":true}`,
		`GET /own/charges/ch_8f3a99c01b => {"id":"ch_8f3a99c01b","state":"open"}`,
		`POST /own/charges {"amount":300} => {"id":"ch_8f3a99c0ff","ok":false}`,
		`POST /own/charges/ch_8f3a99c01b/refunds {"amount":1} => {"ok":true}`,
	)
}

// customerPays is a customer of an API that no profile knows, and a payment whose description repeats
// the number under which the customer is known.
func customerPays() []*leaf.Exchange {
	return tape(
		`POST /own/customers {"order":"ORD-10023"} => {"id":"cus_8f3a99c01b","order":"ORD-10023"}`,
		`GET /own/customers/ORD-10023 => {"id":"cus_8f3a99c01b"}`,
		`POST /own/payments {"customer":"cus_8f3a99c01b","amount":2000,"description":"Order ORD-10023"}`+
			` => {"ok":true}`,
	)
}

// cardOfHolder is a card of API v2, and the card is asked for.
func cardOfHolder() []*leaf.Exchange {
	return tape(
		`POST /v2/cardholders {"firstName":"A"} => {"id":"`+oldID+`"}`,
		`POST /v2/cards {"cardholder":"`+oldID+`","productName":"VISA"} => {"id":"`+oldID2+`"}`,
		`GET /v2/cards/`+oldID2+` => {"id":"`+oldID2+`"}`,
	)
}

// TestMissesTellTheTruth sends what comes near to a recording, and reads what a miss says of that.
func TestMissesTellTheTruth(t *testing.T) {
	t.Parallel()
	const (
		unread   = "no recording agrees: the body is no JSON, form or XML, or a broken one"
		unnamed  = "no recording agrees: the parameter without a name is not on tape"
		noCall   = "was issued in this run, to something about which the tape has no such call"
		otherWay = "the tape has getOrderStatusExtended.do under another spelling of its path: "
		holder   = `POST /v2/cardholders {"firstName":"B"}`
		charge   = `POST /own/charges {"amount":`
		customer = `POST /own/customers {"order":"%N"}`
		payment  = `POST /own/payments {"customer":"$id$","amount":%A,"description":"Order %N"}`
	)
	slashed := tape(registers("A-1")+registered(oldID),
		strings.Replace(status, ".do", ".do/", 1)+oldID+` => {"orderStatus":0}`)
	named := func(line, number, amount string) string {
		return strings.NewReplacer("%N", number, "%A", amount).Replace(line)
	}
	for _, test := range []struct {
		name      string
		tape      []*leaf.Exchange
		before    string // brings the id that the request may name
		send      string
		reason    match.Reason
		operation string
		says      string // the whole sentence
		hint      string // how it begins
	}{
		{"a slash at the end", checkout(), registers("B-1"), strings.Replace(status, ".do", ".do/", 1) + "$id$",
			match.BadPath, "getOrderStatusExtended.do", otherWay + "without a slash at the end",
			"spell the path as on tape, or record this call"},
		{"a double slash", checkout(), registers("B-1"), strings.Replace(status, "/rest", "//rest", 1) + "$id$",
			match.BadPath, "getOrderStatusExtended.do", otherWay + "without a double slash", "spell the path"},
		{"both", checkout(), registers("B-1"),
			strings.NewReplacer("/rest", "//rest", ".do", ".do/").Replace(status) + "$id$", match.BadPath,
			"getOrderStatusExtended.do", otherWay + "without a slash at the end and without a double slash", "spell"},
		{"a slash at the end on tape", slashed, registers("B-1"), status + "$id$", match.BadPath,
			"getOrderStatusExtended.do", otherWay + "with a slash at the end", "spell the path"},
		{"a double slash, and a slash at the end on tape", slashed, registers("B-1"),
			strings.Replace(status, "/rest", "//rest", 1) + "$id$", match.BadPath, "getOrderStatusExtended.do",
			otherWay + "with a slash at the end and without a double slash", "spell the path"},
		{"a slash behind a parameter of the path", cardOfHolder(), holder, "GET /v2/cards/$id$/", match.BadPath,
			"GET /cards/{id}", "the tape has GET /cards/{id} under another spelling of its path: " +
				"without a slash at the end", "spell the path"},
		{"a cardholder in the place of a card", cardOfHolder(), holder, "GET /v2/cards/$id$", match.UnknownIDs,
			"GET /cards/{id}", "this {id} names a thing of another kind than on tape",
			"send one that the answer of POST /cards (t#2) brings"},
		{"a thing of another API", append(twoCharges(), checkout()...), charge + "100}", status + "$id$",
			match.UnknownIDs, "getOrderStatusExtended.do", "this orderId names a thing of another kind than on tape",
			"send one that the answer of register.do"},
		{"a branch with which the tape does not go on", twoCharges(), charge + "300}", "GET /own/charges/$id$",
			match.UnknownIDs, "GET /own/charges/{}", "the id in segment 3 of the path " + noCall,
			"send one that the answer of POST /own/charges (t#1) brings, or record this call"},
		{"a write to that branch", twoCharges(), charge + "300}", `POST /own/charges/$id$/refunds {"amount":1}`,
			match.UnknownIDs, "POST /own/charges/{}/refunds", "the id in segment 3 of the path " + noCall, "send one"},
		{"an id of nobody's", twoCharges(), charge + "100}", "GET /own/charges/ch_000000000a", match.UnknownIDs,
			"GET /own/charges/{}", "the id in segment 3 of the path was not issued in this run",
			"call POST /own/charges (t#1) first"},
		{"broken JSON", twoCharges(), "", charge + "100", match.BadField, "POST /own/charges", unread,
			"send the body in the kind of body that was recorded, or record this call too"},
		{"no form", checkout(), "", "POST /payment/rest/register.do xxx", match.BadField, "register.do", unread,
			"send the body in the kind"},
		{"a body that is not on tape", twoCharges(), charge + "100}", "GET /own/charges/$id$ xxx", match.BadField,
			"GET /own/charges/{}", "no recording agrees: the body is not on tape", "leave out the body, or record"},
		{"a parameter without =", checkout(), registers("B-1"), status + "$id$&orderNumber", match.BadField,
			"getOrderStatusExtended.do", unnamed, "leave out the parameter without a name, or record"},
		{"a parameter without a name", checkout(), registers("B-1"), status + "$id$&=7", match.BadField,
			"getOrderStatusExtended.do", unnamed, "leave out the parameter without a name, or record"},
		{"a text with a live name in it, which is equal", customerPays(), named(customer, "ORD-10023", ""),
			named(payment, "ORD-10023", "2500"), match.BadField, "POST /own/payments",
			"no recording agrees: amount differs", "send amount=2000, record"},
		{"a text with a live name in it, which is another", customerPays(), named(customer, "ORD-77777", ""),
			named(payment, "ORD-77777", "2500"), match.BadField, "POST /own/payments",
			"no recording agrees: amount differs", "send amount=2000, record"},
		{"a text with another name around it", customerPays(), named(customer, "ORD-77777", ""),
			strings.Replace(named(payment, "ORD-77777", "2000"), "Order", "For", 1), match.BadField,
			"POST /own/payments", "no recording agrees: description differs", "send description=Order ORD-10023"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := replay(t, test.tape)
			if test.before != "" {
				body := s.hit(test.before)
				s.keep("id", strings.Replace(body, `"orderId"`, `"id"`, 1), `"id":"`)
			}
			m := s.miss(test.send)
			if m.Reason != test.reason || m.Operation != test.operation {
				t.Errorf("a miss (%s) of %s, want %s of %s", m.Reason, m.Operation, test.reason, test.operation)
			}
			if m.Sentence != test.says {
				t.Errorf("got  %s\nwant %s", m.Sentence, test.says)
			}
			if !strings.HasPrefix(m.Hint, test.hint) {
				t.Errorf("got the hint %q, want %q...", m.Hint, test.hint)
			}
		})
	}
}

// A description that the tape has word for word names what the call is about there, and nothing here: it is
// no difference between two equal values.
func TestEqualTextsAreNoDifference(t *testing.T) {
	t.Parallel()
	xs := tape(`POST /own/orders {"order":"ORD-10023","amount":5,"description":"Order ORD-10023"} => `+
		`{"id":"or_8f3a99c01b","order":"ORD-10023"}`, `GET /own/orders/ORD-10023 => {"order":"ORD-10023"}`)
	s := replay(t, xs)
	m := s.miss(`POST /own/orders {"order":"ORD-77777","amount":5,"description":"Order ORD-10023"}`)
	const want = "no recording agrees: description is the text that is on tape, and there it names what " +
		"the call is about"
	const hint = "send description with the name of what the call is about"
	if m.Sentence != want || !strings.HasPrefix(m.Hint, hint) {
		t.Errorf("got %s (%s)", m.Sentence, m.Hint)
	}
	m = s.miss(`POST /own/orders {"order":"ORD-77777","amount":6,"description":"Order ORD-77777"}`)
	if m.Sentence != "no recording agrees: amount differs" {
		t.Errorf("got %s", m.Sentence)
	}
	for _, n := range m.Near {
		for _, d := range n.Diffs {
			if d.Problem == match.Differs && d.Want == d.Got.Reveal() {
				t.Errorf("%s differs from what is equal", d.Path)
			}
		}
	}
}
