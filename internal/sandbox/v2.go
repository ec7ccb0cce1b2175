package sandbox

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

// v2 is the wire side of document 2.
type v2 struct {
	account Account
	now     func() time.Time

	mu   sync.Mutex // guards bank and its source
	bank *v2Bank
}

func newV2(o Options, numbers *mint.Issuer) *v2 {
	bank := newV2Bank(mint.NewSource(o.Seed, streamV2), numbers)
	return &v2{account: o.Account, now: o.Now, bank: bank}
}

// v2Call is a call after reading, but for its body.
type v2Call struct {
	id    string // the {id} of the path; empty if the path has none
	query url.Values
	now   time.Time
}

// v2Op reads a body into what is to be done with the bank.
type v2Op func(body []byte) (v2Action, error)

type v2Action func(*v2Bank, v2Call) (any, error)

// v2Send makes an operation of a function over its typed body.
func v2Send[Q, A any](run func(*v2Bank, v2Call, Q) (A, error)) v2Op {
	return func(body []byte) (v2Action, error) {
		var request Q
		if err := wire.DecodeSized(body, &request); err != nil {
			return nil, err
		}
		return func(b *v2Bank, c v2Call) (any, error) { return run(b, c, request) }, nil
	}
}

// v2Read makes an operation of a function that takes no body; one that comes is ignored.
func v2Read[A any](run func(*v2Bank, v2Call) (A, error)) v2Op {
	return func([]byte) (v2Action, error) {
		return func(b *v2Bank, c v2Call) (any, error) { return run(b, c) }, nil
	}
}

// v2Resources lists the operations by path and method (document 2, Endpoints). Every
// success is 200: the documents give no list of statuses.
var v2Resources = map[string]map[string]v2Op{
	"cardholders":      {http.MethodPost: v2Send((*v2Bank).createCardholder)},
	"cardholders/{id}": {http.MethodGet: v2Read((*v2Bank).showCardholder)},
	"cards":            {http.MethodPost: v2Send((*v2Bank).createCard)},
	"cards/{id}": {
		http.MethodGet:   v2Read((*v2Bank).showCard),
		http.MethodPatch: v2Send((*v2Bank).updateCard),
	},
	"topups": {http.MethodPost: v2Send((*v2Bank).topUp)},
	"transfers": {
		http.MethodPost: v2Send((*v2Bank).transfer),
		http.MethodGet:  v2Read((*v2Bank).listTransfers),
	},
}

// ServeHTTP answers one call. Every answer, an error too, has a Request-id (document 2,
// Sandbox facts, 5).
func (v *v2) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Request-id", v.requestID())
	answer, err := v.perform(w, r)
	if err == nil {
		wire.Reply{Status: http.StatusOK, ContentType: "application/json", Body: answer}.Write(w)
		return
	}
	f := asV2Fault(err)
	wire.Reply{Status: f.status, ContentType: "application/json", Body: f}.Write(w)
}

func (v *v2) requestID() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bank.source.UUID4()
}

func (v *v2) perform(w http.ResponseWriter, r *http.Request) (any, error) {
	if r.Header.Get("X-API-KEY") != v.account.V2Key { // document 2, Authentication
		return nil, unauthorized()
	}
	path, id := v2Resource(r.URL.Path)
	methods, known := v2Resources[path]
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
	action, err := op(body)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return action(v.bank, v2Call{id: id, query: r.URL.Query(), now: v.now()})
}

// v2Resource splits a path into the name of its resource and the id in it.
func v2Resource(path string) (name, id string) {
	name, id, hasID := strings.Cut(strings.TrimPrefix(path, "/v2/"), "/")
	if hasID {
		name += "/{id}"
	}
	return name, id
}
