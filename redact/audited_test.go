package redact_test

import (
	"net/http"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/audit"
)

// TestFindPassesWhatWasCleaned audits cleaned exchanges.
func TestFindPassesWhatWasCleaned(t *testing.T) {
	x := checkout(visa, "123")
	x.Request.Headers.Set("Authorization", "Basic c2hvcDp0cjB1YjRkb3ItZ3c=")
	x.Request.Headers.Set("Cookie", "token=abc")
	x.Response.Body = `{"cvv2":"123","pin":1234,"token":"abcdefgh","pan":"` + amex + `"}`
	if found := audit.Find(saved(t, x)); len(found) < 5 {
		t.Errorf("only %d findings before cleaning", len(found))
	}
	if found := audit.Find(saved(t, redactor(t).Clean(x).Exchange())); found != nil {
		t.Errorf("after cleaning: %v", found)
	}
}

// TestAuditPassesWhatWasCleaned wants nothing exposed in anything that the redactor has made, with
// messages packed in every way at every place among it.
func TestAuditPassesWhatWasCleaned(t *testing.T) {
	doc := `{"acctNumber":"` + visa + `","cvc":"784","password":"` + password + `"}`
	all := []*leaf.Exchange{checkout(visa, "123"), checkout(amex, "1234")}
	for _, put := range packedPlaces {
		for _, pack := range []func(string) string{urlPacked, deflated, hexPacked} {
			for _, key := range []string{"creq", "PaReq", "note", "token"} {
				x := exchange("POST", "https://gw.example/payment/acs", http.Header{}, "")
				put(x, key, pack(doc))
				all = append(all, x)
			}
		}
	}
	var search audit.Search
	for _, x := range all {
		x.Request.Headers.Set("Cookie", "sid=a1b2c3d4")
		r := redactor(t)
		if len(search.Exchange(r, x)) == 0 {
			t.Error("nothing is exposed before cleaning")
		}
		clean := r.Clean(x).Exchange()
		if got := search.Exchange(redactor(t), clean); got != nil {
			t.Errorf("after cleaning %q: %d fields", clean.Request.Body+clean.Response.Body, len(got))
		}
	}
}
