package profile_test

import (
	"net/http"
	"strings"
	"testing"
)

// What fails at the stand-ins fails by the profiles, and what is done does not.
func TestFailedAtTheStandIns(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	s := newStandIn(t)
	paid, held := s.order("1", paysV, ""), s.order("2", "", "")
	account, card := s.customer("K1")
	s.credit(card, "K1")
	id, number, expiry := s.v2card()
	_, other, _ := s.v2card()
	s.topUp(number)
	p2p := s.get(s.registerP2P("p1", ""), "orderId")
	page := "/payment/merchants/sandbox-api/payment_en.html?mdOrder=" + held
	entered := func(card string) string {
		return "$PAN=" + card + "&$CVC=123&MM=12&YYYY=2030&TEXT=Test+Person"
	}
	tests := []struct {
		name string
		got  reply
		want bool
	}{
		{"register.do, which has no errorCode", s.form("register.do",
			"amount=1&returnUrl=https://shop.example/&orderNumber=3"), false},
		{"a number again", s.form("register.do",
			"amount=1&returnUrl=https://shop.example/&orderNumber=3"), true},
		{"a payment again, whose code is a number", s.form("paymentorder.do", paying(paid, paysV)), true},
		{"a payment that the bank declines", s.form("paymentorder.do",
			paying(s.order("4", "", ""), declined)), false},
		{"a status, whose code is a text", s.form("getOrderStatusExtended.do", "orderId="+paid), false},
		{"no such order", s.form("getOrderStatusExtended.do", "orderId=none"), true},
		{"the old status, in capitals", s.form("getOrderStatus.do", "orderId="+paid), false},
		{"no such order in capitals", s.form("getOrderStatus.do", "orderId=none"), true},
		{"a refund", s.form("refund.do", "amount=100&orderId="+paid), false},
		{"a deposit of what is paid", s.form("deposit.do", "amount=0&orderId="+paid), true},
		{"a bad login", s.send(http.MethodPost, "/payment/rest/register.do", "userName=x"), true},
		{"a registered transfer", s.registerP2P("p2", ""), false},
		{"a transfer of a number again", s.registerP2P("p2", ""), true},
		{"no binding to pay with", s.json("recurrentPayment.do",
			`"orderNumber":"5","bindingId":"none","amount":100`), true},
		{"no binding to pay an instalment with", s.json("installmentPayment.do",
			`"orderNumber":"5","bindingId":"none","amount":100`), true},
		{"the status of a transfer", s.json("rest/api/p2p/getP2PStatus.do",
			`"orderId":"`+p2p+`"`), false},
		{"wrong card data at the page", s.send(http.MethodPost, page, entered("4111")), true},
		{"the page", s.send(http.MethodPost, page, entered(paysV)), false},

		{"a debit", s.v1("debitCard", byCard(card, "K1", `,"amount":100,"currency":978`)), false},
		{"a debit that the bank declines", s.v1("debitCard",
			byCard(card, "K1", `,"amount":9999999,"currency":978`)), true},
		{"a card that is active already", s.v1("changeCardStatus",
			byCard(card, "K1", `,"hotCardStatus":0`)), true},
		{"an answer without a code", s.v1("getAccountData", `"accountNumber":"`+account+`"`), false},
		{"no such account", s.v1("getAccountData", `"accountNumber":"1"`), true},
		{"sales, which have codes that are numbers", s.sales(card), false},

		{"a top-up", s.topUp(number), false},
		{"a transfer of version 2", s.transfer(number, expiry, other, "1"), false},
		{"a transfer that is declined", s.transfer(number, expiry, other, "99999"), true},
		{"a card of nobody", s.send(http.MethodPost, "/v2/cards", `{"productName":"VISA"}`), true},
		{"a change", s.send(http.MethodPatch, "/v2/cards/"+id, `{"status":"blocked"}`), false},
		{"a blocked card again", s.send(http.MethodPatch, "/v2/cards/"+id, `{"status":"blocked"}`), true},
		{"a top-up that is declined", s.topUp(number), true},
		{"no such card", s.send(http.MethodGet, "/v2/cards/1", ""), true},
	}
	for _, tt := range tests {
		c := set.Find(tt.got.method, tt.got.path)
		if c.Operation == nil {
			t.Errorf("%s: nobody knows %s %s", tt.name, tt.got.method, tt.got.path)
			continue
		}
		if got := c.Fails(tt.got.status, tt.got.find); got != tt.want {
			t.Errorf("%s: %s: failed %v, status %d", tt.name, c.Operation.Name, got, tt.got.status)
		}
	}
}

// sales buys with a card and lists what the merchant has sold.
func (s *standIn) sales(card string) reply {
	s.t.Helper()
	s.v1("debitCard", byCard(card, "K1", strings.Replace(euros, "%s", "100", 1)+acceptor))
	return s.v1("getMerchantTransactions", `"merchantId":"M0000001","institutionId":"1001",`+allTime)
}
