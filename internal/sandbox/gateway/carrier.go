package gateway

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
)

// errForeign is why an address is not called.
var errForeign = errors.New("the address is neither on this machine nor allowed")

// newCarrier returns the way to the shops. Whoever can register an order can name an address
// to call, so that only this machine is reached unless the operator has allowed more. What is
// checked is the address that is dialled, after names were looked up. There is no proxy, and
// no connection is used twice, for a request that finds one closed would be sent again unseen.
func newCarrier(c Callbacks) *http.Transport {
	return &http.Transport{
		DialContext:            reachOf(c).dial,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
	}
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

// reach is how far callbacks go.
type reach struct {
	allowed []string // HOST or HOST:PORT
}

// reachOf adds the static address to what is allowed: the operator has named it.
func reachOf(c Callbacks) reach {
	allowed := slices.Clone(c.Allow)
	if u, err := url.Parse(c.Address); err == nil && c.Address != "" {
		allowed = append(allowed, hostPort(u))
	}
	return reach{allowed}
}

func (r reach) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Control: onlyHere}
	if r.allows(address) {
		dialer.Control = nil
	}
	return dialer.DialContext(ctx, network, address)
}

// allows tells whether the operator has named an address of the form HOST:PORT.
func (r reach) allows(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && slices.ContainsFunc(r.allowed, func(named string) bool {
		return strings.EqualFold(named, address) || strings.EqualFold(named, host)
	})
}

// onlyHere refuses a connection that leaves this machine.
func onlyHere(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return errForeign
	}
	return nil
}
