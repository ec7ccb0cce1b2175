package audit_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/audit"
)

// fieldsOf writes what an audit found as "field: kind", sorted.
func fieldsOf(found []audit.Exposed) []string {
	var list []string
	for _, e := range found {
		list = append(list, e.Field+": "+e.Kind)
	}
	slices.Sort(list)
	return list
}

func TestAudit(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	pay := "https://gw.example/payment/rest/paymentorder.do"
	header := func(name, value string) http.Header { return http.Header{name: {value}} }
	tests := []struct {
		name string
		x    *leaf.Exchange
		want []string
	}{
		{"nothing", exchange("GET", "https://gw.example/x?orderId=7", nil, ""), nil},
		{"a payment", checkout(visa, "123"), []string{
			"request form $CVC: cvc", "request form $PAN: card number",
			"request form TEXT: name", "request form password: credential",
		}},
		{"a query", exchange("GET", pay+"?seToken=abcdefgh", nil, ""),
			[]string{"request query seToken: credential"}},
		{"a credential", exchange("GET", pay, header("Authorization", "Basic dTpw"), ""),
			[]string{"request header Authorization: credential"}},
		{"a credential, cleaned", exchange("GET", pay,
			header("Authorization", "Basic REDACTED-token-1"), ""), nil},
		{"a variable in its place", exchange("GET", pay, header("Authorization", "Basic {{AUTHORIZATION}}"), ""), nil},
		{"a variable in front", exchange("GET", pay, header("Authorization", "Basic dTpw {{x}}"), ""),
			[]string{"request header Authorization: credential"}},
		{"cookies", exchange("GET", pay, header("Cookie", "a=REDACTED-token-1; b=x7"), ""),
			[]string{"request header Cookie: credential"}},
		{"a mask that is none", exchange("POST", pay, header("Content-Type", form),
			"maskedPan="+visa), []string{"request form maskedPan: card number"}},
		{"a field of no profile", exchange("POST", "https://a.example/", header("Content-Type",
			"application/json"), `{"a":[{"cardPin":"4815"}]}`),
			[]string{"request json a[0].cardPin: pin"}},
		{"a reference", exchange("POST", pay, header("Content-Type", form),
			"password=${PASSWORD}&$CVC=***"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, fieldsOf(audit.Fields(redactor(t), tt.x))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAuditDeepNamesTheField(t *testing.T) {
	x := exchange("POST", "https://a.example/", http.Header{"Content-Type": {"application/json"}},
		`{"note":"`+wrappings["base64"]("card "+visa)+`"}`)
	if got := audit.Fields(redactor(t), x); got != nil {
		t.Errorf("the field alone tells %q", fieldsOf(got))
	}
	want := []string{"request json note: card number"}
	got := fieldsOf(audit.Search{}.Exchange(redactor(t), x))
	for i := range got { // a document in base64 is opened, and has a place of its own
		got[i] = strings.Replace(got[i], "note>", "note", 1)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
