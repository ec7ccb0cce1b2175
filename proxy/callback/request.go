package callback

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/internal/transport"
)

// Why a callback cannot be made, beside errForbidden.
var (
	errNoAddress = errors.New("the callback has no address")
	errAddress   = errors.New("the address of the callback is no http or https URL")
	errNoKey     = errors.New("the key is missing, or cannot sign as the profile tells")
)

// outgoing is one attempt of a callback as it is on the wire.
type outgoing struct {
	leaf.Unprinted
	method, url string
	own         string // the query that is part of the shop's address
	Message
}

// compose puts a callback together. The address has a query of its own perhaps, which comes first.
// The signature is made last, over the final bytes, and anew for each attempt: it may tell the
// time.
func (s *Sender) compose(cb match.Callback, signing rules.Signing) (*outgoing, error) {
	address := cb.Address
	if address == "" {
		address = s.options.To
	}
	address, _, _ = strings.Cut(address, "#")
	base, own, _ := strings.Cut(address, "?")
	o := &outgoing{method: cb.Method, own: own}
	o.Query, o.Header, o.Body = own, sentHeader(cb.Header), cb.Body
	if o.Query == "" || cb.Query == "" {
		o.Query += cb.Query
	} else {
		o.Query += "&" + cb.Query
	}
	if err := s.sign(&cb, &o.Message, signing); err != nil {
		return nil, err
	}
	if strings.HasSuffix(base, "/") {
		cb.Path = strings.TrimPrefix(cb.Path, "/")
	}
	o.url = base + cb.Path
	if o.Query != "" {
		o.url += "?" + o.Query
	}
	if base == "" {
		return o, errNoAddress
	}
	u, err := url.Parse(o.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errAddress
	}
	if u.User != nil { // as a client does; net/http does so above its transports alone
		password, _ := u.User.Password()
		(&http.Request{Header: o.Header}).SetBasicAuth(u.User.Username(), password)
	}
	return o, nil
}

// sign makes the signature of a callback that had one on tape, or takes what is left of it away; a
// rule may want it otherwise.
func (s *Sender) sign(cb *match.Callback, m *Message, signing rules.Signing) error {
	if cb.Profile == nil || cb.Profile.Callbacks == nil || cb.Profile.Callbacks.Sign == nil {
		return nil
	}
	how := cb.Profile.Callbacks.Sign
	switch {
	case signing == rules.SignedWrong:
		SignWrong(how, m, s.options.Now())
		return nil
	case signing == rules.Unsigned || cb.Signed && s.options.Unsigned:
		Strip(how, m)
		return nil
	case !cb.Signed:
		return nil
	}
	k, ok := s.options.Keys.Of(cb.Profile.Name)
	if !ok || Sign(how, k, m, s.options.Now()) != nil {
		return errNoKey
	}
	return nil
}

// notSent are headers that belong to a connection, or are made anew. What is sent has no content
// coding, because a tape has none.
var notSent = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Content-Length", "Content-Encoding", "Expect", "Host",
}

// sentHeader returns the header of a callback as it goes out. A callback that had no User-Agent
// gets none.
func sentHeader(recorded http.Header) http.Header {
	h := recorded.Clone()
	if h == nil {
		h = http.Header{}
	}
	for _, name := range notSent {
		h.Del(name)
	}
	if h.Get("User-Agent") == "" {
		h["User-Agent"] = []string{""} // net/http sends one of its own otherwise
	}
	return h
}

// attemptTime bounds one attempt, from dialling to the end of the answer.
const attemptTime = 10 * time.Second

// answered is what a shop said.
type answered struct {
	leaf.Unprinted
	code   int  // 0: nothing
	tapped bool // nobody was called: the tap has it
	lost   bool // nobody was called: a rule has lost it
	header http.Header
	body   string // its beginning
	err    error  // why there is no answer
	took   time.Duration
}

// call sends a callback once. The head of the answer decides: a body that breaks off says nothing.
func (s *Sender) call(ctx context.Context, o *outgoing) answered {
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	begun := time.Now()
	req, err := http.NewRequestWithContext(ctx, o.method, o.url, strings.NewReader(o.Body))
	if err != nil {
		return answered{err: errAddress}
	}
	req.Header = o.Header
	res, err := s.options.Transport.RoundTrip(req)
	if err != nil {
		return answered{err: err, took: time.Since(begun)}
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return answered{
		code: res.StatusCode, header: res.Header, body: string(body), took: time.Since(begun),
	}
}

// problem says in stable words why there is no answer, and whether another attempt could have one.
func (a *answered) problem() (problem, cause string, again bool) {
	switch {
	case a.lost:
		return proxy.ProblemRule, "", true
	case a.err == nil:
		return "", "", true
	case errors.Is(a.err, errForbidden):
		return proxy.ProblemForbidden, "", false
	case errors.Is(a.err, transport.ErrLoop):
		return proxy.ProblemForbidden, proxy.CauseLoop, false
	case errors.Is(a.err, errNoAddress):
		return proxy.ProblemNoAddress, "", false
	case errors.Is(a.err, errAddress):
		return proxy.ProblemAddress, "", false
	case errors.Is(a.err, errNoKey):
		return proxy.ProblemNoKey, "", false
	}
	return proxy.ProblemShop, proxy.CauseOf(a.err), true
}
