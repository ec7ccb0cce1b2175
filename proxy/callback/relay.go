package callback

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// RelayOptions are what a Relay is made of.
type RelayOptions struct {
	leaf.Unprinted
	// Addresses are those that the Relay has given out.
	Addresses *Addresses
	// Profiles know how callbacks look. Nil: nothing is known of any.
	Profiles *profile.Set
	// Mode passes callbacks on, and records them if it records: a proxy.Record or a proxy.Pass.
	Mode interface {
		Relay(req *http.Request, cb proxy.RelayedCallback) (*http.Response, error)
	}
	// To is the URL of the shop for callbacks at the static address. Empty: these are refused.
	To string
	// Keys check the checksums of callbacks.
	Keys Keys
	// Allow are hosts beyond this machine that may be called, as HOST or HOST:PORT; that of To may.
	Allow []string
	// Own are the addresses of the deck, which are never called.
	Own []net.Addr
	// TLS is what TLS to shops is agreed on with. Nil: what the system has.
	TLS *tls.Config
	// Timeout is how long a shop may think. 0: DefaultTimeout.
	Timeout time.Duration
	// Causes know which exchange a callback follows. Nil: nobody knows.
	Causes *Causes
	// Rules are those of the run. Nil: there are none.
	Rules Rules
	// Tries count attempts. Nil: the Relay's own, which begin at one.
	Tries *Tries
	// Observe is told of callbacks that lead nowhere, and if a defect of ours ends one. Nil: nobody
	// is told.
	Observe func(proxy.Event)
}

// DefaultTimeout is how long a shop may think. Sandboxes wait for less.
const DefaultTimeout = time.Minute

// Relay is the callback door of a deck that records: the sandbox calls here, and the Relay calls
// the shop. Request and answer keep their bytes, and the sandbox gets the shop's true status.
// Redirects are passed back and never followed. Shops are called on this machine alone, unless the
// operator allows more; what is dialled is checked. Each attempt is on tape before the sandbox has
// the last byte of the shop's answer.
//
// Limits: the fields of a callback that is larger than 1 MiB are not looked at: nobody knows then
// what it tells, and each attempt counts as the first.
type Relay struct {
	options RelayOptions
	door    *proxy.Door
	shops   http.RoundTripper
	tries   *Tries

	ctx       context.Context // of what rules send beside callbacks; over when the Relay is closed
	stop      context.CancelFunc
	mu        sync.Mutex // guards the beginning of runs
	runs      sync.WaitGroup
	noSending sync.Once // it was told that rules do not decide when callbacks come
}

// NewRelay returns a callback door. It is to be closed when nothing is relayed any more.
func NewRelay(o RelayOptions) (*Relay, error) {
	switch {
	case o.Addresses == nil:
		return nil, errors.New("relaying callbacks needs addresses")
	case o.Mode == nil:
		return nil, errors.New("relaying callbacks needs a mode that passes them on")
	case o.Profiles == nil:
		o.Profiles = &profile.Set{}
	}
	if _, ok := parseShop(o.To); o.To != "" && !ok {
		return nil, errors.New("the address of the shop must be a full http or https URL")
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	r := &Relay{options: o, shops: newShops(o), tries: o.Tries}
	if r.tries == nil {
		r.tries = NewTries(o.Profiles)
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	r.door = proxy.NewDoor(r, o.Observe)
	return r, nil
}

// ServeHTTP passes a callback on.
func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.door.ServeHTTP(w, req) }

// maxRead is how many bytes of a callback are looked at.
const maxRead = 1 << 20

// incoming is a callback as it has come.
type incoming struct {
	leaf.Unprinted
	began  time.Time
	target target
	method string
	path   string // raw, without the query
	query  string // raw, as the sandbox sent it
	asked  bool   // there is a query, be it empty
	Message
	text    string        // the body in UTF-8
	charset string        // that the body was in
	read    *leaf.Message // its fields
	known   bool          // all of it was read
	call    profile.Call
	event   string // what it tells
	signed  *profile.Signature
}

// RoundTrip passes a callback on, as the mode of a door. Its only error is proxy.ErrAbort.
func (r *Relay) RoundTrip(req *http.Request) (*http.Response, error) {
	in := &incoming{began: time.Now(), method: req.Method}
	in.path, in.query, in.asked = strings.Cut(rawTarget(req.URL), "?")
	var err error
	if in.target, err = r.options.Addresses.target(in.path); err != nil {
		return r.refuse(req, problemToken), nil
	}
	shop := in.target.shop
	if !in.target.relayed {
		if shop = r.options.To; shop == "" {
			return r.refuse(req, problemNoShop), nil
		}
	}
	to, err := in.to(shop)
	if err != nil {
		return r.refuse(req, problemTarget), nil
	}
	in.readMessage(req)
	r.recognise(in)
	cb := r.relayed(in, to)
	r.rule(in, shop, &cb)
	return r.options.Mode.Relay(req, cb)
}

// The problems of callbacks that lead nowhere. Nothing is dialled.
var (
	problemToken = &problem.Problem{
		Code: http.StatusNotFound, Kind: proxy.ProblemAddress,
		Message: "this callback address is none that this deck has given out",
		Hint: "register the order anew: addresses of another install, or from before its key was " +
			"removed, lead nowhere",
	}
	problemNoShop = &problem.Problem{
		Code: http.StatusNotFound, Kind: proxy.ProblemNoAddress,
		Message: "no shop is named for callbacks at this address",
		Hint:    "start the deck with --callback-to URL",
	}
	problemTarget = &problem.Problem{
		Code: http.StatusBadRequest, Kind: proxy.ProblemAddress,
		Message: "what stands behind the callback address cannot be passed on",
	}
)

// refuse answers a callback that leads nowhere.
func (r *Relay) refuse(req *http.Request, p *problem.Problem) *http.Response {
	if r.options.Observe != nil {
		r.options.Observe(proxy.Event{
			Kind: proxy.Callback, Outcome: proxy.OutcomeDropped, Code: p.Code, Problem: p.Kind,
		})
	}
	return p.Response(req)
}

// to returns where a callback goes: the shop's address with what the sandbox put behind it. The
// shop's own query stands in what the sandbox has asked for, if the sandbox was told of it.
func (in *incoming) to(shop string) (*url.URL, error) {
	s, ok := parseShop(shop)
	if !ok {
		return nil, errToken
	}
	path := s.path + in.target.extra
	if strings.HasSuffix(s.path, "/") && strings.HasPrefix(in.target.extra, "/") {
		path = s.path + in.target.extra[1:]
	}
	if path == "" {
		path = "/"
	}
	query, asked := in.query, in.asked
	if !in.target.relayed && s.query != "" && !strings.HasPrefix(in.query+"&", s.query+"&") {
		query, asked = strings.TrimSuffix(s.query+"&"+in.query, "&"), true
	}
	if asked {
		path += "?" + query
	}
	to, err := url.Parse(s.origin + path)
	if err != nil || strings.HasPrefix(path, "//") {
		return to, err
	}
	return &url.URL{Scheme: strings.ToLower(to.Scheme), Host: to.Host, Opaque: path}, nil
}

// readMessage reads a callback ahead, and leaves all of it to be sent.
func (in *incoming) readMessage(req *http.Request) {
	in.Query, in.Header, in.known = in.query, req.Header, true
	if req.Body == nil || req.Body == http.NoBody {
		return
	}
	ahead, err := io.ReadAll(io.LimitReader(req.Body, maxRead+1))
	rest := io.Reader(req.Body)
	if err != nil {
		rest = failing{err}
	}
	req.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(ahead), rest), req.Body}
	coding := strings.Join(req.Header.Values("Content-Encoding"), ", ")
	decoded, bad := leaf.Decode(coding, ahead, maxRead)
	if in.known = err == nil && len(ahead) <= maxRead && bad == nil; in.known {
		in.Body = string(decoded)
	}
}

// failing fails as a body did.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// recognise finds out whose callback it is, and what it tells.
func (r *Relay) recognise(in *incoming) {
	var err error
	in.text, in.charset, err = leaf.DecodeText(in.Header.Get("Content-Type"), in.Body)
	if err != nil {
		in.text, in.charset = in.Body, ""
	}
	in.read = leaf.Read(leaf.Message{
		Target: in.path + "?" + in.query, Header: in.Header, Body: in.text,
	})
	in.call = r.options.Profiles.FindCallback(in.target.profile)
	if !in.target.relayed {
		in.call = r.guess(in)
	}
	if p := in.call.Profile; p != nil {
		in.event, _ = in.field(p.Callbacks.Event)
		in.signed = p.Callbacks.Sign
	}
}

// guess returns the API of a callback at the static address: the first of those that call back of
// which the callback has the field that tells what has happened.
func (r *Relay) guess(in *incoming) profile.Call {
	for _, p := range r.options.Profiles.Profiles() {
		if p.Callbacks == nil {
			continue
		}
		if _, has := in.field(p.Callbacks.Event); has {
			return r.options.Profiles.FindCallback(p.Name)
		}
	}
	return profile.Call{}
}

// field returns the value of a field of a callback.
func (in *incoming) field(name string) (value string, has bool) {
	if name == "" {
		return "", false
	}
	if l := find(in.read, name); l != nil {
		return l.Value, true
	}
	return "", false
}

// find returns the first field of a message with a name, or nil.
func find(m *leaf.Message, name string) *leaf.Leaf {
	for _, place := range []leaf.Place{leaf.Query, leaf.Form, leaf.JSON, leaf.Markup} {
		if l := m.Find(place, name); l != nil {
			return l
		}
	}
	return nil
}

// fieldOf returns the value of a field of a message; empty if there is none.
func fieldOf(m *leaf.Message, name string) string {
	if l := find(m, name); l != nil {
		return l.Value
	}
	return ""
}

// names returns the values by which a callback names what it is about: an order by its id.
func (in *incoming) names(set *profile.Set) []string {
	var all []string
	for i := range in.read.Leaves {
		if l := &in.read.Leaves[i]; isName(set, in.call, profile.Request, l) {
			all = append(all, l.Value)
		}
	}
	return all
}

// relayed returns a callback as the mode takes it.
func (r *Relay) relayed(in *incoming, to *url.URL) proxy.RelayedCallback {
	mark := leaf.Callback{Operation: in.event, Attempt: 1, Via: leaf.ViaStatic}
	shop := r.options.To
	if in.target.relayed {
		mark.Via, shop = leaf.ViaRelay, in.target.shop
	}
	s, _ := parseShop(shop)
	cb := proxy.RelayedCallback{
		Began: in.began, To: to, Target: in.taped(s.query), Call: in.call, Shops: r.shops,
	}
	if in.known {
		mark.Attempt, cb.Number = r.tries.next(in, cb.Target)
	}
	if in.signed != nil && in.known {
		var key *Key
		if k, ok := r.options.Keys.Of(in.call.Profile.Name); ok {
			key = &k
		}
		mark.Checksum = Verify(in.signed, key, in.Message).Checksum
		cb.Signed = in.signedText(mark.Checksum)
	}
	cause := (*cause)(nil)
	if r.options.Causes != nil {
		cause = r.options.Causes.find(in.call.Profile, in.event, in.names(r.options.Profiles), in.began)
	}
	cb.Mark = func() leaf.Callback {
		mark.Of, mark.Gap = cause.distance(in.began)
		return mark
	}
	return cb
}

// signedText returns what tells people the text that is signed, as far as it may be told: it is put
// together again from the cleaned callback. The shop's own parameters are no part of that.
func (in *incoming) signedText(verdict string) func(*leaf.Exchange) string {
	if verdict == "" {
		return nil
	}
	return func(clean *leaf.Exchange) string {
		_, query, _ := strings.Cut(clean.URL, "?")
		return Verify(in.signed, nil, Message{
			Query: query, Header: clean.Request.Headers, Body: clean.Request.Body,
		}).Over
	}
}

// taped returns path and query as a tape holds them, without the shop's own query.
func (in *incoming) taped(own string) string {
	extra := in.target.extra
	if extra != "" && !strings.HasPrefix(extra, "/") {
		extra = "/" + extra
	}
	query := withoutOwn(in.query, own)
	if query == "" {
		return extra
	}
	return extra + "?" + query
}

// withoutOwn takes the parameters of the shop's own query out of a query: most sandboxes put theirs
// behind it, others sort all of them, or write them anew.
func withoutOwn(query, own string) string {
	if own == "" {
		return query
	}
	if rest, found := strings.CutPrefix(query, own); found && (rest == "" || rest[0] == '&') {
		return strings.TrimPrefix(rest, "&")
	}
	all := parameters(query)
	for _, p := range parameters(own) {
		at := slices.IndexFunc(all, func(q parameter) bool {
			return q.name == p.name && q.value == p.value
		})
		if at >= 0 {
			all = slices.Delete(all, at, at+1)
		}
	}
	return join(all)
}

// sum tells callbacks apart: attempts of one event have equal bytes.
func (in *incoming) sum() digest {
	return sha256.Sum256([]byte(in.method + " " + in.path + "?" + in.query + "\n" + in.Body))
}

// rawTarget returns the request target as the door has put it into a URL.
func rawTarget(u *url.URL) string {
	if u.Opaque != "" {
		return u.Opaque
	}
	return u.RequestURI()
}
