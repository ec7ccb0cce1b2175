package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxBody bounds a request body, in bytes. The documents state no limit.
const maxBody = 1 << 20

var (
	errTooLarge   = errors.New("the request body is larger than 1 MiB")
	errUnreadable = errors.New("the request body could not be read")
	errNotObject  = errors.New("the request body is not a JSON object")
)

// readBody reads the whole request body, whatever the method: real clients of the gateway
// send a form with GET (domain facts, On the wire).
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge
	case err != nil:
		return nil, errUnreadable
	}
	return body, nil
}

// decodeObject reads a JSON object. Its errors name a field and never show a value. Unknown
// fields are passed over; a known one is recognised in any case, looser than the documents.
// Content-Type is not looked at: the documents state it but no reaction to a wrong one.
func decodeObject(body []byte, into any) error {
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

// reply is one JSON answer on its way out.
type reply struct {
	status      int
	contentType string
	body        any
}

func (p reply) write(w http.ResponseWriter) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // the "&" of a formUrl stays as it is
	if err := enc.Encode(p.body); err != nil {
		http.Error(w, "encoding the answer failed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", p.contentType)
	w.WriteHeader(p.status)
	// A client that went away is its own affair: there is nobody left to tell.
	_, _ = w.Write(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

// writePage answers as a servlet container does outside the API: a small HTML page.
func writePage(w http.ResponseWriter, status int) {
	text := http.StatusText(status)
	w.Header().Set("Content-Type", "text/html;charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<!doctype html><html><head><title>%d %s</title></head>"+
		"<body><h1>%d %s</h1></body></html>", status, text, status, text)
}
