package request

import (
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// The headers and parameters in which clients send idempotency keys: the draft of the IETF (The Idempotency-Key
// HTTP Header Field) and what APIs had before it. http.yaml has a row for each.
var (
	idempotencyHeaders = []string{
		"Idempotency-Key", "X-Idempotency-Key", "Idempotence-Key", "Paypal-Request-Id", "Cko-Idempotency-Key",
	}
	idempotencyParams = []string{"idempotency_key", "idempotencyKey", "idempotence_key", "idempotenceKey"}
)

// IdempotencyKey returns the idempotency key of a request; "" if it has none. What a list holds is not the key of the
// whole request. No parameter of a call that a profile describes is one.
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
		p := &params[i]
		if slices.Contains(idempotencyParams, LastName(p.Path)) && p.Place != leaf.Path &&
			!strings.ContainsAny(p.Path, "[#") {
			return p.Text
		}
	}
	return ""
}

// IdempotencyHeader returns the header in which a request has its idempotency key; "" if none has.
func (r *Request) IdempotencyHeader() string {
	for _, name := range idempotencyHeaders {
		if first(r.Header[name]) != "" {
			return name
		}
	}
	return ""
}

// IsIdempotencyKey reports whether a header has the key of idempotency, which no one but the client makes.
func IsIdempotencyKey(name string) bool { return slices.Contains(idempotencyHeaders, name) }

// Sameness digests what two writes under one idempotency key have in common if they are one write, sent twice: all
// parameters, in any order, but for nonces and times of sending, which a client may make anew for each attempt.
func Sameness(params []Param) uint64 {
	sum := uint64(0)
	for i := range params {
		p := &params[i]
		f := &p.Field
		nonce := f.From == profile.Shared && f.Of == "" && f.Secret == profile.NotSecret
		if f.From != profile.Ignored && !nonce {
			sum += Digest(p.Path, p.Text)
		}
	}
	return sum
}

// Transient reports whether a status tells of what may be over when the same request is sent again: credentials,
// haste, another request under way, trouble of the server. An API keeps no such answer under an idempotency key.
func Transient(code int) bool {
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusLocked,
		http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return code >= http.StatusInternalServerError
}
