// Package cardv2 is the stand-in for version 2 of the card service (document 2).
//
// The idea: cardv2.go knows how a call arrives and lists the resources with their methods; each
// operation is a method of the bank (bank.go) that takes the call, with a typed body if it has
// one, and returns an answer or a fault. Cardholders are in cardholder.go, cards in card.go, the
// changes that PATCH makes to them in update.go, top-ups and transfers in transfer.go.
//
// Where document 2 is silent, something had to be chosen: error answers in fault.go, what a
// reissue does and the forms of PATCH in update.go, and when a movement is declined in card.go.
//
// The limits: there is one login, and everything is in memory. A pool of twenty cards is
// prepared, one per cardholder. Nothing enters a PIN, and so none is kept.
package cardv2

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// pathPrefix begins the path of every resource (document 2, Endpoints).
const pathPrefix = "/v2/"

// Options configure an API. Every field is needed.
type Options struct {
	Key     string           // what clients log in with
	Numbers *mint.Issuer     // of the prepared cards and of reissued ones
	Source  *mint.Source     // of every other minted value; the API's alone
	Now     func() time.Time // the clock
}

// API is the wire side of document 2: it checks who calls, finds the operation by path and
// method, lets the bank act, and writes the answer.
type API struct {
	options Options

	mu   sync.Mutex // guards bank and its source
	bank *bank
}

// New returns an API with no cardholders and the cards of the pool prepared.
func New(o Options) *API {
	return &API{options: o, bank: newBank(o)}
}

// call is a call after reading, but for its body.
type call struct {
	id    string // the {id} of the path; empty if the path has none
	query url.Values
	now   time.Time
}

// operation reads a body into what is to be done with the bank.
type operation func(body []byte) (action, error)

type action func(*bank, call) (any, error)

// send makes an operation of a function over its typed body.
func send[Q, A any](run func(*bank, call, Q) (A, error)) operation {
	return func(body []byte) (action, error) {
		var request Q
		if err := wire.DecodeSized(body, &request); err != nil {
			return nil, err
		}
		return func(b *bank, c call) (any, error) { return run(b, c, request) }, nil
	}
}

// read makes an operation of a function that takes no body; one that comes is ignored.
func read[A any](run func(*bank, call) (A, error)) operation {
	return func([]byte) (action, error) {
		return func(b *bank, c call) (any, error) { return run(b, c) }, nil
	}
}

// resources lists the operations by path and method (document 2, Endpoints). Every
// success is 200: the documents give no list of statuses.
var resources = map[string]map[string]operation{
	"cardholders":      {http.MethodPost: send((*bank).createCardholder)},
	"cardholders/{id}": {http.MethodGet: read((*bank).showCardholder)},
	"cards":            {http.MethodPost: send((*bank).createCard)},
	"cards/{id}": {
		http.MethodGet:   read((*bank).showCard),
		http.MethodPatch: send((*bank).updateCard),
	},
	"topups": {http.MethodPost: send((*bank).topUp)},
	"transfers": {
		http.MethodPost: send((*bank).transfer),
		http.MethodGet:  read((*bank).listTransfers),
	},
}

// ServeHTTP answers one call. Every answer, an error too, has a Request-id (document 2,
// Sandbox facts, 5).
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Request-id", a.requestID())
	answer, err := a.perform(w, r)
	if err == nil {
		wire.Reply{Status: http.StatusOK, ContentType: "application/json", Body: answer}.Write(w)
		return
	}
	f := asFault(err)
	wire.Reply{Status: f.status, ContentType: "application/json", Body: f}.Write(w)
}

func (a *API) requestID() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bank.source.UUID4()
}

func (a *API) perform(w http.ResponseWriter, r *http.Request) (any, error) {
	if r.Header.Get("X-API-KEY") != a.options.Key { // document 2, Authentication
		return nil, unauthorized()
	}
	path, id := resourceOf(r.URL.Path)
	methods, known := resources[path]
	if !known {
		return nil, notFound("resource")
	}
	op, known := methods[r.Method]
	if !known {
		allowed := slices.Sorted(maps.Keys(methods))
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return nil, wrongMethod()
	}
	body, err := wire.ReadBody(w, r)
	if err != nil {
		return nil, err
	}
	act, err := op(body)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return act(a.bank, call{id: id, query: r.URL.Query(), now: a.options.Now()})
}

// resourceOf splits a path into the name of its resource and the id in it.
func resourceOf(path string) (name, id string) {
	name, id, hasID := strings.Cut(strings.TrimPrefix(path, pathPrefix), "/")
	if hasID {
		name += "/{id}"
	}
	return name, id
}
