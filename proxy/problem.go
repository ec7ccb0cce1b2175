package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"syscall"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/internal/problem"
	"github.com/paytape/paytape/proxy/internal/transport"
)

// ErrAbort is the one error that a mode returns, as it is or wrapped: there is nobody to answer, or
// nothing may be answered, and the door closes the connection.
var ErrAbort = errors.New("exchange aborted")

// The errors by which a rule of the run has a door break a connection. Each is an ErrAbort too.
var (
	errReset   = fmt.Errorf("the connection is reset: %w", ErrAbort)
	errGarbage = fmt.Errorf("something that is no HTTP is sent: %w", ErrAbort)
)

// The problems of this package, except those that tell why an upstream failed.
var (
	problemConnect = &problem.Problem{
		Code: http.StatusForbidden, Kind: "connect",
		Message: "this deck is not a forward proxy and opens no tunnels",
		Hint:    "use the deck's address as the base URL of the API, or start it with --forward",
	}
	problemAbsolute = &problem.Problem{
		Code: http.StatusForbidden, Kind: "absolute-form",
		Message: "this deck is not a forward proxy and fetches no absolute addresses",
		Hint:    "use the deck's address as the base URL of the API, or start it with --forward",
	}
	problemForward = &problem.Problem{
		Code: http.StatusForbidden, Kind: "forward-host",
		Message: "this deck leads to its configured hosts and ports and nowhere else",
		Hint: "name the host with --upstream URL or --host NAME=URL, or keep it out of the " +
			"proxy with NO_PROXY",
	}
	problemTunnel = &problem.Problem{
		Code: http.StatusForbidden, Kind: "connect",
		Message: "this deck opens tunnels over HTTP/1.1 only, and none inside another",
		Hint:    "tell the client to speak HTTP/1.1 to its proxy",
	}
	problemMisdirected = &problem.Problem{
		Code: http.StatusMisdirectedRequest, Kind: "misdirected",
		Message: "the request names another host than the tunnel it came through",
		Hint:    "open a tunnel to that host",
	}
	problemHostName = &problem.Problem{
		Code: http.StatusNotFound, Kind: "host",
		Message: "no host of that name is configured",
		Hint:    "name it with --host NAME=URL",
	}
	problemNoUpstream = &problem.Problem{
		Code: http.StatusNotFound, Kind: "no-upstream",
		Message: "no upstream is configured for this path",
		Hint:    "start the deck with --upstream URL, which takes every path",
	}
	problemRequest = &problem.Problem{
		Code: http.StatusBadRequest, Kind: "request",
		Message: "the body of the request could not be read to its end",
	}
	problemSlashes = &problem.Problem{
		Code: http.StatusBadRequest, Kind: "request-target",
		Message: "a path that begins with two slashes and has a bad percent escape " +
			"cannot be passed on as it is",
	}
	problemTooLarge = &problem.Problem{
		Code: http.StatusRequestEntityTooLarge, Kind: "too-large",
		Message: "the body of the request is larger than any body on tape can be",
	}
	problemTooMany = &problem.Problem{
		Code: http.StatusRequestEntityTooLarge, Kind: "too-large",
		Message: "the request has more parameters than are compared",
	}
	problemBusy = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "busy",
		Message: "the bodies of the requests under way are more than are kept at once",
	}
	problemDoor = &problem.Problem{
		Code: http.StatusBadGateway, Kind: "door",
		Message: "the answer could not be passed on",
	}
)

// failureResponse turns what went wrong into what a mode returns.
func failureResponse(req *http.Request, err error) (*http.Response, error) {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p.Response(req), nil
	}
	return nil, ErrAbort
}

// The causes for which an exchange has no answer, or no whole one. On tape CauseTimeout and
// CauseCut are faults of their own, and the sentence there tells the others apart.
const (
	CauseRefused  = "refused"  // nobody listens there
	CauseTimeout  = "timeout"  // it took too long, to connect or to answer
	CauseTLS      = "tls"      // no agreement, or a certificate that is not trusted
	CauseDNS      = "dns"      // its name could not be resolved
	CauseReset    = "reset"    // it closed the connection before its answer
	CauseLoop     = "loop"     // it is this deck
	CauseProtocol = "protocol" // what it answered is no answer in HTTP
	CauseCut      = "cut"      // its answer ended too early
	CauseOther    = "other"
)

// Causes returns the causes of an Event: all that there are.
func Causes() []string {
	return []string{
		CauseRefused, CauseTimeout, CauseTLS, CauseDNS, CauseReset, CauseLoop, CauseProtocol,
		CauseCut, CauseOther,
	}
}

// problemSwitched is an answer that is useless whatever is in it.
var problemSwitched = &problem.Problem{
	Code: http.StatusBadGateway, Kind: ProblemUpstream,
	Message: "the upstream switched protocols without being asked",
	Fault:   leaf.FaultNoAnswer, Cause: CauseProtocol,
}

// unreachable says in constant words why an upstream gave no answer: error texts of net and
// url repeat addresses, which here may hold a card number.
func unreachable(err error) *problem.Problem {
	cause, sentence := causeOf(err)
	p := &problem.Problem{
		Code: http.StatusBadGateway, Kind: ProblemUpstream,
		Message: "the upstream gave no answer: " + sentence,
		Fault:   leaf.FaultNoAnswer, Cause: cause,
	}
	if cause == CauseTimeout {
		p.Fault = leaf.FaultTimeout
	}
	return p
}

// CauseOf says what kind of fault of a server an error is, one of Causes: the error of a RoundTripper
// that had no answer of it.
func CauseOf(err error) string {
	cause, _ := causeOf(err)
	return cause
}

// causeOf returns a cause and what is said of it. A name that is not resolved in time is a
// matter of names.
func causeOf(err error) (cause, sentence string) {
	var dns *net.DNSError
	switch {
	case errors.Is(err, transport.ErrLoop):
		return CauseLoop, "its address leads back to this deck"
	case errors.As(err, &dns):
		return CauseDNS, "its name could not be resolved"
	case transport.NotProcessed(err):
		return CauseReset, "it has not looked at the request, which may be sent again"
	case strings.Contains(err.Error(), "stream error: "):
		return CauseReset, "it broke the request off"
	case isOneOf(err, refusedErrors):
		return CauseRefused, "the connection was refused"
	case tookTooLong(err):
		return CauseTimeout, "it took too long"
	case certificate(err):
		return CauseTLS, "its certificate is not trusted"
	case tlsFailed(err):
		return CauseTLS, "TLS could not be agreed on"
	case malformed(err):
		return CauseProtocol, "what it sent is no answer in HTTP"
	case isOneOf(err, resetErrors), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(err.Error(), "server closed"),
		strings.Contains(err.Error(), "server sent GOAWAY"):
		return CauseReset, "the connection was closed"
	}
	return CauseOther, "the connection failed"
}

// isOneOf reports whether an error of the system is one of some.
func isOneOf(err error, some []syscall.Errno) bool {
	return slices.ContainsFunc(some, func(said syscall.Errno) bool { return errors.Is(err, said) })
}

func tookTooLong(err error) bool {
	var network net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout()
}

func certificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &name)
}

// tlsFailed reports whether an error is one of TLS, which both sides must agree on.
func tlsFailed(err error) bool {
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var remote *net.OpError
	return errors.As(err, &alert) || errors.As(err, &record) ||
		errors.As(err, &remote) && remote.Op == "remote error" // how crypto/tls tells of an alert
}

// malformed reports whether an error is of a head that cannot be read. For most of these
// net/http has no type, only words.
func malformed(err error) bool {
	var field textproto.ProtocolError
	text := err.Error()
	return errors.As(err, &field) || strings.Contains(text, "malformed HTTP") ||
		strings.Contains(text, "response headers exceeded") ||
		strings.Contains(text, "Content-Length") || strings.Contains(text, "transfer encoding")
}
