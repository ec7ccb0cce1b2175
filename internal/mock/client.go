package mock

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Client plays checkouts at a base address, one after another. It is not safe for concurrent use.
type Client struct {
	API  API
	Base string // "http://127.0.0.1:8080", the API's or that of a deck
	HTTP *http.Client
	// Run is of small letters and digits, and stands in all that the client makes up. No two
	// clients have the same.
	Run string
	// Now is the client's clock; nil means time.Now.
	Now func() time.Time
	// Short has references that nobody takes for made by a machine.
	Short bool
	// Shapeless takes any word for a token, and any signature for right: of what a tape withholds only
	// a profile knows how it looks and how it is made.
	Shapeless bool
	// Polls are how often a poll is repeated, where a checkout polls. 0 means once.
	Polls int
	// Shop is where the client is called, of an API that calls it. Nil: it hears of nothing.
	Shop *Shop
	// Patience is how long the client waits for a call of its shop. 0 means ten seconds.
	Patience time.Duration

	// Heard is told each body that the client gets, as it is. Nil: nobody is.
	Heard func(body string)

	made  int // values that the client has made up
	fold  *folder
	saw   Transcript
	ended bool // a miss has ended the checkout
}

// Transcript is what a client saw, in the order in which it saw it.
type Transcript []Seen

// Seen is one answer, or one call of the shop, without what differs from run to run.
type Seen struct {
	Checkout string // in which it was seen
	Call     string // "POST /v1/charges", "GetTransaction"; of the shop: "webhook order.paid"
	Status   int    // of a call of the shop: what the shop answered
	Type     string // media type
	Body     string
	// Miss is the reason for which a deck has no answer, and Mark what it says of an answer that
	// is not certain: "ambiguous", "assumed=card", "composed". An API says neither.
	Miss, Mark string
}

// String writes what was seen on one line.
func (s Seen) String() string {
	text := fmt.Sprintf("%s: %s => %d %s", s.Checkout, s.Call, s.Status, s.Body)
	if s.Mark != "" {
		text += " (" + s.Mark + ")"
	}
	if s.Miss != "" {
		return fmt.Sprintf("%s: %s => miss: %s", s.Checkout, s.Call, s.Miss)
	}
	return text
}

// Play plays checkouts and returns what was seen in them. Values are numbered anew in each
// checkout. A miss ends the checkout that it happens in: a client without an id asks nothing more.
func (c *Client) Play(checkouts ...Checkout) Transcript {
	from := len(c.saw)
	for _, checkout := range checkouts {
		c.fold, c.ended = newFolder(c), false
		first := len(c.saw)
		checkout.Play(c)
		for i := first; i < len(c.saw); i++ {
			c.saw[i].Checkout = checkout.Name
		}
	}
	return c.saw[from:len(c.saw):len(c.saw)]
}

func (c *Client) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// reference makes up a reference, as a shop numbers its orders: "shop-run-004711", or where names
// are short "run-4711".
func (c *Client) reference() string {
	c.made++
	if c.Short {
		return fmt.Sprintf("%s-%d", c.Run, 4710+c.made)
	}
	return fmt.Sprintf("shop-%s-%06d", c.Run, 4710+c.made)
}

// request is a call that a client makes.
type request struct {
	call    string // for people: the name of the call; empty: method and path
	method  string
	path    string
	body    string
	headers [][2]string
}

// send sends a request and returns the body of the answer; "" once the checkout has ended.
func (c *Client) send(q request) string {
	if c.ended {
		return ""
	}
	seen := Seen{Call: cmp.Or(q.call, q.method+" "+c.fold.text(q.path))}
	body, err := c.roundTrip(q, &seen)
	if err != nil { // it may tell an address, and nothing that is secret
		seen.Miss, c.ended = "no answer: "+err.Error(), true
	}
	if c.Heard != nil {
		c.Heard(body)
	}
	seen.Body = c.fold.text(body)
	if seen.Miss != "" {
		seen.Body, c.ended = "", true
	}
	c.saw = append(c.saw, seen)
	if c.ended {
		return ""
	}
	return body
}

func (c *Client) roundTrip(q request, seen *Seen) (string, error) {
	r, err := http.NewRequest(q.method, c.Base+q.path, strings.NewReader(q.body))
	if err != nil {
		return "", err
	}
	for _, h := range q.headers {
		r.Header.Set(h[0], h[1])
	}
	res, err := c.HTTP.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	seen.Status = res.StatusCode
	seen.Type, _, _ = strings.Cut(res.Header.Get("Content-Type"), ";")
	seen.Miss, seen.Mark = res.Header.Get("Paytape-Miss"), mark(res.Header.Get("Paytape-Served"))
	body, err := io.ReadAll(res.Body)
	return string(body), err
}

// mark returns what a deck says of an answer behind the state, if anything:
// "checkout#3; state=paid; assumed=card".
func mark(served string) string {
	parts := strings.Split(served, "; ")
	last := parts[len(parts)-1]
	if len(parts) < 2 || strings.HasPrefix(last, "state=") {
		return ""
	}
	return last
}

// poll repeats a question as often as the client does.
func (c *Client) poll(q request) (body string) {
	for range max(1, c.Polls) {
		body = c.send(q)
	}
	return body
}
