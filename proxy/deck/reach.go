package deck

import (
	"context"
	"crypto/tls"

	"github.com/paytape/paytape/proxy"
)

// ReachOptions say which sandboxes a client reaches, without a deck before them.
type ReachOptions struct {
	Knowledge *Knowledge // of the APIs; nil: only the built-in profiles
	// Upstreams, Hosts and UpstreamTLS are as in Options.
	Upstreams, Hosts []string
	UpstreamTLS      *tls.Config
}

// Sandboxes are reached directly: for a client that plays a tape against them. The built-in sandbox is
// one of them where a word asks for it, and ends when they are closed.
type Sandboxes struct{ all *sandboxes }

// Reach makes the way to sandboxes, and starts the built-in sandbox if one of them is it. Its errors are
// OptionErrors.
func Reach(ctx context.Context, o ReachOptions) (*Sandboxes, error) {
	if o.Knowledge == nil {
		var err error
		if o.Knowledge, err = NewKnowledge(KnowledgeOptions{}); err != nil {
			return nil, err
		}
	}
	options := Options{
		Knowledge: o.Knowledge, Upstreams: o.Upstreams, Hosts: o.Hosts, UpstreamTLS: o.UpstreamTLS,
	}
	all, err := reach(ctx, &options, "", nil)
	if err != nil {
		return nil, wrong("Upstreams", err)
	}
	return &Sandboxes{all}, nil
}

// Route returns the way to the sandboxes. Nothing else is dialled by it.
func (s *Sandboxes) Route() proxy.Route { return s.all.route }

// Close lets go of the sandboxes.
func (s *Sandboxes) Close() error { return s.all.close() }
