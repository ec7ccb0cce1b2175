// Package problem is what a deck answers by itself: failures, and other answers that no sandbox and
// no tape has given.
//
// An example. A client of a deck without --forward asks for a tunnel, and is answered
//
//	HTTP/1.1 403 Forbidden
//	Paytape-Error: connect
//
//	{"error":"connect","message":"this deck is not a forward proxy and opens no tunnels",
//	"hint":"use the deck's address as the base URL of the API, or start it with --forward"}
//
// The texts of a Problem are constants of whoever declares it: they repeat no URL, no value and no
// error text, so none can hold a secret.
package problem

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Problem is a failure that becomes an answer.
type Problem struct {
	Code    int    `json:"-"`       // the status of the answer; 0 if nobody is left to read any
	Kind    string `json:"error"`   // stable, for programs
	Message string `json:"message"` // a sentence, for people
	Hint    string `json:"hint,omitempty"`

	// Fault is what a tape says of a failure of the sandbox (see leaf.Meta), and Cause what an
	// event says. Both are empty for a failure of the client or of the deck.
	Fault string `json:"-"`
	Cause string `json:"-"`
}

// Error returns the sentence.
func (p *Problem) Error() string { return p.Message }

// Body returns the problem as JSON.
func (p *Problem) Body() []byte {
	b, err := Marshal(p)
	if err != nil {
		return nil // a struct of strings always marshals
	}
	return b
}

// header returns the header of the answer whose body has n bytes.
func (p *Problem) header(n int) http.Header {
	return http.Header{
		"Content-Type":   {"application/json"},
		"Content-Length": {strconv.Itoa(n)},
		"Cache-Control":  {"no-store"},
		"Paytape-Error":  {p.Kind},
	}
}

// Response makes an answer of the problem.
func (p *Problem) Response(req *http.Request) *http.Response {
	body := p.Body()
	return Respond(req, Answer{Code: p.Code, Header: p.header(len(body)), Body: string(body)})
}

// Write answers with the problem where no mode has been asked. method is that of the request.
func (p *Problem) Write(w http.ResponseWriter, method string) {
	body := p.Body()
	for name, values := range p.header(len(body)) {
		w.Header()[name] = values
	}
	w.WriteHeader(p.Code)
	if method != http.MethodHead {
		_, _ = w.Write(body) // a client that has gone needs no answer
	}
}

// Answer is what a response is made of.
type Answer struct {
	Code   int
	Header http.Header // with the Content-Length that the client shall see
	Body   string
}

// Respond makes a response of an answer. That to a HEAD request has no body.
func Respond(req *http.Request, a Answer) *http.Response {
	text := a.Body
	if req.Method == http.MethodHead {
		text = ""
	}
	return &http.Response{
		StatusCode: a.Code,
		Status:     strconv.Itoa(a.Code) + " " + http.StatusText(a.Code),
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        a.Header,
		Body:          &body{strings.NewReader(text), text},
		ContentLength: int64(len(text)),
		Request:       req,
	}
}

// body is the body of a response that Respond has made.
type body struct {
	io.Reader
	text string
}

// Close does nothing: a text needs no closing.
func (*body) Close() error { return nil }

// Made reports whether Respond has made a response.
func Made(res *http.Response) bool {
	_, ok := res.Body.(*body)
	return ok
}

// Text returns the body of a response that Respond has made, whatever was read of it; "" for the
// body of any other response.
func Text(res *http.Response) string {
	if b, ok := res.Body.(*body); ok {
		return b.text
	}
	return ""
}

// Marshal writes JSON as a person would: '<', '>' and '&' stay what they are.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
