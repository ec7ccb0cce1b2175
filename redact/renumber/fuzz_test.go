package renumber_test

import (
	"slices"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/renumber"
)

// FuzzApply is the property that surrogates can be moved up and back again, in whatever they stand: the
// text is the very same, and a redactor finds nothing new in it.
func FuzzApply(f *testing.F) {
	f.Add(formType, "userName=shop&password=trub4dor-gw&$PAN="+visa+"&TEXT=IVAN+IVANOV", "{}")
	f.Add("application/json", `{"pan":"`+visa+`","`+visa+`":{"phone":"+49301234567"}}`, `<a b="`+visa+`">x</a>`)
	f.Add("text/plain", "REDACTED-token-3 taperb taper4@example.com Taper Street 5", "REDACTED-pan-7 REDACTED-x")
	f.Add("application/xml", "<pan>"+long+"</pan><password>an0ther-Secret</password>", "%52EDACTED-token-1")
	f.Fuzz(func(t *testing.T, contentType, body, answer string) {
		all := cleaned(t, []*leaf.Exchange{exchange("/payment/rest/paymentorder.do", contentType, body, answer)})
		tape := renumber.Read(redactor(t), slices.Values(all))
		to, back := moved(tape)
		y := tape.Apply(all[0], to)
		moved := renumber.Read(redactor(t), slices.Values([]*leaf.Exchange{y}))
		if got := moved.Apply(y, back); got.Request.Body != all[0].Request.Body ||
			got.Response.Body != all[0].Response.Body {
			t.Errorf("there and back:\n%q\n%q\nwas\n%q\n%q", got.Request.Body, got.Response.Body,
				all[0].Request.Body, all[0].Response.Body)
		}
	})
}
