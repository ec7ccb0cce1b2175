package redact_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/redact"
)

// A list has more secrets than places are named. What is said of the others lets recording go on
// with other numbers, and stays when the file is cleaned again.
func TestPlacesOfALongList(t *testing.T) {
	var b strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&b, `{"token":"abc12345def%d","cvc":"123"},`, i)
	}
	x := exchange("POST", "https://h/x", http.Header{}, "["+b.String()+"{}]")
	cleaned := redactor(t).Clean(x)
	got := cleaned.Exchange().Meta.Redactions
	if len(got) != 1002 || got[999] != "request json [499].cvc: cvc" {
		t.Errorf("%d lines, the last of a place is %q", len(got), got[min(999, len(got)-1)])
	}
	rest := []string{"700 more places: cvc", "700 more places: token 1200"}
	if !slices.Equal(got[len(got)-2:], rest) {
		t.Errorf("the lines end with %q, want %q", got[len(got)-2:], rest)
	}
	r := redactor(t)
	wantSame(t, "cleaned again", withForm(cleaned.Exchange()), withForm(r.Reclean(cleaned.Exchange()).Exchange()))
	cleaned.Exchange().Request.Body = "" // so that the lines alone tell
	r = redactor(t)
	r.Resume(slices.Values([]redact.Clean{cleaned}))
	next := r.Clean(exchange("GET", "https://h/x?token=another-token", nil, "")).Exchange()
	if !strings.HasSuffix(next.URL, "REDACTED-token-1201") {
		t.Errorf("the next token is %s", next.URL)
	}
}
