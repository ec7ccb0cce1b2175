package deck

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/sandbox/gateway"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
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
// is it. callbacks is the URL of the deck's callback door, empty for none, and own are the addresses
// of the deck itself, which are never dialled.
func reach(ctx context.Context, o *Options, callbacks string, own []net.Addr,
) (*sandboxes, error) {
	s := &sandboxes{transport: proxy.NewTransport(own...)}
	if o.UpstreamTLS != nil {
		s.transport.SecureWith(o.UpstreamTLS)
	}
	if _, wanted := upstreamSpecs(slices.Concat(o.Upstreams, o.Hosts), ""); wanted {
		var err error
		if s.own, err = o.startStandIn(ctx, o.sandboxCallbacks(callbacks)); err != nil {
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

// standIn returns the built-in sandbox; nil if it does not run.
func (s *sandboxes) standIn() *standIn {
	if s == nil {
		return nil
	}
	return s.own
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

// sandboxCallbacks says how the built-in sandbox calls shops. One that has not told where is called
// through the deck, if there is a callback door that leads to a shop. url is that of the door.
func (o *Options) sandboxCallbacks(url string) gateway.Callbacks {
	c := &o.Callbacks
	how := gateway.Callbacks{
		Address: c.Sandbox.Address, Alias: c.Sandbox.Alias, Post: c.Sandbox.Post, Allow: c.Allow,
	}
	if url != "" && c.To != "" {
		// The sandbox signs the query of the address that it knows.
		how.Address = url
		if _, query, found := strings.Cut(c.To, "?"); found {
			how.Address += "?" + query
		}
	}
	if key, ok := callback.Keys(c.Keys).Of(gatewayProfile); ok {
		how.Key = strings.TrimSpace(key.Text)
	}
	return how
}

// gatewayProfile is the name of the API whose stand-in calls back.
const gatewayProfile = "gateway"

// startStandIn starts the sandbox as "paytape sandbox" does without flags, but for callbacks; for a stable
// tape its values are those of a fixed seed. It runs until it is closed, whatever becomes of ctx: the
// deck, which uses it, stops first.
func (o *Options) startStandIn(ctx context.Context, callbacks gateway.Callbacks) (*standIn, error) {
	options := sandbox.Options{Callbacks: callbacks}
	if o.Stable {
		options.Seed = 1
	}
	if err := options.Check(); err != nil {
		return nil, wrong("Callbacks.Sandbox", err)
	}
	ln, err := (&ServeOptions{}).listen()
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	box := sandbox.New(options)
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
