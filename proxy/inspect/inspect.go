package inspect

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/proxy/inspect/web"
	"github.com/paytape/paytape/proxy/internal/guard"
	"github.com/paytape/paytape/redact"
)

// Query says which part of the list is asked for.
type Query = traffic.Query

// Traffic is the list of exchanges and what can be asked of it. An error is the client's: a filter
// that cannot be read, a flow that is not there.
type Traffic interface {
	Window(q Query) (view.Window, error)
	Follow(ctx context.Context, after uint64, filter string) iter.Seq2[view.Row, uint64]
	Row(id uint64) (view.Row, bool)
	Flow(id string) (view.Flow, bool)
	Compare(a, b string) (view.Comparison, error)
	Complete(text string, cursor int) view.Completion
}

// Explainer looks at one exchange. False: it is not held, and its row neither.
type Explainer interface {
	Exchange(id uint64) (view.Exchange, bool)
	Why(id uint64) (view.Why, bool)
	Value(id uint64, side, path string) (view.Value, bool)
	HAR(id uint64) ([]byte, bool)
}

// Events are the numbers of what has happened. A hub has them.
type Events interface {
	LastID() uint64
	// Miss returns the event of the n-th miss of the run; 0 is the last. Callback returns the latest
	// event of the n-th callback.
	Miss(n uint64) (id uint64, found bool)
	Callback(n int) (id uint64, found bool)
}

// Machines draws tapes.
type Machines interface {
	Names() []string
	Machine(name string) (view.Machine, bool)
}

// Cleaner makes a text one that may be shown.
type Cleaner interface {
	Text(s string) redact.Safe
}

// Options are what an Inspector is made of.
type Options struct {
	Traffic   Traffic
	Explainer Explainer
	Events    Events
	Cleaner   Cleaner
	Status    func() view.Status
	Rules     *rules.Engine
	// Arm arms a rule in place of Rules, in all decks that share the sessions; times 0 disarms it. Nil:
	// the deck has its sessions alone.
	Arm func(name string, times int) error
	// Broken tells what is wrong with the rules files that were read last; empty: nothing. Nil: there
	// are no files.
	Broken func() string
	// Callbacks are those on tape. Nil: the deck sends none.
	Callbacks *callback.Sender
	// Machines draws the tapes that the deck answers from. Nil: it answers from none.
	Machines Machines
	// Resend sends the request of an exchange once more, and returns the number of the new row.
	Resend func(ctx context.Context, id uint64) (uint64, error)
	// Base is where people reach the page, without the token: links in texts lead there.
	Base string
	// Hosts are names, beside localhost, under which clients may reach the inspector, and Token opens
	// the API.
	Hosts []string
	Token string
}

// ErrGone says that an exchange cannot be sent again: it is held no longer, or was never held.
var ErrGone = errors.New("the request is held no longer")

// Inspector shows a deck to people. It is an http.Handler for a listener of its own; Mount is for the
// address of another.
type Inspector struct {
	Options
	guarded http.Handler
	streams chan struct{} // one for each stream of events
}

// New returns an Inspector. It refuses to be made without a token that cannot be guessed.
func New(o Options) (*Inspector, error) {
	i := &Inspector{Options: o, streams: make(chan struct{}, maxStreams)}
	open, closed := http.NewServeMux(), http.NewServeMux()
	i.Mount("/", open, closed)
	var err error
	i.guarded, err = guard.New(guard.Options{
		Token: o.Token, Hosts: o.Hosts, HostFlag: "--inspect-host", Fail: fail,
	}, open, closed)
	if err != nil {
		return nil, err
	}
	return i, nil
}

// ServeHTTP answers whoever looks at the deck.
func (i *Inspector) ServeHTTP(w http.ResponseWriter, req *http.Request) { i.guarded.ServeHTTP(w, req) }

// screens are the addresses of the page below its base, as patterns.
var screens = []string{
	"{$}", "assets/", "x/", "why/", "flow/", "compare/", "tape/", "rules", "callbacks",
}

// Mount serves the page and the API below a base such as "/" or "/inspect/": the page by open, for
// whoever asks, and the API by closed, for whom a guard has let in.
func (i *Inspector) Mount(base string, open, closed *http.ServeMux) {
	page := web.Handler(base)
	for _, at := range screens {
		open.Handle("GET "+base+at, page)
	}
	if base != "/" {
		// Whoever leaves the slash out gets the page too: a redirect would lose the token.
		open.Handle("GET "+strings.TrimSuffix(base, "/"), http.HandlerFunc(
			func(w http.ResponseWriter, req *http.Request) {
				at := *req
				whole := *req.URL
				whole.Path, whole.RawPath = base, ""
				at.URL = &whole
				page.ServeHTTP(w, &at)
			}))
	}
	api := base + "api/"
	for pattern, look := range map[string]look{
		"status": i.status, "exchanges": i.window, "rows": i.rows, "exchanges/{id}": i.exchange,
		"values": i.value, "flows/{id}": i.flow, "compare": i.compare, "why/{id}": i.why,
		"filter": i.complete, "tapes": i.tapes, "tapes/{name}/machine": i.machine, "rules": i.rules,
		"callbacks": i.callbacks,
	} {
		closed.HandleFunc("GET "+api+pattern, i.answer(look))
	}
	for pattern, act := range map[string]look{
		"rules/{name}/arm": i.arm, "rules/{name}/disarm": i.disarm, "callbacks/mode": i.setMode,
		"callbacks/next": i.sendNext, "callbacks/{number}/resend": i.resendCallback,
		"exchanges/{id}/resend": i.resend,
	} {
		closed.HandleFunc("POST "+api+pattern, i.answer(withoutBody(act)))
	}
	closed.HandleFunc("GET "+api+"events", i.events)
	closed.HandleFunc(api, nothing)
}

// nothing answers what no call of the API is.
func nothing(w http.ResponseWriter, req *http.Request) {
	fail(w, req, http.StatusNotFound, "there is no such call: see paytape help inspect")
}
