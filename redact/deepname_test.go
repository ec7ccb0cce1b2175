package redact_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// TestDeepNames cleans forms whose names are nested two thousand levels deep, around a password. Work
// that grows with the square of the depth, or worse, would not end here.
func TestDeepNames(t *testing.T) {
	t.Parallel()
	r := redactor(t)
	deep := strings.Repeat("a%3E.", 2000)
	var body strings.Builder
	for range 40 {
		body.WriteString(deep + "password=hunter2-of-the-shop&" + deep + "b=1&c" + deep + "d=2&")
	}
	for _, path := range []string{"/payment/rest/register.do", "/unknown"} {
		x := &leaf.Exchange{}
		x.Method, x.URL = http.MethodPost, "https://sandbox.test"+path
		x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		x.Request.Body, x.Code = body.String(), 200
		if strings.Contains(r.Clean(x).Exchange().Request.Body, "hunter2") {
			t.Errorf("%s: a password stays below many levels", path)
		}
	}
}
