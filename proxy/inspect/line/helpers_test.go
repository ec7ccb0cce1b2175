package line_test

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

type exchange = leaf.Exchange

// clean returns an exchange that was cleaned.
func clean(t testing.TB) redact.Clean {
	t.Helper()
	x := &leaf.Exchange{}
	x.Request.Method, x.Request.URL = "GET", "http://127.0.0.1/"
	c := cleaner.Clean(x)
	if c.Exchange() == nil {
		t.Fatal("nothing was cleaned")
	}
	return c
}

// derivedText is a text with lines of its own, as package pretty makes one of a body.
func derivedText(text string) redact.Safe {
	return cleaner.Clean(&leaf.Exchange{}).Derive(func(*leaf.Exchange) string { return text })
}
