package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"syscall"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/internal/problem"
	"github.com/paytape/paytape/proxy/internal/transport"
)

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
	case errors.Is(err, syscall.ECONNREFUSED):
		return CauseRefused, "the connection was refused"
	case tookTooLong(err):
		return CauseTimeout, "it took too long"
	case certificate(err):
		return CauseTLS, "its certificate is not trusted"
	case tlsFailed(err):
		return CauseTLS, "TLS could not be agreed on"
	case malformed(err):
		return CauseProtocol, "what it sent is no answer in HTTP"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "server closed"),
		strings.Contains(err.Error(), "server sent GOAWAY"):
		return CauseReset, "the connection was closed"
	}
	return CauseOther, "the connection failed"
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
