package leaf_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
)

// TestNamesBesideValues lists the ways in which messages say what a value is.
func TestNamesBesideValues(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	tests := []struct {
		name, contentType, body string
		want                    map[string]string // names by value
	}{
		{"a list of names and values", "", `{"params":[{"name":"cvc","value":"1"},
			{"value":"2","name":"pin"}]}`, map[string]string{"1": "cvc", "2": "pin"}},
		{"names in capitals", "", `{"Name":"cvc","Value":"1","VALUE":"2"}`,
			map[string]string{"1": "cvc", "2": "cvc"}},
		{"a field that was refused", "", `{"objectName":"card","field":"cvc","rejectedValue":"1"}`,
			map[string]string{"1": "cvc"}},
		{"what was refused in capitals", "", `{"Field":"cvc","Input":"1"}`, map[string]string{"1": "cvc"}},
		{"beside the name of the object", "",
			`{"name":"card","field":"cvc","rejectedValue":"1","value":"2"}`,
			map[string]string{"1": "cvc", "2": "card"}},
		{"a path", "", `{"type":"field","path":"card.pin","value":"1","location":"body"}`,
			map[string]string{"1": "card.pin"}},
		{"a list of steps", "", `{"loc":["body","card","cvc"],"input":"1"}`,
			map[string]string{"1": "cvc"}},
		{"a value in a list", "", `{"name":"cvc","value":["1"]}`, map[string]string{}},
		{"no value", "", `{"name":"cvc","amount":"1"}`, map[string]string{}},
		{"no name", "", `{"value":"1"}`, map[string]string{}},
		{"another object's", "", `{"name":"cvc","a":{"value":"1"}}`, map[string]string{}},
		{"a form", form, "name=cvc&value=1", map[string]string{"1": "cvc"}},
		{"a form with indexes", form, "p[0].name=cvc&p[0].value=1&p[1].name=pin&p[1].value=2&value=3",
			map[string]string{"1": "cvc", "2": "pin"}},
		{"a form with brackets", form, "p[0][value]=1&p[0][field]=cvc", map[string]string{"1": "cvc"}},
		{"a document in a form", form, `name=cvc&d={"value":"1","a":2}`, map[string]string{}},
		{"columns of a table", "", `<table><tr><th>Card<th>CVC</tr><tr><td>4<td>1</tr></table>`,
			map[string]string{"4": "Card", "1": "CVC"}},
		{"rows with headings", "", `<table><tr><th>CVC</th><td>1</td></tr><tr><th>PIN</th><td>2</td>` +
			`</tr></table>`, map[string]string{"1": "CVC", "2": "PIN"}},
		{"a table in a table", "", `<table><tr><th>CVC</th></tr><tr><td><table><tr><td>1</td></tr>` +
			`</table></td></tr></table>`, map[string]string{"1": "CVC"}},
		{"more cells than headings", "",
			`<table><tr><th>CVC</th></tr><tr><td>a b<td>1</tr></table>`,
			map[string]string{"a b": "CVC", "1": "a b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(leaf.Message{Header: http.Header{"Content-Type": {tt.contentType}},
				Body: tt.body})
			got := map[string]string{}
			for i := range m.Leaves {
				if l := &m.Leaves[i]; l.Name != "" {
					got[l.Value] = l.Name
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}
