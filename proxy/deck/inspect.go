package deck

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/proxy/inspect"
	"github.com/paytape/paytape/proxy/inspect/drawing"
	"github.com/paytape/paytape/proxy/inspect/explain"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// inspectBase is where the inspector is below the admin address.
const inspectBase = "/inspect/"

// inspector shows a deck to people: at an address of its own, below the admin address, or both. A nil
// inspector is that of a deck that nobody can look at.
type inspector struct {
	counter *inspect.Counter
	ln      net.Listener // nil: it has no address of its own
	served  *Service     // nil until it serves
	url     string       // without the token; empty until there is an address
	token   string
	secret  bool // the operator gave the token, and it stays out of logs
	since   time.Time
}

// openInspector begins to listen for people who look at the deck, before there is anything to see.
func (d *Deck) openInspector() error {
	o := &d.options
	if o.Inspect == nil && o.Admin == nil {
		return nil
	}
	i := &inspector{counter: inspect.NewCounter(), since: time.Now(), token: o.owner.token(addressInspector)}
	d.inspector = i
	if o.Inspect == nil {
		i.url = d.admin.served.URL + inspectBase
		return nil
	}
	if o.Inspect.Token != "" {
		i.token, i.secret = o.Inspect.Token, true
	}
	at := ServeOptions{Listen: o.Inspect.Listen, Tell: o.Tell, ln: o.owner.listener(addressInspector)}
	var err error
	if i.ln, err = at.listen(); err != nil {
		return wrong("Inspect.Listen", fmt.Errorf("listening for the inspector: %w", err))
	}
	i.url = addressOf(i.ln) + "/"
	return nil
}

// observer returns what counts events; nil if nobody asks for the counts.
func (i *inspector) observer() func(proxy.Event) {
	if i == nil {
		return nil
	}
	return i.counter.Observe
}

// why returns where misses are explained; empty for nowhere.
func (i *inspector) why() string {
	if i == nil {
		return ""
	}
	return i.url + "why/"
}

// address returns what it takes to look: with the token, unless the operator knows it. It is empty
// where there is no address of its own.
func (i *inspector) address() string {
	switch {
	case i == nil || i.ln == nil:
		return ""
	case i.secret:
		return i.url
	}
	return i.url + i.token + "/"
}

// own returns the address on which it listens, if it does.
func (i *inspector) own() []net.Addr {
	if i == nil || i.ln == nil {
		return nil
	}
	return []net.Addr{i.ln.Addr()}
}

func (i *inspector) close() error {
	switch {
	case i == nil || i.ln == nil:
		return nil
	case i.served == nil:
		return i.ln.Close()
	}
	return i.served.Close()
}

// Traffic returns the exchanges of the deck as people look at them. It works from the first time that
// somebody looks, and after Close still has what it had then.
func (d *Deck) Traffic() *traffic.Traffic { return d.traffic }

// serveInspector serves whoever looks at a deck that serves, and adds the page and its API to the
// admin address.
func (d *Deck) serveInspector(ctx context.Context, a *admin.Deck) error {
	i := d.inspector
	if i == nil {
		return nil
	}
	h, err := inspect.New(d.inspectOptions())
	if err != nil {
		return wrong("Inspect.Token", err)
	}
	a.InspectOpen, a.Inspect = http.NewServeMux(), http.NewServeMux()
	h.Mount(inspectBase, a.InspectOpen, a.Inspect)
	if i.ln != nil {
		i.served = serve(context.WithoutCancel(ctx), i.ln, h, nil)
	}
	return nil
}

// inspectOptions say what there is to see.
func (d *Deck) inspectOptions() inspect.Options {
	o, i := &d.options, d.inspector
	cleaner := o.redactor(nil)
	shown := inspect.Options{
		Traffic: d.traffic, Events: d.events, Cleaner: cleaner, Status: d.Status, Rules: d.rules,
		Broken: d.ruleFiles.broken, Callbacks: d.sender, Resend: d.resend, Base: i.url, Token: i.token,
		Explainer: &inspect.Held{
			Hub: d.events, Traffic: d.traffic,
			Explain: explain.Options{
				Profiles: o.Knowledge.profiles, Redactor: d.hubRedactor, Rules: d.rules,
				Trace: d.events.Trace, Same: d.sameMisses, Base: d.URL,
			},
			Creator: har.Creator{Name: har.OwnCreator, Version: d.version()},
		},
	}
	if d.cluster != nil {
		shown.Arm = func(name string, times int) error {
			if times == 0 {
				return d.share(admin.Change{Do: admin.Disarm, Name: name})
			}
			return d.share(admin.Change{Do: admin.Arm, Name: name, Times: times})
		}
	}
	if o.Inspect != nil {
		shown.Hosts = o.Inspect.Hosts
	}
	if d.tape != nil {
		live := d.player.LiveStates
		if d.cluster != nil {
			live = d.cluster.liveStates
		}
		shown.Machines = drawing.New(drawing.Options{
			Tape: d.tape.compiled, Profiles: o.Knowledge.profiles, Redactor: cleaner,
			Asked: d.replay.Asked, Live: live,
			Sealed: func(cassette string) bool { return d.tape.sealed[cassette] },
		})
	}
	return shown
}

// sameMisses counts the misses that are in the list, with a reason and an operation.
func (d *Deck) sameMisses(reason, operation string) int {
	w, err := d.traffic.Window(traffic.Query{
		Filter: fmt.Sprintf("served:miss reason:%q op:%q", reason, operation),
	})
	if err != nil {
		return 0 // what the filter cannot say is counted by nobody
	}
	return w.Counts.Misses
}

// version returns that of the program, as far as the options tell it.
func (d *Deck) version() string {
	switch o := &d.options; {
	case o.Inspect != nil:
		return o.Inspect.Version
	case o.Admin != nil:
		return o.Admin.Version
	}
	return ""
}

// Status returns what the deck is, and what it has come to so far. Without an inspector nothing is
// counted.
func (d *Deck) Status() view.Status {
	o := &d.options
	s := view.Status{
		Mode: string(o.Mode), Cassettes: o.Cassettes, Exchanges: d.Exchanges(), URL: d.URL,
		Version: d.version(), Keep: d.options.Keep, CanResend: true, Asks: o.Mode != Replay,
	}
	if o.Tape != nil && o.Mode == Replay {
		s.Cassettes = drawing.New(drawing.Options{Tape: o.Tape.compiled}).Names()
	}
	if d.inspector != nil {
		s.Since = d.inspector.since
		d.inspector.counter.Fill(&s)
	}
	for _, r := range d.rules.Report() {
		s.Rules++
		if r.Armed {
			s.Armed++
		}
	}
	switch {
	case d.sender != nil:
		c := d.sender.Counts()
		s.CallbackMode = string(d.sender.Mode())
		s.Callbacks.Accepted += c.Accepted
		s.Callbacks.Refused += c.Refused + c.GivenUp
		s.Callbacks.Pending, s.Callbacks.Held, s.Callbacks.Dropped = c.Pending, c.Held, c.Dropped
	case d.callbackDoor != nil:
		s.CallbackMode = string(CallbacksRelay)
	}
	s.Sharing = d.owners.sharing()
	select {
	case <-d.Done():
		s.Stopped = true
	default:
	}
	return s
}

// broken tells what is wrong with the rules files that were read last; empty: nothing.
func (r *ruleFiles) broken() string {
	if r == nil {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wrong
}
