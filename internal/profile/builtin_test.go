package profile_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

// table reads a file of tab-separated rows; "#" begins a comment.
func table(t *testing.T, file string) [][]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return rows
}

func TestOperations(t *testing.T) {
	t.Parallel()
	want := table(t, "testdata/operations.txt")
	var got [][]string
	for _, p := range builtin(t).Profiles() {
		for _, o := range p.Operations {
			effect, opens := "reads", "-"
			if o.Writes {
				effect = "writes"
			}
			if o.Opens != "" {
				opens = o.Opens
			}
			got = append(got, []string{p.Name, o.Name, strings.Join(o.Methods, ","), o.Path,
				string(o.Carrier), effect, opens})
			if !strings.HasPrefix(o.Doc, "document ") && !strings.HasPrefix(o.Doc, "domain facts, ") {
				t.Errorf("%s: doc is %q", o.Name, o.Doc)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// documented is a line of testdata/fields.txt.
type documented struct {
	call  profile.Call
	dir   profile.Direction
	place string
	kind  string
}

// look asks the set for the field at the place.
func (d documented) look(s *profile.Set) (profile.Field, bool) {
	kind, name, found := strings.Cut(d.place, " ")
	switch {
	case found && kind == "header":
		return s.HeaderField(d.call, d.dir, name)
	case found: // the segment of a path parameter has no shape of its own
		return s.Field(d.call, d.dir, profile.At{Key: name, Shape: "2"})
	}
	if list, rest, found := strings.Cut(d.place, "("); found {
		return s.Field(d.call, d.dir, profile.At{
			Key: "value", Name: strings.TrimSuffix(rest, ")"), Shape: list + ".value"})
	}
	last := strings.LastIndexAny(d.place, ".>")
	return s.Field(d.call, d.dir, profile.At{Key: d.place[last+1:], Shape: d.place})
}

func is[T comparable](v T, among ...T) bool { return slices.Contains(among, v) }

func clear(f profile.Field) bool { return f.Secret == profile.NotSecret }

// kinds say what must be known of the fields of a kind.
var kinds = map[string]func(profile.Field) bool{
	"plain": func(f profile.Field) bool {
		return clear(f) && is(f.From, profile.Exact, profile.Shared, profile.Ignored) && f.Of == ""
	},
	"client": func(f profile.Field) bool {
		return clear(f) && is(f.From, profile.Unique, profile.Shared)
	},
	"minted": func(f profile.Field) bool {
		return clear(f) && (f.From == profile.Minted || f.Address ||
			f.From == profile.Rendering && is(f.Form, profile.Last, profile.Unpadded))
	},
	"date": func(f profile.Field) bool { return clear(f) && f.From == profile.Date },
	"mask": func(f profile.Field) bool {
		return clear(f) && f.From == profile.Rendering && f.Of == "card"
	},
	"card": func(f profile.Field) bool {
		return f.Secret == profile.PAN && f.Of == "card" &&
			is(f.From, profile.Shared, profile.Minted)
	},
	"template": func(f profile.Field) bool { return f == profile.Field{} },
	"cvc":      func(f profile.Field) bool { return f.Secret == profile.CVC && f.Of == "" },
	"pin":      func(f profile.Field) bool { return f.Secret == profile.PIN && f.Of == "" },
	"secret": func(f profile.Field) bool {
		return is(f.Secret, profile.Token, profile.Key, profile.Blob) &&
			is(f.Of, "", "credential")
	},
	"personal": func(f profile.Field) bool {
		return f.From == profile.Shared && f.Of == "" && is(f.Secret, profile.Name,
			profile.Phone, profile.Email, profile.Address, profile.Birth, profile.Document,
			profile.IP) || f == profile.Field{From: profile.Ignored, Secret: profile.IP}
	},
}

func TestEveryDocumentedField(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	calls := map[string]profile.Call{"http -": {}}
	for _, p := range s.Profiles() {
		calls[p.Name+" -"] = profile.Call{Profile: p}
		for _, o := range p.Operations {
			calls[p.Name+" "+o.Name] = profile.Call{Profile: p, Operation: o}
		}
	}
	directions := map[string]profile.Direction{
		"request": profile.Request, "response": profile.Response,
	}
	for _, row := range table(t, "testdata/fields.txt") {
		call, found := calls[row[0]+" "+row[1]]
		if !found {
			t.Fatalf("no operation %q in profile %q", row[1], row[0])
		}
		d := documented{call: call, dir: directions[row[2]], place: row[3], kind: row[4]}
		f, known := d.look(s)
		switch {
		case !known:
			t.Errorf("%v: no row", row)
		case !kinds[d.kind](f):
			t.Errorf("%v: %+v", row, f)
		}
	}
}

// Whatever is secret in a request and differs by call or must not be stored as equal to
// anything matches anything.
func TestVerificationValuesNeverMatch(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	for _, row := range table(t, "testdata/fields.txt") {
		if row[2] != "request" || !is(row[4], "cvc", "pin") {
			continue
		}
		c := profile.Call{}
		for _, p := range s.Profiles() {
			for _, o := range p.Operations {
				if p.Name == row[0] && o.Name == row[1] {
					c = profile.Call{Profile: p, Operation: o}
				}
			}
		}
		d := documented{call: c, dir: profile.Request, place: row[3]}
		if f, _ := d.look(s); f.From != profile.Ignored {
			t.Errorf("%v: %+v", row, f)
		}
	}
}

// The rows on which matching relies most, each with its reason.
func TestFieldsThatMatchingRelies(t *testing.T) {
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
			profile.Response, key("date"), date(profile.EpochMS)},
		{"in a document inside a form", "POST", "/payment/rest/paymentorder.do",
			profile.Request, shape("recurringExpiry", "jsonParams>recurringExpiry"),
			date(profile.Compact)},
		{"half a date is none", "POST", "/payment/rest/paymentorder.do", profile.Request,
			key("YYYY"), shared("")},
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
		{"a cardholder's in an update that is not shown", "PUT", "/v2/cardholders/1",
			profile.Request, key("lastName"),
			profile.Field{From: profile.Shared, Secret: profile.Name}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			got, _ := s.Field(s.Find(tt.method, tt.path), tt.dir, tt.at)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
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
		if diff := cmp.Diff(tt.want, got); diff != "" || !known {
			t.Errorf("%s %s: %s: known %v %s", tt.method, tt.path, tt.header, known, diff)
		}
	}
}

func TestDenied(t *testing.T) {
	t.Parallel()
	got := map[string][]profile.Condition{}
	for _, p := range builtin(t).Profiles() {
		got[p.Name] = p.Denied
	}
	want := map[string][]profile.Condition{
		"cardv1": {{Status: 401}}, "cardv2": {{Status: 401}},
		"gateway": {{Key: "errorCode", Value: "5"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
