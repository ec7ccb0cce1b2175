package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// ErrAbort is the one error that a mode returns: there is nobody to answer, or nothing may
// be answered, and the door closes the connection.
var ErrAbort = errors.New("exchange aborted")

// problem is a failure that becomes an answer. Its texts are constants: they repeat no URL,
// no value and no error text.
type problem struct {
	Code    int    `json:"-"`
	Kind    string `json:"error"`   // stable, for programs
	Message string `json:"message"` // a sentence, for people
	Hint    string `json:"hint,omitempty"`

	// What a tape says of it (see leaf.Meta) and what an event does, if it was the sandbox's.
	fault, cause string
}

func (p *problem) Error() string { return p.Message }

// The problems of this package, except those that tell why an upstream failed.
var (
	problemConnect = &problem{
		Code: http.StatusForbidden, Kind: "connect",
		Message: "this deck is not a forward proxy and opens no tunnels",
		Hint:    "use the deck's address as the base URL of the API, or start it with --forward",
	}
	problemAbsolute = &problem{
		Code: http.StatusForbidden, Kind: "absolute-form",
		Message: "this deck is not a forward proxy and fetches no absolute addresses",
		Hint:    "use the deck's address as the base URL of the API, or start it with --forward",
	}
	problemForward = &problem{
		Code: http.StatusForbidden, Kind: "forward-host",
		Message: "this deck leads to its configured hosts and ports and nowhere else",
		Hint: "name the host with --upstream URL or --host NAME=URL, or keep it out of the " +
			"proxy with NO_PROXY",
	}
	problemTunnel = &problem{
		Code: http.StatusForbidden, Kind: "connect",
		Message: "this deck opens tunnels over HTTP/1.1 only, and none inside another",
		Hint:    "tell the client to speak HTTP/1.1 to its proxy",
	}
	problemMisdirected = &problem{
		Code: http.StatusMisdirectedRequest, Kind: "misdirected",
		Message: "the request names another host than the tunnel it came through",
		Hint:    "open a tunnel to that host",
	}
	problemHostName = &problem{
		Code: http.StatusNotFound, Kind: "host",
		Message: "no host of that name is configured",
		Hint:    "name it with --host NAME=URL",
	}
	problemNoUpstream = &problem{
		Code: http.StatusNotFound, Kind: "no-upstream",
		Message: "no upstream is configured for this path",
		Hint:    "start the deck with --upstream URL, which takes every path",
	}
	problemRequest = &problem{
		Code: http.StatusBadRequest, Kind: "request",
		Message: "the body of the request could not be read to its end",
	}
	problemSlashes = &problem{
		Code: http.StatusBadRequest, Kind: "request-target",
		Message: "a path that begins with two slashes and has a bad percent escape " +
			"cannot be passed on as it is",
	}
	problemTooLarge = &problem{
		Code: http.StatusRequestEntityTooLarge, Kind: "too-large",
		Message: "the body of the request is larger than any body on tape can be",
	}
	problemTooMany = &problem{
		Code: http.StatusRequestEntityTooLarge, Kind: "too-large",
		Message: "the request has more parameters than are compared",
	}
	problemBusy = &problem{
		Code: http.StatusServiceUnavailable, Kind: "busy",
		Message: "the bodies of the requests under way are more than are kept at once",
	}
	problemDoor = &problem{
		Code: http.StatusBadGateway, Kind: "door",
		Message: "the answer could not be passed on",
	}
)

// body returns the problem as JSON.
func (p *problem) body() []byte {
	b, err := marshal(p)
	if err != nil {
		return nil // a struct of strings always marshals
	}
	return b
}

// header returns the header of the answer whose body has n bytes.
func (p *problem) header(n int) http.Header {
	return http.Header{
		"Content-Type":   {"application/json"},
		"Content-Length": {strconv.Itoa(n)},
		"Cache-Control":  {"no-store"},
		"Paytape-Error":  {p.Kind},
	}
}

// response makes an answer of the problem.
func (p *problem) response(req *http.Request) *http.Response {
	body := p.body()
	return respond(req, answer{Code: p.Code, Header: p.header(len(body)), Body: string(body)})
}

// write answers with the problem where no mode has been asked.
func (p *problem) write(w http.ResponseWriter, method string) {
	body := p.body()
	for name, values := range p.header(len(body)) {
		w.Header()[name] = values
	}
	w.WriteHeader(p.Code)
	if method != http.MethodHead {
		_, _ = w.Write(body) // a client that has gone needs no answer
	}
}

// settle turns what went wrong into what a mode returns.
func settle(req *http.Request, err error) (*http.Response, error) {
	var p *problem
	if errors.As(err, &p) {
		return p.response(req), nil
	}
	return nil, ErrAbort
}

// answer is what a response is made of.
type answer struct {
	Code   int
	Header http.Header // with the Content-Length that the client shall see
	Body   string
}

// respond makes a response of an answer of our own.
func respond(req *http.Request, a answer) *http.Response {
	body := a.Body
	if req.Method == http.MethodHead {
		body = ""
	}
	return &http.Response{
		StatusCode: a.Code,
		Status:     strconv.Itoa(a.Code) + " " + http.StatusText(a.Code),
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        a.Header,
		Body:          newOwnBody(body),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

// ownBody is the body of an answer of our own.
type ownBody struct {
	strings.Reader
	text string
}

func newOwnBody(text string) *ownBody {
	b := &ownBody{text: text}
	b.Reset(text)
	return b
}

// ownText returns the body of an answer of our own; "" for that of another answer.
func ownText(res *http.Response) string {
	if b, ok := res.Body.(*ownBody); ok {
		return b.text
	}
	return ""
}

// Close does nothing: a text needs no closing.
func (*ownBody) Close() error { return nil }

// marshal writes JSON as a person would: '<', '>' and '&' stay what they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
