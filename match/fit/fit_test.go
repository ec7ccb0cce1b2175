package fit_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fit"
)

// shop is a profile that says little of the exchanges below.
const shop = `profile: shop
paths: [/shop/]
lists: [extras]
operations:
  pay:
    methods: [POST]
    path: /shop/orders/{id}/pay
    carrier: json
    request: {id: minted order, amount: exact, colour: ignored}
    response: {state: exact}
  look: {methods: [GET], path: "/shop/orders/{id}", carrier: none}
`

// exchange makes one of "METHOD PATH BODY => ANSWER", with what was taken out of it.
func exchange(number int, line string, redactions ...string) *leaf.Exchange {
	request, answer, _ := strings.Cut(line, " => ")
	parts := strings.SplitN(request, " ", 3)
	x := &leaf.Exchange{}
	x.Method, x.URL, x.Request.Body = parts[0], "https://shop.example"+parts[1], parts[2]
	x.Request.Headers = http.Header{"Content-Type": {"application/json"}}
	x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
	x.Code, x.Response.Body = 200, answer
	x.Meta.Number, x.Meta.Redactions = number, redactions
	return x
}

// texts are the findings as they are printed.
func texts(fs []fit.Finding) []string {
	var all []string
	for _, f := range fs {
		all = append(all, strings.TrimSpace(f.String()+" "+f.Row))
	}
	return all
}

func TestTape(t *testing.T) {
	t.Parallel()
	pay := exchange(1, `POST /shop/orders/7/pay {"amount":1} => {"state":"paid"}`)
	for _, tt := range []struct {
		name, old, new string
		tape           []*leaf.Exchange
		want           []string
	}{
		{"a path, a row and a noun", "", "", []*leaf.Exchange{pay, pay}, []string{
			"shop.yaml:11:3: operation never used: no exchange on tape has GET /shop/orders/{id}",
			`shop.yaml:9:48: row never used: no request of pay on tape has the field "colour"`,
			`shop.yaml:9:15: noun never bound: no answer on tape mints a value of "order", and no client ` +
				"brings one"}},
		{"nothing", "minted order, amount: exact, colour: ignored", "client shared order, amount: exact",
			[]*leaf.Exchange{pay,
				exchange(2, `GET /shop/orders/7  => {"state":"paid"}`)}, nil},
		{"a call without an operation", "colour: ignored", "id2: minted order",
			[]*leaf.Exchange{exchange(4, `PUT /shop/orders/7 {} => {}`)}, []string{
				"shop.yaml:5:3: operation never used: no exchange on tape has POST /shop/orders/{id}/pay",
				"shop.yaml:11:3: operation never used: no exchange on tape has GET /shop/orders/{id}",
				"PUT /shop/orders/7: no operation has this path and method (#4)"}},
		{"fields without a row, each once", "minted order, amount: exact, colour: ignored", "ignored, " +
			"amount: exact, packed: client shared", []*leaf.Exchange{
			exchange(1, `POST /shop/orders/7/pay {"amount":1,"a":{"b":[1,2]},"packed":{"c":1},`+
				`"extras":[{"name":"x","value":"1"}]} => {"state":"paid"}`),
			exchange(2, `GET /shop/orders/7  => {"state":"paid"}`),
		}, []string{"pay: request a.b has no row (#1, 2 times)", "pay: request extras(x) has no row (#1)"}},
		{"secrets", "minted order, amount: exact, colour: ignored", "ignored, amount: exact, " +
			`holder: "client shared, name"`, []*leaf.Exchange{
			exchange(1, `POST /shop/orders/7/pay {"amount":1,"holder":"A","number":"x","code":"000"} => `+
				`{"state":"paid","mail":"a@b.example"}`, "request json holder: name",
				"request json number: pan 1", "request json code: cvc", "response json mail: email 2"),
			exchange(2, `GET /shop/orders/7  => {"state":"paid"}`),
		}, []string{
			"pay: request code holds a secret (cvc) that no row covers; cleaning found it by its look or its " +
				"name (#1) ignored, cvc",
			"pay: request number holds a secret (pan) that no row covers; cleaning found it by its look or " +
				"its name (#1) client shared card, pan",
			"pay: response mail holds a secret (email) that no row covers; cleaning found it by its look or " +
				"its name (#1) client shared, email"}},
		{"another API", "", "", []*leaf.Exchange{exchange(1, `POST /bank/x {"a":1} => {}`)}, []string{
			"shop.yaml:5:3: operation never used: no exchange on tape has POST /shop/orders/{id}/pay",
			"shop.yaml:11:3: operation never used: no exchange on tape has GET /shop/orders/{id}"}},
	} {
		p, err := profile.Parse("shop.yaml", []byte(strings.Replace(shop, tt.old, tt.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		set := &profile.Set{}
		if err := set.Add(p); err != nil {
			t.Fatal(err)
		}
		got := fit.Tape(set, p, slices.Values(tt.tape))
		if diff := cmp.Diff(tt.want, texts(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		for _, f := range got {
			if f.Row == "" {
				continue
			}
			if _, err := profile.ParseRow(f.Row); err != nil {
				t.Errorf("%s: the row %q: %v", tt.name, f.Row, err)
			}
		}
	}
}

// TestOurs looks at ours without a tape. The one noun that nothing binds is of a transaction that the
// shop has from elsewhere.
func TestOurs(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Profiles() {
		for _, f := range fit.File(set, p) {
			if f.Noun != "network-reference" {
				t.Errorf("%s", f)
			}
		}
	}
}
