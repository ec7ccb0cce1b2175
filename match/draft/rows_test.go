package draft_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/draft"
	"github.com/paytape/paytape/match/tape"
)

// said returns exchanges that are written as "METHOD TARGET BODY => STATUS BODY".
func said(lines ...string) []*leaf.Exchange {
	var all []*leaf.Exchange
	for i, line := range lines {
		asked, answered, _ := strings.Cut(line, " => ")
		parts := append(strings.SplitN(asked, " ", 3), "", "")
		x := &leaf.Exchange{}
		x.Method, x.URL, x.Request.Body = parts[0], "https://api.example"+parts[1], parts[2]
		status, body, _ := strings.Cut(answered, " ")
		x.Code = map[string]int{"200": 200, "404": 404}[status]
		x.Response.Body = body
		x.Request.Headers = http.Header{"Content-Type": {"application/json"}}
		x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
		x.Meta.Number = i + 1
		x.Meta.At = time.Date(2026, 3, 31, 10, i, 0, 0, time.UTC)
		all = append(all, x)
	}
	return all
}

// What a draft says of small tapes, and what it does not say.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, cassette string
		tape           []*leaf.Exchange
		want, not      []string
	}{
		{"an id that comes back", "Checkout 2026!", said(
			`POST /pay {"amount":100} => 200 {"id":"pay_8f3k20dj77","state":"new"}`,
			`GET /pay/pay_8f3k20dj77 => 200 {"id":"pay_8f3k20dj77","state":"paid"}`,
		), []string{
			"profile: checkout-2026\n", "paths: [/pay/]\n", "  pay: {names: [pay]}\n",
			"  GET /pay/{id}: # #2\n", "    path: /pay/{id}\n",
			"      id: minted pay  # born in the answer of #1, asked in #2\n",
			"      id: minted pay  # born in the answer of #1, sent in #2\n",
		}, []string{"amount", "state", "like"}},
		{"a nonce, and a value that each answer has anew", "t", said(
			`POST /do {"x_request_id":"7f3a99c01b","what":"a"} => 200 {"trace":"0f9d8c7b6a5e4d3c","ok":true}`,
			`POST /do {"x_request_id":"99ad73be12","what":"b"} => 200 {"trace":"aa11bb22cc33dd44","ok":true}`,
		), []string{
			"      x_request_id: ignored  # another in each of #1 and #2\n",
			"      trace: ignored  # another in each of #1 and #2\n",
		}, []string{"what", "entities"}},
		{"a path that no profile can have", "t", said(
			`GET /a%20b/c => 200 {"n":1}`, `GET /a/c => 200 {"n":1}`,
		), []string{"# Left out, because no profile can have its path: GET /a b/c\n", "  GET /a/c: # #2\n"},
			nil},
		{"ids that nobody has are no operations", "t", said(
			`POST /things {} => 200 {"id":"th_77ab12cd99"}`, `GET /things/th_77ab12cd99 => 200 {"n":1}`,
			`GET /things/th_00aa11bb22 => 404 {"message":"none"}`,
		), []string{"  GET /things/{id}: # #2 and #3\n"}, []string{"th_00aa11bb22"}},
		{"a key that means something else elsewhere", "t", said(
			`POST /orders {} => 200 {"id":"or_77ab12cd99"}`, `GET /orders/or_77ab12cd99 => 200 {"id":"or_77ab12cd99"}`,
			`GET /shop => 200 {"id":"main-street"}`,
		), []string{"      id: exact\n", "      id: minted order  # shown in #2\n"}, nil},
		{"a list of names and values has no row by its path", "t", said(
			`POST /a {"ps":[{"name":"ref","value":"shop-100731"},{"name":"sum","value":"5"}]} => 200 {"ref":"shop-100731"}`,
			`POST /a {"ps":[{"name":"ref","value":"shop-100732"},{"name":"sum","value":"5"}]} => 200 {"ref":"shop-100732"}`,
		), []string{"  POST /a: # #1 and #2\n"}, []string{"value:"}},
		{"a question that is posted", "t", said(
			`POST /orders {} => 200 {"id":"or_77ab12cd99"}`,
			`POST /getOrder {"id":"or_77ab12cd99"} => 200 {"n":1}`,
		), []string{"    writes: false\n", "    writes: true\n"}, nil},
		{"calls of one path", "t", said(
			`POST /rpc {"method":"order.create","params":{"sum":5}} => 200 {"id":"or_77ab12cd99"}`,
			`POST /rpc {"method":"order.query","params":{"order":"or_77ab12cd99"}} => 200 {"n":1}`,
		), []string{"    reads:\n      method: [order.query]\n", "      order: minted rpc  # born in the answer of #1, sent in #2\n"},
			nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set, err := profile.Builtin()
			if err != nil {
				t.Fatal(err)
			}
			text, err := draft.Write(set, tape.Cassette{Name: test.cassette, Exchanges: test.tape})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(string(text), want) {
					t.Errorf("the draft lacks %q:\n%s", want, text)
				}
			}
			for _, not := range test.not {
				if strings.Contains(string(text), not) {
					t.Errorf("the draft has %q:\n%s", not, text)
				}
			}
		})
	}
}
