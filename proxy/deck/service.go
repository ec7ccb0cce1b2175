package deck

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/paytape/paytape/proxy"
)

// anyPort is where everything listens that nobody has given an address.
const anyPort = "127.0.0.1:0"

// ServeOptions say where an HTTP server listens. The zero ServeOptions: at a free port that only
// this machine reaches, without TLS.
type ServeOptions struct {
	Listen      string            // HOST:PORT; empty means a free port of this machine alone
	Certificate *tls.Certificate  // nil means plain HTTP
	Observe     func(proxy.Event) // told of clients that are refused; nil means nobody is
	Tell        func(Notice)      // warned if other machines reach it; nil means nobody is

	// ln hands out connections that were accepted before, in place of Listen. Nil: nobody else accepts.
	ln net.Listener
}

// Service is an HTTP server that runs until it is stopped: a deck's, or that of something else
// which is served as decks are, such as a sandbox.
type Service struct {
	// URL is how this machine reaches it.
	URL string

	addr net.Addr
	stop context.CancelFunc
	// stopping is closed when no more requests are taken.
	stopping <-chan struct{}
	done     chan struct{} // closed when no handler runs any more
	err      error         // why serving failed; may be read once done is closed
}

// Serve listens, and serves h until ctx ends or the Service is closed. Requests under way get ten
// seconds then.
func Serve(ctx context.Context, h http.Handler, o ServeOptions) (*Service, error) {
	ln, err := o.listen()
	if err != nil {
		return nil, wrong("Listen", fmt.Errorf("listening: %w", err))
	}
	return serve(ctx, ln, h, o.Observe), nil
}

// listen listens. Beyond this machine is allowed, but not by accident: whoever reaches a deck
// reaches the sandbox with it.
func (o *ServeOptions) listen() (net.Listener, error) {
	ln := o.ln
	if ln == nil {
		var err error
		if ln, err = net.Listen("tcp", cmp.Or(o.Listen, anyPort)); err != nil {
			return nil, err
		}
		if at, ok := ln.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() && o.Tell != nil {
			o.Tell(Notice{Warning: true, Text: fmt.Sprintf(
				"listening on %s, which other machines may reach", at)})
		}
	}
	if o.Certificate != nil {
		return proxy.Secure(ln, *o.Certificate, o.Observe), nil
	}
	return ln, nil
}

// serve starts a server on ln, which it closes when it stops.
func serve(ctx context.Context, ln net.Listener, h http.Handler, observe func(proxy.Event),
) *Service {
	ctx, stop := context.WithCancel(ctx)
	s := &Service{
		URL: addressOf(ln), addr: ln.Addr(), stop: stop, stopping: ctx.Done(),
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		defer stop()
		s.err = proxy.Serve(ctx, ln, proxy.NewServer(h), observe)
	}()
	return s
}

// Done returns a channel that is closed when the server has stopped.
func (s *Service) Done() <-chan struct{} { return s.done }

// Close stops the server, waits until it has stopped, and tells why it failed if it did. A
// Service that was never started, nil, has stopped.
func (s *Service) Close() error {
	if s == nil {
		return nil
	}
	s.stop()
	<-s.done
	return s.err
}

// addressOf returns the URL under which this machine reaches a listener.
func addressOf(ln net.Listener) string {
	scheme := "http://"
	if _, secured := ln.(*proxy.Secured); secured {
		scheme = "https://"
	}
	at, ok := ln.Addr().(*net.TCPAddr)
	if !ok {
		return scheme + ln.Addr().String()
	}
	host := at.IP.String()
	if at.IP.IsUnspecified() {
		host = "127.0.0.1" // Go listens on both families
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(at.Port))
}
