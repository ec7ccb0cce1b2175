package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// Bounds of a connection to an upstream.
const (
	dialTimeout = 10 * time.Second
	// answerTimeout is how long a sandbox may think before its head comes; issuers behind
	// it are given a minute or more.
	answerTimeout = 3 * time.Minute
	// idleTimeout is short, because a connection that the upstream closes first may fail a
	// payment, which nobody may repeat.
	idleTimeout   = 30 * time.Second
	idlePerHost   = 128 // Go's default of 2 costs 40 % at 8 connections
	continueAfter = time.Second
	maxHead       = 1 << 20 // bytes of an answer's header
)

// errLoop is returned by the dialer for an upstream that is the deck itself.
var errLoop = errors.New("upstream leads back to this deck")

// NewTransport returns the transport for upstreams. It takes no proxy from the environment,
// touches no content coding, and refuses to dial the addresses in own: those that the deck
// listens on.
func NewTransport(own ...net.Addr) *http.Transport {
	guard := guard(own)
	dialer := &net.Dialer{
		Timeout: dialTimeout, KeepAlive: 30 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error { return guard(address) },
	}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           4 * idlePerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  answerTimeout,
		ExpectContinueTimeout:  continueAfter,
		MaxResponseHeaderBytes: maxHead,
	}
}

// guard returns a check of addresses after name resolution, so that no name and no spelling
// of an address leads the deck into itself.
func guard(own []net.Addr) func(address string) error {
	var mine []netip.AddrPort
	for _, a := range own {
		if ap, err := netip.ParseAddrPort(a.String()); err == nil {
			mine = append(mine, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()))
		}
	}
	return func(address string) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return nil // not TCP: no listener of ours
		}
		ip := to.Addr().Unmap().WithZone("")
		for _, m := range mine {
			if m.Port() == to.Port() && reaches(ip, m.Addr()) {
				return errLoop
			}
		}
		return nil
	}
}

// reaches reports whether a connection to ip arrives at a listener on at.
func reaches(ip, at netip.Addr) bool {
	switch {
	case ip == at, ip.IsUnspecified() && at.IsLoopback():
		return true
	case !at.IsUnspecified():
		return false
	case ip.IsLoopback(), ip.IsUnspecified():
		return true
	}
	local, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(local, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr().Unmap() == ip
	})
}

// unreachable says in constant words why an upstream gave no answer: error texts of net and
// url repeat addresses, which here may hold a card number.
func unreachable(err error) *problem {
	p := &problem{
		Code: http.StatusBadGateway, Kind: ProblemUpstream,
		Message: "the upstream gave no answer: " + cause(err), fault: leaf.FaultNoAnswer,
	}
	if tookTooLong(err) {
		p.fault = leaf.FaultTimeout
	}
	return p
}

func tookTooLong(err error) bool {
	var network net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout()
}

func cause(err error) string {
	var dns *net.DNSError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, errLoop):
		return "its address leads back to this deck"
	case errors.As(err, &dns):
		return "its name could not be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case tookTooLong(err):
		return "it took too long"
	case certificate(err):
		return "its certificate is not trusted"
	case errors.As(err, &alert), errors.As(err, &record):
		return "TLS could not be agreed on"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed"
	}
	return "the connection failed"
}

func certificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &name)
}
