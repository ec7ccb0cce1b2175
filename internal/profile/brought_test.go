package profile_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Test numbers of the sandbox whose payments demand 3-D Secure: with a challenge, without the
// payer, and in version 1.
const (
	challenged   = "500000" + "1111111115"
	frictionless = "400000" + "0000001000"
	secure1      = "421234" + "5678901237"
)

// bringing is a call that brings an entity without showing it.
type bringing struct {
	entity, operation string
	bring             func(s *standIn) reply
	shows             func(s *standIn) reply // the list, which has the entity afterwards
	id, noun          string                 // the field of the list that names the entity
}

func bindingBy(operation string, bring func(s *standIn) reply) bringing {
	return bringing{"binding", operation, bring,
		func(s *standIn) reply { return s.bindings("C") }, "bindingId", "binding"}
}

func transactionBy(operation string, bring func(s *standIn, card string) reply) bringing {
	card := ""
	return bringing{"transaction", operation, func(s *standIn) reply {
		_, card = s.customer("K1")
		return bring(s, card)
	}, func(s *standIn) reply {
		return s.v1("getTransactions", byCard(card, "", ","+allTime))
	}, "utrnno", "rrn"}
}

// bringings has a row for every "brought" of the three profiles.
func bringings() []bringing {
	return []bringing{
		bindingBy("paymentorder.do", func(s *standIn) reply {
			return s.form("paymentorder.do", paying(s.order("1", "", ""), paysV))
		}),
		bindingBy("continue.do", func(s *standIn) reply {
			return s.form("3ds/continue.do", "mdOrder="+s.order("1", frictionless, ""))
		}),
		bindingBy("notificationURL", func(s *standIn) reply {
			_, cres := s.challenge(s.form("paymentorder.do", paying(s.order("1", "", ""), challenged)))
			return s.send(http.MethodPost, "/payment/3ds/notification", "cres="+url.QueryEscape(cres))
		}),
		bindingBy("finish3dsVer2Payment.do", func(s *standIn) reply {
			id, _ := s.challenge(s.form("paymentorder.do",
				paying(s.order("1", "", ""), challenged)+"&threeDSVer2FinishUrl=https://shop.example/"))
			return s.form("finish3dsVer2Payment.do", "threeDSServerTransId="+id)
		}),
		bindingBy("finish3ds.do", func(s *standIn) reply {
			order := s.order("1", "", "")
			demand := s.form("paymentorder.do", paying(order, secure1))
			page := s.send(http.MethodPost, "/payment/acs/answer", url.Values{
				"PaReq": {s.get(demand, "paReq")}, "MD": {order}, "action": {"confirm"},
				"TermUrl": {s.get(demand, "termUrl")}, "password": {"12345678"}}.Encode())
			return s.send(http.MethodPost, "/payment/rest/finish3ds.do",
				url.Values{"MD": {order}, "PaRes": {page.input("PaRes")}}.Encode())
		}),
		bindingBy("formUrl form", func(s *standIn) reply {
			return s.send(http.MethodPost, "/payment/merchants/sandbox-api/payment_en.html?mdOrder="+
				s.order("1", "", ""), "$PAN="+paysV+"&$CVC=123&MM=12&YYYY=2030")
		}),
		bindingBy("performP2P.do", func(s *standIn) reply { return s.move("performP2P.do", paysV) }),
		bindingBy("performP2PByBinding.do", func(s *standIn) reply {
			return s.move("performP2PByBinding.do", paysV)
		}),
		bindingBy("finishThreeDsVer2.do", func(s *standIn) reply {
			id, _ := s.challenge(s.move("performP2P.do", challenged))
			return s.send(http.MethodPost, "/payment/rest/api/p2p/finishThreeDsVer2.do",
				formLogin+"tDsTransId="+id)
		}),
		transactionBy("blockCard", func(s *standIn, card string) reply {
			return s.v1("blockCard", byCard(card, "", ""))
		}),
		transactionBy("changeCardLimit", func(s *standIn, card string) reply {
			return s.v1("changeCardLimit", byCard(card, "", `,"limit":{"name":"LMTP0101","value":1}`))
		}),
		transactionBy("changeCardStatus", func(s *standIn, card string) reply {
			s.v1("blockCard", byCard(card, "", ""))
			return s.v1("changeCardStatus", byCard(card, "", `,"hotCardStatus":0`))
		}),
		{"payment-order", "debitCard", func(s *standIn) reply {
			_, card := s.customer("K1")
			s.credit(card, "K1")
			return s.v1("debitCard",
				byCard(card, "", strings.Replace(euros, "%s", "100", 1)+acceptor))
		}, func(s *standIn) reply {
			return s.v1("getPaymentOrders",
				`"merchantNumber":"M0000001","institutionId":"1001",`+allTime)
		}, "id", "order"},
	}
}

// move transfers money from a card to another, for a client who wants a binding.
func (s *standIn) move(op, from string) reply {
	s.t.Helper()
	card := func(number string) string {
		return `{"pan":"` + number + `","expirationYear":2030,"expirationMonth":12,"cvc":"123"}`
	}
	order := s.get(s.json("rest/api/p2p/registerP2P.do", `"orderNumber":"p1","amount":1500,`+
		`"currency":"978","returnUrl":"https://shop.example/","transactionTypeIndicator":"A",`+
		`"clientId":"C7","features":{"feature":["FORCE_CREATE_BINDING"]}`), "orderId")
	return s.json("rest/api/p2p/"+op, `"orderId":"`+order+`","email":"a@shop.example",`+
		`"fromCard":`+card(from)+`,"toCard":`+card(paysM))
}

// challenge lets the payer of a demand answer at the ACS, and returns the id of the
// transaction and the message that comes back.
func (s *standIn) challenge(demand reply) (id, cres string) {
	s.t.Helper()
	id = s.get(demand, "threeDSServerTransId")
	last := s.form("getLastOrdersForMerchants.do", "size=1&from=20260101000000&to=20270101000000&"+
		"transactionStates=CREATED&searchByCreatedDate=true")
	_, order, _ := strings.Cut(last.body, `"mdOrder","value":"`)
	order, _, _ = strings.Cut(order, `"`)
	creq := s.get(s.form("3ds/continue.do", "mdOrder="+order), "packedCReq")
	page := s.send(http.MethodPost, "/payment/acs/answer",
		"action=confirm&password=12345678&creq="+creq)
	return id, page.input("cres")
}

// input returns the value of a hidden input.
func (r reply) input(name string) string {
	_, rest, _ := strings.Cut(r.body, `name="`+name+`" value="`)
	value, _, _ := strings.Cut(rest, `"`)
	return strings.ReplaceAll(value, "&#43;", "+")
}

// What a call brings is in the list afterwards, was not before, and is not in the answer.
func TestBroughtAtTheStandIns(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	for _, b := range bringings() {
		t.Run(b.operation, func(t *testing.T) {
			t.Parallel()
			s := newStandIn(t)
			done := b.bring(s)
			c := set.Find(done.method, done.path)
			if c.Operation == nil || c.Operation.Name != b.operation {
				t.Fatalf("that was another operation: %s", done.path)
			}
			list := b.shows(s)
			id, found := list.find(b.id)
			if !found {
				t.Fatalf("it has brought nothing: status %d, then %d", done.status, list.status)
			}
			if strings.Contains(done.body, id) {
				t.Errorf("the answer shows it")
			}
			if e := c.Profile.Entity(b.noun); e == nil || e.Name != b.entity {
				t.Errorf("%s names %v", b.noun, e)
			}
		})
	}
}

// Nothing is brought that was not tried.
func TestEveryBringingIsTried(t *testing.T) {
	t.Parallel()
	var tried, told []string
	for _, b := range bringings() {
		tried = append(tried, b.entity+" "+b.operation)
	}
	for _, p := range builtin(t).Profiles() {
		for _, e := range p.Entities {
			for _, operation := range e.Brought {
				told = append(told, e.Name+" "+operation)
			}
		}
	}
	slices.Sort(tried)
	slices.Sort(told)
	if diff := cmp.Diff(told, tried); diff != "" {
		t.Error(diff)
	}
}
