package cardv2

import (
	"errors"
	"net/http"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// fault is an error answer. Document 2 (Errors) shows neither shape nor statuses; both
// are ours. The code is a word for programs, the message a sentence for people.
type fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	status  int    // HTTP status
}

// Error says the message.
func (f fault) Error() string {
	return f.Message
}

// The errors by cause.
func invalid(message string) fault {
	return fault{"invalid_request", message, http.StatusBadRequest}
}

func conflict(message string) fault {
	return fault{"conflict", message, http.StatusConflict}
}

func notFound(what string) fault {
	return fault{"not_found", "no such " + what, http.StatusNotFound}
}

func unauthorized() fault {
	return fault{"unauthorized", "X-API-KEY is missing or wrong", http.StatusUnauthorized}
}

func wrongMethod() fault {
	return fault{"method_not_allowed", "the resource has no such method",
		http.StatusMethodNotAllowed}
}

// asFault turns any error of an operation into an error answer.
func asFault(err error) fault {
	f := invalid(err.Error())
	errors.As(err, &f)
	if errors.Is(err, wire.ErrTooLarge) {
		f.Code, f.status = "too_large", http.StatusRequestEntityTooLarge
	}
	return f
}

// given is the error for the first empty value among name, value pairs.
func given(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			return invalid("field " + pairs[i] + " is missing")
		}
	}
	return nil
}
