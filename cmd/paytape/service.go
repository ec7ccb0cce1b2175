package main

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/paytape/paytape/proxy"
)

// service is an HTTP server that runs until it is stopped.
type service struct {
	url  string
	addr net.Addr
	stop context.CancelFunc
	// stopping is closed when no more requests are taken.
	stopping <-chan struct{}
	done     chan struct{} // closed when no handler runs any more
	err      error         // why serving failed; may be read once done is closed
}

// serve starts a server, which stops gracefully when ctx ends or stop is called. observe is told
// of clients that are refused; nil means that nobody is told.
func serve(ctx context.Context, ln net.Listener, h http.Handler, observe func(proxy.Event),
) *service {
	ctx, stop := context.WithCancel(ctx)
	s := &service{
		url: addressOf(ln), addr: ln.Addr(), stop: stop, stopping: ctx.Done(),
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		defer stop()
		s.err = proxy.Serve(ctx, ln, proxy.NewServer(h), observe)
	}()
	return s
}

// close stops the server, waits until it has stopped, and tells why it failed if it did. A
// service that was never started, nil, has stopped.
func (s *service) close() error {
	if s == nil {
		return nil
	}
	s.stop()
	<-s.done
	return s.err
}

// serveLocal starts a server on a port of its own that only this machine reaches. It runs
// until it is closed, whatever becomes of ctx: those who use it stop first.
func serveLocal(ctx context.Context, h http.Handler) (*service, error) {
	ln, err := listenLocal()
	if err != nil {
		return nil, err
	}
	return serve(context.WithoutCancel(ctx), ln, h, nil), nil
}

// listenLocal listens on a free port that only this machine reaches.
func listenLocal() (net.Listener, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	return ln, nil
}
