package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
)

// builtin is the word for the built-in sandbox in place of an upstream's URL.
const builtin = "sandbox"

// upstreamSpecs puts the address of the built-in sandbox where its word stands, and reports
// whether it does anywhere.
func upstreamSpecs(specs []string, address string) (out []string, wanted bool) {
	for _, spec := range specs {
		name, found := strings.CutSuffix(spec, builtin)
		if found && (name == "" || strings.HasSuffix(name, "=")) {
			spec, wanted = name+address, true
		}
		out = append(out, spec)
	}
	return out, wanted
}

// checkUpstreams tells what is wrong with upstreams before anything is started for them.
func checkUpstreams(k *knowledge, specs []string) error {
	specs, _ = upstreamSpecs(specs, "http://127.0.0.1:1")
	if _, err := proxy.ParseUpstreams(k.profiles, specs); err != nil {
		return withHint(misused(err), "--upstream sandbox, or --upstream https://HOST")
	}
	return nil
}

// sandboxes are the upstreams of a deck and the way to them.
type sandboxes struct {
	own       *standIn // the built-in one; nil if no upstream is it
	transport *proxy.Transport
	route     proxy.Route
}

// reach parses the upstreams of a deck that listens on ln, and starts the built-in sandbox
// if one of them is it.
func reach(ctx context.Context, ln net.Listener, o deckOptions) (*sandboxes, error) {
	own := append(o.desk.own(), ln.Addr())
	s := &sandboxes{transport: proxy.NewTransport(own...)}
	if o.passage.secure.config != nil {
		s.transport.SecureWith(o.passage.secure.config)
	}
	_, wanted := upstreamSpecs(slices.Concat(o.upstreams, o.passage.hosts), "")
	if wanted {
		var err error
		if s.own, err = startStandIn(ctx); err != nil {
			return nil, err
		}
	}
	specs, _ := upstreamSpecs(o.upstreams, s.address())
	hosts, _ := upstreamSpecs(o.passage.hosts, s.address())
	ups, err := proxy.ParseUpstreams(o.profiles, specs)
	if err == nil {
		err = ups.AddHosts(hosts)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.route = proxy.Route{Upstreams: ups, Transport: s.transport, Observe: o.observe}
	return s, nil
}

func (s *sandboxes) close() error {
	if s == nil {
		return nil
	}
	s.transport.CloseIdleConnections()
	return s.own.close()
}

// address returns the URL of the built-in sandbox; empty if it does not run.
func (s *sandboxes) address() string {
	if s.own == nil {
		return ""
	}
	return s.own.url
}

// deckOptions are what a deck is made of, whatever it does.
type deckOptions struct {
	*knowledge
	upstreams []string          // as on the command line; a deck that replays has none
	observe   func(proxy.Event) // nil means that nobody is told
	passage   passage
	desk      *desk // nil means that nobody looks after the deck
}

// recordDeck is a deck in record mode.
type recordDeck struct {
	*service
	sandboxes *sandboxes
	library   *cassettes.Library
	recorder  *cassettes.Recorder
	mode      *proxy.Record
	door      http.Handler
}

// recordOptions are what a recordDeck is made of.
type recordOptions struct {
	deckOptions
	dir, name string // folder and name of the cassette
	cleaner   cleaner
	sync      cassettes.Sync
}

// trouble tells an observer what goes wrong with a tape in the background.
func (o *recordOptions) trouble(err error) {
	e := proxy.Event{Kind: proxy.Warning, Note: proxy.NoteSynced}
	switch {
	case errors.Is(err, cassettes.ErrAstray):
		e.Note = proxy.NoteAstray
	case err != nil:
		e = proxy.Event{
			Kind: proxy.Failed, Note: proxy.NoteUnsynced, Text: o.cleaner.Text(err.Error()),
		}
	}
	if o.observe != nil {
		o.observe(e)
	}
}

// cleaner is what recording needs of a redactor.
type cleaner interface {
	proxy.Cleaner
	cassettes.Cleaner
}

// startRecord starts to record on ln, which it closes in any case.
func startRecord(ctx context.Context, ln net.Listener, o recordOptions) (*recordDeck, error) {
	d := &recordDeck{}
	err := d.prepare(ctx, ln, o)
	if err == nil {
		err = d.open(o, d.mode)
	}
	if err != nil {
		_, closed := d.eject()
		return nil, errors.Join(err, closed, ln.Close())
	}
	d.service = serve(ctx, ln, d.door, o.observe)
	o.desk.tend(d.service, admin.Deck{Learned: o.cleaner.Learned})
	return d, nil
}

func (d *recordDeck) prepare(ctx context.Context, ln net.Listener, o recordOptions) error {
	var err error
	if d.sandboxes, err = reach(ctx, ln, o.deckOptions); err != nil {
		return err
	}
	if d.library, err = cassettes.Open(o.dir); err != nil {
		return err
	}
	kept := cassettes.Options{Sync: o.sync, Trouble: o.trouble}
	if d.recorder, err = d.library.RecordWith(kept, o.name, o.cleaner); err != nil {
		return err
	}
	d.mode, err = proxy.NewRecord(proxy.RecordOptions{
		Route: d.sandboxes.route, Tape: d.recorder, Cleaner: o.cleaner,
		Limit: int64(o.passage.maxBody),
	})
	return err
}

// open makes the way in to a mode.
func (d *recordDeck) open(o recordOptions, mode http.RoundTripper) error {
	var err error
	d.door, err = o.passage.open(entry{
		o.desk.counts(proxy.NewDoor(mode, o.observe)), d.sandboxes.route.Upstreams, o.cleaner,
		o.observe,
	})
	return err
}

// eject stops serving, folds the journal and lets go of everything. Its error says too if the
// tape could not be written while recording.
func (d *recordDeck) eject() (cassettes.Summary, error) {
	err := d.service.close()
	if d.mode != nil {
		err = errors.Join(err, d.mode.Err())
	}
	var summary cassettes.Summary
	if d.recorder != nil {
		var folded error
		summary, folded = d.recorder.Close()
		err = errors.Join(err, folded)
	}
	if d.library != nil {
		err = errors.Join(err, d.library.Close())
	}
	return summary, errors.Join(err, d.sandboxes.close())
}
