package callback

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
)

// Sent is one attempt with the values of this run, as the shop has got it: for a test that wants to
// see what a shop sees.
type Sent struct {
	leaf.Unprinted
	// Number is that of the callback among those of the deck, and Attempt counts its attempts. Both
	// begin with 1.
	Number, Attempt int
	// Profile and Operation say what it tells: "gateway", "deposited".
	Profile, Operation string
	// Method, URL, Header and Body are those of the request. Where there was no shop to be called,
	// URL is only path and query: "?mdOrder=...".
	Method, URL string
	Header      http.Header
	Body        string
	// Code is the status that the shop has answered with, and Answer the beginning of its body. 0:
	// there was no shop, or no answer of it, and Problem tells why, in a word of package proxy.
	Code    int
	Answer  string
	Problem string
}

// Value returns the first value of a parameter of the query or of the form; "" if it has none.
func (s *Sent) Value(name string) string {
	_, query, _ := strings.Cut(s.URL, "?")
	m := Message{Query: query, Header: s.Header, Body: s.Body}
	all := parameters(m.Query)
	if m.isForm() {
		all = append(all, parameters(m.Body)...)
	}
	for _, p := range all {
		if p.name == name {
			return p.value
		}
	}
	return ""
}

// sent returns an attempt that has ended. The lock of the Sender is held.
func (e *event) sent(out *outgoing, got answered) *Sent {
	problem, _, _ := got.problem()
	s := &Sent{
		Number: e.number, Attempt: len(e.attempts), Operation: e.Operation, Method: e.Method,
		Code: got.code, Answer: got.body, Problem: problem,
	}
	if e.Profile != nil {
		s.Profile = e.Profile.Name
	}
	if out != nil {
		s.URL, s.Header, s.Body = out.url, out.Header, out.Body
	}
	return s
}

// tells returns what there is to tell of an outcome.
func (s *Sender) tells(e *event, outcome string) proxy.Event {
	told := proxy.Event{
		Kind: proxy.Callback, Number: e.Number, Cassette: e.Cassette, Flow: e.Flow,
		Session: s.options.Redactor.Text(e.Session).String(), Operation: e.Operation, Mark: e.Mark,
		Attempt: len(e.attempts), Outcome: outcome, Rules: e.fired, RuleCounts: e.firedCounts,
		Callback: e.number, Attempts: e.mostAttempts(),
	}
	if e.Profile != nil {
		told.Profile = e.Profile.Name
	}
	return told
}

// exchange returns an attempt as a callback is on tape, for whoever looks at it later: the address
// of the shop is no part of it.
func (e *event) exchange(out *outgoing, got answered, begun time.Time) *proxy.Exchange {
	x := &leaf.Exchange{}
	x.Method, x.URL = out.method, leaf.CallbackOrigin+e.Path
	if x.URL == leaf.CallbackOrigin {
		x.URL += "/"
	}
	if query := strings.TrimPrefix(strings.TrimPrefix(out.Query, out.own), "&"); query != "" {
		x.URL += "?" + query
	}
	x.Request.Headers, x.Request.Body = out.Header, out.Body
	x.Code, x.Response.Headers, x.Response.Body = got.code, got.header, got.body
	x.Response.Duration = got.took
	if got.code != 0 {
		x.Response.Status = http.StatusText(got.code)
	} else {
		x.Meta.Failure = "there was no answer of the shop"
	}
	x.Meta.At, x.Meta.Operation = begun, profile.CallbackOperation
	if e.Profile != nil {
		x.Meta.Profile = e.Profile.Name
	}
	x.Meta.Callback = &leaf.Callback{Operation: e.Operation, Attempt: len(e.attempts)}
	return proxy.NewExchange(x).Knowing(e.Secrets)
}

// originOf returns scheme, host and port of an address; "" for what is no address.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
