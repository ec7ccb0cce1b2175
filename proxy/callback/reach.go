package callback

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/paytape/paytape/proxy/internal/transport"
)

// errForbidden is why an address is not called.
var errForbidden = errors.New("the address is neither on this machine nor allowed")

// reach is how far callbacks go. Whoever registers an order names the address that is called, so
// only this machine is reached unless the operator has allowed more. What is checked is the address
// that is dialled, after names were looked up: a name of this machine that leads elsewhere leads
// nowhere.
type reach struct {
	allowed []string                   // HOST or HOST:PORT, as an address names them
	own     func(address string) error // refuses the addresses of the deck itself
	names   *net.Resolver              // nil: that of this machine
}

// newReach adds the operator's own address for callbacks to the hosts that are allowed.
func newReach(allow []string, to string, own []net.Addr) reach {
	r := reach{allowed: slices.Clone(allow), own: transport.Guard(own...)}
	if u, err := url.Parse(to); err == nil && to != "" {
		r.allowed = append(r.allowed, hostPort(u))
	}
	return r
}

// hostPort is what a URL has dialled.
func hostPort(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// dial connects with HOST:PORT.
func (r reach) dial(ctx context.Context, network, address string) (net.Conn, error) {
	named := r.allows(address)
	d := net.Dialer{Resolver: r.names, Control: func(_, dialled string, _ syscall.RawConn) error {
		if !named && !isHere(dialled) {
			return errForbidden
		}
		return r.own(dialled)
	}}
	return d.DialContext(ctx, network, address)
}

// allows reports whether the operator has named an address of the form HOST:PORT.
func (r reach) allows(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && slices.ContainsFunc(r.allowed, func(named string) bool {
		return strings.EqualFold(named, address) ||
			strings.EqualFold(strings.Trim(named, "[]"), host)
	})
}

// isHere reports whether a connection to an address stays on this machine.
func isHere(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// Bounds of what a shop may answer.
const (
	maxAnswer     = 64 << 10 // bytes that are read of a body
	maxAnswerHead = 64 << 10
	tlsTimeout    = 5 * time.Second
)

// newTransport returns the way to the shops. No proxy is used, and no connection twice: net/http
// sends a request again, unseen, that finds a connection closed. A RoundTripper follows no
// redirect.
func newTransport(r reach) *http.Transport {
	return &http.Transport{
		DialContext:            r.dial,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		TLSHandshakeTimeout:    tlsTimeout,
		MaxResponseHeaderBytes: maxAnswerHead,
	}
}
