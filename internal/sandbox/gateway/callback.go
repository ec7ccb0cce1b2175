package gateway

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// Callbacks say how the shop is called back (document 3, Events; domain facts, Callbacks).
// With the zero value orders that were registered with a dynamicCallbackUrl on this machine
// get their callbacks, by GET and without a checksum, and nobody else does.
type Callbacks struct {
	// Address is the static callback address; empty means none. Its host and port may be
	// called wherever they are.
	Address string
	// Key is the merchant's key of the checksum; empty means that there is no checksum.
	Key string
	// Alias names the key in sign_alias; empty means that the parameter is absent.
	Alias string
	// Post sends a form by POST in place of GET with a query.
	Post bool
	// Allow lists hosts, or hosts with ports, that may be called although they are not on
	// this machine.
	Allow []string
}

var (
	errStaticAddress = errors.New("the callback address must be a full http or https URL")
	errAlias         = errors.New("an alias of the callback key needs a key")
	errAllowed       = errors.New("hosts allowed for callbacks must be HOST or HOST:PORT")
)

// Check tells whether callbacks can be made this way.
func (c Callbacks) Check() error {
	unfit := func(host string) bool { return host == "" || strings.ContainsAny(host, "/?#@ ") }
	switch {
	case c.Address != "" && !isWebURL(c.Address):
		return errStaticAddress
	case c.Alias != "" && c.Key == "":
		return errAlias
	case slices.ContainsFunc(c.Allow, unfit):
		return errAllowed
	}
	return nil
}

// callback is one notification of the shop, made when its event happened: what changes later
// does not show in it.
type callback struct {
	address    string
	orderID    string // callbacks of one order go out in their order
	operation  string
	parameters []wire.NameValue // in the order of the family's examples, without checksum
}

// address is where the callback of an event goes; empty means nowhere. Payment callbacks go
// to the order's own address if it has one, binding callbacks never do (document 3, Events).
func (c Callbacks) address(o *order, e event) string {
	if e.ofBinding() {
		return c.Address
	}
	return cmp.Or(o.callbackURL, c.Address)
}

// javaDate is the form of dates in callbacks (domain facts, Identifiers, Dates), which is in
// UTC here: the zone of the real gateway is not shown.
const javaDate = "Mon Jan 02 15:04:05 MST 2006"

// newCallback makes the callback of an event. The parameter that carries the date is
// callbackCreationDate, the family's name; amount is what the order was registered with, which
// is of no meaning to a binding. A switched binding says in enabled which way, also the
// family's name, and comes with the order that made it.
func newCallback(o *order, e event, address string) callback {
	cb := callback{address: address, orderID: o.id, operation: e.operation}
	cb.add("mdOrder", o.id)
	cb.add("orderNumber", o.number)
	cb.add("operation", e.operation)
	cb.add("callbackCreationDate", e.at.UTC().Format(javaDate))
	if !e.ofBinding() {
		cb.add("amount", strconv.FormatInt(o.amount, 10))
	}
	if bound := cmp.Or(e.bound, o.binding); bound != nil {
		cb.add("bindingId", bound.id)
	}
	if o.clientID != "" {
		cb.add("clientId", o.clientID)
	}
	if e.operation == eventBindingSwitched {
		cb.add("enabled", strconv.FormatBool(!e.disabled))
	}
	status := "1"
	if e.failed {
		status = "0"
	}
	cb.add("status", status)
	return cb
}

func (cb *callback) add(name, value string) {
	cb.parameters = append(cb.parameters, wire.NameValue{Name: name, Value: value})
}

// request makes the HTTP request of a callback. The shop's address may have a query, which
// stays. What is signed is what travels together, the whole query or the whole form: a shop
// checks all the parameters that it gets. Whether the family signs the address's own query is
// not shown.
func (c Callbacks) request(ctx context.Context, cb callback) (*http.Request, error) {
	to, err := url.Parse(cb.address)
	if err != nil {
		return nil, err
	}
	if c.Post {
		form := encode(c.signed(cb.parameters, cb.parameters))
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(),
			strings.NewReader(form))
		if err == nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		return r, err
	}
	all := slices.Clone(cb.parameters)
	own := params{}
	own.addPairs(to.RawQuery)
	for name, value := range own {
		all = append(all, wire.NameValue{Name: name, Value: value})
	}
	query := encode(c.signed(cb.parameters, all))
	to.RawQuery = strings.TrimPrefix(to.RawQuery+"&"+query, "&")
	return http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
}

// signed returns the parameters of a callback with the checksum of all that the shop gets.
func (c Callbacks) signed(parameters, all []wire.NameValue) []wire.NameValue {
	if c.Key == "" {
		return parameters
	}
	list := slices.Clone(parameters)
	if c.Alias != "" {
		list = append(list, wire.NameValue{Name: "sign_alias", Value: c.Alias})
	}
	return append(list, wire.NameValue{Name: "checksum", Value: checksum(c.Key, all)})
}

// checksum proves that a callback comes from whoever has the key: HMAC-SHA256 over
// name;value; of every parameter, by name, in upper-case hexadecimal (domain facts,
// Callbacks). checksum and sign_alias themselves do not count.
func checksum(key string, parameters []wire.NameValue) string {
	sorted := slices.SortedStableFunc(slices.Values(parameters),
		func(a, b wire.NameValue) int { return cmp.Compare(a.Name, b.Name) })
	mac := hmac.New(sha256.New, []byte(key))
	for _, p := range sorted {
		if p.Name != "checksum" && p.Name != "sign_alias" {
			mac.Write([]byte(p.Name + ";" + p.Value + ";"))
		}
	}
	return strings.ToUpper(hex.EncodeToString(mac.Sum(nil)))
}

// encode writes parameters as a query or a form.
func encode(parameters []wire.NameValue) string {
	var out strings.Builder
	for i, p := range parameters {
		if i > 0 {
			out.WriteByte('&')
		}
		out.WriteString(url.QueryEscape(p.Name) + "=" + url.QueryEscape(p.Value))
	}
	return out.String()
}

// The operations that a callback names (domain facts, Callbacks), but for declinedCardpresent:
// no card is ever present here, and what is declined otherwise is told by the status alone.
const (
	eventApproved        = "approved"  // held
	eventDeposited       = "deposited" // paid
	eventReversed        = "reversed"
	eventRefunded        = "refunded"
	eventTimedOut        = "declinedByTimeout"
	eventBindingCreated  = "bindingCreated"
	eventBindingSwitched = "bindingActivityChanged"
)

// event is something that happened to an order or a binding and that the shop may be called
// back for (document 3, Events).
type event struct {
	operation string // one of the above
	failed    bool   // status 0 in the callback; otherwise 1
	at        time.Time
	bound     *binding // what a binding event is about; nil means the one of the order
	disabled  bool     // of eventBindingSwitched: the binding was switched off
}

// ofBinding tells whether the event is no payment; its callback goes another way (document
// 3, Events).
func (e event) ofBinding() bool {
	return e.operation == eventBindingCreated || e.operation == eventBindingSwitched
}

// tell notes an event of an order; a binding event is one of the order that made the binding.
// The book's lock is held, and what was noted goes out when it is let go.
func (b *book) tell(o *order, e event) {
	b.events = append(b.events, told{o.id, e})
}

// told is an event and the order that it is about.
type told struct {
	orderID string
	event
}

// takeEvents empties the list of events.
func (b *book) takeEvents() []told {
	list := b.events
	b.events = nil
	return list
}

// callbacksState is what the control address shows of callbacks: no address and no
// parameters, which hold whatever the shop has put there.
type callbacksState struct {
	Counts callbackCounts  `json:"counts"`
	Latest []callbackState `json:"latest"` // oldest first
}

type callbackCounts struct {
	Delivered int `json:"delivered"`
	Pending   int `json:"pending"`
	Failed    int `json:"failed"`
}

type callbackState struct {
	OrderID   string `json:"orderId"`
	Operation string `json:"operation"`
	State     string `json:"state"`    // delivered, pending or failed
	Attempts  int    `json:"attempts"` // that have ended
	Reason    string `json:"reason,omitempty"`
}

func (c *courier) state() callbacksState {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := callbacksState{Counts: c.counts, Latest: []callbackState{}}
	for _, d := range c.shown {
		s.Latest = append(s.Latest, callbackState{
			OrderID: d.orderID, Operation: d.operation, State: d.state,
			Attempts: d.attempts, Reason: d.reason,
		})
	}
	return s
}
