// Package story tells paths through the three APIs as a client walks them: a checkout at the
// gateway, the life of a v1 card, a transfer between two v1 customers, a transfer between two v2
// cardholders. The demo records and replays some of the stories, and tests of several packages
// walk all of them. Package tour, which tests alone import, tells longer stories by the same
// Teller: they call every operation of an API.
//
// A story is an ordinary HTTP client that knows nothing of paytape: it sends requests to a base
// address, believes only what the answers say, and fails where an echo does not agree with
// what was sent before, as a careful client would. What it saw comes back as a list, so that
// two tellings can be laid side by side.
//
// A request of a story is a literal document into which a telling puts its own values;
// sjson sets them.
package story

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Teller walks stories at one base address. The credentials are the published ones of the
// built-in sandbox unless set.
type Teller struct {
	Base string // "http://127.0.0.1:8080"
	HTTP *http.Client

	// Values that a client chooses for a run.
	OrderNumber string
	ClientID    string
	Customer    string // v1 customer number
	Card        string // a test card of the gateway that is paid with
	Payee       string // name of the second v2 cardholder, to tell runs apart
	Today       time.Time

	// Values that a client chooses and the tours alone use; empty means a default.
	Surname  string // of the v1 customers and the v2 cardholders; "Sample"
	Phone    string // of both, digits; "79000000001"
	Merchant string // where v1 cards pay; one named after Customer
	Shop     string // returnUrl of the gateway's orders; "https://shop.example/return"

	// Callbacks is the shop that waits to be told that its order is paid. Nil: it is not told.
	Callbacks *Shop

	ctx  context.Context
	seen []Value
}

// Value is something a story saw.
type Value struct {
	Name string
	Text string
	// Fresh values are made by the sandbox for one run and must differ in the next.
	Fresh bool
}

// Credentials of the built-in sandbox's gateway (design section 7).
const (
	GatewayUser     = "sandbox-api"
	GatewayPassword = "sandbox-password"
)

// Credentials of its versions 1 and 2.
const (
	v1User  = "sandbox"
	v1Token = "sandbox-token"
	v2Key   = "sandbox-key"
)

// Run runs the steps of a story and returns what was seen.
func (t *Teller) Run(ctx context.Context, name string, steps func() error) ([]Value, error) {
	t.ctx, t.seen = ctx, nil
	if err := steps(); err != nil {
		return t.seen, fmt.Errorf("story %q: %w", name, err)
	}
	return t.seen, nil
}

// Fresh notes a value that is new in every run.
func (t *Teller) Fresh(name, text string) { t.seen = append(t.seen, Value{name, text, true}) }

// Plain notes a value that need not be new.
func (t *Teller) Plain(name, text string) { t.seen = append(t.seen, Value{name, text, false}) }

// Set puts values into a document: path, value, path, value.
func Set(doc string, pairs ...any) (string, error) {
	for i := 0; i < len(pairs); i += 2 {
		var err error
		if doc, err = sjson.Set(doc, pairs[i].(string), pairs[i+1]); err != nil {
			return "", fmt.Errorf("setting %s: %w", pairs[i], err)
		}
	}
	return doc, nil
}

// Form posts a form to the gateway with the account's credentials.
func (t *Teller) Form(operation string, pairs ...string) (gjson.Result, error) {
	v := url.Values{"userName": {GatewayUser}, "password": {GatewayPassword}}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	r, err := t.Request("POST", "/payment/rest/"+operation, v.Encode())
	if err != nil {
		return gjson.Result{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return t.Send(r)
}

// v1 calls an operation of the version 1 interface.
func (t *Teller) v1(operation, body string) (gjson.Result, error) {
	r, err := t.V1Request(operation, body)
	if err != nil {
		return gjson.Result{}, err
	}
	return t.Send(r)
}

// V1Request makes a call of version 1, with the account's credentials.
func (t *Teller) V1Request(operation, body string) (*http.Request, error) {
	r, err := t.Request("POST", "/v1/apigate/ws/rest/"+operation, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(v1User, v1Token)
	return r, nil
}

// v2 calls the version 2 interface.
func (t *Teller) v2(method, path, body string) (gjson.Result, error) {
	r, err := t.V2Request(method, path, body)
	if err != nil {
		return gjson.Result{}, err
	}
	return t.Send(r)
}

// V2Request makes a call of version 2, with the account's key.
func (t *Teller) V2Request(method, path, body string) (*http.Request, error) {
	r, err := t.Request(method, "/v2"+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-API-KEY", v2Key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// Request makes a request for a path below the base address.
func (t *Teller) Request(method, path, body string) (*http.Request, error) {
	target := strings.TrimRight(t.Base, "/") + path
	return http.NewRequestWithContext(t.ctx, method, target, bytes.NewReader([]byte(body)))
}

// Send returns the JSON of an answer that says that all went well.
func (t *Teller) Send(r *http.Request) (gjson.Result, error) {
	return t.SendFor(r, func(code int) bool { return code/100 == 2 })
}

// SendFor returns the answer's JSON if its status is one that is expected. Errors name the
// operation and the status, and the deck's own explanation of a miss; never what was sent.
func (t *Teller) SendFor(r *http.Request, expected func(code int) bool) (gjson.Result, error) {
	name := r.Method + " " + r.URL.Path
	resp, err := t.HTTP.Do(r)
	if err != nil {
		return gjson.Result{}, fmt.Errorf("%s: no answer", name)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return gjson.Result{}, fmt.Errorf("%s: reading the answer: %w", name, err)
	}
	if !expected(resp.StatusCode) {
		return gjson.Result{}, fmt.Errorf("%s: status %d: %s", name, resp.StatusCode,
			gjson.GetBytes(body, "message"))
	}
	if !gjson.ValidBytes(body) {
		return gjson.Result{}, fmt.Errorf("%s: the answer is not JSON", name)
	}
	return gjson.ParseBytes(body), nil
}

// agree fails where an echo differs from what it should repeat.
func Agree(what, got, want string) error {
	if got != want {
		return fmt.Errorf("%s does not agree with what was sent or served before", what)
	}
	return nil
}

// firstError returns the first of several checks that failed.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ShortMask is how the gateway masks a card (domain facts, Order status).
func ShortMask(number string) string {
	if len(number) < 10 {
		return number
	}
	return number[:6] + "**" + number[len(number)-4:]
}
