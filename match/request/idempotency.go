package request

import (
	"net/http"
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// The headers and parameters in which clients send the key of idempotency: the draft of the IETF (The
// Idempotency-Key HTTP Header Field) and what APIs had before it.
var (
	idempotencyHeaders = []string{
		"Idempotency-Key", "X-Idempotency-Key", "Idempotence-Key", "Paypal-Request-Id", "Cko-Idempotency-Key",
	}
	idempotencyParams = []string{"idempotency_key", "idempotencyKey", "idempotence_key", "idempotenceKey"}
)

// IdempotencyKey returns the idempotency key of a request; "" if it has none. No parameter of a call that a
// profile describes is one.
func IdempotencyKey(c profile.Call, h http.Header, params []Param) string {
	for _, name := range idempotencyHeaders {
		if key := first(h[name]); key != "" {
			return key
		}
	}
	if c.Operation != nil {
		return ""
	}
	for i := range params {
		if slices.Contains(idempotencyParams, LastName(params[i].Path)) {
			return params[i].Text
		}
	}
	return ""
}

// IsIdempotencyKey reports whether a header has the key of idempotency, which no one but the client makes.
func IsIdempotencyKey(name string) bool { return slices.Contains(idempotencyHeaders, name) }
