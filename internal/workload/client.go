package workload

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Client walks flows at one base address, one flow after another. It is not safe for concurrent
// use.
type Client struct {
	Base string // "http://127.0.0.1:8080", or with the path of a session: ".../~shop"
	HTTP http.RoundTripper
	Run  string // what the client's own ids begin with; no two clients have the same
	// Today is the day on which the client believes to be; the zero value is that of the clock.
	Today time.Time
	// Err is what went wrong first in the flow that is under way. Once it is set, nothing more
	// is sent until a new flow begins.
	Err error
	// Sent counts requests.
	Sent int

	kind string // of the flow, for ids and errors
}

// Play walks a flow, and returns what went wrong in it.
func (c *Client) Play(k Kind, variant int) error {
	c.kind, c.Err = k.Name, nil
	k.Play(c, variant)
	return c.Err
}

// id is a value that the client makes up for a flow.
func (c *Client) id(variant int) string { return fmt.Sprintf("%s-%s-%d", c.Run, c.kind, variant) }

// number is a customer number that the client makes up for a flow: thirteen digits. Those of the run are so
// many that of a hundred thousand flows hardly two have the same.
func (c *Client) number(variant int) string {
	return fmt.Sprintf("%d%05d", 10_000_000+c.hash()%90_000_000, variant)
}

// uuid is an id of the usual form that the client makes up for a flow.
func (c *Client) uuid(variant int) string {
	r := rand.New(rand.NewPCG(c.hash(), uint64(variant)))
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
		a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffff_ffff_ffff)
}

// hash is a number that belongs to the run.
func (c *Client) hash() uint64 {
	h := fnv.New64a()
	h.Write([]byte(c.Run))
	return h.Sum64()
}

// failf notes what went wrong, unless something did before. It must be told no values.
func (c *Client) failf(format string, args ...any) {
	if c.Err == nil {
		c.Err = fmt.Errorf("%s: %w", c.kind, fmt.Errorf(format, args...))
	}
}

// want notes that an answer is not what the flow must come to.
func (c *Client) want(a gjson.Result, path, want string) {
	if got := a.Get(path).String(); c.Err == nil && got != want {
		c.failf("%s is %q, want %q", path, got, want)
	}
}

// Credentials of the built-in sandbox.
const (
	gatewayLogin = "userName=sandbox-api&password=sandbox-password"
	bankUser     = "sandbox"
	bankToken    = "sandbox-token"
)

// form posts a form to the gateway and returns the answer.
func (c *Client) form(operation string, pairs ...string) gjson.Result {
	var b strings.Builder
	b.WriteString(gatewayLogin)
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("&" + url.QueryEscape(pairs[i]) + "=" + url.QueryEscape(pairs[i+1]))
	}
	body, _ := c.send("POST", c.Base+"/payment/rest/"+operation, b.String(), asForm)
	return gjson.Parse(body)
}

// bank calls an operation of version 1 and returns the answer.
func (c *Client) bank(operation, body string) gjson.Result {
	body, _ = c.send("POST", c.Base+"/v1/apigate/ws/rest/"+operation, body, func(r *http.Request) {
		asJSON(r)
		r.SetBasicAuth(bankUser, bankToken)
	})
	return gjson.Parse(body)
}

func asForm(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }

func asJSON(r *http.Request) { r.Header.Set("Content-Type", "application/json") }

// send sends a request, prepared by each of several functions, and returns the answer's body and
// where it redirects to.
func (c *Client) send(method, address, body string, prepare ...func(*http.Request)) (string, string) {
	if c.Err != nil {
		return "", ""
	}
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		c.failf("an address of an answer is none")
		return "", ""
	}
	for _, p := range prepare {
		p(r)
	}
	return c.roundTrip(r)
}

func (c *Client) roundTrip(r *http.Request) (body, location string) {
	c.Sent++
	res, err := c.HTTP.RoundTrip(r)
	if err != nil {
		c.failf("%s %s: no answer", r.Method, r.URL.Path)
		return "", ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		c.failf("%s %s: half an answer", r.Method, r.URL.Path)
	case res.StatusCode >= 400:
		c.failf("%s %s: status %d: %s", r.Method, r.URL.Path, res.StatusCode,
			gjson.GetBytes(b, "message").String())
	}
	return string(b), res.Header.Get("Location")
}
