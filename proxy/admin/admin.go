// Package admin is the address at which a deck is looked after: whether it is well, what it
// has counted, and a reset of what its clients have done.
//
//	GET  /healthz   200 while the process answers
//	GET  /readyz    200 while the deck serves; 503 before, and from when it stops
//	GET  /metrics   counts, in the form of Prometheus
//	POST /reset     forgets what is live in a replay
//	POST /stop      has the deck stop as a signal would, for systems and languages without signals
//
// The callbacks of a replay are looked at, and sent, there too (see callbacks.go):
//
//	GET  /callbacks                counts and the latest callbacks, as JSON
//	POST /callbacks/next           sends the oldest that is held, and returns it
//	POST /callbacks/resend?order=  sends once more the latest of an order, by its id or number
//
// What a run does beside its mode is looked at and changed there too (see rules.go):
//
//	GET    /rules           all rules, with what they have done, as JSON
//	GET    /rules/NAME      one of them
//	PUT    /rules/NAME      puts a rule in force, in YAML or JSON
//	POST   /rules/NAME/arm  lets a rule fire that waits for being asked; ?times=N
//	POST   /rules/NAME/disarm  has a rule neither match nor count until it is armed
//	DELETE /rules/NAME      takes a rule out of force that was put there here
//	DELETE /rules           takes all of them out
//
// It belongs on a listener of its own, which has a token: a client of the deck must not be able
// to reset it, and a page in a browser neither (see package guard). The two that tell one word need no
// token, because whoever starts and stops a program has no place to keep one.
//
// A metric knows the traffic by its events, and takes of them what is one of a few words: the
// names of modes, of operations in a profile, of kinds, reasons and classes of status. What is
// none of those is "unknown". So no label can hold a value that a client has sent, and the
// number of time series has a bound whatever clients send.
package admin

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/internal/guard"
)

// Options are what an Admin is made of.
type Options struct {
	// Mode is the name of what the deck does: "record".
	Mode string
	// Profiles name the operations that metrics tell apart. Nil: none.
	Profiles *profile.Set
	// Token opens all but the two calls that need none.
	Token string
	// Hosts are names, beside localhost, under which clients may reach this address.
	Hosts []string
	// Version is that of the program, as metrics tell it.
	Version string
}

// Deck is what there is to know of a deck that serves. Functions may be called by many
// goroutines; those that are nil stand for what the deck has not.
type Deck struct {
	// Trouble tells why the deck cannot answer until people do something; empty if it can. Nil: always.
	Trouble func() string
	// Stopping is closed when the deck takes no more requests.
	Stopping <-chan struct{}
	// Reset forgets all that is live.
	Reset func()
	// Stop has the deck take no more requests, and returns at once.
	Stop func()
	// Live returns how many named sessions and how many live entities there are.
	Live func() (sessions, entities int)
	// Rules are those of the deck.
	Rules *rules.Engine
	// Share makes a change in the deck and in those that share its sessions. Nil: it has its sessions
	// alone.
	Share func(Change) error
	// Doubts is told what may be a mistake in rules that were put in force here.
	Doubts func(texts []string)
	// Owners tells, as JSON does, which deck has which session, and how many each deck has, by where
	// it is. Nil: the deck has its sessions alone.
	Owners func(context.Context) (told any, counts map[string]int)
	// Callbacks are those on tape.
	Callbacks *callback.Sender
	// AllCallbacks does with the callbacks of all decks that share sessions what somebody asks for, and
	// returns what is written as JSON. Nil: the deck has its sessions alone.
	AllCallbacks func(ctx context.Context, ask CallbackInquiry) (any, error)
	// InspectOpen and Inspect serve what people look at below /inspect/: the page, which needs no token,
	// and its API. Nil: there is none.
	InspectOpen, Inspect *http.ServeMux
	// Learned returns how many values are known to be secret.
	Learned func() int
}

// Admin looks after one deck.
type Admin struct {
	handler  http.Handler
	profiles *profile.Set
	metrics  *metrics
	deck     atomic.Pointer[Deck] // nil before it serves
}

// New returns an Admin for a deck that does not serve yet. It refuses to be made without a
// token that cannot be guessed.
func New(o Options) (*Admin, error) {
	a := &Admin{profiles: o.Profiles}
	a.metrics = newMetrics(o, &a.deck)
	open, closed := http.NewServeMux(), http.NewServeMux()
	for _, mux := range []*http.ServeMux{open, closed} { // whoever has the token needs one address
		mux.HandleFunc("GET /healthz", health)
		mux.HandleFunc("GET /readyz", a.ready)
	}
	closed.HandleFunc(inspectAPI, a.inspect)
	closed.HandleFunc("GET /{$}", index)
	closed.Handle("GET /metrics", a.metrics.handler())
	closed.HandleFunc("POST /reset", a.reset)
	closed.HandleFunc("POST /stop", a.stop)
	closed.HandleFunc("GET /owners", a.owners)
	for pattern, h := range map[string]callbackHandler{
		"GET /callbacks": listCallbacks, "POST /callbacks/next": nextCallback,
		"POST /callbacks/resend": resendCallbacks,
	} {
		closed.HandleFunc(pattern, a.withCallbacks(h))
	}
	for pattern, h := range map[string]ruleHandler{
		"GET /rules": listRules, "GET /rules/{name}": showRule, "PUT /rules/{name}": a.putRule,
		"POST /rules/{name}/arm": a.armRule, "POST /rules/{name}/disarm": a.disarmRule,
		"DELETE /rules/{name}": a.removeRule, "DELETE /rules": a.removeRules,
	} {
		closed.HandleFunc(pattern, a.withRules(h))
	}
	var err error
	a.handler, err = guard.New(guard.Options{
		Token: o.Token, Hosts: o.Hosts, HostFlag: "--admin-host", Fail: fail,
	}, &pages{open, &a.deck}, closed)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// CheckToken says what is wrong with a token, without repeating it.
func CheckToken(token string) error { return guard.CheckToken(token) }

// ServeHTTP answers whoever looks after the deck.
func (a *Admin) ServeHTTP(w http.ResponseWriter, req *http.Request) { a.handler.ServeHTTP(w, req) }

// Tend says that a deck serves from now on.
func (a *Admin) Tend(d Deck) { a.deck.Store(&d) }

// Observe counts an event.
func (a *Admin) Observe(e proxy.Event) { a.metrics.observe(e) }

// Withheld counts what a last search kept off the tape.
func (a *Admin) Withheld() { a.metrics.withheld.Inc() }

// Count counts the requests that a door has under way.
func (a *Admin) Count(door http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		a.metrics.inFlight.Inc()
		defer a.metrics.inFlight.Dec()
		door.ServeHTTP(w, req)
	})
}

// health answers GET /healthz.
func health(w http.ResponseWriter, _ *http.Request) { say(w, "ok") }

// ready answers GET /readyz.
func (a *Admin) ready(w http.ResponseWriter, _ *http.Request) {
	d := a.deck.Load()
	if d == nil {
		http.Error(w, "starting", http.StatusServiceUnavailable)
		return
	}
	select {
	case <-d.Stopping:
		http.Error(w, "stopping", http.StatusServiceUnavailable)
	default:
		if d.Trouble != nil && d.Trouble() != "" {
			http.Error(w, d.Trouble(), http.StatusServiceUnavailable)
			return
		}
		say(w, "ok")
	}
}

// reset answers POST /reset. A reset has no body: what a page in a browser or a callback
// sends often has one.
func (a *Admin) reset(w http.ResponseWriter, req *http.Request) {
	d := a.deck.Load()
	switch {
	case req.ContentLength != 0:
		http.Error(w, "a reset has no body", http.StatusBadRequest)
	case d == nil:
		http.Error(w, "starting", http.StatusServiceUnavailable)
	case d.Reset == nil:
		http.Error(w, "this deck answers nothing from tape, so there is nothing to reset",
			http.StatusConflict)
	case d.Share != nil && d.Share(Change{Do: Reset}) != nil:
		http.Error(w, "the decks that share the sessions cannot be told: see whether nats-server runs",
			http.StatusServiceUnavailable)
	default:
		if d.Share == nil {
			d.Reset()
		}
		a.metrics.resets.Inc()
		w.WriteHeader(http.StatusNoContent)
	}
}

// stop answers POST /stop. The answer says that the deck was told, and not that it has stopped: who
// asks has yet to wait for the end of the process, whose exit code is the verdict.
func (a *Admin) stop(w http.ResponseWriter, req *http.Request) {
	d := a.deck.Load()
	switch {
	case req.ContentLength != 0:
		http.Error(w, "a stop has no body", http.StatusBadRequest)
	case d == nil || d.Stop == nil:
		http.Error(w, "starting", http.StatusServiceUnavailable)
	default:
		d.Stop()
		w.WriteHeader(http.StatusAccepted)
	}
}

// owners answers GET /owners.
func (a *Admin) owners(w http.ResponseWriter, req *http.Request) {
	d := a.deck.Load()
	if d == nil || d.Owners == nil {
		http.Error(w, "this deck has its sessions alone", http.StatusConflict)
		return
	}
	told, _ := d.Owners(req.Context())
	_ = writeJSON(w, told) // who has gone needs no answer
}

// index answers GET / with what there is.
func index(w http.ResponseWriter, _ *http.Request) {
	say(w, "GET healthz\nGET readyz\nGET metrics\nPOST reset\nPOST stop\nGET owners\nGET callbacks\nPOST callbacks/next\n"+
		"POST callbacks/resend?order=ORDER\nGET rules\nDELETE rules\n"+
		"GET rules/NAME\nPUT rules/NAME\nDELETE rules/NAME\nPOST rules/NAME/arm?times=N\n"+
		"POST rules/NAME/disarm")
}

// say answers with a text of ours.
func say(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, text+"\n") // who has gone needs no answer
}
