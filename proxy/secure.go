package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"

	"github.com/paytape/paytape/proxy/internal/http1"
	"github.com/paytape/paytape/proxy/internal/problem"
	"github.com/paytape/paytape/proxy/internal/socket"
)

// problemPlain is said, without TLS, to a client that speaks HTTP to a port with TLS.
var problemPlain = &problem.Problem{
	Code: http.StatusBadRequest, Kind: "tls",
	Message: "this port speaks TLS",
	Hint:    "write https:// in place of http://",
}

// Secured is a listener whose connections speak TLS with a certificate of the operator, and
// HTTP/1.1 or HTTP/2 inside. They are handed out when both sides have agreed.
type Secured struct {
	net.Listener
	observe  func(Event)
	config   *tls.Config
	agreed   chan net.Conn
	failed   chan error
	ctx      context.Context // ends when the listener is closed
	stop     context.CancelFunc
	underway sync.WaitGroup
}

// Secure makes a listener speak TLS. It takes connections at once; Close ends that. observe is
// told of those with which it cannot agree; nil means that nobody is told.
func Secure(ln net.Listener, certificate tls.Certificate, observe func(Event)) *Secured {
	s := &Secured{
		observe:  observe,
		Listener: ln, agreed: make(chan net.Conn), failed: make(chan error, 1),
		config: &tls.Config{
			Certificates: []tls.Certificate{certificate},
			MinVersion:   tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		},
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.underway.Go(s.accept)
	return s
}

// accept takes connections until the listener fails or is closed.
func (s *Secured) accept() {
	for {
		conn, err := s.Listener.Accept()
		if err != nil {
			s.failed <- err
			return
		}
		s.underway.Go(func() { s.agree(conn) })
	}
}

// agree hands a connection out, or closes it if it comes to no agreement in ten seconds.
func (s *Secured) agree(conn net.Conn) {
	limit, cancel := context.WithTimeout(s.ctx, http1.HeadTimeout)
	defer cancel()
	inside := tls.Server(socket.Of(conn), s.config)
	if err := inside.HandshakeContext(limit); err != nil {
		s.refuse(err)
		_ = conn.Close() // there is nobody to talk to
		return
	}
	select {
	case s.agreed <- inside:
	case <-s.ctx.Done():
		_ = inside.Close()
	}
}

// refuse tells of a client with which there is no agreement, unless it has just left.
func (s *Secured) refuse(err error) {
	var other tls.RecordHeaderError
	if errors.As(err, &other) && other.Conn != nil && http1.IsToken(other.RecordHeader[:1]) {
		tell(s.observe, refusal(problemPlain))
		explain(other.Conn)
	} else if !errors.Is(err, io.EOF) {
		tell(s.observe, refusal(problemHandshake))
	}
}

// explain answers a client that has sent HTTP where TLS is spoken.
func explain(conn net.Conn) {
	body := problemPlain.Body()
	text := "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\n" +
		"Paytape-Error: " + problemPlain.Kind + "\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\n\r\n" + string(body)
	_, _ = io.WriteString(conn, text) // a client that has gone needs no answer
	_ = http1.CloseRefused(conn)
}

// Accept waits for a connection that speaks TLS.
func (s *Secured) Accept() (net.Conn, error) {
	select {
	case conn := <-s.agreed:
		return conn, nil
	case err := <-s.failed:
		s.failed <- err // for whoever asks again
		return nil, err
	}
}

// Close closes the listener and the connections that it has not handed out.
func (s *Secured) Close() error {
	err := s.Listener.Close()
	s.stop()
	s.underway.Wait()
	return err
}
