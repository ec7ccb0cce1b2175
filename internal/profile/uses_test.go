package profile_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// using is a call that names an entity and does not change it, and what is asked about the
// entity before and after.
type using struct {
	operation string
	entity    string
	// begin prepares a stand-in and returns the call and the questions.
	begin func(s *standIn) (call func() reply, asks []func() reply)
}

// usings has a row for every "uses" of the three profiles.
func usings() []using {
	rows := []using{
		{"paymentOrderBinding.do", "binding", func(s *standIn) (func() reply, []func() reply) {
			s.order("1", paysV, "")
			bound, next := s.get(s.bindings("C"), "bindingId"), s.order("2", "", "")
			return func() reply {
				return s.form("paymentOrderBinding.do", "mdOrder="+next+"&bindingId="+bound)
			}, []func() reply{func() reply { return s.bindings("C") }}
		}},
		{"recurrentPayment.do", "binding", func(s *standIn) (func() reply, []func() reply) {
			s.order("1", paysV, recurrent)
			bound := s.get(s.bindings("R"), "bindingId")
			return func() reply {
				return s.json("recurrentPayment.do",
					`"orderNumber":"2","amount":100,"bindingId":"`+bound+`"`)
			}, []func() reply{func() reply { return s.bindings("R") }}
		}},
		{"registerP2P.do", "binding", usingByP2P},
		{"registerP2P.do", "order", usingByP2P},
		{"performP2P.do", "binding", performing("performP2P.do", `"pan":"`+paysM+`",`)},
		{"performP2PByBinding.do", "binding", performing("performP2PByBinding.do", "")},
		{"createVirtualCard", "account", func(s *standIn) (func() reply, []func() reply) {
			account, _ := s.customer("K1")
			asks := []func() reply{}
			for _, op := range []string{"getAccountLimits", "getAllowedBeneficiaries",
				"getAllowedMccList"} {
				asks = append(asks, func() reply { return s.v1(op, `"accountNumber":"`+account+`"`) })
			}
			asks = append(asks, func() reply { return s.v1("getCustomerInfo", `"customerNumber":"K1"`) })
			return func() reply { return s.v1("createVirtualCard", newCard(account, "")) }, asks
		}},
		{"generateCVC2", "card", func(s *standIn) (func() reply, []func() reply) {
			account, card := s.customer("K1")
			cvc := func() reply { return s.v1("generateCVC2", byCard(card, "K1", "")) }
			asks := []func() reply{cvc, func() reply {
				return s.v1("getAccountData", `"accountNumber":"`+account+`"`)
			}}
			for _, op := range []string{"getCardData", "cardStatusInquiry", "getCardLimits",
				"getGeoRestrictions", "getTransactions"} {
				asks = append(asks, func() reply { return s.v1(op, byCard(card, "K1", ","+allTime)) })
			}
			return cvc, asks
		}},
		{"generateKey", "merchant", usingMerchant("generateKey", `"keyType":"ENKTTAK",`+
			`"keyLength":"ENKL_0016"`)},
		{"setKey", "merchant", usingMerchant("setKey", `"keyType":"ENKTTAK",`+
			`"key":"0123456789ABCDEF","newKeyPrefix":"U"`)},
	}
	for op, more := range map[string]string{
		"changeCardLimit": `,"limit":{"name":"LMTP0101","value":1}`, "blockCard": "",
		"generatePin": "", "changePin": `,"newPinData":"1234"`, "resetPinCounter": "",
		"generateCVC2":            "",
		"setGeoRestrictions":      `,"restrictions":{"countryId":40,"status":"ENABLED"}`,
		"creditCard":              strings.Replace(euros, "%s", "1", 1),
		"debitCard":               strings.Replace(euros, "%s", "1", 1),
		"setAllowedBeneficiaries": `,"beneficiaries":["1"]`,
		"setAllowedMccList":       `,"mccList":[5411]`,
		"serviceAction": `,"actionCode":"ACTION_CODE_ADD","serviceIdentification":{"serviceType":` +
			`"1","serviceId":"1","serviceObjectType":"SERVICE_OBJECT_CARD"}`,
	} {
		rows = append(rows, using{op, "customer", usingCustomer(
			func(s *standIn, _, card string) reply { return s.v1(op, byCard(card, "K1", more)) })})
	}
	return append(rows,
		using{"changeCardStatus", "customer", usingCustomer(
			func(s *standIn, _, card string) reply {
				s.v1("blockCard", byCard(card, "", ""))
				return s.v1("changeCardStatus", byCard(card, "K1", `,"hotCardStatus":0`))
			})},
		using{"createVirtualCard", "customer", usingCustomer(
			func(s *standIn, account, _ string) reply {
				return s.v1("createVirtualCard", newCard(account, `,"customerNumber":"K1"`))
			})},
		using{"p2PTransfer", "customer", usingCustomer(
			func(s *standIn, _, card string) reply {
				_, other := s.customer("K2")
				return s.v1("p2PTransfer", transferring(card, other, "K1", ""))
			})})
}

// usingByP2P registers a transfer with an order and a binding of before.
func usingByP2P(s *standIn) (func() reply, []func() reply) {
	paid := s.order("1", paysV, "")
	bound := s.get(s.bindings("C"), "bindingId")
	return func() reply {
			return s.registerP2P("p1", `,"debitMdOrder":"`+paid+`","creditBindingId":"`+bound+`"`)
		}, []func() reply{
			func() reply { return s.bindings("C") },
			func() reply { return s.form("getOrderStatusExtended.do", "orderId="+paid) },
		}
}

// performing pays out to a bound card.
func performing(op, card string) func(s *standIn) (func() reply, []func() reply) {
	return func(s *standIn) (func() reply, []func() reply) {
		s.order("1", paysV, "")
		bound := s.get(s.bindings("C"), "bindingId")
		order := s.get(s.registerP2P("p1", ""), "orderId")
		return func() reply {
			return s.json("rest/api/p2p/"+op, `"orderId":"`+order+`","type":"WITHOUT_FROM_CARD",`+
				`"toCard":{`+card+`"bindingId":"`+bound+`"}`)
		}, []func() reply{func() reply { return s.bindings("C") }}
	}
}

func usingMerchant(op, more string) func(s *standIn) (func() reply, []func() reply) {
	return func(s *standIn) (func() reply, []func() reply) {
		_, card := s.customer("K1")
		s.credit(card, "K1")
		s.v1("debitCard", byCard(card, "K1", strings.Replace(euros, "%s", "100", 1)+acceptor))
		return func() reply {
				return s.v1(op, `"merchantNumber":"M0000001","terminalNumber":"T0000001","hostId":1,`+more)
			}, []func() reply{
				func() reply {
					return s.v1("getMerchantTransactions",
						`"merchantId":"M0000001","institutionId":"1001",`+allTime)
				},
				func() reply {
					return s.v1("getPaymentOrders",
						`"merchantNumber":"M0000001","institutionId":"1001",`+allTime)
				},
				func() reply {
					return s.v1("changeMerchantStatus", `"merchantNumber":"M0000001",`+
						`"institutionId":"1001","agentId":"1001","customerNumber":"900001",`+
						`"contractNumber":"800001","status":"ACTIVE"`)
				},
			}
	}
}

// usingCustomer does something to a card. What is told of a customer beside the account and
// the cards, which are parts, is that there is one and the name.
func usingCustomer(do func(s *standIn, account, card string) reply,
) func(s *standIn) (func() reply, []func() reply) {
	return func(s *standIn) (func() reply, []func() reply) {
		account, card := s.customer("K1")
		s.credit(card, "K1")
		return func() reply { return do(s, account, card) }, []func() reply{
			func() reply { return s.v1("isCustomerExist", `"customerNumber":"K1"`) },
			func() reply {
				r := s.v1("getCustomerInfo", `"customerNumber":"K1"`)
				r.body = s.get(r, "customerNumber") + s.get(r, "customerName")
				return r
			},
		}
	}
}

// An entity that is only used answers everything as before.
func TestUsesChangeNothing(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	for _, u := range usings() {
		t.Run(u.operation+" "+u.entity, func(t *testing.T) {
			t.Parallel()
			s := newStandIn(t)
			call, asks := u.begin(s)
			var before []reply
			for _, ask := range asks {
				before = append(before, ask())
			}
			done := call()
			c := set.Find(done.method, done.path)
			if c.Operation == nil || c.Operation.Name != u.operation {
				t.Fatalf("that was another operation: %s", done.path)
			}
			if c.Fails(done.status, done.find) {
				t.Fatalf("the call has failed with status %d", done.status)
			}
			for i, ask := range asks {
				if after := ask(); before[i].status != http.StatusOK || after != before[i] {
					t.Errorf("%s answers otherwise: status %d", after.path, after.status)
				}
			}
		})
	}
}

// The variants that only look leave everything as it was.
func TestReadsChangeNothing(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	s := newStandIn(t)
	account, card := s.customer("K1")
	_, other := s.customer("K2")
	s.credit(card, "K1")
	rrn := s.get(s.v1("p2PTransfer", transferring(card, other, "", "")), "rrn")
	service := func(action string) string {
		return byCard(card, "", `,"actionCode":"`+action+`","serviceIdentification":{"serviceType":`+
			`"1","serviceId":"1","serviceObjectType":"SERVICE_OBJECT_CARD"}`)
	}
	s.v1("serviceAction", service("ACTION_CODE_ADD"))
	for name, look := range map[string]struct {
		operation, key, value string
		call                  func() reply
	}{
		"an earlier transfer": {"p2PTransfer", "rrn", rrn, func() reply {
			return s.v1("p2PTransfer", transferring(card, other, "",
				`,"originalTransactionParameters":{"rrn":"`+rrn+`"}`))
		}},
		"whether a card could have a PIN": {"generatePin", "checkcardonly", "true", func() reply {
			return s.v1("generatePin", byCard(card, "", `,"checkCardOnly":true`))
		}},
		"whether a service is there": {"serviceAction", "actioncode", "ACTION_CODE_CHECK",
			func() reply { return s.v1("serviceAction", service("ACTION_CODE_CHECK")) }},
	} {
		before := s.v1("getAccountData", `"accountNumber":"`+account+`"`)
		done := look.call()
		c := set.Find(done.method, done.path)
		values, found := c.Operation.Reads[look.key]
		if !found || values != nil && !slices.Contains(values, look.value) {
			t.Errorf("%s: %s is %v in the profile", name, look.key, values)
		}
		if c.Operation.Name != look.operation || c.Fails(done.status, done.find) {
			t.Errorf("%s: %s: status %d", name, done.path, done.status)
		}
		if after := s.v1("getAccountData", `"accountNumber":"`+account+`"`); after != before {
			t.Errorf("%s: the account is another", name)
		}
	}
}

// Nothing is only used that was not tried.
func TestEveryUseIsTried(t *testing.T) {
	t.Parallel()
	var tried, told []string
	for _, u := range usings() {
		tried = append(tried, u.operation+" "+u.entity)
	}
	for _, p := range builtin(t).Profiles() {
		for _, o := range p.Operations {
			for _, entity := range o.Uses {
				told = append(told, o.Name+" "+entity)
			}
		}
	}
	slices.Sort(tried)
	slices.Sort(told)
	if diff := cmp.Diff(told, tried); diff != "" {
		t.Error(diff)
	}
}
