package curl_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/curl"
	"github.com/paytape/paytape/internal/leaf"
)

// Somebody pastes the command into a terminal.
func TestNoControlCharacters(t *testing.T) {
	t.Parallel()
	const odd = "a\x1b[31m\x07\x03\r\n\x9bb\u202ec\u2028"
	x := &leaf.Exchange{}
	x.Request.Method, x.URL = "PO\x1bST", "http://h\x1b.test/a\x1b\u202e?x="+odd
	x.Request.Headers = http.Header{"X-Odd": {odd}, "Content-Type": {"text/plain"}}
	x.Request.Body = "b=" + odd
	got := curl.Command(x, curl.Options{Base: "http://127.0.0.1:1"})
	if i := strings.IndexFunc(got, func(r rune) bool {
		return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2028 || r == 0xfffd
	}); i >= 0 {
		t.Errorf("a terminal would obey %q", got)
	}
}
