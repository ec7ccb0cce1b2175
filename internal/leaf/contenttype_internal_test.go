package leaf

import (
	"mime"
	"testing"
)

// TestSimpleType compares what is read fast with what the library reads.
func TestSimpleType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		contentType string
		simple      bool
	}{
		{"text/plain;charset=UTF-8", true},
		{"text/html; charset=windows-1251", true},
		{"application/json;  charset=utf-8", true},
		{"application/json", false},
		{"Text/plain;charset=UTF-8", false},
		{`text/plain;charset="UTF-8"`, false},
		{"text/plain;charset=UTF-8;boundary=a", false},
		{"text/plain;charset=UTF-8 ", false},
		{"text/plain;charset=", false},
		{"text/;charset=UTF-8", false},
		{"/plain;charset=UTF-8", false},
		{"a/b/c;charset=UTF-8", false},
		{"text;charset=UTF-8", false},
		{"text/plain;Charset=UTF-8", false},
		{"text/plain;q=1", false},
		{"", false},
	} {
		media, charset, ok := simpleType(c.contentType)
		if ok != c.simple {
			t.Errorf("%q: simple is %t", c.contentType, ok)
		}
		want, params, err := mime.ParseMediaType(c.contentType)
		if ok && (err != nil || media != want || charset != params["charset"] || len(params) != 1) {
			t.Errorf("%q: %q %q; the library reads %q %v", c.contentType, media, charset, want, params)
		}
	}
}
