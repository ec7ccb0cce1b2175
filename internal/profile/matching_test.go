package profile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paytape/paytape/internal/profile"
)

// anyRule leaves the names of rows out of comparisons of what they say, and bounds, which have a
// test of their own.
var anyRule = cmpopts.IgnoreFields(profile.Field{}, "Rule", "Max", "As", "Deadline")

// The rows on which matching relies most, each with its reason.
func TestFieldsThatMatchingReliesOn(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	const v1 = "/v1/apigate/ws/rest/"
	shape := func(k, s string) profile.At { return profile.At{Key: k, Shape: s} }
	minted := func(of string) profile.Field { return profile.Field{From: profile.Minted, Of: of} }
	unique := func(of string) profile.Field { return profile.Field{From: profile.Unique, Of: of} }
	shared := func(of string) profile.Field { return profile.Field{From: profile.Shared, Of: of} }
	follows := func(form profile.Form, of string) profile.Field {
		return profile.Field{From: profile.Rendering, Form: form, Of: of}
	}
	date := func(f profile.Form) profile.Field {
		return profile.Field{From: profile.Date, Form: f}
	}
	tests := []struct {
		reason       string
		method, path string
		dir          profile.Direction
		at           profile.At
		want         profile.Field
	}{
		{"the order id under the name that paymentorder.do has for it", "POST",
			"/payment/rest/paymentorder.do", profile.Request, key("MDORDER"), minted("order")},
		{"the order id among the attributes of a status", "POST",
			"/payment/rest/getOrderStatusExtended.do", profile.Response,
			profile.At{Key: "value", Name: "mdOrder", Shape: "attributes.value"}, minted("order")},
		{"the same in an order inside an answer", "POST", "/payment/recurrentPayment.do",
			profile.Response, profile.At{Key: "value", Name: "mdOrder",
				Shape: "orderStatus.attributes.value"}, minted("order")},
		{"an earlier order joins", "POST", "/payment/rest/api/p2p/registerP2P.do",
			profile.Request, key("debitMdOrder"), minted("order")},
		{"the shop's number", "GET", "/payment/rest/register.do", profile.Request,
			key("orderNumber"), unique("order-number")},
		{"who pays", "GET", "/payment/rest/getBindings.do", profile.Request, key("clientId"),
			shared("client")},
		{"who asks, by either name", "POST", "/payment/rest/api/p2p/getP2PStatus.do",
			profile.Request, key("username"), shared("login")},
		{"a masked number called pan", "POST", "/payment/rest/getOrderStatusExtended.do",
			profile.Response, shape("pan", "cardAuthInfo.pan"), follows(profile.Mask, "card")},
		{"a full number called pan", "POST", "/payment/rest/api/p2p/performP2P.do",
			profile.Request, shape("pan", "toCard.pan"),
			profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}},
		{"the gateway's name for an rrn", "POST", "/payment/rest/getOrderStatusExtended.do",
			profile.Response, key("authRefNum"), minted("rrn")},
		{"the gateway's dates", "POST", "/payment/rest/getOrderStatusExtended.do",
			profile.Response, key("date"),
			profile.Field{From: profile.Date, Form: profile.EpochMS, Tells: profile.Born}},
		{"in a document inside a form", "POST", "/payment/rest/paymentorder.do",
			profile.Request, shape("recurringExpiry", "jsonParams>recurringExpiry"),
			date(profile.Compact)},
		{"half an expiry", "POST", "/payment/rest/paymentorder.do", profile.Request,
			key("YYYY"), date(profile.Year)},
		{"a number chosen in a list", "POST", v1 + "registerCustomer", profile.Request,
			profile.At{Key: "value", Name: "customer_number", Shape: "parameters.value"},
			unique("customer")},
		{"a template is no card", "POST", v1 + "createVirtualCard", profile.Request,
			shape("cardNumber", "cardIdentification.cardNumber"), profile.Field{}},
		{"an issued card", "POST", v1 + "createVirtualCard", profile.Response,
			shape("cardNumber", "virtualCardIdentification.cardNumber"),
			profile.Field{From: profile.Minted, Of: "card", Secret: profile.PAN}},
		{"a used card", "POST", v1 + "p2PTransfer", profile.Request,
			shape("cardNumber", "destinationCardIdentification.cardNumber"),
			profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}},
		{"utrnno is the rrn without padding", "POST", v1 + "getTransactions",
			profile.Response, shape("utrnno", "transactions.utrnno"),
			follows(profile.Unpadded, "rrn")},
		{"authorizationIdResponse is its end", "POST", v1 + "creditCard", profile.Response,
			key("authorizationIdResponse"), follows(profile.Last, "rrn")},
		{"the number of an account", "POST", v1 + "getAccountData", profile.Response,
			shape("number", "accountData.number"), minted("account")},
		{"a limit's name is no name of its value", "POST", v1 + "changeCardLimit",
			profile.Request,
			profile.At{Key: "value", Name: "email", Shape: "limit.value"}, profile.Field{}},
		{"v2 calls everything id: a cardholder", "POST", "/v2/cardholders", profile.Response,
			key("id"), minted("cardholder")},
		{"a card", "PATCH", "/v2/cards/1", profile.Request, shape("id", "2"),
			minted("card-id")},
		{"a top-up", "POST", "/v2/topups", profile.Response, key("id"), minted("topup")},
		{"a transfer in a list", "GET", "/v2/transfers", profile.Response,
			shape("id", "transfers.id"), minted("transfer")},
		{"nobody's birth moves", "POST", "/v2/cardholders", profile.Request,
			key("dateOfBirth"), profile.Field{From: profile.Shared, Secret: profile.Birth}},
		{"a date that may be empty", "GET", "/v2/cards/1", profile.Response,
			key("blockingDate"), date(profile.ISO)},
		{"a page of the gateway's own", "POST", "/payment/rest/register.do",
			profile.Response, key("formUrl"), profile.Field{Address: true}},
		{"a page of the shop's", "POST", "/payment/rest/register.do", profile.Request,
			key("returnUrl"), shared("")},
		{"where the shop is called back", "POST", "/payment/rest/register.do", profile.Request,
			key("dynamicCallbackUrl"), shared("")},
		{"the same of a held payment", "POST", "/payment/rest/registerPreAuth.do", profile.Request,
			key("dynamicCallbackUrl"), shared("")},
		{"the same of a transfer", "POST", "/payment/rest/api/p2p/registerP2P.do", profile.Request,
			key("dynamicCallbackUrl"), shared("")},
		{"a payer's telephone in a document inside a form", "POST", "/payment/rest/register.do",
			profile.Request, shape("phone", "jsonParams>phone"),
			profile.Field{From: profile.Shared, Secret: profile.Phone}},
		{"a payer's name there", "POST", "/payment/rest/paymentorder.do",
			profile.Request, shape("name", "jsonParams>name"),
			profile.Field{From: profile.Shared, Secret: profile.Name}},
		{"the same as the status has it", "POST", "/payment/rest/getOrderStatusExtended.do",
			profile.Response,
			profile.At{Key: "value", Name: "name", Shape: "merchantOrderParams.value"},
			profile.Field{From: profile.Shared, Secret: profile.Name}},
		{"which is not the name of a pair", "POST", "/payment/rest/getOrderStatusExtended.do",
			profile.Response, shape("name", "merchantOrderParams.name"), profile.Field{}},
		{"the client's number of a customer", "POST", v1 + "createVirtualCard", profile.Request,
			shape("customerId", "cardIdentification.customerId"), unique("customer")},
		{"which an answer may have as another id", "POST", v1 + "getCardData", profile.Response,
			shape("personId", "cardData.personId"), minted("customer")},
		{"an order's number that no client sends", "POST", v1 + "getPaymentOrders",
			profile.Response, shape("orderNumber", "orderList.orderNumber"), minted("order-number")},
		{"what the payer answers at the ACS", "POST", "/payment/acs/answer", profile.Request,
			key("password"),
			profile.Field{From: profile.Shared, Secret: profile.Token, Decides: true}},
		{"a card that nobody can read", "POST", "/payment/rest/paymentorder.do", profile.Request,
			key("seToken"),
			profile.Field{From: profile.Ignored, Secret: profile.Token, Decides: true}},
		{"a cardholder's in an update that is not shown", "PUT", "/v2/cardholders/1",
			profile.Request, key("lastName"),
			profile.Field{From: profile.Shared, Secret: profile.Name}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			got, _ := s.Field(s.Find(tt.method, tt.path), tt.dir, tt.at)
			if diff := cmp.Diff(tt.want, got, anyRule); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What the documents show of other operations only has one meaning in the API.
func TestMeaningsThatMatchingReliesOn(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	const v1 = "/v1/apigate/ws/rest/"
	tests := []struct {
		path, key string
		dir       profile.Direction
		want      profile.Field
	}{
		{v1 + "cardStatusInquiry", "rrn", profile.Response,
			profile.Field{From: profile.Minted, Of: "rrn"}},
		{v1 + "cardStatusInquiry", "systemTraceAuditNumber", profile.Response,
			profile.Field{From: profile.Minted, Of: "stan"}},
		{v1 + "serviceAction", "localTransactionDate", profile.Response,
			profile.Field{From: profile.Date, Form: profile.ISO, Tells: profile.Done}},
		{v1 + "notDescribed", "authorizationIdResponse", profile.Response,
			profile.Field{From: profile.Rendering, Form: profile.Last, Of: "rrn"}},
		{"/payment/rest/deposit.do", "authRefNum", profile.Response,
			profile.Field{From: profile.Minted, Of: "rrn"}},
		{"/payment/rest/deposit.do", "depositedDate", profile.Response,
			profile.Field{From: profile.Date, Form: profile.EpochMS}},
		{"/payment/rest/notDescribed.do", "mdOrder", profile.Request,
			profile.Field{From: profile.Minted, Of: "order"}},
		{"/payment/rest/getOrderStatus.do", "debitMdOrder", profile.Response,
			profile.Field{From: profile.Minted, Of: "order"}},
	}
	for _, tt := range tests {
		got, known := s.Meaning(s.Find("POST", tt.path), tt.dir, key(tt.key))
		if diff := cmp.Diff(tt.want, got, anyRule); diff != "" || !known {
			t.Errorf("%s: %s: known %v %s", tt.path, tt.key, known, diff)
		}
	}
}

// Headers that take part in matching are the credentials, and nothing else.
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	credential := profile.Field{From: profile.Shared, Of: "credential", Secret: profile.Token}
	token := profile.Field{From: profile.Ignored, Secret: profile.Token}
	tests := []struct {
		method, path, header string
		dir                  profile.Direction
		want                 profile.Field
	}{
		{"POST", "/v1/apigate/ws/rest/blockCard", "Authorization", profile.Request, credential},
		{"GET", "/v2/cards/1", "X-Api-Key", profile.Request, credential},
		{"POST", "/payment/rest/register.do", "Authorization", profile.Request, token},
		{"POST", "/payment/rest/register.do", "Cookie", profile.Request, token},
		{"GET", "/v2/cards/1", "Request-Id", profile.Response,
			profile.Field{From: profile.Minted, Of: "request-id"}},
		{"GET", "/payment/acsRedirect.do", "Location", profile.Response,
			profile.Field{Address: true}},
		{"GET", "/", "Set-Cookie", profile.Response, profile.Field{Secret: profile.Token}},
	}
	for _, tt := range tests {
		got, known := s.HeaderField(s.Find(tt.method, tt.path), tt.dir, tt.header)
		if diff := cmp.Diff(tt.want, got, anyRule); diff != "" || !known {
			t.Errorf("%s %s: %s: known %v %s", tt.method, tt.path, tt.header, known, diff)
		}
	}
}

// What a client's packed message holds and no row has must not cause misses; what rows have
// identifies its thread.
func TestInsideAnIgnoredText(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	calls := map[string]profile.Call{
		"":                          s.Find("POST", "/payment/rest/elsewhere.do"),
		"params>note":               s.Find("POST", "/payment/rest/addParams.do"),
		"additionalParameters.note": s.Find("POST", "/payment/recurrentPayment.do"),
	}
	tests := []struct {
		reason string
		shape  string
		want   profile.Field
		known  bool
	}{
		{"data of the browser", "creq>browserUserAgent", profile.Field{From: profile.Ignored}, false},
		{"inside a page", "body.form.cres>a.b", profile.Field{From: profile.Ignored}, false},
		{"two texts deep", "creq>data>x", profile.Field{From: profile.Ignored}, false},
		{"an id that came from the gateway", "creq>threeDSServerTransID",
			profile.Field{From: profile.Minted, Of: "tds-transaction"}, true},
		{"inside a text that is not ignored", "jsonParams>x", profile.Field{}, false},
		{"in an object", "creq.x", profile.Field{From: profile.Ignored}, false},
		{"the client's own names", "params>note", profile.Field{From: profile.Shared}, false},
		{"the same in an object", "additionalParameters.note",
			profile.Field{From: profile.Shared}, false},
	}
	for _, tt := range tests {
		at := profile.At{Key: tt.shape[strings.LastIndexAny(tt.shape, ".>")+1:], Shape: tt.shape}
		call, special := calls[tt.shape]
		if !special {
			call = calls[""]
		}
		got, known := s.Field(call, profile.Request, at)
		if got != tt.want || known != tt.known {
			t.Errorf("%s: got %+v, %v", tt.reason, got, known)
		}
	}
}

// What an API refuses in a field by its look: the rows of the documents' tables.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	const p2p = "/payment/rest/api/p2p/registerP2P.do"
	for _, tt := range []struct {
		path, key string
		want      profile.Field
	}{
		{"/payment/rest/register.do", "returnUrl", profile.Field{Max: 512, As: profile.FullURL}},
		{"/payment/rest/register.do", "orderNumber", profile.Field{Max: 36}},
		{"/payment/rest/register.do", "email", profile.Field{Max: 254, As: profile.MailShape}},
		{"/payment/rest/register.do", "expirationDate", profile.Field{Deadline: true}},
		{"/payment/rest/register.do", "amount", profile.Field{}},
		{p2p, "dynamicCallbackUrl", profile.Field{Max: 512, As: profile.WebURL}},
		{p2p, "orderDescription", profile.Field{Max: 600}},
		{"/payment/rest/api/p2p/performP2P.do", "ip", profile.Field{As: profile.IPShape}},
		{"/v1/apigate/ws/rest/registerCustomer", "customer_number", profile.Field{Max: 255}},
		{"/v1/apigate/ws/rest/generatePin", "encryptedPinValue", profile.Field{}},
	} {
		f, _ := s.Field(s.Find("POST", tt.path), profile.Request,
			profile.At{Key: tt.key, Name: tt.key, Shape: tt.key})
		got := profile.Field{Max: f.Max, As: f.As, Deadline: f.Deadline}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s of %s: %s", tt.key, tt.path, diff)
		}
	}
}
