// Package mock is five payment APIs that no profile knows, each with an ordinary client of it. Tests
// record the client in front of the API, replay the tape with no profile, with a drafted one or with
// one written by hand, and compare what the client saw with what a fresh API answers to the same.
// No program imports this package.
//
// The five APIs are made to differ in what replay by inference finds hard:
//
//	tokens    REST and JSON; the tape withholds the tokens of cards, which the client sends back
//	webhooks  REST and JSON; the shop is told what happened, signed
//	xml       XML over HTTP, one path for each call, failures with status 200, receipts R123456789
//	soap      SOAP 1.1, one path for all calls, a session in the header of the envelope
//	numbers   REST and JSON; ids are JSON numbers, some of five digits that count up
//
// A Client plays checkouts and returns a Transcript: each answer with its status and its body, in
// which every value that differs from run to run is folded to its noun and a number:
//
//	POST /v1/charges  {"reference":"shop-w7q2-1","card_token":"ct_8f3k..."}
//	  201  {"id":"<charge 1>","reference":"<reference 1>","created":"<now>", ...}
//
// A value is folded only where it looks as this API makes its values, as a strict parser would see
// it. A text that is not folded stays, so it differs. Two transcripts of the same checkouts are
// therefore equal if and only if the answers are equal apart from ids and dates, and each id stands
// wherever it stood before. Compare says in what they differ.
//
// What a server knows it keeps under one lock, and what it makes a seed decides, so that equal
// requests in the same order get equal answers, but for dates.
package mock

import (
	"io"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

// API is a payment API that no profile knows, with a client's suite.
type API struct {
	Name    string
	Summary string // one line, for people
	// Profile is a profile of the API as a person who knows it writes it, in YAML.
	Profile string
	// Checkouts are what the client plays: each begins anew, and needs no other.
	Checkouts []Checkout
	// Others are what no tape of Checkouts shows: other amounts, other orders of calls, made-up ids.
	Others []Checkout

	new   func(*Server) answerer
	nouns []noun
}

// Checkout is a way through an API that a client plays.
type Checkout struct {
	Name string
	Play func(*Client)
}

// APIs are the five.
var APIs = []API{tokens, webhooks, xmlAPI, soap, numbers}

// Named returns the API of a name, and whether there is one.
func Named(name string) (API, bool) {
	for _, a := range APIs {
		if a.Name == name {
			return a, true
		}
	}
	return API{}, false
}

// Options are what a server is made with.
type Options struct {
	Seed uint64           // of what it mints
	Now  func() time.Time // nil means time.Now
	// Webhook returns where the shop is called, of an API that calls it. Nil: nowhere.
	Webhook func() string
}

// answerer answers one call. The server's lock is held.
type answerer func(r *http.Request, body string) answer

// answer is what a server answers.
type answer struct {
	status      int
	contentType string
	body        string
}

// Server is an API that runs. It is an http.Handler for any number of clients, and must be closed.
type Server struct {
	options Options
	calls   sync.WaitGroup // of the shop, under way

	mu     sync.Mutex // guards all below
	source *mint.Source
	answer answerer
}

// New returns a server of the API that knows nothing yet.
func (a API) New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{options: o, source: mint.NewSource(o.Seed, 21)}
	s.answer = a.new(s)
	return s
}

// ServeHTTP answers one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	a := s.answer(r, string(body))
	s.mu.Unlock()
	if a.contentType != "" {
		w.Header().Set("Content-Type", a.contentType)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body) // the client has gone
}

// Close waits for calls of the shop that are under way.
func (s *Server) Close() { s.calls.Wait() }

// Alphabets that values are minted from.
const (
	hexDigits    = "0123456789abcdef"
	alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	capitals     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// textLocked mints n signs of an alphabet behind a prefix.
func (s *Server) textLocked(prefix string, n int, alphabet string) string {
	b := []byte(prefix)
	for range n {
		b = append(b, alphabet[s.source.IntN(len(alphabet))])
	}
	return string(b)
}

// isoLocked writes a moment as far from now as after says.
func (s *Server) isoLocked(after time.Duration) string {
	return s.options.Now().Add(after).UTC().Format(time.RFC3339)
}

// jsonAnswer is an answer in JSON.
func jsonAnswer(status int, body string) answer { return answer{status, "application/json", body} }

// Cards of the suites: published test numbers.
const (
	cardPaid     = "400000" + "1111111118"
	cardOther    = "555555" + "5555555599"
	cardDeclined = "411111" + "1111111111"
)

func isDeclined(card string) bool { return card == cardDeclined }

// noun is a kind of value that differs from run to run.
type noun struct {
	name string
	// at finds the value: its first group, or all of it where there is none.
	at *regexp.Regexp
	// withheld finds the value where a replay has made it of a tape that withholds it, and so knows
	// nothing of how it looks. Nil: no tape withholds it.
	withheld *regexp.Regexp
	// date reads the value of a date; nil: the value is none.
	date func(string) (time.Time, error)
}

func isoDate(text string) (time.Time, error) { return time.Parse(time.RFC3339, text) }
