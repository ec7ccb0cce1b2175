package audit_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// Published test numbers.
const (
	visa = "411111" + "1111111111"
	amex = "378282" + "246310005"
)

// grouped returns visa in groups of four.
func grouped(separator string) string {
	return strings.Join([]string{visa[:4], visa[4:8], visa[8:12], visa[12:]}, separator)
}

// redactor returns a Redactor with our own profiles.
func redactor(t testing.TB) *redact.Redactor {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return redact.New(redact.Options{Profiles: set})
}

// exchange is a call of an API as a file holds it.
func exchange(method, url string, header http.Header, body string) *leaf.Exchange {
	return &leaf.Exchange{Interaction: cassette.Interaction{
		Request: cassette.Request{Method: method, URL: url, Headers: header, Body: body},
	}}
}

// checkout is a gateway payment with a secret in every field that takes one.
func checkout(card, cvc string) *leaf.Exchange {
	body := url.Values{
		"userName": {"shop-api"}, "password": {"tr0ub4dor-gw"},
		"MDORDER": {"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b"},
		"$PAN":    {card}, "$CVC": {cvc}, "YYYY": {"2030"}, "MM": {"12"}, "TEXT": {"IVAN IVANOV"},
	}.Encode()
	return exchange("POST", "https://gw.example/payment/rest/paymentorder.do",
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, body)
}
