package cardv1

import (
	"errors"
	"net/http"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// Response codes of version 1. The documents state "00" alone (document 1, Errors, 1); the
// others are ours, after ISO 8583.
const (
	codeOK         = "00"
	codeConstraint = "12" // a rule of the sandbox was broken
	codeAmount     = "13"
	codeNoCard     = "14"
	codeNoRecord   = "25"
	codeFormat     = "30"
	codeFunds      = "51"
	codeExpired    = "54"
	codeLimit      = "61"
	codeRestricted = "62" // the card or its account is blocked
	codeDenied     = "63"
	codeDuplicate  = "94"
)

// faultAnswer is the answer to a request that could not be carried out. Its shape and the
// status 500 are guesses (domain facts, Codes); so are 401, 404, 405 and 413, which speak
// of the call rather than of the operation.
//
// Faults are for what is wrong with the request: unknown cards, broken sandbox rules, a
// card in the wrong state for a change of state. What the bank declines (funds, blocked or
// expired cards) is an ordinary answer with a responseCode other than "00".
type faultAnswer struct {
	ResponseCode string `json:"responseCode"`
	Message      string `json:"message"`
	status       int    // HTTP status; 0 means 500
}

// Error says the message.
func (f faultAnswer) Error() string {
	return f.Message
}

func fault(code, message string) faultAnswer {
	return faultAnswer{ResponseCode: code, Message: message}
}

func missing(field string) faultAnswer {
	return fault(codeFormat, "field "+field+" is missing")
}

// transportFaults are the faults about the call.
var transportFaults = struct{ denied, unknown, method faultAnswer }{
	denied:  faultAnswer{codeDenied, "access denied", http.StatusUnauthorized},
	unknown: faultAnswer{codeConstraint, "no such operation", http.StatusNotFound},
	method:  faultAnswer{codeConstraint, "operations are POST", http.StatusMethodNotAllowed},
}

// asFault turns any error of an operation into a fault.
func asFault(err error) faultAnswer {
	f := fault(codeFormat, err.Error())
	errors.As(err, &f)
	if f.status == 0 {
		f.status = http.StatusInternalServerError
	}
	if errors.Is(err, wire.ErrTooLarge) {
		f.status = http.StatusRequestEntityTooLarge
	}
	return f
}

// required is the fault for the first empty value among name, value pairs.
func required(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			return missing(pairs[i])
		}
	}
	return nil
}
