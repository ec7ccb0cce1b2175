package redact_test

import (
	"net/http"
	"testing"
)

// TestEntityTagStaysOne wants an entity-tag in the place of one, the same in an answer and in the requests
// that send it back, and again behind a second cleaning.
func TestEntityTagStaysOne(t *testing.T) {
	t.Parallel()
	const tag = "68ffaa54fe927dd13475fdae1da72211"
	x := exchange("GET", "/docs/1", http.Header{
		"If-None-Match": {`W/"` + tag + `", "` + apiKey + `"`}, "If-Match": {"*"},
	}, "")
	x.Response.Headers = http.Header{"Etag": {`"` + tag + `"`}}
	got := redactor(t).Clean(x).Exchange()
	again := redactor(t).Reclean(got).Exchange()
	for _, y := range []http.Header{got.Request.Headers, again.Request.Headers} {
		if v := y.Get("If-None-Match"); v != `W/"REDACTED-token-1", "REDACTED-token-2"` {
			t.Errorf("If-None-Match: %s", v)
		}
		if v := y.Get("If-Match"); v != "*" {
			t.Errorf("If-Match: %s", v)
		}
	}
	for _, y := range []http.Header{got.Response.Headers, again.Response.Headers} {
		if v := y.Get("ETag"); v != `"REDACTED-token-1"` {
			t.Errorf("ETag: %s", v)
		}
	}
}
