// Package wire is what the stand-ins have in common on the wire: it reads calls, writes
// answers and checks values.
//
// The idea: the three APIs differ in their operations and in their errors, and so this package
// knows of neither. A check says yes or no, and the API that asks says it in its own words.
//
// The limit: only what more than one of them does is here.
package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxBody bounds a request body, in bytes. The documents state no limit.
const maxBody = 1 << 20

// ErrTooLarge is the error of ReadBody that some APIs answer with a status of its own.
var ErrTooLarge = errors.New("the request body is larger than 1 MiB")

var (
	errUnreadable = errors.New("the request body could not be read")
	errNotObject  = errors.New("the request body is not a JSON object")
)

// ReadBody reads the whole request body, whatever the method: real clients of the gateway
// send a form with GET (domain facts, On the wire).
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, ErrTooLarge
	case err != nil:
		return nil, errUnreadable
	}
	return body, nil
}

// DecodeObject reads a JSON object. Its errors name a field and never show a value. Unknown
// fields are passed over; a known one is recognised in any case, looser than the documents.
// Content-Type is not looked at: the documents state it but no reaction to a wrong one.
func DecodeObject(body []byte, into any) error {
	err := json.Unmarshal(body, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("field %s has the wrong type", wrong.Field)
	}
	return errNotObject
}
