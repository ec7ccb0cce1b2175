package redact_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEchoes has an API say again what is too short to be searched for everywhere.
func TestEchoes(t *testing.T) {
	pay := func(cvc, pw string) string {
		return "userName=u&password=" + pw + "&$CVC=" + cvc + "&amount=" + cvc + "&MDORDER=" + cvc
	}
	tests := []struct{ name, request, answer, want string }{
		{"a password in a message", pay("739", "gcjgcW1"), `{"errorMessage":"bad gcjgcW1 for u"}`,
			`{"errorMessage":"bad REDACTED-token-1 for u"}`},
		{"alone in a field", pay("739", "gcjgcW1"), `{"e":"gcjgcW1"}`, `{"e":"REDACTED-token-1"}`},
		{"in a URL", pay("739", "gcjgcW1"), `{"redirect":"https://h/?p=gcjgcW1&x=1"}`,
			`{"redirect":"https://h/?p=REDACTED-token-1&x=1"}`},
		{"in text", pay("739", "gcjgcW1"), `no entry for "gcjgcW1"`, `no entry for "REDACTED-token-1"`},
		{"a CVC in a message", pay("739", "p"), `{"errorMessage":"wrong cvc2 739"}`,
			`{"errorMessage":"wrong cvc2 000"}`},
		{"a CVC in a sentence", pay("739", "p"), `{"info":"The code 739 was refused."}`,
			`{"info":"The code REDACTED-cvc was refused."}`},
		{"inside other words", pay("739", "gcjgcW1"), `{"m":"xgcjgcW1 gcjgcW12 gcjgcW1-a"}`, ""},
		{"a word of the API", pay("739", "deposit"), `{"m":"created"}`, ""},
		{"three letters", pay("739", "the"), `{"m":"say the word"}`, ""},
		{"an amount of the same digits", pay("100", "p"),
			`{"amount":100,"total":"100","approvedAmount":"100.00","x":"100","fee":"100 RUB",` +
				`"info":"Amount 100 is held, EUR 100, 1,100 or 100.00, 100%"}`, ""},
		{"ids of the same digits", pay("739", "p"),
			`{"orderNumber":"739","id":"739-1","rrn":"000000000739","info":"order #739 of 10:739"}`, ""},
		{"numbers of URLs and markup", pay("100", "p"),
			`<img width="100" src="https://h/100?n=100 "> 100%`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("POST", "https://h/payment/rest/paymentorder.do",
				http.Header{"Content-Type": {formType}}, tt.request)
			x.Response.Body = tt.answer
			got := redactor(t).Clean(x).Exchange()
			if tt.want == "" {
				tt.want = tt.answer
			}
			if diff := cmp.Diff(tt.want, got.Response.Body); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
		})
	}
}

// TestEchoesEndWithTheExchange keeps short secrets out of what other exchanges say.
func TestEchoesEndWithTheExchange(t *testing.T) {
	r := redactor(t)
	x := exchange("POST", "https://h/payment/rest/paymentorder.do",
		http.Header{"Content-Type": {formType}}, "password=gcjgcW1&$CVC=739")
	r.Clean(x)
	y := exchange("GET", "https://h/unknown", nil, "")
	y.Response.Body = `{"m":"gcjgcW1 and 739 of it"}`
	if got := r.Clean(y).Exchange().Response.Body; got != y.Response.Body {
		t.Errorf("got %s", got)
	}
}
