package deck

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/proxy"
)

// nowhere stands for the built-in sandbox where nothing is dialled.
const nowhere = "http://sandbox.invalid"

// upstreamSpecs puts the address of the built-in sandbox where its word stands, and reports
// whether it does anywhere.
func upstreamSpecs(specs []string, address string) (out []string, wanted bool) {
	for _, spec := range specs {
		name, found := strings.CutSuffix(spec, Builtin)
		if found && (name == "" || strings.HasSuffix(name, "=")) {
			spec, wanted = name+address, true
		}
		out = append(out, spec)
	}
	return out, wanted
}

// sandboxes are the upstreams of a deck and the way to them.
type sandboxes struct {
	own       *standIn // the built-in one; nil if no upstream is it
	transport *proxy.Transport
	route     proxy.Route
}

// reach makes the way to the upstreams of a deck, and starts the built-in sandbox if one of them
// is it. own are the addresses of the deck itself, which are never dialled.
func reach(ctx context.Context, o *Options, own []net.Addr) (*sandboxes, error) {
	s := &sandboxes{transport: proxy.NewTransport(own...)}
	if o.UpstreamTLS != nil {
		s.transport.SecureWith(o.UpstreamTLS)
	}
	if _, wanted := upstreamSpecs(slices.Concat(o.Upstreams, o.Hosts), ""); wanted {
		var err error
		if s.own, err = startStandIn(ctx); err != nil {
			return nil, err
		}
	}
	specs, _ := upstreamSpecs(o.Upstreams, s.address())
	hosts, _ := upstreamSpecs(o.Hosts, s.address())
	ups, err := proxy.ParseUpstreams(o.Knowledge.profiles, specs)
	if err == nil {
		err = ups.AddHosts(hosts)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.route = proxy.Route{Upstreams: ups, Transport: s.transport, Observe: o.Observe}
	return s, nil
}

// close lets go of the sandboxes. Of a deck without any, nil, there is nothing to let go of.
func (s *sandboxes) close() error {
	if s == nil {
		return nil
	}
	s.transport.CloseIdleConnections()
	return s.own.close()
}

// address returns the URL of the built-in sandbox; empty if it does not run.
func (s *sandboxes) address() string {
	if s == nil || s.own == nil {
		return ""
	}
	return s.own.URL
}

// standIn is the built-in sandbox on a port of its own, for a deck in front of it.
type standIn struct {
	*Service
	box *sandbox.Sandbox
}

// startStandIn starts the sandbox as "paytape sandbox" does without flags: callbacks go to
// shops on this machine. It runs until it is closed, whatever becomes of ctx: the deck, which
// uses it, stops first.
func startStandIn(ctx context.Context) (*standIn, error) {
	ln, err := (&ServeOptions{}).listen()
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	box := sandbox.New(sandbox.Options{})
	return &standIn{serve(context.WithoutCancel(ctx), ln, box, nil), box}, nil
}

// close stops calls first and then callbacks, which calls bring about. A stand-in that was never
// started, nil, has stopped.
func (s *standIn) close() error {
	if s == nil {
		return nil
	}
	err := s.Service.Close()
	s.box.Close()
	return err
}
